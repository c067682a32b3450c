"""`tjgen migrate`: a project with another GitOps tool, ApplicationSet or name -> the steps that keep every object."""

from __future__ import annotations

import sys

from tjgen.cli.command import (
    COMMON,
    FLAG,
    FOLDER,
    OUTPUT,
    TRUSTED,
    Arguments,
    Command,
    Option,
    UsageError,
    enter,
    output_of,
)
from tjgen.cli.reporting import Reporter
from tjgen.compiler.building.plan import Plan, make_plan
from tjgen.compiler.building.projects import is_of_all
from tjgen.compiler.building.request import Request
from tjgen.gitops.output.migration import Migration, migration
from tjgen.gitops.output.options import BuildOptions
from tjgen.gitops.output.write import write

COMMAND = Command(
    "migrate",
    "Change the owner of synced objects without deleting any.",
    "Print the steps from the layout of the output tree to the layout of the project, in order. The layout is which Application "
    "or Kustomization applies which folder: the GitOps tool, the ApplicationSet, the name of the project, and the namespace of "
    "the sync objects. A build that changes the layout of a tree with runs is refused (TJ280). With --write, write the tree "
    "with the new layout, which is one of the steps. If the tree has runs that the release of Trainer cannot read (TJ282), their "
    "steps come first. With REV, begin at the layout of a Git revision, for a migration that is "
    "already written.",
    "tjgen migrate",
    "[REV]",
    (
        Option(("--write",), "write", "Write the tree with the new layout.", FLAG),
        OUTPUT,
        FOLDER,
        TRUSTED,
        *COMMON,
    ),
    most=1,
)


def run(arguments: Arguments) -> int:
    """Print the steps or write the tree, report, and answer with the exit code."""
    enter(arguments)
    if arguments["write"] and arguments["paths"]:
        raise UsageError("--write writes the layout of the project, so it takes no REV")
    with Reporter(arguments) as reporter:
        plan = make_plan(Request())
        directory = output_of(arguments, plan.output)
        if arguments["write"]:
            _write(plan, directory, reporter)
        else:
            _show(migration(plan, directory, next(iter(arguments["paths"]), None)), reporter)
            if is_of_all(plan):
                reporter.print_line("this is about the workspace itself: also run the command in the folder of each project")
    return reporter.close()


def _write(plan: Plan, directory: str, reporter: Reporter) -> None:
    written = write(plan, directory, None, options=BuildOptions(migrates=True), renew=[])
    reporter.add(written.diagnostics)
    if not reporter.failed:
        reporter.print_line(f"{written.counts}")
        reporter.print_line("The tree has the layout of the project. tjgen migrate prints the next step.")


def _show(migration: Migration, reporter: Reporter) -> None:
    if not migration.steps:
        reporter.print_line("no synced object gets another owner")
        return
    lines = []
    for position, step in enumerate(migration.steps):
        mark = " (next)" if position == migration.next else " (done)" if position < migration.next else ""
        lines += [f"{position + 1}. {step.title}{mark}", f"   {step.why}", *[f"     {command}" for command in step.commands], ""]
    sys.stdout.write("\n".join(lines).rstrip("\n") + "\n")
