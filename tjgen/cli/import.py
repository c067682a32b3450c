"""`tjgen import`: jobs that were written by hand -> experiments that give the same, and what is different."""  # noqa: N999  # a command is called like its module

from __future__ import annotations

import errno
import os
import sys

from tjgen.cli.command import COMMON, MANY, VALUE, Arguments, Command, Option
from tjgen.cli.inputs import absent, good, texts
from tjgen.cli.reporting import Reporter
from tjgen.trees.diagnostics.model import CompileError, Diagnostic

COMMAND = Command(
    "import",
    "Convert existing jobs to experiments.",
    "Convert each TrainJob, PyTorchJob, TFJob, XGBoostJob, JAXJob, MPIJob, Volcano Job and JobSet to an experiment, and"
    " build it to check that it results in the same job. Fields that only a patch can set, and all differences, are "
    "reported with their place. The experiments are written to stdout, or with -o into a folder, together with the "
    "runtimes of TrainJobs.",
    "tjgen import pytorchjob.yaml -o experiments/",
    "PATH...",
    (
        Option(("-o", "--output"), "output", "Folder to write to, one file for each experiment.", VALUE, "DIR"),
        Option(("--catalog",), "catalog", "File or folder with runtimes of TrainJobs; may be repeated.", MANY, "PATH"),
        *COMMON,
    ),
    least=1,
)


def run(arguments: Arguments) -> int:
    """Import every file, report, and answer with the exit code. With errors nothing is written, and no file is written over."""
    from tjgen.tools.importing.folder import read_folder

    reporter = Reporter(arguments)
    contents = list(good(texts(arguments["paths"]), reporter))
    reporter.add(absent(arguments["catalog"]))
    result = read_folder(", ".join(arguments["paths"]), contents, arguments["catalog"])
    if not reporter.failed:
        reporter.add(result.diagnostics)
    if not reporter.failed:
        folder = arguments["output"]
        if folder is None:
            sys.stdout.write("---\n".join(result.experiments.values()))
            if result.catalog:
                names = ", ".join(result.catalog)
                reporter.print_line(f"not written: {names}, for the catalog; with -o DIR it goes to DIR/catalog")
        else:
            files = {**result.experiments, **{f"catalog/{name}": text for name, text in result.catalog.items()}}
            reporter.add(_written(folder, files))
    return reporter.close()


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
