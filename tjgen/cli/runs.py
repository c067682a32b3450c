"""`tjgen runs`: list the runs of an output tree and its locks, and archive, keep, rerun, or prune them."""

from __future__ import annotations

import os
from collections.abc import Sequence

from tjgen.cli.command import (
    COMMON,
    ENVIRONMENTS,
    FLAG,
    FOLDER,
    NO_OUTPUT,
    OUTPUT,
    TRUSTED,
    VALUE,
    Arguments,
    Command,
    Option,
    UsageError,
    enter,
    refuse_use,
)
from tjgen.cli.confirmation import report_confirmation, report_duplicates, report_names
from tjgen.cli.reporting import Reporter
from tjgen.cli.runlist import list_runs
from tjgen.cli.workspaces import refuse_workspace
from tjgen.cluster.synctools.table import BY_NAME
from tjgen.gitops.output import interrupted
from tjgen.gitops.output.inventory import RunEntry, entries, matching
from tjgen.gitops.output.leaving import Leaving
from tjgen.language.resolve.project import LoadedProject
from tjgen.language.resolve.project_file import load_current
from tjgen.language.runs.lock import ARCHIVED, ORPHANED, SUPERSEDED
from tjgen.language.runs.store import LockKey, Locks
from tjgen.trees.diagnostics.model import CompileError, has_errors

COMMAND = Command(
    "runs",
    "List, archive, rerun and prune runs.",
    "The verb list prints the runs of the project, or those that match a NAME, with their state: current, suspended, "
    "superseded, orphaned, archived, or pruned. The verb archive turns finished runs into records: Argo CD and Flux "
    "leave them unchanged, so they do not train again. The verb unarchive reverses this. The verb rerun trains "
    "current runs again, under new names. The verb prune removes superseded runs: all beyond history.keep of the "
    "project, or the superseded and orphaned runs that match a NAME. The verb discard removes the runs that no commit "
    "contains, or with --base those that REV does not contain; then build again. The verb clean prints Jobs that "
    "remove the checkpoint folders of pruned runs; a run that the cluster still has is an error. Without a NAME, it "
    "selects all beyond checkpoints.keepRuns of their experiments. The verb keep accepts that orphaned runs stay. The "
    "verb rename gives the runs of the experiment OLD to NEW, both written as [[ENVIRONMENT/]NAMESPACE/]NAME. No file "
    "changes, so no sync restarts a run. A NAME is that of a run, or a pattern. For discard, it can also be an "
    "experiment.",
    "tjgen runs archive 'resnet50-*' -o deploy",
    "[list|archive|unarchive|rerun|prune|discard|clean|keep|rename] [NAME]...",
    (
        OUTPUT,
        ENVIRONMENTS,
        Option(("--keep",), "keep", "With prune: how many superseded runs of each experiment stay.", VALUE, "N"),
        Option(("--archived",), "archived", "With prune: also remove archived runs that no source requests."),
        Option(("--finished",), "finished", "With archive: the runs that have ended, as kubectl or --from reports them."),
        Option(("--from",), "source", "With --finished or clean: output of kubectl get -o json, or -.", VALUE, "FILE"),
        Option(("--context",), "context", "With --finished or clean: context of kubectl.", VALUE, "NAME"),
        Option(("--base",), "base", "With discard: the target of the merge, instead of HEAD.", VALUE, "REV"),
        Option(("--environment",), "environment", "With rename: OLD and NEW are environments."),
        Option(("--namespace",), "namespace", "With rename: OLD and NEW are namespaces."),
        Option(("--json",), "json", "With list: the same as --format json."),
        Option(("--force",), "force", "Overwrite or remove files that were edited manually.", FLAG),
        FOLDER,
        TRUSTED,
        *COMMON,
    ),
)
_SHOWN = 3
_VERBS = ("list", "archive", "unarchive", "rerun", "prune", "discard", "clean", "keep", "rename")


def run(arguments: Arguments) -> int:
    """Run the subcommand; an unknown one is a usage error."""
    verb, *patterns = arguments["paths"] or ["list"]
    refuse_use(_wrong_use(verb, patterns, arguments))
    enter(arguments)
    with Reporter(arguments) as reporter:
        project, problems = load_current()
        reporter.add(problems)
        directory = arguments["output"] or project.output
        if directory is None and verb != "list":
            raise UsageError(NO_OUTPUT)
        if not has_errors(problems):
            _known_environments(project, arguments["env"], Locks(project.directory))
            if verb == "list" or directory is None:
                list_runs(patterns, arguments, project, reporter)
            else:
                refuse_workspace(COMMAND, arguments, project, patterns)
                _do(verb, patterns, arguments, project, directory, reporter)
    return reporter.close()


def _wrong_use(verb: str, patterns: Sequence[str], arguments: Arguments) -> str | None:
    if verb not in _VERBS:
        from tjgen.cli.help import TASKS  # few command lines have a wrong subcommand

        return TASKS.get(verb) or f"write tjgen runs {', '.join(_VERBS[:-1])} or {_VERBS[-1]}"
    reads_cluster = arguments["finished"] or verb == "clean"
    if not reads_cluster and (arguments["source"] is not None or arguments["context"] is not None):
        return "--from and --context go with --finished and clean"
    if arguments["source"] is not None and arguments["context"] is not None:
        return "use --context, which runs kubectl, or --from, which reads its output, but not both"
    if arguments["finished"] and verb != "archive":
        return "--finished goes with archive"
    if verb in ("archive", "unarchive", "rerun", "keep") and not patterns and not arguments["finished"]:
        return f"tjgen runs {verb} needs the NAME of a run"
    if verb == "rename" and (len(patterns) != 2 or patterns[0].count("/") != patterns[1].count("/")):
        return "tjgen runs rename needs OLD and NEW in the same form: [[ENVIRONMENT/]NAMESPACE/]NAME"
    if verb != "rename" and (arguments["environment"] or arguments["namespace"]):
        return "--environment and --namespace go with rename; to select runs, use --env or patterns of their names"
    if verb != "prune" and (arguments["keep"] is not None or arguments["archived"]):
        return "--keep and --archived go with prune"
    if verb != "discard" and arguments["base"] is not None:
        return "--base goes with discard"
    keep = arguments["keep"]
    if keep is not None and patterns:
        return "--keep applies to every experiment: remove NAME"
    if keep is not None and not (keep.isascii() and keep.isdigit()):
        return f"--keep takes a number, not {keep}"
    return None


def _known_environments(project: LoadedProject, wanted: Sequence[str], locks: Locks) -> None:
    """Raise CompileError (TJ262) for an environment that neither the project nor a lock has."""
    known = list(project.spec.environments)
    unknown = [name for name in wanted if name not in known]
    if unknown:
        locked = {place.environment for place, _ in locks.all()}
        unknown = [name for name in unknown if name not in locked]
    if unknown:
        raise CompileError([project.unknown_environment(unknown[0])])


def _do(verb: str, patterns: list[str], arguments: Arguments, project: LoadedProject, directory: str, reporter: Reporter) -> None:
    locks = Locks(project.directory)
    if verb == "rename":
        _rename(patterns[0], patterns[1], arguments, project, directory, reporter)
    elif verb == "rerun":
        _rerun(patterns, arguments, locks, directory, reporter)
    elif verb == "discard":
        from tjgen.cli.discarding import discard_runs

        discard_runs(patterns, arguments, locks, directory, reporter)
    elif verb == "clean":
        from tjgen.cli.runfolders import clean

        clean(patterns, arguments, locks, reporter)
    else:
        _change(verb, patterns, arguments, project, directory, reporter)


def _rerun(patterns: list[str], arguments: Arguments, locks: Locks, directory: str, reporter: Reporter) -> None:
    from tjgen.gitops.output.rerun import rerun

    reporter.add(interrupted.undo(directory, locks.folder))
    chosen, problems = matching(entries(locks, arguments["env"]), patterns)
    reporter.add(problems)
    # A pattern means the runs of now; a run that is named is selected in any state.
    chosen = [one for one in chosen if one.run.is_requested or one.run.name in patterns]
    if chosen and not reporter.failed:
        written = rerun(chosen, directory, os.path.dirname(locks.folder), force=arguments["force"])
        reporter.add(written.diagnostics)
        if not reporter.failed:
            reporter.print_line(f"{written.counts}")


def _rename(
    old: str, new: str, arguments: Arguments, project: LoadedProject, directory: str, reporter: Reporter, *, discards: bool = True
) -> None:
    from tjgen.cli.staying import report_training, training
    from tjgen.gitops.emit.tree import OutputTree
    from tjgen.gitops.output.coexisting import created_again, problems_of_coexisting
    from tjgen.gitops.output.committed_locks import before_orphaning
    from tjgen.gitops.output.newname import problems_of_name
    from tjgen.gitops.output.rename import FIELDS, experiments, identities, rename

    locks = Locks(project.directory)
    field = next((name for name in FIELDS if arguments[name]), None)
    with OutputTree(directory, records=locks.folder, history=interrupted.still_wanted) as tree:
        reporter.add(tree.notes)
        renames = experiments(locks, old, new, field)
        reporter.add(list(problems_of_name(locks, renames, os.path.dirname(locks.folder) or ".")))
        if reporter.failed:
            return
        known = identities(os.path.dirname(locks.folder) or ".", old, new) if field == "environment" else {}
        reporter.add(list(problems_of_coexisting(locks, renames, known)))
        if reporter.failed:
            return
        again = created_again(locks, renames, known) if discards else []
        if not again:
            trains = training(locks, renames, directory) if field == "environment" else []
            done = rename(locks, renames, known, before_orphaning(locks, [one.old for one in renames]))
            for path, text in done.records:
                tree.record(path, text)
            for folder in done.removed:
                tree.claim(folder)
            contents = tree.commit().contents
            leaving = Leaving.of(directory, contents, BY_NAME[project.spec.gitops.tool])
            report_duplicates(project, directory, leaving, done.removed, done.released, reporter)
    if again:
        from tjgen.cli.discarding import discard_runs

        discard_runs(again, arguments, locks, directory, reporter)
        _rename(old, new, arguments, project, directory, reporter, discards=False)
        return
    reporter.print_line(f"runs: {done.runs} renamed")
    report_training(trains, old, new, locks.folder, reporter)
    if done.duplicates:
        names = " ".join(done.duplicates)
        reporter.print_line(f"superseded: {names}; the runs of the old name have the same content. Use tjgen runs prune {names}")


def _change(
    verb: str, patterns: list[str], arguments: Arguments, project: LoadedProject, directory: str, reporter: Reporter
) -> None:
    from tjgen.gitops.emit.tree import OutputTree
    from tjgen.gitops.output.discard import remove_unused
    from tjgen.gitops.output.history import RunHistory

    locks = Locks(project.directory)
    with OutputTree(directory, force=arguments["force"], records=locks.folder, history=interrupted.still_wanted) as tree:
        reporter.add(tree.notes)
        known = entries(locks, arguments["env"], project=[*project.spec.environments] or [None])
        chosen, problems = matching(known, patterns) if patterns else (known, [])
        reporter.add(problems)
        if reporter.failed:
            return
        if arguments["finished"]:
            from tjgen.cli.cluster import read_cluster
            from tjgen.gitops.output.reported import ended, reported

            namespaces = sorted({entry.namespace for entry in chosen})
            text, source = read_cluster(arguments["source"], namespaces, arguments["context"])
            chosen = ended(chosen, directory, reported(text, source))
        history = RunHistory(directory, tree, locks)
        if verb == "archive":
            done = history.archive(chosen)
        elif verb == "unarchive":
            done = history.unarchive(chosen)
        elif verb == "keep":
            done = history.keep([one for one in chosen if one.run.lifecycle_state == ORPHANED or one.run.name in patterns])
        else:
            keep = int(arguments["keep"]) if arguments["keep"] is not None else project.spec.history.keep or 0
            old = _old(chosen, patterns, keep=keep, archived=arguments["archived"])
            done = history.prune(old)
            remove_unused(history.unused_runtimes(old), tree, directory)
        contents = tree.commit().contents
    words = {"archive": "archived", "unarchive": "brought back", "prune": "removed", "keep": "kept"}
    running = "; a run that is still in the cluster keeps running (tjgen status)" if verb == "archive" and done else ""
    reporter.print_line(f"runs: {len(done)} {words[verb]}{running if not arguments['finished'] else ''}")
    requested = [entry.run.name for entry in chosen if entry.run.is_requested]
    if verb == "prune" and done:
        report_names("removed", done, reporter)
        report_confirmation(project, directory, Leaving.of(directory, contents, BY_NAME[project.spec.gitops.tool]), reporter)
    elif verb == "prune" and patterns and requested:
        names = " ".join(requested[:_SHOWN]) + (" ..." if len(requested) > _SHOWN else "")
        reporter.print_line(f"kept: {names}; the lock shows them as requested. If you removed their experiment, build first")


def _old(chosen: list[RunEntry], patterns: list[str], *, keep: int, archived: bool) -> list[RunEntry]:
    """The runs that prune means. Named ones are among them, so that a run that cannot be removed is an error."""
    wanted = {SUPERSEDED, *([ARCHIVED] if archived else []), *([ORPHANED] if patterns else [])}
    old = [entry for entry in chosen if not entry.run.is_requested and entry.run.lifecycle_state in wanted]
    if patterns:
        return [entry for entry in chosen if entry in old or entry.run.name in patterns]
    history: dict[LockKey, list[RunEntry]] = {}
    for entry in old:
        if entry.run.lifecycle_state == SUPERSEDED:
            history.setdefault(entry.place, []).append(entry)
    lasting = [entry for entries in history.values() for entry in entries[max(0, len(entries) - keep) :]]
    return [entry for entry in old if entry not in lasting]
