"""The locks and output trees of the other projects of a workspace -> what their runs take of the same quotas and queues."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tjgen.compiler.building.plan import Plan
from tjgen.compiler.totals.shared import LEFT_IN_QUEUE, QUEUED, TAKES, TAKES_ELSEWHERE, Footprint, left_over
from tjgen.gitops.output.inventory import RunEntry, entries, own_files
from tjgen.gitops.output.leftover import leftover_of, objects_of
from tjgen.gitops.output.neighbors import Neighbor, neighbors_of
from tjgen.language.runs.store import Locks


def footprints_of_neighbors(plan: Plan, own: Sequence[Footprint]) -> Iterator[Footprint]:
    """What runs of other projects take in the namespaces and queues that `own`, the footprints of this project, are in.

    Raises CompileError where a lock or a file cannot be read.
    """
    namespaces = {(one[1], one[2]) for one in own if one[0] == TAKES}
    queues = {(one[1], one[2]) for one in own if one[0] == QUEUED}
    if not namespaces and not queues:
        return
    for neighbor in neighbors_of(plan):
        tree = neighbor.tree
        if tree is None:
            continue
        for entry in entries(Locks(neighbor.directory)):
            environment = entry.place.environment
            if environment not in plan.environments or not entry.run.requests_devices:
                continue
            in_namespace = (environment or "", entry.namespace) in namespaces
            names = [queue for name, queue in queues if name == (environment or "")]
            # Most runs are in other namespaces and queues: their files are searched, and not parsed.
            if in_namespace or any(name in file.body for file in own_files(tree, entry) for name in names):
                yield from _footprints(plan, neighbor, tree, entry)


def _footprints(plan: Plan, neighbor: Neighbor, tree: str, entry: RunEntry) -> Iterator[Footprint]:
    trees = objects_of(tree, entry, stops=False)
    if not trees:
        return
    environment, cluster = entry.place.environment or "", plan.cluster(entry.place.environment)
    run = leftover_of(entry.place, entry.run.name, entry.run.state, trees, plan)
    name = f"{neighbor.folder}: {run.name}"
    quota, queue = cluster.quotas.get(entry.namespace, {}), cluster.queues.get(run.queue, {})
    yield from left_over((environment, entry.namespace, name), run.totals, quota, TAKES_ELSEWHERE)
    yield from left_over((environment, run.queue, name), run.gang, queue, QUEUED if entry.run.is_requested else LEFT_IN_QUEUE)
