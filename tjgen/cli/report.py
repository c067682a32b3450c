"""`tjgen report`: a project, experiments or an output tree -> one HTML page, and pictures, for people."""

from __future__ import annotations

import os
import sys

from tjgen.cli.command import (
    BY,
    COMMON,
    ENVIRONMENTS,
    FLAG,
    FOLDER,
    TRAINER,
    TRUSTED,
    VALUE,
    Arguments,
    Command,
    Option,
    UsageError,
    enter,
    refuse_use,
)
from tjgen.cli.reporting import Reporter
from tjgen.compiler.building.plan import Plan, make_plan
from tjgen.compiler.building.projects import is_of_all
from tjgen.compiler.building.request import Request
from tjgen.compiler.totals.groups import wrong_group
from tjgen.gitops.emit.file import write
from tjgen.gitops.emit.problems import failed
from tjgen.tools.report.content import Report
from tjgen.tools.report.files import pictures
from tjgen.tools.report.gather import ProjectPart, ReportOptions, of_build, part_of, report_of
from tjgen.tools.report.page import page
from tjgen.tools.report.tree_report import is_tree, of_tree
from tjgen.trees.diagnostics.model import CompileError, Diagnostic

COMMAND = Command(
    "report",
    "Write a page that shows runs, their totals and problems.",
    "Write one self-contained HTML page. It contains every run with its state, a picture of it (pods and devices, gang, "
    "volumes, data slices, sync waves), and its fields with the lines that request them. It also contains totals "
    "against quotas, and diagnostics. With --against, it shows the differences from a Git revision or a folder. PATH is "
    "a source of a build, or an output tree, which is shown as it is. Without PATH, the whole project is shown; in the "
    "folder of a workspace, all of its projects. The page is written even if there are errors.",
    "tjgen report -o report.html --against origin/main",
    "[PATH]...",
    (
        Option(("-o", "--output"), "output", "File to write to; the default is standard output.", VALUE, "FILE"),
        Option(("--svg",), "svg", "Folder for a picture of each run, and of quotas, as SVG files.", VALUE, "DIR"),
        Option(("--against",), "against", "Show what differs from a Git revision or a folder.", VALUE, "REV|DIR"),
        Option(("--tree",), "tree", "Output tree with the runs that stay; the default is that of the project.", VALUE, "DIR"),
        ENVIRONMENTS,
        BY,
        Option(("--previews",), "previews", "Also show the fields of what controllers will create.", FLAG),
        FOLDER,
        TRAINER,
        TRUSTED,
        *COMMON,
    ),
)


def run(arguments: Arguments) -> int:
    """Gather, write, and answer with the exit code: 1 where the report shows errors."""
    refuse_use(wrong_group(arguments["by"]))
    enter(arguments)
    with Reporter(arguments) as reporter:
        report, inputs = _report(arguments, reporter)
        report = report._replace(by=arguments["by"])
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
    if is_of_all(plan):
        return _of_all(plan, arguments, reporter)
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


def _of_all(plan: Plan, arguments: Arguments, reporter: Reporter) -> tuple[Report, list[str]]:
    """The report of all projects of a workspace, each with its own output tree, and the files that it was created from."""
    from tjgen.cli.projects import for_each, refuse_for_all  # few projects are in a workspace

    refuse_for_all(arguments, ("tree",))
    if arguments["against"] is not None and os.path.isdir(arguments["against"]):
        raise UsageError("--against DIR is for one project of the workspace: name its folder with -C, or use a Git revision")
    parts: list[ProjectPart] = []

    def add(one: Plan, part: Reporter) -> None:
        against = arguments["against"] if one.output is not None else None
        parts.append(part_of(one, ReportOptions(one.output, against, expanded=arguments["previews"]), part.watch()))

    for_each(plan, arguments, reporter, add)
    return report_of(plan, parts, reporter.diagnostics), [file for part in parts for file in part.plan.files]


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
