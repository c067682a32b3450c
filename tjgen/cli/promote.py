"""`tjgen promote`: runs of one environment -> the same runs, with the same code and digests, in another."""

from __future__ import annotations

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
from tjgen.cli.workspaces import refuse_workspace
from tjgen.gitops.output import interrupted
from tjgen.gitops.output.inventory import entries, matching, named
from tjgen.gitops.output.promote import preview, promote
from tjgen.language.resolve.project import LoadedProject
from tjgen.language.resolve.project_file import load_current
from tjgen.language.runs.store import Locks
from tjgen.trees.diagnostics.model import CompileError, has_errors

COMMAND = Command(
    "promote",
    "Promote runs from one environment to another.",
    "Build locked runs for another environment of the project. A run keeps its experiment, code and image digests, and "
    "gets the settings of the other environment, such as queues. tjgen refuses this if an overlay would change what is "
    "trained. The lock records the origin of a run. A NAME may be a pattern, or an experiment with one current run.",
    "tjgen promote bert-dnrxnhvs --env prod",
    "NAME...",
    (
        Option(("--env",), "env", "Environment to promote to.", VALUE, "NAME"),
        Option(("--from",), "source", "Environment of the runs, if a NAME is a pattern.", VALUE, "NAME"),
        OUTPUT,
        Option(("--dry-run",), "dry_run", "Print what would be written, and write nothing.", FLAG),
        Option(("--force",), "force", "Overwrite files that were edited manually.", FLAG),
        FOLDER,
        TRUSTED,
        *COMMON,
    ),
    least=1,
)


def run(arguments: Arguments) -> int:
    """Promote, report, and answer with the exit code."""
    if arguments["env"] is None:
        raise UsageError("tjgen promote needs --env, the environment to promote to")
    enter(arguments)
    with Reporter(arguments) as reporter:
        project, problems = load_current()
        reporter.add(problems)
        if not has_errors(problems):
            _promote(arguments, project, output_of(arguments, project.output), reporter)
    return reporter.close()


def _promote(arguments: Arguments, project: LoadedProject, directory: str, reporter: Reporter) -> None:
    wanted, source = arguments["env"], arguments["source"]
    known = list(project.spec.environments)
    unknown = [name for name in (wanted, source) if name is not None and name not in known]
    if unknown:
        raise CompileError([project.unknown_environment(name) for name in unknown])
    locks = Locks(project.directory)
    refuse_workspace(COMMAND, arguments, project, arguments["paths"])
    if not arguments["dry_run"]:
        reporter.add(interrupted.undo(directory, locks.folder))
    candidates = [one for one in entries(locks) if source is None or one.place.environment == source]
    # A hint names a run that can be promoted.
    elsewhere = [one for one in candidates if one.place.environment != wanted]
    names = named(elsewhere, arguments["paths"])
    chosen, _ = matching(candidates, names)
    own = [one.run.name for one in candidates if one.place.environment == wanted]
    reporter.add(matching(elsewhere, [name for name in names if name not in own])[1])
    # A pattern means the runs of now, of other environments; a run that is named is selected in any state.
    chosen = [one for one in chosen if one.run.name in names or (one.run.is_requested and one.place.environment != wanted)]
    if chosen and not reporter.failed:
        lines: list[str] = []
        if arguments["dry_run"]:
            written, lines = preview(chosen, wanted, directory, project.directory, force=arguments["force"])
        else:
            written = promote(chosen, wanted, directory, project.directory, force=arguments["force"])
        reporter.add(written.diagnostics)
        if not reporter.failed:
            for name in [name for name in names if name not in arguments["paths"]]:
                reporter.print_line(f"promoted: {name}")
            for line in lines:
                reporter.print_line(line)
            reporter.print_line(f"{written.counts}" + ("; nothing is written (--dry-run)" if arguments["dry_run"] else ""))
