"""A plan and a directory -> the directory written, or compared: the locks and the previews with it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, closing
from fnmatch import fnmatchcase
from time import time_ns

from tjgen.compiler.building.compile import build
from tjgen.compiler.building.origins import newest, renewed
from tjgen.compiler.building.plan import Plan
from tjgen.compiler.building.run import Built, ProjectFindings, RecordForm, Run, Watch
from tjgen.gitops.emit import problems
from tjgen.gitops.emit.comparison import Comparison
from tjgen.gitops.emit.journal import RECORD, TREE
from tjgen.gitops.emit.plan import CRLF
from tjgen.gitops.emit.tree import Committed, OutputTree
from tjgen.gitops.emit.unedited import stale
from tjgen.gitops.output import orphans, outdated
from tjgen.gitops.output.apply import Directory
from tjgen.gitops.output.decide import Again
from tjgen.gitops.output.disk import OnDisk
from tjgen.gitops.output.done import RequestedRuns, RunCounts
from tjgen.gitops.output.interrupted import still_wanted
from tjgen.gitops.output.layout import stage_folder
from tjgen.gitops.output.memory import Memory, Remembered
from tjgen.gitops.output.moves import refused, second_tree, second_tree_of
from tjgen.gitops.output.options import BuildOptions, TreeOptions, of_project
from tjgen.gitops.output.policed import Policed
from tjgen.gitops.output.problems import refuse_nested
from tjgen.gitops.output.queued import in_directory
from tjgen.gitops.sync.access import is_synced
from tjgen.gitops.sync.access import options as configured
from tjgen.language.resolve.policy import judged
from tjgen.language.runs.lock import Lock
from tjgen.language.runs.store import PLATFORMS
from tjgen.trees.diagnostics.model import Diagnostic, has_errors
from tjgen.trees.manifests.manifest import DATA, SYNC
from tjgen.trees.session import Session
from tjgen.trees.typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from tjgen.compiler.totals.shared import Footprint
    from tjgen.gitops.output.attributions import Attributions
    from tjgen.gitops.output.syncing import Present


class WriteResult(NamedTuple):
    """The result of a build into a directory. With errors among the diagnostics nothing was written."""

    diagnostics: list[Diagnostic]
    counts: RunCounts
    files: Committed | None = None
    shared_overlays: frozenset[tuple[str, str]] = frozenset()
    """File and name of each overlay of the workspace that is for an experiment of the build."""
    settled: Settled | None = None


class Settled(NamedTuple):
    """A build after which the same build would write nothing, and report the same except for its counts."""

    trees: tuple[str, ...]
    """The folders that it wrote or compared, and the folder of locks."""
    counts: RunCounts
    next_counts: RunCounts
    since: int | None
    """Time (ns) of the look at the files that it wrote; None if it wrote none."""


Seen = Callable[[Built], None]


def write(
    plan: Plan,
    directory: str,
    previews: str | None,
    *,
    options: BuildOptions,
    renew: list[str],
    seen: Seen | None = None,
    watch: Watch | None = None,
) -> WriteResult:
    """Build everything into `directory`, and what controllers will make into `previews`.

    `renew`: patterns of names of runs to create again. `seen` is called with every unit, also without a change.
    Raises CompileError where the directory cannot be written.
    """
    if previews is not None:
        refuse_nested(directory, previews)
    if second := second_tree(plan, directory):
        return WriteResult(second, RunCounts())
    with ExitStack() as stack:
        tree = stack.enter_context(OutputTree(directory, force=options.force, records=plan.locks.folder, history=still_wanted))
        shown = (
            stack.enter_context(OutputTree(previews, force=options.force, history=still_wanted)) if previews is not None else None
        )
        one = Directory(directory, tree, shown, plan.locks, of_project(plan, options))
        # A run is only renewed, and a file only forced, where it is looked at.
        forgets = bool(renew) or options.force or plan.request.promotions is not None
        memory = Memory(
            plan, directory, previews, [b"prune" if options.prune_runs or options.prune_data else b"", options.previews.encode()]
        )
        diagnostics = [*tree.notes, *build_into(one, plan, renew, seen, None if forgets else memory, watch, options)]
        diagnostics += apart_from_runs(plan, tree, one, options, diagnostics)
        if renew and not has_errors(diagnostics):
            from tjgen.gitops.output.renewal import without_effect  # few builds renew a run

            diagnostics += without_effect(renew, plan, one.locks)
        if has_errors(diagnostics):
            return WriteResult(diagnostics, one.counts, None, one.shared_overlays)
        files = tree.commit()
        if shown is not None:
            shown.commit()
        written = time_ns()
        names = memory.names(plan.files, plan.environments)
        if not forgets:
            outputs = [one.written(TREE) for one in (tree, shown) if one is not None]
            memory.save(whole=plan.whole, known=names, written=outputs, locks=tree.written(RECORD))
        trees = (directory, *([previews] if previews is not None else []), plan.locks.folder)
        settled: Settled | None = None
        if not tree.is_changed and not (shown is not None and shown.is_changed):
            settled = Settled(trees, one.counts, one.counts, None)
        elif not diagnostics and memory.has(names) and plan.project.workspace is None:
            settled = _settled_by_writing(trees, one.counts, written)
        return WriteResult(diagnostics, one.counts, files, one.shared_overlays, settled)


def compare(
    plan: Plan,
    directory: str,
    previews: str | None,
    *,
    options: BuildOptions,
    seen: Seen | None = None,
    watch: Watch | None = None,
) -> WriteResult:
    """The same without writing: every file that would change is an error (TJ06n)."""
    if previews is not None:
        refuse_nested(directory, previews)
    second = second_tree(plan, directory)
    if second:
        return WriteResult(second, RunCounts())
    tree = Comparison(directory, records=plan.locks.folder)
    shown = Comparison(previews) if previews is not None else None
    one = Directory(directory, tree, shown, plan.locks, of_project(plan, options))
    diagnostics = orphans.as_gate(
        build_into(one, plan, [], seen, Memory(plan, directory, previews, [b"", options.previews.encode()]), watch, options)
    )
    diagnostics += apart_from_runs(plan, tree, one, options, diagnostics)
    if not has_errors(diagnostics):
        differences = [*tree.differences(), *(shown.differences() if shown is not None else [])]
        converted = [one.place for one in differences if one.kind == CRLF]
        diagnostics += [problems.line_ends(converted)] if converted else []
        diagnostics += stale(differences)
    trees = (directory, *([previews] if previews is not None else []), plan.locks.folder)
    return WriteResult(diagnostics, one.counts, None, one.shared_overlays, Settled(trees, one.counts, one.counts, None))


def apart_from_runs(
    plan: Plan, tree: OutputTree | Comparison, built: Directory, options: BuildOptions, so_far: Sequence[Diagnostic]
) -> list[Diagnostic]:
    """Put the objects of platforms and of the sync into the tree, and compare with the workspace; nothing after errors."""
    diagnostics: list[Diagnostic] = []
    steps: tuple[Callable[[], list[Diagnostic]], ...] = (
        lambda: platforms(plan, tree, built.on_disk, options),
        lambda: syncing(plan, tree, built.on_disk, options, built.locks),
        lambda: _of_workspace(plan, built.directory, tree),
    )
    for step in steps:
        if not has_errors([*so_far, *diagnostics]):
            diagnostics += step()
    return diagnostics


def _settled_by_writing(trees: tuple[str, ...], counts: RunCounts, written: int) -> Settled | None:
    """What follows a build that wrote new runs and nothing else, at the time `written` (ns)."""
    if counts != RunCounts(counts.new, counts.unchanged, suspended=counts.suspended):
        return None
    return Settled(trees, counts, RunCounts(0, counts.new + counts.unchanged, suspended=counts.suspended), written)


def platforms(
    plan: Plan, tree: TreeOptions, on_disk: OnDisk, options: BuildOptions, attributions: Attributions | None = None
) -> list[Diagnostic]:
    """The objects of the platforms that make some, with their locks; what is wrong with them."""
    wanted = any(plan.project.builds(one) for one in plan.project.platforms) if plan.whole else bool(plan.platform_files)
    if not wanted and not (plan.whole and plan.locks.names(PLATFORMS)):
        return []
    from tjgen.gitops.output.bundles import put  # most projects have no platform that makes anything

    return judged(put(plan, tree, on_disk, force=options.force, attributions=attributions), plan.project.spec.policy)


def syncing(
    plan: Plan, tree: Present, on_disk: OnDisk, options: BuildOptions, later: Mapping[str, Lock] | None = None
) -> list[Diagnostic]:
    """Put the objects that make a GitOps tool sync the tree, if the project has some, and return their diagnostics.

    `later`: key of an experiment -> its lock after the build.
    """
    project = plan.project
    moved = [] if options.migrates else refused(plan, on_disk.directory, later=later, force=options.force)
    if moved:
        return moved
    if plan.whole:
        if SYNC not in project.spec.environments:
            tree.claim(SYNC)
        for environment in plan.environments:
            tree.claim(stage_folder(environment, DATA), owner=SYNC)
    if not is_synced(project) and not any(configured(project)):
        return []
    from tjgen.gitops.output.syncing import put  # most projects want none

    return put(plan, tree, on_disk)


def _of_workspace(plan: Plan, directory: str, tree: Present) -> list[Diagnostic]:
    """What the project has in common with the others of its workspace, and must not."""
    if plan.project.workspace is None or not plan.whole:
        return []
    from tjgen.gitops.output import neighbors  # most projects belong to no workspace

    return judged(neighbors.problems(plan, directory, tree.present()), plan.project.spec.policy)


def build_into(
    directory: Directory,
    plan: Plan,
    renew: list[str],
    seen: Seen | None,
    memory: Memory | None,
    watch: Watch | None,
    options: BuildOptions,
) -> list[Diagnostic]:
    """Everything of `plan` into `directory`, which is finished then; what was found."""
    diagnostics: list[Diagnostic] = []
    session, policed = Session(), Policed(plan.locks, renew)
    units: dict[str, RequestedRuns | None] = {}
    current: set[str] = set()
    """Paths of locks without a run that an earlier release may have written."""

    def left(own: Sequence[Footprint]) -> list[Footprint]:
        if not any(plan.cluster(name).quotas or plan.cluster(name).queues for name in plan.environments):
            return []
        from tjgen.gitops.output.leftover import footprints, leftovers  # few Platforms bound what runs take together

        of_project = footprints(leftovers(plan, directory.directory, units, directory.locks), plan)
        if plan.project.workspace is None:
            return [*of_project]
        from tjgen.gitops.output.neighbor_runs import footprints_of_neighbors  # most projects belong to no workspace

        return [*of_project, *footprints_of_neighbors(plan, own)]

    def renew_run(run: Run) -> Run | None:
        return renewed(plan, session, run) if any(fnmatchcase(run.name, pattern) for pattern in renew) else None

    def recall(file: str, environment: str | None, content: bytes) -> Remembered | None:
        # A caller that watches gets every unit.
        recalled = memory.recall(file, environment, content) if memory is not None and seen is None else None
        if recalled is not None and any(key in units for key, _ in recalled.units):
            return None  # another file has the same experiment, which the compilation reports
        if recalled is not None:
            directory.recall([lock for _, lock in recalled.units], recalled.done)
            units.update(dict.fromkeys(key for key, _ in recalled.units))
            if not recalled.done.counts.kept:  # its runs are as this release writes them
                current.update(lock for _, lock in recalled.units)
            diagnostics.extend(recalled.diagnostics)
        return recalled

    if memory is not None:
        directory.recognize(memory.locks)
    form = RecordForm(options.previews, has_usage=seen is not None)
    compilation = build(
        plan,
        session,
        recall=recall,
        note_findings=memory.note_findings if memory is not None else lambda *_: None,
        watch=watch,
        left=left,
        jobs=options.jobs,
        answers=options.answers,
        form=form,
    )
    with closing(compilation) as results:
        for result in results:
            if isinstance(result, ProjectFindings):
                diagnostics += result.diagnostics
                directory.shared_overlays = result.shared_overlays
                continue
            built = in_directory(policed.accepted(result), plan, directory.directory)
            diagnostics += built.diagnostics
            units[built.unit.key] = RequestedRuns.of(built)
            if seen is not None:
                seen(built)
            if not built.failed:
                done = directory.add(built, Again(renew_run, lambda run: newest(plan, session, run)))
                if memory is not None and built is result:
                    memory.note(built, done, directory.locks.get(built.unit.key))
    diagnostics += policed.findings()
    if not plan.whole:
        diagnostics += second_tree_of(plan, directory.directory, [one.place for one in units.values() if one is not None])
    environments: list[str | None] = [*plan.project.spec.environments] or [None]
    directory.finish(plan.environments, whole=plan.whole and not has_errors(diagnostics), all_environments=environments)
    diagnostics += directory.diagnostics
    # Whether an earlier build accepted the runs of the other sources is known: the release is part of what it remembers.
    return diagnostics + (outdated.report(plan, directory.directory, directory.locks, current) if units and plan.whole else [])
