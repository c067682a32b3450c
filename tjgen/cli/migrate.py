"""`tjgen migrate`: a project with another GitOps tool, ApplicationSet or name -> the steps that keep every object."""

from __future__ import annotations

import sys

from tjgen.cli.command import (
    COMMON,
    FLAG,
    FOLDER,
    OUTPUT,
    TRUSTED,
    VALUE,
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
from tjgen.gitops.output.migration import Migration, adoption, migration
from tjgen.gitops.output.moves import refused
from tjgen.gitops.output.options import BuildOptions
from tjgen.gitops.output.orphans import environments, of_environment
from tjgen.gitops.output.write import write
from tjgen.language.runs.lock import Lock
from tjgen.language.runs.store import Locks
from tjgen.trees.diagnostics.model import ERROR, CompileError, Diagnostic, Note

COMMAND = Command(
    "migrate",
    "Change the owner of synced objects without deleting any.",
    "Print the steps from the layout of the output tree to the layout of the project, in order. The layout is which "
    "Application or Kustomization applies which folder: the GitOps tool, the ApplicationSet, the name of the project, "
    "and the namespace of the sync objects. A build that changes the layout of a tree with runs is refused (TJ280). "
    "With --write, write the tree with the new layout, which is one of the steps. With --environment, print the steps "
    "that give the runs of a project without environments to an environment that you added (TJ274). If the tree has "
    "runs that the release of Trainer cannot read (TJ282), or that would start again in another cluster (TJ259), their "
    "steps come first. With REV, begin at the layout of a "
    "Git revision, for a migration that is already written.",
    "tjgen migrate",
    "[REV]",
    (
        Option(("--write",), "write", "Write the tree with the new layout.", FLAG),
        Option(
            ("--environment",),
            "environment",
            "Environment that gets the runs that the project had before it had environments.",
            VALUE,
            "NAME",
        ),
        OUTPUT,
        FOLDER,
        TRUSTED,
        *COMMON,
    ),
    most=1,
)

_WRITTEN_TWICE = "TJ682"


def run(arguments: Arguments) -> int:
    """Print the steps or write the tree, report, and answer with the exit code."""
    enter(arguments)
    if arguments["write"] and arguments["paths"]:
        raise UsageError("--write writes the layout of the project, so it takes no REV")
    with Reporter(arguments) as reporter:
        plan = make_plan(Request())
        directory = output_of(arguments, plan.output)
        environment = arguments["environment"]
        if environment is not None and environment not in plan.project.spec.environments:
            raise CompileError([plan.project.unknown_environment(environment)])
        if arguments["write"]:
            _write(plan, directory, environment, reporter)
        elif environment is not None:
            _show_adoption(plan, directory, environment, next(iter(arguments["paths"]), None), reporter)
        elif (undecided := _without_environment(plan)) is not None:
            reporter.add(of_environment(None, undecided))
        else:
            _show(migration(plan, directory, next(iter(arguments["paths"]), None)), reporter)
            if is_of_all(plan):
                reporter.print_line("this is about the workspace itself: also run the command in the folder of each project")
    return reporter.close()


def _without_environment(plan: Plan) -> list[tuple[str, Lock]] | None:
    """The locks with runs of the project without environments, if it has environments now."""
    known = plan.project.spec.environments
    return environments(plan.locks, [*known], ()).get(None) if known else None


def _write(plan: Plan, directory: str, environment: str | None, reporter: Reporter) -> None:
    if environment is not None:
        if not _adopt(plan, directory, environment, reporter):
            return
        plan = plan._replace(locks=Locks(plan.project.directory))
    reporter.add(refused(plan, directory, migrates=True))
    if reporter.failed:
        return
    written = write(plan, directory, None, options=BuildOptions(migrates=True), renew=[])
    reporter.add(written.diagnostics)
    if not reporter.failed:
        reporter.print_line(f"{written.counts}")
        option = f" --environment {environment}" if environment is not None else ""
        reporter.print_line(f"The tree has the layout of the project. tjgen migrate{option} prints the next step.")


def _show_adoption(plan: Plan, directory: str, environment: str, revision: str | None, reporter: Reporter) -> None:
    """Print the steps; errors instead if one of them would fail after the owners of the objects are removed."""
    if _without_environment(plan) is not None:
        reporter.add(_problems_of_adoption(plan, directory, environment))
    if not reporter.failed:
        _show(adoption(plan, directory, environment, revision), reporter)


def _problems_of_adoption(plan: Plan, directory: str, environment: str) -> list[Diagnostic]:
    """The errors of the build that follows when `environment` has the runs. Raises CompileError if it cannot have them."""
    from tjgen.gitops.verify.decisions import with_adoption
    from tjgen.gitops.verify.replay import replay
    from tjgen.gitops.verify.snapshot import state_of

    state = with_adoption(state_of(directory, plan.locks.folder), environment, plan.project.directory or ".")
    note = Note(f"environment {environment} keeps the namespace and the cluster of the runs that it gets", None)
    errors = [one for one in replay(plan, state, directory).diagnostics if one.severity == ERROR]
    return [one._replace(related=(*one.related, note)) if one.code == _WRITTEN_TWICE else one for one in errors]


def _adopt(plan: Plan, directory: str, environment: str, reporter: Reporter) -> bool:
    """Give the runs of the project without environments to `environment`; whether a build can follow."""
    from tjgen.gitops.emit.tree import OutputTree
    from tjgen.gitops.output import interrupted
    from tjgen.gitops.output.adoption import adopt, present_files, requested

    project = plan.project.directory or "."
    with OutputTree(directory, records=plan.locks.folder, history=interrupted.still_wanted) as tree:
        reporter.add(tree.notes)
        # If the build that follows has errors, nothing is written.
        reporter.add(_problems_of_adoption(plan, directory, environment))
        if reporter.failed:
            return False
        count = adopt(Locks(plan.project.directory), present_files(directory), tree, environment, requested(project, environment))
        tree.commit()
    reporter.print_line(f"runs: {count} given to environment {environment}")
    return True


def _show(migration: Migration, reporter: Reporter) -> None:
    if not migration.steps:
        reporter.print_line("no synced object gets another owner")
        return
    lines = []
    for position, step in enumerate(migration.steps):
        mark = " (next)" if position == migration.next else " (done)" if position < migration.next else ""
        lines += [f"{position + 1}. {step.title}{mark}", f"   {step.why}", *[f"     {command}" for command in step.commands], ""]
    sys.stdout.write("\n".join(lines).rstrip("\n") + "\n")
