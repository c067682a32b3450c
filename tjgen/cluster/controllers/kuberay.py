"""A RayJob -> its RayCluster, submitter Job and Service; a RayCluster -> its Service, head pod, workers and what these need.

Upstream: KubeRay v1.5.1 `controllers/ray/rayjob_controller.go:constructRayClusterForRayJob`, `createNewK8sJob`,
`reconcileServices`, and `raycluster_controller.go:rayClusterReconcile`, with the default feature gates and options. An Ingress,
a Service for Ray Serve and the Job that cleans Redis are not previewed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from tjgen.cluster.controllers import kuberay_pods
from tjgen.cluster.controllers.kuberay_pods import (
    has_token,
    is_autoscaled,
    label,
    own_name,
    service_account,
    service_name,
    with_env,
    with_random,
    with_token,
)
from tjgen.cluster.controllers.series import Series, metadata_of, owned_by, single
from tjgen.cluster.kinds.ray import SELECTED_CLUSTER, default_submitter, is_submitted_by_job, worker_pods
from tjgen.trees.fields.path import FieldPath, Tree, get
from tjgen.trees.k8s.placeholders import RANDOM, SCRIPT

MANAGER = "kuberay"
CONTROLLER = "ray.io/kuberay-operator"
_ORIGIN = "ray.io/originated-from-"


def create(tree: Tree) -> Iterator[Series]:
    """The objects in the order in which the operator creates them; none if another controller manages the object."""
    spec = tree.get("spec") or {}
    if spec and (spec.get("managedBy") or CONTROLLER) == CONTROLLER:
        yield from _of_job(tree) if tree["kind"] == "RayJob" else _of_cluster(tree)


def cluster_name(job: Tree) -> str:
    """The name of the RayCluster of a RayJob: its own, or the one that it selects."""
    return str(get(job, SELECTED_CLUSTER, None) or with_random(job["metadata"]["name"]))


def _of_job(job: Tree) -> Iterator[Series]:
    name, spec = job["metadata"]["name"], job["spec"]
    is_selected = get(job, SELECTED_CLUSTER, None) is not None
    if not is_selected and spec.get("rayClusterSpec") is not None:
        yield single(MANAGER, _cluster(job))._replace(prefix=name, copied={("spec",): ("spec", "rayClusterSpec")})
    if is_submitted_by_job(job):
        source: FieldPath | None = ("spec", "submitterPodTemplate") if spec.get("submitterPodTemplate") else None
        metadata = {**metadata_of(job, name), "labels": _labels(job), "ownerReferences": owned_by(job)}
        metadata["labels"]["app.kubernetes.io/created-by"] = "kuberay-operator"
        limit = get(job, ("spec", "submitterConfig", "backoffLimit"), None)
        body = {"backoffLimit": 2 if limit is None else limit, "template": template(job, cluster_name(job))}
        yield single(MANAGER, {"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, "spec": body}, source)
    # A job that you submit yourself runs when its jobId is set.
    if not is_selected and (spec.get("submissionMode") != "InteractiveMode" or spec.get("jobId")):
        yield single(MANAGER, _job_service(job, _cluster(job), _labels(job)))


def _labels(job: Tree) -> dict[str, Tree]:
    return {f"{_ORIGIN}cr-name": job["metadata"]["name"], f"{_ORIGIN}crd": "RayJob"}


def _cluster(job: Tree) -> Tree:
    """`constructRayClusterForRayJob`: with a submitter in the head pod in SidecarMode."""
    given = job["metadata"]
    metadata = {**metadata_of(job, cluster_name(job)), "labels": {**(given.get("labels") or {}), **_labels(job)}}
    if given.get("annotations"):
        metadata["annotations"] = given["annotations"]
    metadata["ownerReferences"] = owned_by(job)
    spec = job["spec"]["rayClusterSpec"]
    if job["spec"].get("submissionMode") == "SidecarMode":
        spec = _with_sidecar(job, spec)
    return {"apiVersion": job["apiVersion"], "kind": "RayCluster", "metadata": metadata, "spec": spec}


def _of_cluster(cluster: Tree) -> Iterator[Series]:
    spec = cluster["spec"]
    for tree in _objects(cluster):
        yield single(MANAGER, tree)
    if spec.get("suspend"):
        return
    name = cluster["metadata"]["name"]
    head: FieldPath = ("spec", "headGroupSpec", "template")
    yield Series(MANAGER, f"{name}-head", 1, lambda _: kuberay_pods.head(cluster), head)
    for position, group in enumerate(spec.get("workerGroupSpecs") or ()):
        path: FieldPath = ("spec", "workerGroupSpecs", position, "template")
        pod = kuberay_pods.worker(cluster, group)
        prefix = f"{name}-{group['groupName']}-worker"
        yield Series(MANAGER, prefix, worker_pods(group), lambda _, pod=pod: pod, path)  # type: ignore[misc]


# A RayCluster -> its account and role for the autoscaler, its token, and its Services; a RayJob -> its Service.
#
# Upstream: KubeRay v1.5.1 `controllers/ray/common/service.go:BuildServiceForHeadPod`, `BuildHeadlessServiceForRayCluster`,
# `rbac.go`, `job.go:BuildHeadServiceForRayJob`, and `raycluster_controller.go:createAuthSecret`.

_DASHBOARD = "dashboard"
_RBAC = "rbac.authorization.k8s.io"
_PORTS = {"client": 10001, _DASHBOARD: 8265, "gcs-server": 6379, "metrics": 8080, "serve": 8000}
_OWN_LABELS = {"app.kubernetes.io/name": "kuberay", "app.kubernetes.io/created-by": "kuberay-operator"}
_RULES = (
    ([""], ["pods"], ["get", "list", "watch", "patch"]),
    ([""], ["pods/resize"], ["patch"]),
    (["ray.io"], ["rayclusters"], ["get", "patch"]),
)


def _objects(cluster: Tree) -> Iterator[Tree]:
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


def _job_service(job: Tree, cluster: Tree, labels: dict[str, Tree]) -> Tree:
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
    return next((int(number) for name, number in ports if name == _DASHBOARD), None)


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


# A RayJob -> the pod template of the Job that submits its program, or the head pod with a container that does.
#
# Upstream: KubeRay v1.5.1 `controllers/ray/common/job.go:BuildJobSubmitCommand`, `GetSubmitterTemplate`, and
# `rayjob_controller.go:configureSubmitterContainer`. The loop in which a container next to the head waits is a placeholder.

_PORT = 8265


def template(job: Tree, cluster: str) -> Tree:
    """The pod template of the submitter; `cluster` is the name of the RayCluster."""
    spec = job["spec"].get("rayClusterSpec") or {}
    given = job["spec"].get("submitterPodTemplate") or default_submitter(spec)
    main, *others = given["spec"]["containers"]
    service, namespace = _service_of_dashboard(spec, cluster), job["metadata"].get("namespace", "")
    address = f"{service}.{namespace}.svc.cluster.local:{dashboard_port(spec) or _PORT}"
    if not main.get("command"):
        main = {**main, "command": ["/bin/bash", "-ce", "--"], "args": [_command(job, f"http://{address}")]}
    main = _with_variables(job, main, address)
    if has_token({"spec": spec}):
        main = with_token({"metadata": {"name": cluster}}, main)
    return {**given, "spec": {**given["spec"], "containers": [main, *others]}}


def _with_sidecar(job: Tree, spec: Tree) -> Tree:
    """The RayCluster's spec with a submitter in the head pod, which then never restarts."""
    head = spec["headGroupSpec"]
    pod = head["template"]["spec"]
    ports = (get(pod, ("containers", 0), None) or {}).get("ports") or ()
    port = next((one["containerPort"] for one in ports if one.get("name") == "dashboard"), _PORT)
    [container] = default_submitter(spec)["spec"]["containers"]
    words = f"{SCRIPT} {_submit(job, f'http://127.0.0.1:{port}', options='')}"
    container = _with_variables(job, {**container, "command": ["/bin/bash", "-ce", "--"], "args": [words]}, "")
    if has_token({"spec": spec}):
        container = with_token({"metadata": {"name": with_random(job["metadata"]["name"])}}, container)
    pod = {**pod, "containers": [*pod["containers"], container], "restartPolicy": "Never"}
    return {**spec, "headGroupSpec": {**head, "template": {**head["template"], "spec": pod}}}


def _service_of_dashboard(spec: Tree, cluster: str) -> str:
    return str(get(spec, ("headGroupSpec", "headService", "metadata", "name"), None) or f"{cluster}-head-svc")


def _job_id(job: Tree) -> str:
    return str(job["spec"].get("jobId") or with_random(job["metadata"]["name"]))


def _command(job: Tree, address: str) -> str:
    """Submit the program unless an earlier attempt has, then follow its output."""
    name = _job_id(job)
    status = f"ray job status --address {address} {name} >/dev/null 2>&1"
    return f"if ! {status} ; then {_submit(job, address, ' --no-wait')} fi ; ray job logs --address {address} --follow {name}"


def _submit(job: Tree, address: str, options: str) -> str:
    spec = job["spec"]
    words = f"ray job submit --address {address}{options}"
    environment = _runtime_environment(spec.get("runtimeEnvYAML") or "")
    if environment:
        words += f" --runtime-env-json {_quoted(environment)}"
    if spec.get("metadata") and spec.get("rayClusterSpec") is not None:
        words += f" --metadata-json {_quoted(_as_json(spec['metadata']))}"
    words += f" --submission-id {_job_id(job)}"
    for field, option in (("entrypointNumCpus", "cpus"), ("entrypointNumGpus", "gpus")):
        if (spec.get(field) or 0) > 0:
            words += f" --entrypoint-num-{option} {float(spec[field]):f}"
    if spec.get("entrypointResources"):
        words += f" --entrypoint-resources {_quoted(spec['entrypointResources'])}"
    return f"{words} -- {(spec.get('entrypoint') or '').strip()} ;"


def _with_variables(job: Tree, container: Tree, address: str) -> dict[str, Tree]:
    values = {"PYTHONUNBUFFERED": "1", "RAY_DASHBOARD_ADDRESS": address, "RAY_JOB_SUBMISSION_ID": _job_id(job)}
    return with_env(container, *({"name": name, **({"value": value} if value else {})} for name, value in values.items()))


def _runtime_environment(text: str) -> str:
    from tjgen.trees.source.reader import KUBERNETES, read  # few jobs have an environment

    documents, _ = read(text, "runtimeEnvYAML", KUBERNETES)
    return _as_json(documents[0].value) if documents else ""


def _as_json(value: Tree) -> str:
    """As Go writes it: the keys of objects in order."""
    text = json.dumps(value, separators=(",", ":"), sort_keys=True, ensure_ascii=False)
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def _quoted(text: str) -> str:
    """As `strconv.Quote` of Go writes a text."""
    return json.dumps(text, ensure_ascii=False)
