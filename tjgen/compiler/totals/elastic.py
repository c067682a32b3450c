"""An elastic run and a quota -> what the run could not get with its largest number of nodes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tjgen.cluster.kinds.pods import pods_of
from tjgen.cluster.trainer.requests import pod_requests
from tjgen.compiler.totals.quotas import Limits, summed, used
from tjgen.compiler.totals.tally import Totals, with_requests
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.k8s.quantity import multiply, parse, total
from tjgen.trees.manifests.manifest import Manifest
from tjgen.trees.typing import NamedTuple


class Growth(NamedTuple):
    """How far a run grows."""

    nodes: int
    """Its largest number of nodes."""
    more: int
    """Nodes that are added to those of its objects."""
    totals: Totals
    """What its objects take."""


def at_most(growth: Growth, manifests: Sequence[Manifest], starting: Totals, quota: Limits, where: str) -> Iterator[Diagnostic]:
    """TJ395 for each key of `quota` that the run exceeds with its largest number of nodes, and not when it starts."""
    workers = max((one for manifest in manifests for one in pods_of(manifest)), key=lambda one: one.number, default=None)
    if workers is None:
        return
    nodes, more, totals = growth
    added = {name: multiply(each, more) for name, each in pod_requests(with_requests(workers.spec)).items()}
    largest = totals._replace(pods=totals.pods + more, resources=total((totals.resources, added)))
    now = summed(used(starting, quota))
    for key, amount in summed(used(largest, quota)).items():
        allowed = parse(quota[key]).nanos
        if now.get(key, 0) <= allowed < amount:
            message = f"with elastic.max of {nodes} nodes the run exceeds {key}, but {where} has only {quota[key]}"
            hint = "lower elastic.max, or raise the quota: the added pods would never start"
            yield Diagnostic("TJ395", message, path=("spec", "elastic", "max"), hint=hint)
