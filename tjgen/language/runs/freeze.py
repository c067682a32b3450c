"""A run as it was locked, as it would be built now and as it is on disk -> the changes of its files.

TrainJob, JobSet and Volcano Job cannot be changed in place, and another name starts the run again.
So a run that is in the lock keeps its files byte for byte when only the catalog, an overlay, the
Platform or tjgen has changed; labels and annotations of its own experiment are still carried into
them, since that can be changed in place. So is its state, also that of an overlay.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from hashlib import sha256

from tjgen.cluster.kinds.table import kind_of
from tjgen.cluster.kinds.volcano_job import SIZE, TASK_SIZE, TASKS, VOLCANO_JOB
from tjgen.cluster.synctools.table import LEFT_ALONE, NO_TOOL
from tjgen.language.runs.archive import is_marked, marked, unmarked
from tjgen.language.runs.lock import LockedRun
from tjgen.language.spec.identity import SETTINGS
from tjgen.trees.canonical import json_text, sha256_hex
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import FieldPath, Tree, get
from tjgen.trees.k8s.labels import KUEUE_QUEUE, MULTI_KUEUE
from tjgen.trees.source.reader import KUBERNETES, read
from tjgen.trees.typing import NamedTuple

NEW = "new"
UNCHANGED = "unchanged"
FROZEN = "frozen"
"""It would change: the files on disk stay."""
IN_PLACE = "in-place"
"""The files on disk stay except for the changes of `carry`."""
RENEWED = "renewed"
"""It would change and that is wanted: build it again as the next renewal, under another name."""
REBUILT = "rebuilt"
"""Its files are missing or were discarded: they are written as they are built now."""

NO_SETTINGS = f"sha256:{0:064}"
"""Instead of the digest of settings: what no experiment has, so that a build writes the settings of the run in place."""

OURS = "tjgen.dev/"
"""What our own labels and annotations begin with."""

_SUSPEND = "suspend: "
"""What the text of a run contains that is suspended, or was."""


class Decision(NamedTuple):
    """The changes of the files of a run, and its messages."""

    kind: str
    diagnostic: Diagnostic | None = None

    @property
    def keeps_content(self) -> bool:
        """Whether the run stays as it was built, although it would be built otherwise now."""
        return self.kind == IN_PLACE or (self.diagnostic is not None and self.diagnostic.code == "TJ076")


def content_digest(bodies: Mapping[str, str]) -> str:
    """The digest of a run's files: bodies without headers, by path in the run's folder."""
    return digest_of({path: body_digest(body) for path, body in bodies.items()})


def body_digest(body: str) -> str:
    """The digest of the body of one file."""
    return sha256(body.encode()).hexdigest()


def digest_of(digests: Mapping[str, str]) -> str:
    """The digest of a run's files: digests of bodies, by path in the run's folder."""
    parts = [f"{path}\0{digests[path]}\n" for path in sorted(digests)]
    return "sha256:" + sha256("".join(parts).encode()).hexdigest()


def settings_digest(experiment: Tree, tool: str = NO_TOOL) -> str:
    """The digest of what SETTINGS names in an experiment, a document as it is written, and of the tool that syncs it."""
    tasks = get(experiment, ("spec", "tasks"), None)
    within: list[FieldPath] = [(), *(("spec", "tasks", name) for name in (tasks if tasks.__class__ is dict else ()))]
    places = [(*before, *path[1:]) if before else path for before in within for path in SETTINGS]
    values = [[list(path), value] for path in places if (value := get(experiment, path, None)) not in (None, {}, [])]
    if tool != NO_TOOL:
        values.append([["gitops"], tool])
    return "sha256:" + sha256_hex(json_text(values))


def decide(
    locked: LockedRun | None,
    *,
    content: str,
    settings: str,
    digest_on_disk: Callable[[], str | None],
    renew: bool = False,
    force: bool = False,
) -> Decision:
    """What to do with the files of a run that are built now with digest `content`.

    `locked` is the run in the lock with the same identity, `digest_on_disk` the digest of its files on disk,
    computed only when needed. `force` discards unknown content on disk.
    An error (TJ075) among the answers means that nothing may be done.
    """
    if locked is None:
        return Decision(NEW)
    if content == locked.content:
        return Decision(UNCHANGED)
    if renew:
        return Decision(RENEWED)
    on_disk = digest_on_disk()
    if on_disk is None:
        return Decision(REBUILT, _rebuilt(locked))
    if on_disk == content:
        # The lock is outdated, for example after a merge that took one side of it.
        return Decision(UNCHANGED)
    if on_disk != locked.content:
        return Decision(REBUILT, _rebuilt(locked)) if force else Decision(FROZEN, _drifted(locked))
    if settings != locked.settings:
        return Decision(IN_PLACE)
    return Decision(FROZEN, _would_change(locked))


def fixed_name_problem(locked: LockedRun | None, identity: str) -> Diagnostic | None:
    """TJ074, where `naming: fixed` would change the run that is locked under the name; `locked` is that run."""
    if locked is None or locked.identity == identity:
        return None
    return Diagnostic(
        "TJ074",
        f'run "{locked.name}" exists with different content, and a run cannot be changed in place',
        path=("spec", "naming"),
        hint="increase attempt to get a new name, or restore the earlier content",
    )


def scales_in_place(old: Mapping[str, Tree], new: Mapping[str, Tree]) -> bool:
    """Whether two builds of a run, manifests by path, differ only in the number of pods of its Volcano Job and in what can
    change in place.

    Volcano's webhook accepts these fields alone (v1.14 `validateJobUpdate`), and its controller then starts or stops pods.
    """
    is_volcano = any(kind_of(tree) is VOLCANO_JOB for tree in old.values())
    return is_volcano and old.keys() == new.keys() and all(_unscaled(tree) == _unscaled(new[path]) for path, tree in old.items())


def _unscaled(tree: Tree) -> Tree:
    """What of a manifest cannot change in place, without the number of pods of a Volcano Job; None if the whole can change."""
    changeable = _changeable(tree)
    if changeable is None:
        return None
    is_volcano = kind_of(tree) is VOLCANO_JOB
    for path in (*changeable, *(SIZE if is_volcano else ())):
        tree = _carried(tree, path, None)
    if is_volcano:
        tasks = [{key: value for key, value in task.items() if key not in TASK_SIZE} for task in get(tree, TASKS, None) or []]
        tree = _carried(tree, TASKS, tasks)
    return tree


def stopped(tree: Tree) -> Tree | None:
    """A manifest of a run, suspended; None if it trains nothing, is suspended already, or cannot be stopped (`unstoppable`)."""
    kind = kind_of(tree)
    suspend = kind.suspend if kind is not None else None
    if suspend is None or get(tree, suspend, None) is True or unstoppable(tree) is not None:
        return None
    return _carried(tree, suspend, True)


def resumed(tree: Tree) -> Tree:
    """A manifest of a run that was suspended, with `suspend: false`; without the field if Kueue decides when the run starts.

    kubectl may own `suspend: true`. A server-side apply without the field leaves it, and Argo CD then reports Synced.
    """
    if (kind := kind_of(tree)) is None or kind.suspend is None:
        return tree
    is_queued = unstoppable(tree) is not None or get(tree, (*kind.suspend[:-1], "managedBy"), None) == MULTI_KUEUE
    return _carried(tree, kind.suspend, None if is_queued else False)


def is_stopped(tree: Tree) -> bool:
    """Whether a manifest of a run is suspended, so that the run has no pods."""
    kind = kind_of(tree)
    return kind is not None and kind.suspend is not None and get(tree, kind.suspend, None) is True


def suspends(body: str) -> bool:
    """The same of a manifest as text."""
    return _SUSPEND in body and any(is_stopped(one.value) for one in read(body, "", KUBERNETES)[0])


def unstoppable(tree: Tree) -> str | None:
    """Why no sync can stop the run of a manifest; None if one can, or if the manifest trains nothing.

    Kueue starts an admitted run that a sync suspends again at once (kueue v0.19 `pkg/controller/jobframework/reconciler.go`),
    with new pods, and without its label the run keeps its quota.
    """
    kind = kind_of(tree)
    if kind is None or kind.run is None:
        return None
    if kind.suspend is None:
        return f"a {kind.name} of {kind.group} has no field that suspends it"
    queue = get(tree, ("metadata", "labels", KUEUE_QUEUE), None)
    return f"Kueue starts a run of queue {queue} again" if queue is not None else None


def may_differ_in_state(bodies: Iterable[str], *, is_active: bool) -> bool:
    """Whether a run can have another state in its files, as texts, than in its sources: `is_active` if these only run it."""
    return not is_active or any(mark in body for body in bodies for mark in (_SUSPEND, *LEFT_ALONE))


def with_state(old: Tree, new: Tree) -> Tree:
    """`old` with the state of `new`: `suspend`, and the marks of a record. A state is not content, so it is never frozen."""
    kind = kind_of(old)
    if kind is not None and kind.suspend is not None:
        old = _carried(old, kind.suspend, get(new, kind.suspend, None), new)
    is_record = is_marked(new)
    return old if is_record == is_marked(old) else marked(old) if is_record else unmarked(old)


def carry_all(old: Mapping[str, Tree], new: Mapping[str, Tree]) -> dict[str, Tree]:
    """Return the manifests of a run that stays, by path: `old` is on disk, `new` is built now.

    An immutable file stays and no file is added to it, since existing objects refer to the
    objects of their build; other files are added and removed with the new build.
    """
    kept = {path: carry(tree, new[path]) if path in new else tree for path, tree in old.items() if path in new or _is_fixed(tree)}
    return {**kept, **{path: tree for path, tree in new.items() if path not in old and not _is_fixed(tree)}}


def carry(old: Tree, new: Tree) -> Tree:
    """`old` with what can be changed in place as `new` has it; `new` where its kind can be changed as a whole."""
    changeable = _changeable(old)
    if changeable is None:
        return new
    for path in changeable:
        value = get(new, path, None)
        if path[0] == "metadata":
            value = _described_as_before(get(old, path, None) or {}, value or {})
        old = _carried(old, path, value, new)
    return old


def _is_fixed(tree: Tree) -> bool:
    """Whether the manifest cannot be changed as a whole."""
    return _changeable(tree) is not None


def _changeable(tree: Tree) -> tuple[FieldPath, ...] | None:
    """The fields of a manifest that can change in place; None if the whole object can. A ConfigMap can unless it is immutable."""
    kind = kind_of(tree)
    if kind is None or (kind.name == "ConfigMap" and tree.get("immutable") is not True):
        return None
    return kind.changeable


def _described_as_before(old: Tree, new: Tree) -> Tree:
    """The new labels or annotations, but tjgen's own as before: they describe the build, and it was not built again."""
    ours = {key: value for key, value in old.items() if key.startswith(OURS)}
    # In the order of a build, so that what is then the same is so byte for byte.
    described = {key: ours.get(key, value) for key, value in new.items() if key in ours or not key.startswith(OURS)}
    return {**described, **ours} or None


def _carried(old: Tree, path: FieldPath, value: Tree, new: Tree = None) -> Tree:
    """`old` with `value` at `path`. Keys that it lacks are placed as in `new`, so that equal trees are equal files."""
    key, rest = path[0], path[1:]
    fields = old if old.__class__ is dict else {}
    model = new if new.__class__ is dict else {}
    inner = _carried(fields.get(key), rest, value, model.get(key)) if rest else value
    if inner is None or (rest and inner == {}):
        return {name: item for name, item in fields.items() if name != key}
    if key in fields or key not in model:
        return {**fields, key: inner}
    names = list(model)
    before = [name for name in names[: names.index(key)] if name in fields]
    position = list(fields).index(before[-1]) + 1 if before else 0
    items = list(fields.items())
    return dict([*items[:position], (key, inner), *items[position:]])


def _would_change(locked: LockedRun) -> Diagnostic:
    return Diagnostic(
        "TJ076",
        f'run "{locked.name}" would change, but is locked and stays as it is',
        hint=f"use --renew {locked.name} to run it again under another name: it trains from the start, in an empty checkpoint "
        "folder, and the old run is superseded",
    )


def _rebuilt(locked: LockedRun) -> Diagnostic:
    return Diagnostic(
        "TJ077",
        f'run "{locked.name}" is locked and its files are missing, and a build now produces different files',
        hint="restore the files from Git to keep the run as it was",
    )


def _drifted(locked: LockedRun) -> Diagnostic:
    return Diagnostic(
        "TJ075",
        f'the files of run "{locked.name}" match neither the lock nor the current build',
        hint="restore the files and the lock from Git; use --force only if no cluster has the run, as a sync cannot change it",
    )
