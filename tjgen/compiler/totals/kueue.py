"""A run and a ClusterQueue of Kueue -> why Kueue would never admit the run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tjgen.cluster.kinds.pods import pods_of
from tjgen.cluster.trainer.requests import pod_requests
from tjgen.compiler.totals.quotas import asked_by
from tjgen.compiler.totals.tally import with_requests
from tjgen.language.spec.objects import Queue
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.managed import Managed
from tjgen.trees.k8s.quantity import compare, multiply, parse
from tjgen.trees.manifests.manifest import Manifest


def inadmissible(name: str, queue: Queue, manifests: Sequence[Manifest], tree: Managed) -> Iterator[Diagnostic]:
    """TJ393 for a resource that the queue does not cover, and TJ394 for pods that fit into no flavor."""
    kueue = queue.create.kueue if queue.create is not None else None
    if kueue is None:
        return
    shares = [one.quota for one in kueue.flavors] or [queue.capability]
    seen: set[str] = set()
    for pods in (one for manifest in manifests for one in pods_of(manifest)):
        for resource, each in pod_requests(with_requests(pods.spec)).items():
            offered = [parse(share[resource]) for share in shares if resource in share]
            if resource in seen or not each.nanos:
                continue
            amount = multiply(each, pods.number)
            if not offered:
                seen.add(resource)
                message = f"queue {name} does not cover {resource}, so Kueue never admits a run that requests it"
                hint = f"add {resource} to the quota of a flavor of the queue, or do not request it"
                yield Diagnostic("TJ393", message, path=asked_by(resource, tree), hint=hint)
            elif len(shares) > 1 and kueue.cohort is None and all(compare(amount, share) > 0 for share in offered):
                seen.add(resource)
                message = f"the pods of {pods.role} request {amount} of {resource}, and no flavor of queue {name} has so much"
                hint = "request less: Kueue places all pods of a role in one flavor"
                yield Diagnostic("TJ394", message, path=asked_by(resource, tree), hint=hint)
