"""`tjgen report`: a project, experiments or an output tree -> one HTML page, and pictures, for people."""

from __future__ import annotations

import os
import sys

from tjgen.cli.command import COMMON, ENVIRONMENTS, FLAG, FOLDER, TRAINER, TRUSTED, VALUE, Arguments, Command, Option, enter
from tjgen.cli.reporting import Reporter
from tjgen.cli.workspaces import refuse_workspace
from tjgen.compiler.building.plan import make_plan
from tjgen.compiler.building.request import Request
from tjgen.gitops.emit.file import write
from tjgen.gitops.emit.problems import failed
from tjgen.tools.report.content import Report
from tjgen.tools.report.files import pictures
from tjgen.tools.report.gather import ReportOptions, of_build
from tjgen.tools.report.page import page
from tjgen.tools.report.tree_report import is_tree, of_tree
from tjgen.trees.diagnostics.model import CompileError, Diagnostic

COMMAND = Command(
    "report",
    "Write a page that shows runs, their totals and problems.",
    "Write one HTML page that is complete in itself. It contains every run with its state, a picture of it (pods and "
    "devices, gang, volumes, data slices, sync waves), and its fields with the lines that request them. It also "
    "contains totals against quotas, and diagnostics. With --against, it shows the differences from a Git revision or a"
    " folder. PATH is a source of a build, or an output tree, which is shown as it is. Without PATH, the whole project "
    "is shown. With errors, the page is written, too.",
    "tjgen report -o report.html --against origin/main",
    "[PATH]...",
    (
        Option(("-o", "--output"), "output", "File to write to; the default is standard output.", VALUE, "FILE"),
        Option(("--svg",), "svg", "Folder for a picture of each run, and of quotas, as SVG files.", VALUE, "DIR"),
        Option(("--against",), "against", "Show what differs from a Git revision or a folder.", VALUE, "REV|DIR"),
        Option(("--tree",), "tree", "Output tree with the runs that stay; the default is that of the project.", VALUE, "DIR"),
        ENVIRONMENTS,
        Option(("--previews",), "previews", "Show the fields of what controllers will create, too.", FLAG),
        FOLDER,
        TRAINER,
        TRUSTED,
        *COMMON,
    ),
)


def run(arguments: Arguments) -> int:
    """Gather, write, and answer with the exit code: 1 where the report shows errors."""
    enter(arguments)
    with Reporter(arguments) as reporter:
        report, inputs = _report(arguments, reporter)
        reporter.clear()
        reporter.add(list(report.diagnostics))
        _write(report, arguments, inputs)
    return reporter.close()


def _report(arguments: Arguments, reporter: Reporter) -> tuple[Report, list[str]]:
    """The report, and the files that it was created from."""
    paths = arguments["paths"]
    environments, against, trainer = arguments["env"], arguments["against"], arguments["trainer"]
    expanded = arguments["previews"]
    if len(paths) == 1 and is_tree(paths[0]):
        return of_tree(paths[0], environments=environments, against=against, trainer=trainer, expanded=expanded), []
    plan = make_plan(Request(paths, environments=environments, trainer=trainer))
    refuse_workspace("report", plan.project, has_runs=bool(plan.files))
    directory = arguments["tree"] or plan.output
    if against is not None and directory is None:
        message = f"there is no output tree to compare with {against}"
        hint = "pass --tree DIR, or set spec.output.directory in tjgen.yaml"
        raise CompileError([Diagnostic("TJ780", message, hint=hint)])
    if arguments["tree"] is not None and not os.path.isdir(arguments["tree"]):
        message = f"there is no folder {arguments['tree']}"
        hint = "name the folder that tjgen build -o wrote"
        raise CompileError([Diagnostic("TJ781", message, hint=hint)])
    return of_build(plan, ReportOptions(directory, against, expanded=expanded), reporter.watch()), plan.files


def _write(report: Report, arguments: Arguments, inputs: list[str]) -> None:
    file, folder = arguments["output"], arguments["svg"]
    if file not in (None, "-"):
        write(file, page(report), inputs=inputs)
    elif file == "-" or folder is None:
        sys.stdout.writelines(page(report))
    if folder is not None:
        for path, text in pictures(report):
            place = os.path.join(folder, path)
            _make_folder(os.path.dirname(place))
            write(place, [text], inputs=inputs)


def _make_folder(folder: str) -> None:
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError as error:
        raise CompileError([failed(folder, error)]) from error
