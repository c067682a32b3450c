"""Objects that a Platform no longer creates -> warnings about the runs of the output tree that use them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import chain

from tjgen.cluster.validate.references import LOCAL_QUEUE, PRIORITY_CLASS, STORAGE_CLASS, VOLCANO_QUEUE, WORKLOAD_PRIORITY, needed
from tjgen.compiler.building.plan import Plan
from tjgen.gitops.output.carried import trees
from tjgen.gitops.output.disk import Disk, OnDisk
from tjgen.gitops.output.inventory import RunEntry, entries
from tjgen.gitops.output.layout import folder_of, namespace_of
from tjgen.gitops.output.neighbors import neighbors_of
from tjgen.language.runs.lock import ARCHIVED
from tjgen.language.runs.store import Locks
from tjgen.trees.diagnostics.model import Diagnostic, Span
from tjgen.trees.fields.path import get

ObjectKey = tuple[str, str, str]
"""Kind, namespace and name of an object of a Platform."""

_MOST_NAMES = 3
_NAMESPACE = "Namespace"
_KINDS = {kind[1]: kind for kind in (LOCAL_QUEUE, VOLCANO_QUEUE, PRIORITY_CLASS, WORKLOAD_PRIORITY, STORAGE_CLASS)}
"""Kinds that runs refer to by name. A LocalQueue has a namespace, the others have none."""


def warnings(
    plan: Plan, platform: str, removed: Collection[ObjectKey], on_disk: OnDisk, place: Span | None
) -> Iterator[Diagnostic]:
    """TJ269 for each object of `removed` that runs of the platform's environments use. `place`: of the platform, if it exists.

    Raises CompileError where a lock or a file of the tree cannot be read.
    """
    wanted = {one for one in removed if one[0] in _KINDS or one[0] == _NAMESPACE}
    if not wanted:
        return
    users: dict[ObjectKey, list[str]] = {}
    for locks, tree in [(plan.locks, on_disk), *_neighbors(plan)]:
        for entry in entries(locks):
            if entry.run.lifecycle_state == ARCHIVED or not _is_of(plan, platform, entry.place.environment):
                continue
            for key in sorted(wanted & {*_used(entry, tree)}):
                users.setdefault(key, []).append(entry.run.name)
    for key, names in users.items():
        yield _warning(platform, key, names, place)


def _neighbors(plan: Plan) -> Iterator[tuple[Locks, OnDisk]]:
    """The locks and the output tree of each other project of the workspace."""
    for neighbor in neighbors_of(plan):
        if neighbor.tree is not None:
            locks = Locks(neighbor.directory)
            yield locks, Disk(neighbor.tree, locks.folder)


def _is_of(plan: Plan, platform: str, environment: str | None) -> bool:
    """Whether an environment belongs to the platform; one without a platform can be of a platform that was removed."""
    spec = plan.project.spec
    used = plan.project.platform(environment) if environment is None or environment in spec.environments else None
    return used is None or used.platform.metadata.name == platform


def _used(entry: RunEntry, on_disk: OnDisk) -> Iterator[ObjectKey]:
    """The objects that a run needs, by its own files and those that it shares."""
    folder = folder_of(entry.place, entry.run)
    bodies = on_disk.bodies(folder)
    if not bodies:
        return
    namespace = namespace_of(entry.place, entry.run)
    yield _NAMESPACE, "", namespace
    shared = {path: body for path in entry.run.uses if (body := on_disk.body(path)) is not None}
    for tree in trees({**bodies, **shared}).values():
        # A patch changes a runtime, whose template names the queue of Volcano.
        patched = [{"spec": patch.get("trainingRuntimeSpec")} for patch in get(tree, ("spec", "runtimePatches"), None) or []]
        for one in chain.from_iterable(map(needed, (tree, *patched))):
            if _KINDS.get(one.kind[1]) == one.kind:
                yield one.kind[1], namespace if one.kind == LOCAL_QUEUE else "", one.name


def _warning(platform: str, key: ObjectKey, names: Sequence[str], place: Span | None) -> Diagnostic:
    kind, namespace, name = key
    shown = ", ".join(names[:_MOST_NAMES]) + (f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else "")
    count = "1 run uses it" if len(names) == 1 else f"{len(names)} runs use it"
    where = f"{namespace}/{name}" if namespace else name
    return Diagnostic(
        "TJ269",
        f'platform "{platform}" no longer creates {kind} {where}, and {count}: {shown}',
        span=place,
        hint="keep it until these runs have ended, or remove old runs with tjgen runs prune; "
        "do not delete it in the cluster before that",
    )
