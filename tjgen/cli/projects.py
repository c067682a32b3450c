"""A workspace -> the same command for each of its projects, and what only all of them show."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tjgen.cli.command import Arguments, UsageError, prints_json
from tjgen.cli.reporting import Reporter
from tjgen.cli.writing import into_directory
from tjgen.compiler.building.plan import Plan
from tjgen.compiler.building.projects import folders, plan_of, unmatched
from tjgen.gitops.output import codeowners
from tjgen.gitops.output.orphans import as_gate
from tjgen.gitops.output.unlisted import unlisted
from tjgen.language.resolve.policy import judged
from tjgen.trees.diagnostics.model import CompileError, Diagnostic

_ALONE = ("output", "expanded", "staged", "renew", "shard", "from_shards")


def for_each(plan: Plan, arguments: Arguments, reporter: Reporter, act: Callable[[Plan, Reporter], None]) -> None:
    """Call `act` for the workspace itself and for each project. A project with errors does not keep the others from it."""
    for folder in (None, *folders(plan)):
        part = Reporter(arguments)
        with part:
            one = plan if folder is None else plan_of(plan, folder)
            if one is not None:
                act(one, part)
        part.clear()
        reporter.diagnostics += part.diagnostics


def refuse_for_all(arguments: Arguments, options: Sequence[str]) -> None:
    """Raise UsageError for options of one project. `--format json` is one where the command itself writes JSON."""
    given = {**arguments, "format json": prints_json(arguments)}
    named = next((option for option in options if given[option]), None)
    if named is not None:
        raise UsageError(f"--{named.replace('_', '-')} is for one project of the workspace: name its folder with -C")


def build_all(plan: Plan, arguments: Arguments, reporter: Reporter) -> None:
    """Build each project into its own folder, or with --check compare it; with --summary print the totals of all."""
    refuse_for_all(arguments, _ALONE)
    if arguments["summary"]:
        _summarize(plan, arguments, reporter)
        return
    matched: set[tuple[str, str]] = set()

    def write(one: Plan, part: Reporter) -> None:
        directory = one.output
        if directory is None and (one is not plan or one.files):
            raise CompileError([_no_output(one)])
        if directory is not None:
            reporter.print_line(f"project {one.project.directory or '.'}:")
            matched.update(into_directory(one, directory, arguments, part).shared_overlays)

    for_each(plan, arguments, reporter, write)
    if not reporter.failed:
        reporter.add(unmatched(plan, matched))
        left = list(unlisted(plan))
        reporter.add(judged(as_gate(left) if arguments["check"] else left, plan.project.spec.policy))
        problems = codeowners.update(plan, force=arguments["force"], check=arguments["check"])
        reporter.add(judged(problems, plan.project.spec.policy))


def _summarize(plan: Plan, arguments: Arguments, reporter: Reporter) -> None:
    from tjgen.cli.summary import Summary, show
    from tjgen.compiler.building.compile import build
    from tjgen.compiler.building.run import Built
    from tjgen.trees.session import Session

    summaries: list[Summary] = []

    def add(one: Plan, part: Reporter) -> None:
        summary = Summary(one, one.output)
        for built in build(one, Session(), watch=part.watch()):
            part.add(built.diagnostics)
            if isinstance(built, Built):
                summary.add(built)
        summaries.append(summary)

    for_each(plan, arguments, reporter, add)
    if not reporter.failed:
        show(summaries, arguments)


def _no_output(plan: Plan) -> Diagnostic:
    document = plan.project.document
    assert document is not None, "each project of a workspace has a file"
    message = f"project {plan.project.directory or '.'} has no output folder, and the projects of a workspace are not printed"
    hint = "set spec.output.directory in the workspace: each project has a folder of this name"
    return Diagnostic("TJ569", message, span=document.locate(("spec",), key=True), hint=hint)
