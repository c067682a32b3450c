"""Options with teams -> the files of a new workspace: its project file, a Platform, and a project for each team."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster.synctools.table import BY_NAME
from tjgen.gitops.output.codeowners import GITHUB
from tjgen.tools.scaffold import checks, first, pipelines
from tjgen.tools.scaffold.options import NO_FORGE, OUTPUT, Options
from tjgen.tools.scaffold.pages import IGNORED, place, synced_readme
from tjgen.tools.scaffold.pipelines import FOLDER
from tjgen.tools.scaffold.project import environment_lines, gitops_line
from tjgen.tools.scaffold.shared import Shared

TEAMS = "teams"
DEFAULT_TEAMS = ("vision", "speech")


def owners_file(options: Options) -> str:
    """The path of the file of owners that the build of the workspace writes, from the workspace."""
    return f"{options.top}.{_format(options)}/CODEOWNERS"


def namespaces(options: Options) -> list[str]:
    """The namespaces of all teams and environments."""
    return [namespace for _, namespace in _namespaces(options)]


def files(options: Options) -> Iterator[tuple[str, str | bytes | Shared]]:
    """Path and content of each file, the project file of the workspace first."""
    yield "tjgen.yaml", "\n".join(_workspace(options)) + "\n"
    yield "platform.yaml", "\n".join(_platform(options)) + "\n"
    for team in options.teams:
        folder = f"{TEAMS}/{team}"
        yield f"{folder}/tjgen.yaml", "\n".join(_project(options, team)) + "\n"
        for path, text in first.hello(options):
            yield f"{folder}/{path}", text
    yield from checks.files(options)
    yield from pipelines.files(options)
    yield "README.md", "\n".join(_readme(options)) + "\n"
    yield ".gitignore", IGNORED.format(output=f"**/{OUTPUT}", records="**/tjgen.lock.d", installs=FOLDER)


def next_steps(options: Options, directory: str) -> str:
    """The commands to run next, for the summary of `tjgen init`."""
    steps = [
        *([f"cd {directory}"] if directory != "." else []),
        *([] if options.in_repository else [f"git init -b {options.branch}"]),
        "edit platform.yaml (namespaces, quotas) and codeowners in tjgen.yaml, then run tjgen build",
        "git add --all && pre-commit install",
        "tjgen build --summary --by team",
        f"tjgen build -C {TEAMS}/{options.teams[0]}, after a change of one team",
    ]
    number = f"{len(options.teams)} team{'s' * (len(options.teams) != 1)}"
    return "\n".join([f"{place(directory)} is a workspace of {number}. Next:", *(f"  {step}" for step in steps)])


def _format(options: Options) -> str:
    """The forge whose file of owners the build writes: without one, GitHub."""
    return GITHUB if options.forge == NO_FORGE else options.forge


def _workspace(options: Options) -> Iterator[str]:
    yield "# What the projects of all teams inherit. The platform team owns this file and platform.yaml."
    yield "apiVersion: tjgen.dev/v1alpha1"
    yield "kind: Project"
    yield f"metadata: {{name: {options.name}}}"
    yield "spec:"
    yield f"  projects: [{TEAMS}/*]"
    yield "  platforms: [platform.yaml]"
    yield from environment_lines(options, lambda _: f"platform: {options.name}")
    yield f"  output: {{directory: {OUTPUT}}}"
    yield from gitops_line(options)
    yield "  policy: {strict: true}"
    yield "  # Replace these names by users or teams of your forge. The build writes CODEOWNERS."
    yield "  codeowners:"
    yield f"    format: {_format(options)}"
    yield "    owners:"
    yield f'      .: ["@{options.name}/platform"]'
    for team in options.teams:
        yield f'      {TEAMS}/{team}: ["@{options.name}/{team}"]'


def _platform(options: Options) -> Iterator[str]:
    yield "# The cluster of all teams. The workspace builds these objects, and the projects use them."
    yield "apiVersion: tjgen.dev/v1alpha1"
    yield "kind: Platform"
    yield f"metadata: {{name: {options.name}}}"
    yield "spec:"
    yield '  podSecurity: {"*": baseline}'
    yield "  namespaces:"
    for team, namespace in _namespaces(options):
        yield f"    {namespace}: {{labels: {{team: {team}}}, trainers: [{{group: {team}}}]}}"
    yield "  quotas:"
    for _, namespace in _namespaces(options):
        yield f"    {namespace}: {{requests.cpu: 64, requests.memory: 256Gi}}"


def _project(options: Options, team: str) -> Iterator[str]:
    yield f"# The project of team {team}. Everything else comes from the workspace."
    yield "apiVersion: tjgen.dev/v1alpha1"
    yield "kind: Project"
    yield "spec:"
    yield "  experiments: [experiments]"
    yield "  environments:"
    for environment in options.environments:
        yield f"    {environment}: {{namespace: {_namespace(options, team, environment)}}}"
    yield f"  labels: {{team: {team}}}"


def _namespaces(options: Options) -> Iterator[tuple[str, str]]:
    for team in options.teams:
        for environment in options.environments:
            yield team, _namespace(options, team, environment)


def _namespace(options: Options, team: str, environment: str) -> str:
    return options._replace(name=team).namespace(environment)


def _readme(options: Options) -> Iterator[str]:
    yield f"# {options.name}"
    yield ""
    yield "Training runs of several teams. `tjgen` compiles the experiments into Kubernetes manifests."
    yield ""
    yield "| | |"
    yield "| --- | --- |"
    yield "| `tjgen.yaml`, `platform.yaml` | What all teams inherit, and the cluster. The platform team owns both. |"
    for team in options.teams:
        yield f"| `{TEAMS}/{team}` | The project of team {team}: experiments, output and lock. |"
    yield f"| `{OUTPUT}`, `tjgen.lock.d` | What tjgen writes, in each project. Commit both. |"
    yield ""
    yield "To add a team, copy the `tjgen.yaml` of another team to a new folder, and change its namespaces and its label. Add the"
    yield "namespaces to `platform.yaml`, and owners to `tjgen.yaml`. Then build in the folder of the workspace:"
    yield ""
    yield "```sh"
    yield "tjgen build"
    yield "```"
    yield ""
    # All environments have one Platform, which is applied once in each cluster that the tool is in.
    of_platform = options.environments if BY_NAME[options.tool].in_each_cluster else options.environments[:1]
    of_teams = [f"{TEAMS}/{team}/{OUTPUT}/{one}" for team in options.teams for one in options.environments]
    yield from synced_readme(options, [*(f"{OUTPUT}/{one}" for one in of_platform), *of_teams])
