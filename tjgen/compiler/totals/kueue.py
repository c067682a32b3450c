"""A run and a ClusterQueue of Kueue -> why Kueue would never admit the run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tjgen.cluster.kinds.pods import pods_of
from tjgen.cluster.kinds.table import OF_TRAINING_OPERATOR
from tjgen.cluster.releases import KUEUE_WITHOUT_OPERATORS, version
from tjgen.cluster.trainer.requests import pod_requests
from tjgen.compiler.totals.quotas import requesting_field
from tjgen.compiler.totals.tally import with_requests
from tjgen.language.setting import Cluster
from tjgen.language.spec.objects import Flavor
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.managed import Managed
from tjgen.trees.k8s.quantity import compare, multiply, parse
from tjgen.trees.manifests.manifest import Manifest


def inadmissible(name: str, cluster: Cluster, target: str, manifests: Sequence[Manifest], tree: Managed) -> Iterator[Diagnostic]:
    """TJ393 for a resource that the queue does not cover, and TJ394 for pods that fit into no flavor.

    TJ396 for a node selector that matches no flavor, and TJ397 for a kind that Kueue does not queue.
    """
    queue = cluster.queue_specs[name]
    kueue = queue.create.kueue if queue.create is not None else None
    if cluster.kueue is not None and target in OF_TRAINING_OPERATOR and version(cluster.kueue) >= KUEUE_WITHOUT_OPERATORS:
        yield _not_queued(cluster.kueue, target)
    if kueue is None:
        return
    yield from _unknown_nodes(
        name, [cluster.flavors[one.name] for one in kueue.flavors if one.name in cluster.flavors], manifests
    )
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
                yield Diagnostic("TJ393", message, path=requesting_field(resource, tree), hint=hint)
            elif len(shares) > 1 and kueue.cohort is None and all(compare(amount, share) > 0 for share in offered):
                seen.add(resource)
                message = f"the pods of {pods.role} request {amount} of {resource}, and no flavor of queue {name} has so much"
                hint = "request less: Kueue places all pods of a role in one flavor"
                yield Diagnostic("TJ394", message, path=requesting_field(resource, tree), hint=hint)


def _unknown_nodes(name: str, flavors: Sequence[Flavor], manifests: Sequence[Manifest]) -> Iterator[Diagnostic]:
    """Kueue compares only the labels of a node selector that a flavor has (pkg/scheduler/flavorassigner of 0.15 and 0.19)."""
    known = {label for flavor in flavors for label in flavor.node_labels}
    if len({tuple(sorted(flavor.node_labels.items())) for flavor in flavors}) < 2:
        return
    for pods in (one for manifest in manifests for one in pods_of(manifest)):
        selector = pods.spec.get("nodeSelector") or {}
        if selector and not known.intersection(selector):
            labels = " and ".join(sorted(selector))
            message = (
                f"no flavor of queue {name} has the node label {labels}, so Kueue may admit the run to nodes that it cannot use"
            )
            hint = f"add {labels} to nodeLabels of the flavors: otherwise the pods wait forever and hold quota"
            yield Diagnostic("TJ396", message, path=("spec", "schedule", "queue"), hint=hint)
            return


def _not_queued(release: str, target: str) -> Diagnostic:
    message = f"Kueue {release} does not queue the kinds of the Training Operator by default: a {target} starts at once"
    hint = "enable its kind in integrations.frameworks of Kueue, or use target: trainjob"
    return Diagnostic("TJ397", message, path=("spec", "target"), hint=hint)
