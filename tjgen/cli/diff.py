"""`tjgen diff`: the changes of a build -> the effect on every run, field by field, as a sync sees it."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from tjgen.cli.command import (
    ENVIRONMENTS,
    FOLDER,
    FOR_PROGRAMS,
    FORMATS,
    JSON,
    MARKDOWN,
    OUTPUT,
    QUIET,
    RESULTS,
    STRICT,
    TRUSTED,
    VALUE,
    Arguments,
    Command,
    Option,
    enter,
    format_of,
    output_of,
)
from tjgen.cli.reporting import Reporter
from tjgen.compiler.building.plan import Plan, make_plan
from tjgen.compiler.building.projects import is_of_all
from tjgen.compiler.building.request import Request
from tjgen.gitops.diff.compare import DiffEntry, compare
from tjgen.gitops.diff.effect import UNCHANGED
from tjgen.gitops.diff.problems import problems
from tjgen.gitops.diff.removals import removals
from tjgen.gitops.diff.side import Side, only
from tjgen.gitops.output.moves import refused, second_tree
from tjgen.gitops.output.planned import bodies_on_disk, edited_by_hand, locks_by_key, plan_side
from tjgen.trees.diagnostics.model import CompileError
from tjgen.trees.diagnostics.printable import printable, printable_json

_OF_DIAGNOSTICS = [name for name in FOR_PROGRAMS if name not in RESULTS]
COMMAND = Command(
    "diff",
    "Show what a change does to each run.",
    "Compare the output of the sources with the output of a Git revision or a folder. The default is the output folder. "
    "Each run is shown as unchanged, changed in place, new (with the run that it replaces), refused by the server, accepted "
    "without effect, superseded or removed. Changed fields have both values, and the lines that request them. Exit "
    "code 1 if the server would refuse something, or if a run is removed without a tombstone in the lock.",
    "tjgen diff origin/main --format markdown",
    "[REV|DIR]",
    (
        OUTPUT,
        ENVIRONMENTS,
        Option(
            ("--format",),
            "format",
            f"Format of the comparison: {', '.join(_OF_DIAGNOSTICS[:-1])} and {_OF_DIAGNOSTICS[-1]} also apply to diagnostics.",
            VALUE,
            "FORMAT",
            tuple(FORMATS),
        ),
        Option(("--fields",), "fields", "Show every field of new objects, not only those that differ from an earlier run."),
        Option(("--exit-code",), "exit_code", "Exit with 1 if anything differs, even if nothing is wrong."),
        FOLDER,
        QUIET,
        STRICT,
        TRUSTED,
    ),
    most=1,
)


def run(arguments: Arguments) -> int:
    """Compare, report, and answer with the exit code."""
    enter(arguments)
    reporter = Reporter(arguments)
    differs = False
    with reporter:
        plan = make_plan(Request(environments=arguments["env"]))
        differs = _diff_all(plan, arguments, reporter) if is_of_all(plan) else _diff(plan, arguments, reporter)
    return reporter.close() or int(differs and arguments["exit_code"])


def _diff_all(plan: Plan, arguments: Arguments, reporter: Reporter) -> bool:
    """Compare each project of a workspace; whether anything differs."""
    from tjgen.cli.projects import for_each, refuse_for_all  # few projects are in a workspace

    refuse_for_all(arguments, ("output", "format json"))
    differing: list[str] = []

    def act(one: Plan, part: Reporter) -> None:
        if one.output is not None:
            reporter.print_line(f"project {one.project.directory or '.'}:")
            if _diff(one, arguments, part):
                differing.append(one.project.directory)

    for_each(plan, arguments, reporter, act)
    return bool(differing)


def _diff(plan: Plan, arguments: Arguments, reporter: Reporter) -> bool:
    """Compare the output of one project; whether anything differs."""
    directory = output_of(arguments, plan.output)
    second = second_tree(plan, directory)
    if second:
        raise CompileError(second)
    new, problems = plan_side(plan, directory, watch=reporter.watch())
    reporter.add([*problems, *refused(plan, directory)])
    if reporter.failed:
        return False
    old = _old(arguments["paths"], plan, directory, new, reporter)
    return _compare(old, new, plan, arguments, reporter)


def _old(words: Sequence[str], plan: Plan, directory: str, new: Side, reporter: Reporter) -> Side:
    if not words:
        return Side(directory, bodies_on_disk(directory), locks_by_key(plan.locks))
    if os.path.isdir(words[0]):
        return Side(words[0], bodies_on_disk(words[0]), {})
    from tjgen.gitops.output.adoption import adopted_side
    from tjgen.gitops.output.earlier import earlier
    from tjgen.gitops.output.migration import since

    side, problems = earlier(words[0], plan, directory, new)
    side, adopting = adopted_side(side, new)
    reporter.add([*problems, *since(plan, directory, words[0], adopting)])
    return side


def _compare(old: Side, new: Side, plan: Plan, arguments: Arguments, reporter: Reporter) -> bool:
    """Write the comparison, and report what is wrong; whether anything differs."""
    environments, form = plan.environments, format_of(arguments).result
    old = old._replace(bodies=only(old.bodies, environments))
    new = new._replace(bodies=only(new.bodies, environments))
    entries = compare(old, new)
    paths = [one.path for entry in entries for one in entry.objects] if not arguments["paths"] else []
    by_hand = edited_by_hand(old.name, paths)
    reporter.add([*by_hand.values()])
    for entry in entries:
        # The repair of the edit also resolves what the server refuses of it.
        reporter.add(list(problems(entry._replace(objects=tuple(one for one in entry.objects if one.path not in by_hand)))))
    reporter.add(removals(entries, old, new))
    if arguments["fields"]:
        from tjgen.gitops.diff.whole import with_all_fields

        entries = with_all_fields(entries, new)
    text = _shown(entries, form, old, new)
    sys.stdout.write(printable_json(text) if form == JSON else printable(text))
    # Where both streams end in one file, the comparison comes before what is wrong with it.
    sys.stdout.flush()
    return any(entry.kind != UNCHANGED for entry in entries)


def _shown(entries: list[DiffEntry], form: str, old: Side, new: Side) -> str:
    if form == JSON:
        import json

        from tjgen.gitops.diff.data import as_data

        return json.dumps(as_data(entries, old=old.name, new=new.name), indent=2) + "\n"
    if form == MARKDOWN:
        from tjgen.gitops.diff.markdown import render_markdown

        return render_markdown(entries)
    from tjgen.gitops.diff.text import render_text

    return render_text(entries)
