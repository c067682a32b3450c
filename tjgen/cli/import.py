"""`tjgen import`: jobs that were written by hand -> experiments that give the same, and what is different."""  # noqa: N999  # a command is called like its module

from __future__ import annotations

import errno
import os
import shlex
import sys

from tjgen.cli.command import ACCEPT_MISSING, CATALOG, COMMON, VALUE, Arguments, Command, Option
from tjgen.cli.inputs import absent, good, texts
from tjgen.cli.reporting import Reporter
from tjgen.trees.diagnostics.model import CompileError, Diagnostic, has_errors
from tjgen.trees.typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tjgen.cluster.trainer.release import Release
    from tjgen.tools.importing.folder import Import

COMMAND = Command(
    "import",
    "Convert existing jobs to experiments.",
    "Convert each TrainJob, PyTorchJob, TFJob, XGBoostJob, JAXJob, PaddleJob, MPIJob, RayJob, Volcano Job and JobSet to an"
    " experiment, and build it to check that it results in the same job. Fields that only a patch can set, and all"
    " differences, are reported with their place. The experiments are written to stdout, or with -o into a folder,"
    " together with the runtimes of TrainJobs.",
    "tjgen import pytorchjob.yaml -o experiments/",
    "PATH...",
    (
        Option(("-o", "--output"), "output", "Folder to write to, one file for each experiment.", VALUE, "DIR"),
        CATALOG,
        ACCEPT_MISSING,
        *COMMON,
    ),
    least=1,
)


def run(arguments: Arguments) -> int:
    """Import every file, report, and answer with the exit code. With errors nothing is written, and no file is written over."""
    from tjgen.tools.importing.folder import read_folder
    from tjgen.tools.importing.neighbors import with_neighbors

    with Reporter(arguments) as reporter:
        contents = list(good(texts(arguments["paths"]), reporter))
        reporter.add(absent(arguments["catalog"]))
        output = arguments["output"] or "."
        result = with_neighbors(
            read_folder(", ".join(arguments["paths"]), contents, arguments["catalog"], _release_of_project(output))
        )
        if not reporter.failed:
            reporter.add([*result.diagnostics, *_of_older_release(result, output)])
        if not reporter.failed:
            folder = arguments["output"]
            if folder is None:
                sys.stdout.write("---\n".join(result.experiments.values()))
                for folder_name, names in (("catalog", result.catalog), ("platform", result.platform)):
                    if names:
                        listed = ", ".join(names)
                        reporter.print_line(f"not written: {listed}; with -o DIR, DIR/{folder_name} contains them")
            else:
                reporter.add(_missing(result, folder, arguments))
                if reporter.failed:
                    return reporter.close()
                reporter.add(_written(folder, result.files("")))
                if result.catalog and result.experiments and not reporter.failed:
                    reporter.print_line(_next_steps(result, folder))
    return reporter.close()


def _release_of_project(folder: str) -> Release:
    """The release of Trainer that the project around `folder` builds for."""
    from tjgen.cluster.trainer.release import NEWEST, release_of
    from tjgen.language.resolve.project import find
    from tjgen.language.resolve.project_file import load

    project_file = find(folder)
    return NEWEST if project_file is None else release_of(load(project_file)[0].spec.trainer) or NEWEST


def _of_older_release(result: Import, folder: str) -> list[Diagnostic]:
    """TJ793 for TrainJobs of an older release than the project around `folder` builds for."""
    from tjgen.cluster.trainer.release import NEWEST

    name, builds_for = result.release.name, _release_of_project(folder).name
    if result.release is NEWEST or name == builds_for:
        return []
    message = f"the TrainJobs are for Trainer {name}, and builds are for {builds_for}"
    hint = f'set trainer: "{name}" in tjgen.yaml, or import the output of tjgen convert --trainer {builds_for}'
    return [Diagnostic("TJ793", message, hint=hint)]


def _missing(result: Import, folder: str, arguments: Arguments) -> list[Diagnostic]:
    """TJ284 for objects of the files that the tree of the project around `folder` would not contain."""
    from tjgen.language.resolve.project import find
    from tjgen.language.resolve.project_file import load
    from tjgen.tools.importing.remaining import ObjectIdentity, remaining
    from tjgen.trees.source.reader import KUBERNETES, read

    project_file = find(folder)
    if project_file is None:
        return []
    project, problems = load(project_file)
    if has_errors(problems):
        return problems
    output, accepted = project.output, arguments["accept_missing"]
    files = texts([output]) if output is not None and os.path.isdir(output) else ()
    documents = [one for name, content in files if isinstance(content, bytes) for one in read(content, name, KUBERNETES)[0]]
    present = {ObjectIdentity.of(one.value) for one in documents if isinstance(one.value, dict)}
    source, place = ", ".join(arguments["paths"]), output or "the output tree"
    return remaining(
        result.subjects,
        result.built | present,
        project.spec.gitops.tool,
        source,
        place,
        included=result.included,
        accepted=accepted,
    )


def _next_steps(result: Import, folder: str) -> str:
    """Where the runtimes are, and what builds the experiments with them."""
    from tjgen.compiler.building.unlisted import CATALOG, listing
    from tjgen.language.resolve.project import find
    from tjgen.language.resolve.project_file import load

    place = os.path.normpath(os.path.join(folder, CATALOG)).replace(os.sep, "/")
    project_file = find(folder)
    is_listed = project_file and not load(project_file)[0].outside_catalogs([f"{place}/{name}" for name in result.catalog])
    step = "" if is_listed else f"{listing(place, project_file)}, then "
    paths = sorted({os.path.normpath(os.path.join(folder, name.partition("/")[0])) for name in result.experiments})
    return f"{place} contains the runtimes: {step}run tjgen build {shlex.join(paths)}"


def _written(folder: str, files: dict[str, str]) -> list[Diagnostic]:
    from tjgen.gitops.emit.file import write

    problems = []
    for name, text in files.items():
        path = os.path.join(folder, *name.split("/"))
        try:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            if os.path.lexists(path):
                raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), path)
            write(path, [text])
        except OSError as error:
            message = f"{path} cannot be written: {error.strerror}"
            hint = "name a folder that does not have it yet"
            problems.append(Diagnostic("TJ408", message, hint=hint))
        except CompileError as error:
            problems += error.diagnostics
    return problems
