"""`tjgen init`: an empty folder, or one with manifests -> a repository that builds, with its checks."""

from __future__ import annotations

import os
from contextlib import chdir

from tjgen.cli.command import ACCEPT_MISSING, COMMON, MANY, VALUE, Arguments, Command, Option, UsageError
from tjgen.cli.inputs import absent, good, texts
from tjgen.cli.reporting import Reporter
from tjgen.cluster.synctools.table import NO_TOOL
from tjgen.cluster.trainer.release import NEWEST
from tjgen.compiler.building.plan import Plan, make_plan
from tjgen.compiler.building.request import Request
from tjgen.gitops.output.options import BuildOptions
from tjgen.gitops.output.write import write
from tjgen.language.runs.lock import DIRECTORY as RECORDS
from tjgen.tools.scaffold import copies, pages, policies, repository, workspace
from tjgen.tools.scaffold.artifact import installed, parse
from tjgen.tools.scaffold.branch import DEFAULT, default_branch
from tjgen.tools.scaffold.first import FRAMEWORKS
from tjgen.tools.scaffold.options import DEFAULT_ENVIRONMENTS, FORGES, NO_FORGE, OUTPUT, TOOLS, Options, named, wrong
from tjgen.tools.scaffold.pipelines import FOLDER
from tjgen.tools.scaffold.undo import Undo
from tjgen.trees.diagnostics.model import Diagnostic

COMMAND = Command(
    "init",
    "Create a repository of experiments.",
    "Create a repository in DIR (by default, the working directory), and build it. It contains a project file, two "
    "experiments with their programs, and an overlay for each environment. It also contains hooks for pre-commit, a "
    "pipeline, and the objects with which Argo CD or Flux syncs it. The pipeline installs tjgen from one pinned "
    "package, and its dependencies by their hashes. Existing files are not overwritten. If the repository has hooks and "
    "pipelines of other projects, those of this project are added. With --from, the experiments and the catalog are "
    "created from handwritten manifests. Each TrainJob becomes an experiment with the same TrainJob and JobSet, or the "
    "difference is reported. Jobs of other kinds are converted as by tjgen import. With --workspace, DIR becomes a "
    "workspace: settings and a Platform of the platform team, and a project for each team.",
    "tjgen init vision --ci github --package dist/tjgen-0.1.0-py3-none-any.whl",
    "[DIR]",
    (
        Option(("--from",), "source", "Folder or file of TrainJobs and runtimes to start with.", VALUE, "DIR"),
        Option(("--catalog",), "catalog", "More runtimes for --from; may be repeated.", MANY, "PATH"),
        Option(("--name",), "name", "Name of the project; the default is that of the folder.", VALUE, "NAME"),
        Option(("--env",), "env", "Environment, production last; the default is dev and prod.", MANY, "NAME"),
        Option(
            ("--framework",),
            "framework",
            "Framework of the first experiments; the default is torch.",
            VALUE,
            "NAME",
            FRAMEWORKS,
        ),
        Option(("--gitops",), "gitops", "Tool that applies the output; the default is none.", VALUE, "TOOL", TOOLS),
        Option(("--repository",), "repository", "URL of the repository, for the tool that applies the output.", VALUE, "URL"),
        Option(("--ci",), "ci", "Forge whose pipeline to write; the default is none.", VALUE, "FORGE", FORGES),
        Option(
            ("--package",),
            "package",
            "The tjgen that the pipeline installs: a wheel, git+URL@COMMIT, or 'tjgen==RELEASE --hash=sha256:HASH'. The default "
            "is what this tjgen was installed from, if pip recorded a wheel or a commit.",
            VALUE,
            "PACKAGE",
        ),
        Option(("--workspace",), "workspace", "Create a workspace: a Platform, and a project for each team."),
        Option(("--team",), "team", "Team of the workspace; the default is vision and speech.", MANY, "NAME"),
        Option(
            ("--policies",),
            "policies",
            "Write example policies to the folder policies, also in an existing project.",
        ),
        Option(
            ("--copy",),
            "copy",
            "Copy an overlay or Platform that comes with tjgen into an existing project; may be repeated.",
            MANY,
            "NAME",
            (*copies.OVERLAYS, *copies.PLATFORMS),
        ),
        Option(
            ("--hooks",), "hooks", "Repository and revision of the hooks; the default is the installed tjgen.", VALUE, "URL@REV"
        ),
        ACCEPT_MISSING,
        *COMMON,
    ),
    most=1,
)
_OF_A_REPOSITORY = (
    "source",
    "catalog",
    "name",
    "env",
    "framework",
    "gitops",
    "repository",
    "ci",
    "package",
    "hooks",
    "workspace",
    "team",
)
"""Options that only a new repository has."""
_FOR_FROM = (("--catalog", "catalog"), ("--accept-missing", "accept_missing"))


def run(arguments: Arguments) -> int:
    """Make the repository, build it, and answer with the exit code."""
    directory = os.path.normpath(arguments["paths"][0]) if arguments["paths"] else "."
    options = _options(arguments, directory)
    problem = options if isinstance(options, str) else wrong(options)
    if not problem and arguments["source"] is None:
        idle = next((flag for flag, name in _FOR_FROM if arguments[name]), None)
        problem = f"{idle} is for --from" if idle else None
    if isinstance(options, str) or problem:
        raise UsageError(problem)
    adds = repository.is_project(directory) and not any(arguments[name] for name in _OF_A_REPOSITORY)
    if arguments["copy"] and not adds:
        raise UsageError(
            "--copy is for an existing project: run it in the folder of tjgen.yaml, without the options for a new repository"
        )
    undo = Undo()
    with Reporter(arguments) as reporter:
        if adds and (arguments["policies"] or arguments["copy"]):
            _add(directory, arguments, undo, reporter)
        else:
            _create(options, directory, arguments, undo, reporter)
    code = reporter.close()
    if code:
        # The report shows lines of the new files, so they are removed after it.
        undo.undo()
        if undo.is_needed:
            reporter.print_line(f"{pages.place(directory)} is as before: tjgen init writes all files, or with errors none")
    return code


def _add(directory: str, arguments: Arguments, undo: Undo, reporter: Reporter) -> None:
    """Write files into an existing project."""
    bundled = policies.files() if arguments["policies"] else ()
    reporter.add(repository.add(directory, [*bundled, *copies.files(arguments["copy"])], undo))
    if not reporter.failed:
        if arguments["policies"]:
            reporter.print_line(policies.NEXT)
        if arguments["copy"]:
            reporter.print_line(copies.next_steps(arguments["copy"]))


def _create(options: Options, directory: str, arguments: Arguments, undo: Undo, reporter: Reporter) -> None:
    """Create and build the repository."""
    begun: list[tuple[str, str]] = []
    if options.imports:
        options, begun = _imported(arguments, options, directory, reporter)
        if reporter.failed:
            return
    namespaces = workspace.namespaces(options) if options.teams else [options.namespace(one) for one in options.environments]
    bundled = policies.files(namespaces, options.teams or [options.name]) if arguments["policies"] else ()
    reporter.add(repository.create(directory, [*repository.files(options), *begun, *bundled], undo))
    projects = ["", *(f"{workspace.TEAMS}/{team}" for team in options.teams)]
    undo.creates_trees(os.path.join(directory, project, folder) for project in projects for folder in (OUTPUT, RECORDS))
    if options.teams:
        undo.writes(os.path.normpath(os.path.join(directory, workspace.owners_file(options))))
        _build_workspace(directory, arguments, reporter)
    else:
        reporter.add(_built(directory))
    if not reporter.failed:
        pages_of = workspace if options.teams else pages
        reporter.print_line(pages_of.next_steps(options, directory))
        if arguments["policies"]:
            reporter.print_line(policies.NEXT)


def _options(arguments: Arguments, directory: str) -> Options | str:
    name = arguments["name"] or named(os.path.basename(os.path.abspath(directory)))
    hooks = None
    if arguments["hooks"] is not None:
        # An address may hold an @ itself, before the host.
        url, package, revision = arguments["hooks"].rpartition("@")
        if not (url and package and revision):
            return f"--hooks {arguments['hooks']}: write URL@REV, such as https://git.example.com/tools/tjgen@v0.1.0"
        hooks = (url, revision)
    teams = tuple(arguments["team"])
    if teams and not arguments["workspace"]:
        return "--team is for --workspace"
    if arguments["workspace"]:
        teams = teams or workspace.DEFAULT_TEAMS
    artifact = None
    if arguments["package"] is not None:
        package = parse(arguments["package"], FOLDER)
        if isinstance(package, str):
            return package
        artifact = package
    elif arguments["ci"] not in (None, NO_FORGE):
        artifact = installed(FOLDER)
    top, place = _place(directory)
    return Options(
        name,
        tuple(arguments["env"]) or (() if arguments["source"] is not None else DEFAULT_ENVIRONMENTS),
        arguments["gitops"] or NO_TOOL,
        arguments["repository"] or "",
        arguments["ci"] or NO_FORGE,
        hooks,
        folder=place,
        in_repository=top is not None,
        branch=default_branch(top) if top is not None else DEFAULT,
        framework=arguments["framework"] or FRAMEWORKS[0],
        imports=arguments["source"] is not None,
        artifact=artifact,
        teams=teams,
    )


def _place(directory: str) -> tuple[str | None, str]:
    """Return the repository of a folder, and the path in it: "" at its root. Outside of repositories, it is None."""
    working_directory = above = os.path.realpath(directory)
    while not os.path.exists(os.path.join(above, ".git")):
        if above == os.path.dirname(above):
            return None, ""
        above = os.path.dirname(above)
    place = os.path.relpath(working_directory, above).replace(os.sep, "/")
    return above, "" if place == "." else place


def _imported(
    arguments: Arguments, options: Options, directory: str, reporter: Reporter
) -> tuple[Options, list[tuple[str, str]]]:
    """What the manifests show of the project, and the files that are created from them."""
    from tjgen.tools.importing.folder import read_folder
    from tjgen.tools.importing.neighbors import with_neighbors
    from tjgen.tools.importing.remaining import remaining

    contents = list(good(texts([arguments["source"]]), reporter))
    reporter.add(absent(arguments["catalog"]))
    result = with_neighbors(read_folder(arguments["source"], contents, arguments["catalog"]))
    if not reporter.failed:
        reporter.add(result.diagnostics)
    output, accepted = os.path.join(directory, OUTPUT), arguments["accept_missing"]
    reporter.add(
        remaining(
            result.subjects, result.built, options.tool, arguments["source"], output, included=result.included, accepted=accepted
        )
    )
    begun = list(result.files("experiments/").items())
    if begun:
        jobs, runtimes = len(result.experiments), len(result.catalog)
        reporter.print_line(f"{arguments['source']}: {jobs} job{'s' * (jobs != 1)}, {runtimes} runtime{'s' * (runtimes != 1)}")
    release = "" if result.release is NEWEST else result.release.name
    return options._replace(release=release, has_platform=bool(result.platform)), begun


def _built(directory: str) -> list[Diagnostic]:
    with chdir(directory):
        written = write(make_plan(Request()), OUTPUT, None, options=BuildOptions(), renew=[])
        return written.diagnostics


def _build_workspace(directory: str, arguments: Arguments, reporter: Reporter) -> None:
    from tjgen.cli.projects import for_each
    from tjgen.gitops.output import codeowners

    def build(one: Plan, part: Reporter) -> None:
        part.add(write(one, one.output or OUTPUT, None, options=BuildOptions(), renew=[]).diagnostics)

    with chdir(directory):
        plan = make_plan(Request())
        for_each(plan, arguments, reporter, build)
        if not reporter.failed:
            reporter.add(codeowners.update(plan, force=False, check=False))
