"""Two sides -> the change of each run and of each object that runs share, field by field."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import takewhile

from tjgen.cluster.kinds.protocol import IN_PLACE, SILENT
from tjgen.cluster.synctools.guards import OUTCOMES, after_removal
from tjgen.cluster.synctools.table import TOOLS
from tjgen.gitops.diff.effect import REFUSED, UNCHANGED, WORST, effect
from tjgen.gitops.diff.fields import Changed, changed
from tjgen.gitops.diff.side import Attribution, Side, TreePlace, place_of, tree_of
from tjgen.gitops.diff.succession import Earlier, RunKey, earlier_runs
from tjgen.gitops.diff.update import Refusal, refusals
from tjgen.language.runs.archive import is_marked
from tjgen.language.runs.freeze import suspends
from tjgen.language.runs.lock import ARCHIVED, NOT_REQUESTED, ORPHANED, SUPERSEDED, SUSPENDED, LockedRun
from tjgen.trees.diagnostics.model import ObjectRef
from tjgen.trees.fields.path import MISSING, FieldPath, Tree
from tjgen.trees.manifests.identity import ref_of
from tjgen.trees.manifests.manifest import RUNS, RUNTIMES
from tjgen.trees.typing import NamedTuple

NEW = "new"
REMOVED = "removed"
SUPERSEDED_NOW = SUPERSEDED
ORPHANED_NOW = ORPHANED
SUSPENDED_NOW = SUSPENDED
RESUMED_NOW = "resumed"
KINDS = (NEW, SUSPENDED_NOW, RESUMED_NOW, IN_PLACE, SILENT, REFUSED, ARCHIVED, SUPERSEDED_NOW, ORPHANED_NOW, REMOVED, UNCHANGED)
"""The possible changes of a run, in the order of a summary."""


class FieldChange(NamedTuple):
    """A field, the effect of its change, and the sources of both values."""

    change: Changed
    kind: str
    remark: str = ""
    before: Attribution | None = None
    after: Attribution | None = None
    is_plain: bool = False
    """Whether it is a field of a new object that is compared with nothing."""


class ObjectChange(NamedTuple):
    """An object that is in both sides and differs, or only in one."""

    path: str
    ref: ObjectRef
    kind: str
    fields: tuple[FieldChange, ...] = ()
    words: tuple[str, ...] = ()
    """The server's errors if it rejects the object."""


class DiffEntry(NamedTuple):
    """A run, or one object that runs share."""

    place: TreePlace
    name: str
    kind: str
    objects: tuple[ObjectChange, ...] = ()
    earlier: Earlier | None = None
    """The run that a new run replaces, or is compared with."""
    repeats: str = ""
    """The run that a new run repeats under another name, as `namespace/experiment/run`: one that no source requests any more."""
    successor: str = ""
    """The new run that replaces this one."""
    in_cluster: str = ""
    """If it was removed: the outcome in the cluster, one of OUTCOMES."""
    is_restored: bool = False
    """Whether it is new, but the old lock has it: its files were lost."""
    has_pods: bool = True
    """Whether its new manifests start pods: a superseded or orphaned run may be suspended."""


AttributeChange = Callable[[Changed], "tuple[Attribution | None, Attribution | None]"]


def no_attributions(change: Changed) -> tuple[Attribution | None, Attribution | None]:
    """The answer where nothing but the files is known."""
    return None, None


def compare(old: Side, new: Side) -> list[DiffEntry]:
    """Every run and every shared object of either side, in order of path."""
    groups: dict[tuple[TreePlace, str], list[str]] = {}
    for path in sorted({*old.bodies, *new.bodies}):
        place = place_of(path)
        if place is not None:
            name = place.run or path.rpartition("/")[2].removesuffix(".yaml")
            groups.setdefault((place, name), []).append(path)
    earlier = earlier_runs(old, new)
    later = {(key, one.run): name for (key, name), one in earlier.items() if one.is_replaced}
    known = _Known(_runtimes(new), _removed_runs(old, new), earlier, later)
    return [_entry(place, name, paths, old, new, known) for (place, name), paths in groups.items()]


class _Known(NamedTuple):
    """What entries need of the two sides as wholes."""

    runtimes: Mapping[tuple[str, str], list[str]]
    """Environment and namespace -> paths of the runtimes there."""
    removed: Mapping[tuple[str, str], str]
    """Environment and identity -> the run that had it."""
    earlier: Mapping[RunKey, Earlier]
    later: Mapping[RunKey, str]
    """Replaced run -> the new run."""


def _runtimes(side: Side) -> dict[tuple[str, str], list[str]]:
    """Environment and namespace -> paths of the runtimes there."""
    runtimes: dict[tuple[str, str], list[str]] = {}
    for path in side.bodies:
        place = place_of(path)
        if place is not None and place.stage == RUNTIMES:
            runtimes.setdefault((place.environment, place.namespace), []).append(path)
    return runtimes


def _entry(
    place: TreePlace,
    name: str,
    paths: list[str],
    old: Side,
    new: Side,
    known: _Known,
) -> DiffEntry:
    if not any(path in old.bodies for path in paths):
        earlier = known.earlier.get((place.key, name)) if place.run else None
        twins = _twins(name, earlier.run, paths, old) if earlier is not None else {}
        objects = tuple([_new(path, twins.get(path), old, new) for path in paths])
        is_replacing = earlier is not None and earlier.is_replaced
        repeats = "" if is_replacing else _repeated(place, name, new, known.removed)
        is_restored = _state(old, place.key, name) is not None
        return DiffEntry(place, name, NEW, objects, earlier, repeats, is_restored=is_restored)
    successor = known.later.get((place.key, name), "") if place.run else ""
    if not any(path in new.bodies for path in paths):
        trees = [tree_of(old.bodies[path], path) for path in paths]
        outcomes = [after_removal(tree, TOOLS) for tree in trees]
        outcome = min(outcomes, key=OUTCOMES.index)
        objects = tuple([_alone(path, old, REMOVED) for path in paths])
        return DiffEntry(place, name, REMOVED, objects, successor=successor, in_cluster=outcome)
    differing = [path for path in paths if old.bodies.get(path) != new.bodies.get(path)]
    context = (
        [tree_of(new.bodies[path], path) for path in known.runtimes.get((place.environment, place.namespace), ())]
        if differing
        else []
    )
    objects = tuple([_object(path, old, new, context) for path in differing])
    objects = tuple([one for one in objects if one.kind != UNCHANGED])
    kind = max([one.kind for one in objects], key=_badness, default=UNCHANGED)
    before, now = _state(old, place.key, name), _state(new, place.key, name)
    if kind not in (UNCHANGED, IN_PLACE):
        return DiffEntry(place, name, kind, objects, successor=successor)
    was_suspended, is_suspended = _is_suspended(old, paths), _is_suspended(new, paths)
    if before is not None and before != now and now in NOT_REQUESTED:
        kind = now
    elif was_suspended != is_suspended:
        kind = SUSPENDED_NOW if is_suspended else RESUMED_NOW
    return DiffEntry(place, name, kind, objects, successor=successor, has_pods=not is_suspended)


def _is_suspended(side: Side, paths: list[str]) -> bool:
    return any(suspends(side.bodies[path]) for path in paths if path in side.bodies)


def _badness(kind: str) -> float:
    """ARCHIVED, and files of a run that come or go, are between what is done in place and what is without effect."""
    return WORST.index(kind) if kind in WORST else WORST.index(IN_PLACE) + 0.5


def _alone(path: str, side: Side, kind: str) -> ObjectChange:
    return ObjectChange(path, ref_of(tree_of(side.bodies[path], path)), kind)


def _object(path: str, old: Side, new: Side, context: list[Tree]) -> ObjectChange:
    if path not in old.bodies:
        return _alone(path, new, NEW)
    if path not in new.bodies:
        return _alone(path, old, REMOVED)
    before, after = tree_of(old.bodies[path], path), tree_of(new.bodies[path], path)
    if before is None or after is None:
        return ObjectChange(path, ref_of(after), REFUSED, (), (f"{path} contains no readable manifest",))
    ref = ref_of(after)
    changes = list(changed(before, after))
    if not changes:
        return ObjectChange(path, ref, UNCHANGED)
    if is_marked(after):
        # No sync applies it, so the server's rules do not matter.
        kind = SILENT if is_marked(before) else ARCHIVED
        remark = "no sync applies an archived run"
        fields = [FieldChange(one, kind, remark, *_attributions(one, ref, old, new)) for one in changes]
        return ObjectChange(path, ref, kind, tuple(fields))
    return replacement(path, before, after, refusals(before, after, context), lambda change: _attributions(change, ref, old, new))


def replacement(
    path: str, before: Tree, after: Tree, refused: Sequence[Refusal], attribute: AttributeChange = no_attributions
) -> ObjectChange:
    """Return the change of an object that differs, with its refusals; `attribute` returns the source of a value."""
    fields = [_field(one, after, refused, attribute(one)) for one in changed(before, after)]
    kind = REFUSED if refused else max([one.kind for one in fields], key=_badness, default=UNCHANGED)
    return ObjectChange(path, ref_of(after), kind, tuple(fields), tuple([one.words for one in refused]))


def _new(path: str, earlier: tuple[str, str, str] | None, old: Side, new: Side) -> ObjectChange:
    """A file of a new run, with what is other in it than in the run that it replaces."""
    entry = _alone(path, new, NEW)
    if earlier is None:
        return entry
    twin, run, name = earlier
    before = tree_of(old.bodies[twin].replace(run, name), twin)
    ref = ref_of(tree_of(old.bodies[twin], twin))
    fields = []
    for one in changed(before, tree_of(new.bodies[path], path)) if before is not None else ():
        attribution = old.attribution_of(ref, one.path, one.before) if one.before is not MISSING else None
        fields.append(FieldChange(one, NEW, "", attribution, _attributions(one, entry.ref, old, new)[1]))
    return entry._replace(fields=tuple(fields))


def _twins(name: str, replaced: str, paths: list[str], old: Side) -> dict[str, tuple[str, str, str]]:
    """Path of the new run -> the path of the same thing in the run that it replaces, and both names of the run."""
    twins = {}
    for path in paths:
        twin = path.replace(name, replaced)
        if twin in old.bodies:
            twins[path] = (twin, replaced, name)
    return twins


def _field(
    change: Changed, tree: Tree, refused: Sequence[Refusal], attributions: tuple[Attribution | None, Attribution | None]
) -> FieldChange:
    if any(_overlap(change.path, refusal.path) for refusal in refused):
        return FieldChange(change, REFUSED, "", *attributions)
    outcome = effect(tree, change)
    return FieldChange(change, outcome.kind, outcome.remark, *attributions)


def _overlap(path: FieldPath, refused: FieldPath) -> bool:
    """Return whether the change is within the rejected field, or contains it. Positions in lists are not compared."""
    fixed = list(takewhile(lambda step: step.__class__ is str, refused))
    length = min(len(fixed), len(path))
    return list(path[:length]) == fixed[:length]


def _attributions(change: Changed, ref: ObjectRef, old: Side, new: Side) -> tuple[Attribution | None, Attribution | None]:
    before = old.attribution_of(ref, change.path, change.before) if change.before is not MISSING else None
    after = new.attribution_of(ref, change.path, change.after) if change.after is not MISSING else None
    return before, after


def _removed_runs(old: Side, new: Side) -> dict[tuple[str, str], str]:
    """Environment and identity -> the run that had it, and is now removed or orphaned.

    An identity covers neither the name nor the namespace of an experiment: it shows that one was renamed or moved.
    """
    present = {(one.key, one.run) for path in new.bodies if (one := place_of(path)) is not None and one.run}
    return {
        (_environment(key), run.identity): f"{key}/{run.name}"
        for key, lock in sorted(old.locks.items())
        for run in lock.runs.values()
        if run.is_requested and ((key, run.name) not in present or _state(new, key, run.name) == ORPHANED)
    }


def _repeated(place: TreePlace, name: str, new: Side, removed: Mapping[tuple[str, str], str]) -> str:
    run = _locked(new, place.key, name) if place.stage == RUNS else None
    return removed.get((place.environment, run.identity), "") if run is not None else ""


def _environment(key: str) -> str:
    """The environment in the key of an experiment; none where the project has none."""
    return key.partition("/")[0] if key.count("/") > 1 else ""


def _state(side: Side, key: str, run: str) -> str | None:
    locked = _locked(side, key, run)
    return locked.state if locked is not None else None


def _locked(side: Side, key: str, run: str) -> LockedRun | None:
    lock = side.locks.get(key)
    return lock.runs.get(run) if lock is not None else None
