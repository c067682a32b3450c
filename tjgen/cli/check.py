"""`tjgen check`: manifests, made by us or by hand -> what an API server would say, with the line."""

from __future__ import annotations

import os

from tjgen.cli.command import COMMON, MANY, TRAINER, VALUE, Arguments, Command, Option
from tjgen.cli.inputs import absent, good, sandbox_for, texts
from tjgen.cli.releases import release_for
from tjgen.cli.reporting import Reporter
from tjgen.cluster.schema.store import OWN
from tjgen.cluster.trainer.inputs import is_kind
from tjgen.cluster.trainer.placed import Placed
from tjgen.cluster.validate.check import check
from tjgen.cluster.validate.ways import SERVER_SIDE, WAYS
from tjgen.trees.diagnostics.model import CompileError, Diagnostic
from tjgen.trees.files.problems import is_problem
from tjgen.trees.files.sandbox import around
from tjgen.trees.typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tjgen.language.resolve.project import Project
    from tjgen.trees.files.sandbox import Sandbox

_PROJECT = "tjgen.yaml"

COMMAND = Command(
    "check",
    "Validate manifests offline, as the API server would.",
    "Judge the manifests in files and folders (- is standard input) by the schemas of Kubernetes and of the custom "
    "resources that training jobs use, by the webhooks behind the server, and for the pods that controllers will make of them. "
    "TrainJobs are expanded with their runtimes, which stand in the same files, in --catalog or are bundled, to say what "
    "the controller does with them that nobody would expect. "
    "A kind without a schema is reported as not checked; with --strict that is an error. With --against, say what becomes of "
    "each object that is applied already: in place, without effect, refused, or in need of a new name. "
    "The answer is kept (in $XDG_CACHE_HOME or ~/.cache), and given again for the same files.",
    "tjgen check deploy/ other.yaml",
    "PATH...",
    (
        Option(("--schemas",), "schemas", "Folder with schemas of the cluster's own kinds.", VALUE, "DIR"),
        Option(("--catalog",), "catalog", "File or folder with runtimes of TrainJobs; may be repeated.", MANY, "PATH"),
        TRAINER,
        Option(("--apply",), "apply", "How the manifests are applied; client-side where it is left out.", VALUE, "WAY", WAYS),
        Option(
            ("--against",), "against", "What is applied now: a folder, or a Git revision of the same paths.", VALUE, "DIR|REV"
        ),
        Option(("--no-cache",), "no_cache", "Check again, and keep no answer."),
        *COMMON,
    ),
    least=1,
)


def run(arguments: Arguments) -> int:
    """Check every file, report, and answer with the exit code."""
    reporter = Reporter(arguments)
    project = _project(reporter)
    folder = arguments["schemas"] or (project.schemas if project is not None else None)
    sandbox = sandbox_for(arguments["paths"])
    found = good(texts(arguments["paths"], sandbox), reporter)
    folders = [path for path in arguments["paths"] if os.path.isdir(path)]
    if folders:
        found = _manifests(found, folders, sandbox, reporter)
    standing = None
    if arguments["against"] is not None:
        from tjgen.cli.against import compare_with

        found = iter(files := list(found))
        standing = compare_with(arguments["against"], arguments["paths"], files, arguments, reporter)
    reporter.add(absent(arguments["catalog"]))
    server_side = arguments["apply"] == SERVER_SIDE
    strict = arguments["strict"]
    try:
        release = release_for(arguments["trainer"])
        versions = {**release.versions, **({OWN: folder} if folder else {})}
        accepted: list[Placed] = []
        watch = reporter.watch()
        for number, (file, content) in enumerate(found):
            if watch is not None:
                watch(number, 0, file)
            said = check(
                content,
                file,
                versions=versions,
                strict=strict,
                server_side=server_side,
                standing=standing,
                accepted=accepted,
                harmless=project.spec.policy.harmless if project is not None and project.is_root else (),
                budgets=sandbox.budgets,
            )
            reporter.add(_judged(said, project))
        if any(is_kind(one.tree, "TrainJob") for one in accepted):
            reporter.add(_judged(_of_trainjobs(accepted, arguments["catalog"], versions), project))
    except CompileError as error:
        reporter.add(error.diagnostics)
    return reporter.close()


def _manifests(
    found: Iterator[tuple[str, bytes]], folders: list[str], sandbox: Sandbox, reporter: Reporter
) -> Iterator[tuple[str, bytes]]:
    """The files without those of the folders that kustomize or Helm renders. The reporter gets what was left out."""
    from tjgen.cli.rendered import is_template, rendered, template_note

    skipped = rendered(folders, sandbox)
    reporter.add(skipped.notes)
    for file, content in found:
        is_below = any(file.startswith(os.path.join(folder, "")) for folder in folders)
        if is_below and skipped.has(file):
            continue
        if is_below and is_template(content, file):
            reporter.add([template_note(file)])
        else:
            yield file, content


def _of_trainjobs(accepted: list[Placed], catalog: list[str], versions: dict[str, str]) -> list[Diagnostic]:
    """What shows when TrainJobs are expanded; files without any need none of this."""
    from tjgen.cli.runtime_files import Runtimes
    from tjgen.cluster.validate.together import together

    return list(together(accepted, Runtimes(catalog, versions), versions))


def _judged(found: list[Diagnostic], project: Project | None) -> list[Diagnostic]:
    """With the severity that the project's policy gives them."""
    if project is None:
        return found
    from tjgen.language.resolve.policy import judged

    return judged(found, project.spec.policy)


def _project(reporter: Reporter) -> Project | None:
    """The project of this folder, or of one above it, where it says something that manifests are judged by."""
    folder = os.getcwd()
    while not os.path.lexists(os.path.join(folder, _PROJECT)):
        if folder == os.path.dirname(folder):
            return None
        folder = os.path.dirname(folder)
    content = around([file := os.path.relpath(os.path.join(folder, _PROJECT))]).content(file)
    # The release of Trainer is read from the same file, and what keeps it from being read is reported there.
    if isinstance(content, Diagnostic):
        return None
    if b"schemas" not in content and b"policy" not in content:
        return None
    # Only a project that has schemas or a policy of its own pays for the language of projects.
    from tjgen.language.resolve.project_file import load

    project, found = load(file)
    reporter.add([one for one in found if is_problem(one)])
    return project
