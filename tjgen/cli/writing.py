"""A plan and a directory -> the output tree, written or compared, with a report of what was found and done."""

from __future__ import annotations

from tjgen.cli.command import Arguments
from tjgen.cli.reporting import Reporter
from tjgen.compiler.building.plan import Plan
from tjgen.compiler.building.processes import processes
from tjgen.trees.typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tjgen.cli.summary import Summary
    from tjgen.gitops.output.options import BuildOptions
    from tjgen.gitops.output.write import WriteResult


def into_directory(plan: Plan, directory: str, arguments: Arguments, reporter: Reporter) -> WriteResult:
    """Write the tree, or with --check compare it; report what was found and done."""
    options = options_of(arguments)
    if not arguments["from_shards"]:
        return _into(plan, directory, arguments, reporter, options)
    from tjgen.gitops.shards.read import Shards  # few builds are that large

    with Shards(arguments["from_shards"], plan, options.previews) as shards:
        return _into(plan, directory, arguments, reporter, options._replace(answers=shards, jobs=1))


def options_of(arguments: Arguments) -> BuildOptions:
    """The options of a build into a tree."""
    from tjgen.compiler.pipeline import COLLAPSED, EACH
    from tjgen.gitops.output.options import BuildOptions

    shown = "" if _previews(arguments) is None else EACH if arguments["all_pods"] else COLLAPSED
    jobs = processes(arguments["jobs"])
    return BuildOptions(arguments["force"], arguments["prune_runs"], arguments["prune_data"], previews=shown, jobs=jobs)


def _previews(arguments: Arguments) -> str | None:
    """The folder of previews. "-" requests previews without a folder: with a tree they would be lost."""
    folder: str | None = arguments["expanded"]
    return folder if folder != "-" else None


def _into(plan: Plan, directory: str, arguments: Arguments, reporter: Reporter, options: BuildOptions) -> WriteResult:
    from tjgen.cli.settled import settle
    from tjgen.gitops.output.write import compare, write

    previews = _previews(arguments)
    summary = summary_of(plan, arguments, directory)
    seen, watch = summary.add if summary else None, reporter.watch()
    if arguments["check"]:
        written = compare(plan, directory, previews, options=options, seen=seen, watch=watch)
    else:
        written = write(plan, directory, previews, options=options, renew=arguments["renew"], seen=seen, watch=watch)
    settle(written.settled)
    reporter.add(written.diagnostics)
    if not reporter.failed:
        if summary:
            summary.show(arguments)
        reporter.print_line(f"{written.counts}")
        if written.counts.removed and not arguments["check"]:
            from tjgen.cli.confirmation import report_confirmation  # few builds remove a run
            from tjgen.cluster.synctools.table import BY_NAME
            from tjgen.gitops.output.leaving import Leaving

            contents = written.files.contents if written.files is not None else {}
            leaving = Leaving.of(directory, contents, BY_NAME[plan.project.spec.gitops.tool])
            report_confirmation(plan.project, directory, leaving, reporter)
        if options.prune_data and written.files is not None:
            from tjgen.cli.confirmation import report_claims
            from tjgen.language.runs.lock import is_data

            report_claims([f"{directory}/{path}" for path in written.files.removed if is_data(path)], reporter)
    return written


def summary_of(plan: Plan, arguments: Arguments, directory: str | None) -> Summary | None:
    """The summary to fill, if --summary is given."""
    if not arguments["summary"]:
        return None
    from tjgen.cli.summary import Summary  # few builds print one

    return Summary(plan, directory)
