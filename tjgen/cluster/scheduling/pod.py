"""A pod manifest -> what the scheduler reads of it."""

from __future__ import annotations

from tjgen.cluster.scheduling.node import CPU, MEMORY, amounts
from tjgen.cluster.trainer.requests import pod_requests
from tjgen.cluster.validate.builtin.totals import with_requests
from tjgen.trees.canonical import json_text
from tjgen.trees.fields.path import FieldPath, Tree, get
from tjgen.trees.k8s.labels import HOSTNAME
from tjgen.trees.typing import NamedTuple

REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
_MISSING_CPU, _MISSING_MEMORY = 100, 200 * 1024**2
"""What scores count for a container without a request (`DefaultMilliCPURequest`, `DefaultMemoryRequest`)."""
_CLAIM = "persistentVolumeClaim"


class SchedulingPod(NamedTuple):
    """A pod of a cluster."""

    namespace: str
    name: str
    labels: dict[str, str]
    spec: Tree
    priority: int
    requests: dict[str, int]
    """Resource -> amount, as `Node.allocatable`."""
    scored: tuple[int, int]
    """Thousandths of a processor and bytes that scores count: containers without a request count a little."""
    devices: dict[str, int]
    """DeviceClass -> devices that the pod claims."""
    ports: tuple[tuple[str, str, int], ...]
    """Address, protocol and number of each port of the node that the pod opens."""
    kind: str
    """Equal for pods with equal results of all filters on the resources, labels and taints of a node."""
    is_plain: bool
    """Whether all nodes with equal resources, and equal labels except the host name, are equal to the pod."""


def read_pod(
    tree: Tree, *, priority: int = 0, devices: dict[str, int] | None = None, has_known_claims: bool = True
) -> SchedulingPod:
    """The pod of a manifest, with the priority of its class. Raises QuantityError for an amount that is not a quantity.

    Without `has_known_claims`, the places of the volumes of claims are unknown: pods with different claims are of one kind.
    """
    metadata = tree.get("metadata") or {}
    spec = with_requests(tree.get("spec") or {})
    requests = {name: amount for name, amount in amounts(pod_requests(spec)).items() if amount}
    filled = amounts(pod_requests(_filled(spec)))
    ports = tuple(_ports(spec))
    placed = {key: spec.get(key) for key in ("nodeName", "nodeSelector", "affinity", "tolerations") if spec.get(key)}
    volumes = [one for one in spec.get("volumes") or () if one.get("ephemeral") or (has_known_claims and one.get(_CLAIM))]
    namespace = str(metadata.get("namespace") or "default")
    return SchedulingPod(
        namespace,
        str(metadata.get("name") or ""),
        metadata.get("labels") or {},
        spec,
        int(spec.get("priority") or priority),
        requests,
        (filled.get(CPU, 0), filled.get(MEMORY, 0)),
        devices or {},
        ports,
        json_text(
            [placed, requests, filled.get(CPU, 0), filled.get(MEMORY, 0), devices or {}, volumes, namespace if volumes else ""]
        ),
        _is_plain(spec, ports),
    )


def terms(pod: SchedulingPod, kind: str) -> list[Tree]:
    """The required terms of `podAffinity` or `podAntiAffinity`."""
    path: FieldPath = ("affinity", kind, REQUIRED)
    return get(pod.spec, path, None) or []


def selector_of(term: Tree, owner: SchedulingPod) -> Tree | None:
    """The label selector of an affinity term or a spread constraint of `owner`; None if it has none.

    The API server adds the owner's values of `matchLabelKeys` and `mismatchLabelKeys` to the selector of a new pod.
    """
    selector = term.get("labelSelector")
    if selector is None:
        return None
    more = [
        {"key": key, "operator": operator, "values": [owner.labels[key]]}
        for field, operator in (("matchLabelKeys", "In"), ("mismatchLabelKeys", "NotIn"))
        for key in term.get(field) or ()
        if key in owner.labels
    ]
    return {**selector, "matchExpressions": [*(selector.get("matchExpressions") or ()), *more]} if more else selector


def _is_plain(spec: Tree, ports: tuple[tuple[str, str, int], ...]) -> bool:
    affinity = spec.get("affinity") or {}
    pods = any(affinity.get(kind) for kind in ("podAffinity", "podAntiAffinity"))
    spread = any(one.get("whenUnsatisfiable") == "DoNotSchedule" for one in spec.get("topologySpreadConstraints") or ())
    return not (ports or pods or spread or spec.get("nodeName") or _names_nodes(spec))


def _names_nodes(spec: Tree) -> bool:
    node = get(spec, ("affinity", "nodeAffinity"), None) or {}
    result = [
        *(get(node, (REQUIRED, "nodeSelectorTerms"), None) or ()),
        *(one["preference"] for one in node.get(PREFERRED) or ()),
    ]
    keys = [one.get("key") for term in result for one in term.get("matchExpressions") or ()]
    return HOSTNAME in keys or any(term.get("matchFields") for term in result) or HOSTNAME in (spec.get("nodeSelector") or {})


def _filled(spec: Tree) -> Tree:
    """The spec with a request for the processor and the memory of each container (`NonMissingContainerRequests`)."""
    missing = {CPU: f"{_MISSING_CPU}m", MEMORY: _MISSING_MEMORY}
    return {
        **spec,
        **{
            field: [_container(one, missing) for one in spec[field]]
            for field in ("containers", "initContainers")
            if spec.get(field)
        },
    }


def _container(container: Tree, missing: Tree) -> Tree:
    resources = container.get("resources") or {}
    return {**container, "resources": {**resources, "requests": {**missing, **(resources.get("requests") or {})}}}


def _ports(spec: Tree) -> list[tuple[str, str, int]]:
    """`util.GetHostPorts`."""
    sidecars = [one for one in spec.get("initContainers") or () if one.get("restartPolicy") == "Always"]
    result = []
    for container in (*sidecars, *(spec.get("containers") or ())):
        for port in container.get("ports") or ():
            number = port.get("hostPort") or (port.get("containerPort") if spec.get("hostNetwork") else 0)
            if number:
                result.append((port.get("hostIP") or "0.0.0.0", port.get("protocol") or "TCP", int(number)))
    return result
