"""The locks of a project and its output tree -> the runs that a build does not request, and what they request of the cluster.

A superseded or orphaned run continues until it is stopped, archived or removed, so it takes its share of quotas and queues.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType

from tjgen.cluster.trainer.framework import expand
from tjgen.cluster.trainer.inputs import runtime_of
from tjgen.cluster.trainer.objects import SNAPSHOT_SUFFIX
from tjgen.cluster.trainer.release import Release
from tjgen.compiler.building.plan import Plan
from tjgen.compiler.totals.cost import deadline_of, devices_of
from tjgen.compiler.totals.shared import LEFT, LEFT_IN_QUEUE, Footprint, left_over
from tjgen.compiler.totals.tally import Totals, idle, of_gang, of_run
from tjgen.gitops.diff.side import tree_of
from tjgen.gitops.emit.ondisk import files
from tjgen.gitops.emit.plan import OutputFile
from tjgen.gitops.output.done import RequestedRuns
from tjgen.gitops.output.inventory import RunEntry, own_files
from tjgen.language.catalog.find import Catalog
from tjgen.language.runs import freeze
from tjgen.language.runs.lock import ARCHIVED, NOT_REQUESTED, SUPERSEDED, Lock, LockedRun
from tjgen.language.runs.store import LockKey
from tjgen.trees.fields.path import Tree, get
from tjgen.trees.k8s.labels import KUEUE_QUEUE
from tjgen.trees.manifests.manifest import PREVIEW, RUNS, Manifest
from tjgen.trees.typing import NamedTuple

_QUEUES = (("metadata", "labels", KUEUE_QUEUE), ("spec", "queue"), ("spec", "runPolicy", "schedulingPolicy", "queue"))


class Leftover(NamedTuple):
    """A run that stays in the tree although the build does not request it."""

    place: LockKey
    name: str
    state: str
    """SUPERSEDED or ORPHANED."""
    totals: Totals
    """What it requests: only its claims if it is stopped."""
    gang: Totals
    """What of that has to be free for it to start."""
    queue: str
    labels: Mapping[str, str]
    """The labels of its objects."""
    devices: dict[str, int]
    """Name of a price (see `totals/cost.py`) -> number of devices, also if it is stopped."""
    deadline: int | None
    """Seconds after which it is stopped; None if nothing limits them."""

    @property
    def is_idle(self) -> bool:
        """Whether it has no pods."""
        return not self.totals.pods


def labels_of(trees: Iterable[Tree]) -> dict[str, str]:
    """The labels of the objects of a run. If they have different values of a label, the first one counts."""
    labels: dict[str, str] = {}
    for tree in trees:
        own = get(tree, ("metadata", "labels"), None)
        for key, value in own.items() if own.__class__ is dict else ():
            if value and isinstance(value, str):
                labels.setdefault(key, value)
    return labels


def leftovers(
    plan: Plan, directory: str, units: Mapping[str, RequestedRuns | None], locks: Mapping[str, Lock] = MappingProxyType({})
) -> list[Leftover]:
    """The runs in `directory` that are neither requested nor archived.

    `units`: key of each experiment of the build -> its requested runs, None if an earlier build has them. `locks`: key -> the
    lock as the build leaves it, as far as that is known. A build of some paths looks only at their experiments. Raises
    CompileError where a lock or a file cannot be read.
    """
    leftover_runs: list[Leftover] = []
    for place, lock in plan.locks.all([name for name in plan.environments if name is not None]):
        if place.environment not in plan.environments or not (plan.whole or place.key in units):
            continue
        requested = units.get(place.key) if place.key not in locks else None
        for run, state, stops in _not_requested(locks.get(place.key, lock), requested):
            trees = objects_of(directory, RunEntry(place, run), stops=stops)
            if trees:
                leftover_runs.append(leftover_of(place, run.name, state, trees, plan))
    return leftover_runs


def footprints(leftovers: Iterable[Leftover], plan: Plan) -> Iterator[Footprint]:
    """What they take of quotas and queues."""
    for one in leftovers:
        cluster = plan.cluster(one.place.environment)
        where = (one.place.environment or "", one.place.namespace, one.name)
        yield from left_over(where, one.totals, cluster.quotas.get(one.place.namespace, {}), LEFT)
        yield from left_over((where[0], one.queue, one.name), one.gang, cluster.queues.get(one.queue, {}), LEFT_IN_QUEUE)


def previews_of(tree: Tree, context: Sequence[Tree], catalog: Catalog, release: Release) -> Iterator[Tree]:
    """Return the controller's objects for a TrainJob, without its private copy of the runtime; none for other kinds."""
    if tree.get("kind") != "TrainJob":
        return

    def look_up(kind: str, namespace: str, name: str) -> Tree | None:
        runtime, _ = catalog.find(name, kind=kind, namespace=namespace)
        return runtime.tree if runtime is not None else None

    for one in expand(tree, runtime_of(tree, list(context), look_up), release=release).objects:
        if not one.tree["metadata"]["name"].endswith(SNAPSHOT_SUFFIX):
            yield one.tree


def _not_requested(lock: Lock, requested: RequestedRuns | None) -> Iterator[tuple[LockedRun, str, bool]]:
    """The runs, their states, and whether the build stops them."""
    for run in lock.runs.values():
        if requested is not None and run.name not in requested.names and run.lifecycle_state != ARCHIVED:
            yield run, SUPERSEDED, requested.stops and run.is_requested
        elif requested is None and run.lifecycle_state in NOT_REQUESTED:
            yield run, run.state, run.stopped


def objects_of(directory: str, entry: RunEntry, *, stops: bool) -> list[Tree]:
    """The objects of a run, and those that it shares with other runs. A damaged file has none: `damage` reports it."""
    own = _trees(own_files(directory, entry))
    if not own:
        return []
    folders = sorted({path.rpartition("/")[0] for path in entry.run.uses})
    shared = [file for folder in folders for file in files(directory, folder) if file.path in entry.run.uses]
    if stops:
        own = [freeze.stopped(tree) or tree for tree in own]
    return [*own, *_trees(shared)]


def _trees(output_files: Iterable[OutputFile]) -> list[Tree]:
    return [tree for file in output_files if (tree := tree_of(file.body, file.path)) is not None]


def leftover_of(place: LockKey, name: str, state: str, trees: list[Tree], plan: Plan) -> Leftover:
    release = plan.release_of(place.environment)
    created = [Manifest(one, {}, PREVIEW) for tree in trees for one in previews_of(tree, trees, plan.catalog, release)]
    manifests = [Manifest(tree, {}, RUNS) for tree in trees]
    totals = of_run(manifests, created, plan.cluster(place.environment).claims)
    gang = of_gang(totals, [*manifests, *created])
    devices = devices_of(manifests, created, plan.devices(place.environment).classes)
    if any(freeze.is_stopped(tree) for tree in trees):
        totals, gang = idle(totals), idle(gang)
    queue = queue_of([*manifests, *created])
    return Leftover(place, name, state, totals, gang, queue, labels_of(trees), devices, deadline_of(trees))


def queue_of(manifests: Iterable[Manifest]) -> str:
    """The queue of the objects of a run; empty if it has none."""
    queues = (get(one.tree, path, None) for one in manifests for path in _QUEUES)
    return next((str(queue) for queue in queues if queue), "")
