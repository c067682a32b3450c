"""A run and a ClusterQueue of Kueue -> why Kueue would never admit the run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tjgen.cluster.kinds.pods import pods_of
from tjgen.cluster.kinds.table import OF_TRAINING_OPERATOR
from tjgen.cluster.releases import KUEUE_WITHOUT_OPERATORS, version
from tjgen.cluster.trainer.requests import pod_requests
from tjgen.compiler.totals.quotas import requesting_field
from tjgen.compiler.totals.tally import with_requests
from tjgen.language.setting import ClusterSettings
from tjgen.language.spec.objects import Flavor
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.managed import Managed
from tjgen.trees.fields.path import Tree
from tjgen.trees.k8s.quantity import compare, multiply, parse
from tjgen.trees.manifests.manifest import Manifest


def inadmissible(
    name: str, cluster: ClusterSettings, target: str, manifests: Sequence[Manifest], tree: Managed
) -> Iterator[Diagnostic]:
    """TJ393 for a resource that the queue does not cover, and TJ394 for pods that fit into no flavor.

    TJ151 for pods that the nodes of no flavor take, TJ396 for a node selector that matches no flavor, and TJ397 for a kind that
    Kueue does not queue.
    """
    queue = cluster.queue_specs[name]
    kueue = queue.create.kueue if queue.create is not None else None
    if cluster.kueue is not None and target in OF_TRAINING_OPERATOR and version(cluster.kueue) >= KUEUE_WITHOUT_OPERATORS:
        yield _not_queued(cluster.kueue, target)
    if kueue is None:
        return
    flavors = {one.name: cluster.flavors[one.name] for one in kueue.flavors if one.name in cluster.flavors}
    yield from _unknown_nodes(name, list(flavors.values()), manifests)
    if len(flavors) == len(kueue.flavors):
        yield from _wrong_nodes(name, flavors, manifests)
    shares = [(one.quota, flavors.get(one.name)) for one in kueue.flavors] or [(queue.capability, None)]
    seen: set[str] = set()
    for pods in (one for manifest in manifests for one in pods_of(manifest)):
        placement = _placement(pods.spec, flavors)
        usable = [quota for quota, flavor in shares if flavor is None or _reason("", flavor, *placement) is None]
        for resource, each in pod_requests(with_requests(pods.spec)).items():
            offered = [parse(quota[resource]) for quota, _ in shares if resource in quota]
            if resource in seen or not each.nanos:
                continue
            amount = multiply(each, pods.number)
            if not offered:
                seen.add(resource)
                message = f"queue {name} does not cover {resource}, so Kueue never admits a run that requests it"
                hint = f"add {resource} to the quota of a flavor of the queue, or do not request it"
                yield Diagnostic("TJ393", message, path=requesting_field(resource, tree), hint=hint)
            elif (
                len(shares) > 1
                and kueue.cohort is None
                and all(compare(amount, parse(quota.get(resource, 0))) > 0 for quota in usable or [quota for quota, _ in shares])
            ):
                seen.add(resource)
                which = " with nodes for them" if 0 < len(usable) < len(shares) else ""
                message = (
                    f"the pods of {pods.role} request {amount} of {resource}, but no flavor{which} of queue {name} has enough"
                )
                hint = f"request less, or raise {resource} of a flavor: Kueue places all pods of a role in one flavor"
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
                f"no flavor of queue {name} has the node label {labels}, so Kueue can admit the run to nodes that it cannot use"
            )
            hint = f"add {labels} to nodeLabels of the flavors: otherwise the pods wait forever and hold quota"
            yield Diagnostic("TJ396", message, path=("spec", "schedule", "queue"), hint=hint)
            return


def _wrong_nodes(name: str, flavors: Mapping[str, Flavor], manifests: Sequence[Manifest]) -> Iterator[Diagnostic]:
    """The pods need a flavor whose labels match their selector and whose taints they tolerate (pkg/scheduler/flavorassigner)."""
    if not flavors or any(flavor.exists and not flavor.node_labels for flavor in flavors.values()):
        return  # The labels of a flavor that exists already may be in the cluster alone.
    for pods in (one for manifest in manifests for one in pods_of(manifest)):
        placement = _placement(pods.spec, flavors)
        reasons = [_reason(flavor_name, flavor, *placement) for flavor_name, flavor in flavors.items()]
        actual_reasons = [reason for reason in reasons if reason is not None]
        if len(actual_reasons) == len(reasons):
            problem, hint = actual_reasons[0]
            message = f"Kueue never admits the pods of {pods.role} in queue {name}: {problem}"
            yield Diagnostic("TJ151", message, path=("spec", "schedule", "queue"), hint=hint)
            return


def _placement(pod: Tree, flavors: Mapping[str, Flavor]) -> tuple[dict[str, str], Sequence[Tree]]:
    """The node selector of a pod, as far as flavors have its labels, and its tolerations."""
    known = {label for flavor in flavors.values() for label in flavor.node_labels}
    selector = {label: value for label, value in (pod.get("nodeSelector") or {}).items() if label in known}
    return selector, pod.get("tolerations") or []


def _reason(name: str, flavor: Flavor, selector: Mapping[str, str], tolerations: Sequence[Tree]) -> tuple[str, str] | None:
    """Why pods cannot run on the nodes of a flavor, and what to do; None if they can."""
    for label, value in selector.items():
        if flavor.node_labels.get(label) != value:
            has = f"{label}: {flavor.node_labels[label]}" if label in flavor.node_labels else f"no {label}"
            return (
                f"they select nodes with {label}: {value}, but flavor {name} has {has}",
                f"select nodes of a flavor, or add a flavor with nodeLabels: {{{label}: {value}}} to the queue in the Platform",
            )
    for taint in flavor.node_taints:
        if taint.get("effect") != "PreferNoSchedule" and not any(
            _tolerates(one, taint) for one in [*tolerations, *flavor.tolerations]
        ):
            key, effect = taint.get("key"), taint.get("effect")
            return (
                f"they do not tolerate the taint {key}:{effect} of flavor {name}",
                f"add pod: {{tolerations: [{{key: {key}, operator: Exists, effect: {effect}}}]}}, or tolerations of the flavor",
            )
    return None


def _tolerates(toleration: Tree, taint: Tree) -> bool:
    """As k8s.io/api/core/v1 `ToleratesTaint` of 1.36."""
    if toleration.get("effect") and toleration["effect"] != taint.get("effect"):
        return False
    if toleration.get("key") and toleration["key"] != taint.get("key"):
        return False
    if toleration.get("operator") == "Exists":
        return True
    return bool(toleration.get("value", "") == taint.get("value", ""))


def _not_queued(release: str, target: str) -> Diagnostic:
    message = f"Kueue {release} does not queue the kinds of the Training Operator by default: a {target} starts at once"
    hint = "enable its kind in integrations.frameworks of Kueue, or use target: trainjob"
    return Diagnostic("TJ397", message, path=("spec", "target"), hint=hint)
