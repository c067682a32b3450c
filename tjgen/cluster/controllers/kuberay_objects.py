"""A RayCluster -> its account and role for the autoscaler, its token, and its Services; a RayJob -> its Service.

Upstream: KubeRay v1.5.1 `controllers/ray/common/service.go:BuildServiceForHeadPod`, `BuildHeadlessServiceForRayCluster`,
`rbac.go`, `job.go:BuildHeadServiceForRayJob`, and `raycluster_controller.go:createAuthSecret`.
"""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster.controllers.kuberay_names import label, own_name
from tjgen.cluster.controllers.kuberay_pods import is_autoscaled, service_account, service_name
from tjgen.cluster.controllers.kuberay_start import has_token
from tjgen.cluster.controllers.series import metadata_of, owned_by
from tjgen.trees.fields.path import Tree, get
from tjgen.trees.k8s.placeholders import RANDOM

DASHBOARD = "dashboard"
_RBAC = "rbac.authorization.k8s.io"
_PORTS = {"client": 10001, DASHBOARD: 8265, "gcs-server": 6379, "metrics": 8080, "serve": 8000}
_OWN_LABELS = {"app.kubernetes.io/name": "kuberay", "app.kubernetes.io/created-by": "kuberay-operator"}
_RULES = (
    ([""], ["pods"], ["get", "list", "watch", "patch"]),
    ([""], ["pods/resize"], ["patch"]),
    (["ray.io"], ["rayclusters"], ["get", "patch"]),
)


def objects(cluster: Tree) -> Iterator[Tree]:
    """The objects that exist before the pods."""
    name = cluster["metadata"]["name"]
    if is_autoscaled(cluster):
        account = own_name(service_account(cluster))
        # An account that the head pod names must exist already.
        if not get(cluster, ("spec", "headGroupSpec", "template", "spec", "serviceAccountName"), None):
            yield _object(cluster, "v1", "ServiceAccount", account)
        rules = [dict(zip(("apiGroups", "resources", "verbs"), rule, strict=True)) for rule in _RULES]
        yield {**_object(cluster, f"{_RBAC}/v1", "Role", own_name(name)), "rules": rules}
        subject = {"kind": "ServiceAccount", "name": account, "namespace": cluster["metadata"].get("namespace", "")}
        role = {"apiGroup": _RBAC, "kind": "Role", "name": own_name(name)}
        yield {**_object(cluster, f"{_RBAC}/v1", "RoleBinding", own_name(name)), "subjects": [subject], "roleRef": role}
    if has_token(cluster):
        secret = _object(cluster, "v1", "Secret", own_name(name))
        labels = {"ray.io/cluster": name}
        yield {**secret, "metadata": {**secret["metadata"], "labels": labels}, "stringData": {"auth_token": RANDOM}}
    yield _head_service(cluster)
    if any(int(group.get("numOfHosts") or 1) > 1 for group in cluster["spec"].get("workerGroupSpecs") or ()):
        metadata = {**metadata_of(cluster, f"{name}-headless"), "labels": {"ray.io/headless-worker-svc": name}}
        selector = {"ray.io/cluster": name, "ray.io/node-type": "worker"}
        spec = {"clusterIP": "None", "type": "ClusterIP", "publishNotReadyAddresses": True, "selector": selector}
        metadata["ownerReferences"] = owned_by(cluster)
        yield {"apiVersion": "v1", "kind": "Service", "metadata": metadata, "spec": spec}


def job_service(job: Tree, cluster: Tree, labels: dict[str, Tree]) -> Tree:
    """The Service of a RayJob, which leads to the head of its RayCluster."""
    service = _service(cluster, {}, {})
    name = job["metadata"]["name"]
    own = {"ray.io/node-type": "head", "ray.io/identifier": label(f"{name}-head")}
    metadata = {**service["metadata"], **metadata_of(job, f"{name}-head-svc"), "labels": {**labels, **own}}
    return {**service, "metadata": {**metadata, "ownerReferences": owned_by(job)}}


def dashboard_port(cluster_spec: Tree) -> int | None:
    """The port of the dashboard in the Service of the head; None if the head's container lists ports without it."""
    service = get(cluster_spec, ("headGroupSpec", "headService", "spec", "ports"), None) or []
    ports = [*((one.get("name"), one.get("port")) for one in service), *_ports(cluster_spec).items()]
    return next((int(number) for name, number in ports if name == DASHBOARD), None)


def _ports(cluster_spec: Tree) -> dict[str, int]:
    """`getServicePorts`."""
    container = get(cluster_spec, ("headGroupSpec", "template", "spec", "containers", 0), None) or {}
    given = container.get("ports") or ()
    own = {str(one.get("name") or f"{one.get('containerPort')}-port"): int(one.get("containerPort") or 0) for one in given}
    return {"metrics": _PORTS["metrics"], **own} if own else dict(_PORTS)


def _head_service(cluster: Tree) -> Tree:
    given = get(cluster, ("spec", "headGroupSpec", "template", "metadata", "labels"), None) or {}
    key = "app.kubernetes.io/name"
    labels = {key: given[key]} if key in given else {}
    service = _service(cluster, labels, dict(cluster["spec"].get("headServiceAnnotations") or {}))
    return {**service, "metadata": {**service["metadata"], "ownerReferences": owned_by(cluster)}}


def _service(cluster: Tree, labels: dict[str, Tree], annotations: dict[str, Tree]) -> dict[str, Tree]:
    """`BuildServiceForHeadPod`."""
    name, head = cluster["metadata"]["name"], cluster["spec"]["headGroupSpec"]
    own = {"ray.io/cluster": name, "ray.io/node-type": "head", "ray.io/identifier": label(f"{name}-head"), **_OWN_LABELS}
    selector = {**own, **labels}
    ports = [{"name": port, "port": number, "appProtocol": "tcp"} for port, number in sorted(_ports(cluster["spec"]).items())]
    kind = head.get("serviceType")
    given = head.get("headService")
    marks: dict[str, Tree] = {}
    if given is not None:
        metadata = given.get("metadata") or {}
        spec = {**(given.get("spec") or {}), "selector": selector}
        spec["ports"] = [*(spec.get("ports") or ()), *ports]
        if kind and not spec.get("type"):
            spec["type"] = kind
        marks["labels"] = {**(metadata.get("labels") or {}), **selector}
        annotations = {**(metadata.get("annotations") or {}), **annotations}
    else:
        spec = {"selector": selector, "ports": ports, **({"type": kind} if kind else {})}
        if kind in (None, "", "ClusterIP"):
            spec |= {"clusterIP": "None", "publishNotReadyAddresses": True}
        marks["labels"] = selector
    if annotations:
        marks["annotations"] = annotations
    metadata = {**metadata_of(cluster, service_name(cluster)), **marks}
    return {"apiVersion": "v1", "kind": "Service", "metadata": metadata, "spec": spec}


def _object(cluster: Tree, version: str, kind: str, name: str) -> dict[str, Tree]:
    labels = {"ray.io/cluster": cluster["metadata"]["name"], **_OWN_LABELS}
    metadata = {**metadata_of(cluster, name), "labels": labels, "ownerReferences": owned_by(cluster)}
    return {"apiVersion": version, "kind": kind, "metadata": metadata}
