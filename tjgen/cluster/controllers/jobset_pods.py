"""A pod of a JobSet -> the pod with its priority as a label, and with exclusive placement.

Upstream: JobSet v0.12 `pkg/webhooks/pod_webhook.go`. The webhook sees the pod after the API server has set its priority. Two
values depend on the cluster and are placeholders: the value of a priority class, and the topology domain of the first pod.
"""

from __future__ import annotations

from tjgen.trees.fields.path import Tree, get

DOMAIN = "jobset.sigs.k8s.io/"
EXCLUSIVE = "alpha.jobset.sigs.k8s.io/exclusive-topology"
DOMAIN_OF = "domain-of-"
"""The placeholder of a topology domain starts with this text. The host name of the pod whose domain it is follows."""
NODE_SELECTOR = "alpha.jobset.sigs.k8s.io/node-selector"
_JOB_KEY = f"{DOMAIN}job-key"
_PRIORITY = f"{DOMAIN}priority"
_SYSTEM_PRIORITIES = {"system-node-critical": "2000001000", "system-cluster-critical": "2000000000"}


def admit(pod: Tree, *, leader: str, is_leader: bool) -> Tree:
    """The pod after the webhook; `leader` is the host name of the first pod of its Job."""
    annotations = get(pod, ("metadata", "annotations"), None) or {}
    if f"{DOMAIN}jobset-name" not in annotations or NODE_SELECTOR in annotations:
        return pod
    labels = {**(get(pod, ("metadata", "labels"), None) or {}), _PRIORITY: _priority(pod["spec"])}
    spec = pod["spec"]
    if EXCLUSIVE in annotations:
        topology = annotations[EXCLUSIVE]
        if is_leader:
            spec = {**spec, "affinity": _affinity(spec.get("affinity") or {}, topology, labels)}
        else:
            spec = {**spec, "nodeSelector": {**(spec.get("nodeSelector") or {}), topology: f"{DOMAIN_OF}{leader}"}}
    return {**pod, "metadata": {**pod["metadata"], "labels": labels}, "spec": spec}


def _priority(spec: Tree) -> str:
    if spec.get("priority") is not None:
        return str(spec["priority"])
    name = spec.get("priorityClassName")
    return _SYSTEM_PRIORITIES.get(name, f"value-of-{name}") if name else "0"


def _affinity(given: Tree, topology: str, labels: Tree) -> Tree:
    """All pods of the Job in one domain, and no pod of another Job of that priority there."""
    near = [{"key": _JOB_KEY, "operator": "In", "values": [labels.get(_JOB_KEY, "")]}]
    far = [
        {"key": _JOB_KEY, "operator": "Exists"},
        {"key": _JOB_KEY, "operator": "NotIn", "values": [labels.get(_JOB_KEY, "")]},
        {"key": _PRIORITY, "operator": "In", "values": [labels[_PRIORITY]]},
    ]
    result = dict(given)
    for kind, expressions in (("podAffinity", near), ("podAntiAffinity", far)):
        field = "requiredDuringSchedulingIgnoredDuringExecution"
        present = result.get(kind) or {}
        term = {"labelSelector": {"matchExpressions": expressions}, "namespaceSelector": {}, "topologyKey": topology}
        result[kind] = {**present, field: [*(present.get(field) or ()), term]}
    return result
