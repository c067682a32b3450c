"""A run that its queue never admits, and the flavors of the queue -> the change with which Kueue admits it."""

from __future__ import annotations

from collections.abc import Mapping

from tjgen.cluster.queueing.kueue.objects import ClusterQueue, ResourceFlavor
from tjgen.cluster.scheduling.filters.taint_toleration import untolerated_taint
from tjgen.compiler.fit.queues import pod_sets
from tjgen.compiler.fit.verdicts import FitRun
from tjgen.trees.fields.path import Tree


def queue_hint(run: FitRun, queue: ClusterQueue) -> str | None:
    """The change for a resource that no flavor covers, or for pods whose nodes no flavor has; None for a small quota."""
    covered = {resource for _, quota in queue.flavors for resource in quota}
    for request in pod_sets(run.demand):
        missing = next((resource for resource, amount in request.requests.items() if amount and resource not in covered), None)
        if missing is not None and missing != "pods":
            return f"add {missing} to the quota of a flavor of queue {queue.name} in the Platform, or do not request it"
        hints = [_nodes_hint(request.spec, flavor) for flavor, _ in queue.flavors]
        if hints and None not in hints:
            return hints[0]
    return None


def toleration(taint: Mapping[str, str]) -> str:
    """The entry of `tolerations` for a taint, to paste."""
    value = f", value: {taint['value']}" if taint.get("value") else ""
    return f"{{key: {taint['key']}, operator: {'Equal' if value else 'Exists'}{value}, effect: {taint.get('effect', '')}}}"


def _nodes_hint(spec: Tree, flavor: ResourceFlavor) -> str | None:
    """The change with which pods match the nodes of a flavor; None if they match."""
    taint = untolerated_taint(flavor.taints, [*(spec.get("tolerations") or ()), *flavor.tolerations])
    if taint is not None:
        entry = toleration(taint)
        return (
            f"tolerate the taint of flavor {flavor.name}: pod: {{tolerations: [{entry}]}}, or tolerations of the flavor or "
            "of the device class in the Platform"
        )
    for label, value in (spec.get("nodeSelector") or {}).items():
        if flavor.labels.get(label, value) != value:
            return (
                f"select {label}: {flavor.labels[label]}, as flavor {flavor.name} has it, or add a flavor with {label}: {value}"
            )
    return None
