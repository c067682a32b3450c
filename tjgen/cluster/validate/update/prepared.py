"""A built-in object with its defaults -> the object as its kind's strategy prepares it.

Mirrors `PrepareForCreate` and `PrepareForUpdate` of kubernetes 1.36 `pkg/registry`, as far as manifests allow, with the
feature gates as they are by default, and what the mutating plugins of admission and a kind's own storage set.
"""

from __future__ import annotations

from binascii import b2a_base64
from collections.abc import Callable

from tjgen.cluster.validate.builtin.claims import stored_spec
from tjgen.cluster.validate.builtin.jobs import with_selector
from tjgen.cluster.validate.update import service as service_storage
from tjgen.cluster.validate.update.fill import Struct, filled
from tjgen.trees.typing import Any

_WITH_PODS = ("CronJob", "DaemonSet", "Deployment", "Job", "Pod", "PodTemplate", "ReplicaSet", "StatefulSet")


def for_create(tree: Struct, kind: str) -> Struct:
    """The object that is stored. A creation sets no status."""
    prepare = _CREATED.get(kind)
    tree = {key: value for key, value in tree.items() if key != "status"}
    tree = _without_gated(tree) if kind in _WITH_PODS else tree
    return prepare(tree) if prepare is not None else tree


def for_update(tree: Struct, before: Struct, kind: str) -> Struct:
    """The object that is compared with the one `before`, whose status it takes over."""
    prepare = _UPDATED.get(kind)
    tree = {key: value for key, value in tree.items() if key != "status"}
    tree = _without_gated(tree) if kind in _WITH_PODS else tree
    return prepare(tree, before) if prepare is not None else tree


def _new_job(job: Struct) -> Struct:
    spec = job.get("spec", {})
    return job if spec.get("manualSelector") else {**job, "spec": with_selector(spec, job["metadata"]["name"])}


def _claim(claim: Struct) -> Struct:
    return {**claim, "spec": stored_spec(claim.get("spec", {}))}


def _updated_claim(claim: Struct, before: Struct) -> Struct:
    """A claim that has a source keeps both of its source fields, and each still fills in the other."""
    spec, stored = claim.get("spec", {}), before.get("spec") or {}
    if stored.get("dataSource") is None and stored.get("dataSourceRef") is None:
        return _claim(claim)
    source, reference = spec.get("dataSource"), spec.get("dataSourceRef")
    if source is not None and reference is None:
        spec = {**spec, "dataSourceRef": source}
    elif reference is not None and source is None and not reference.get("namespace"):
        spec = {**spec, "dataSource": {key: value for key, value in reference.items() if key != "namespace"}}
    return {**claim, "spec": spec}


def _pod(pod: Struct) -> Struct:
    return {**pod, "spec": filled(pod.get("spec", {}), serviceAccountName="default")}


def _without_gated(value: Any) -> Any:
    """`DropDisabledPodFields`: the fields of pods whose feature gate is off, at any depth."""
    if value.__class__ is dict:
        if "stopSignal" in value.get("lifecycle", {}):
            rest = {key: item for key, item in value["lifecycle"].items() if key != "stopSignal"}
            value = {key: item for key, item in value.items() if key != "lifecycle"} | ({"lifecycle": rest} if rest else {})
        return {key: _without_gated(item) for key, item in value.items() if key != "schedulingGroup"}
    return [_without_gated(item) for item in value] if value.__class__ is list else value


def secret(tree: Struct) -> Struct:
    """Texts go into the data; they are never read back (`Convert_v1_Secret_To_core_Secret`)."""
    texts = tree.get("stringData", {})
    if not texts:
        return {key: value for key, value in tree.items() if key != "stringData"}
    written = {key: b2a_base64(text.encode(), newline=False).decode() for key, text in texts.items()}
    return {key: value for key, value in tree.items() if key != "stringData"} | {"data": {**tree.get("data", {}), **written}}


def _service(service: Struct, before: Struct) -> Struct:
    from tjgen.cluster.validate.update.rules.services import without_dependent

    stored = before.get("spec") or {}
    return {**service, "spec": without_dependent(service_storage.updated(service.get("spec", {}), stored), stored)}


def _updated_secret(tree: Struct, before: Struct) -> Struct:
    return secret(filled(tree, type=before.get("type", "")))


def _daemon_set(daemon_set: Struct, before: Struct) -> Struct:
    spec: dict[str, Any] = {key: value for key, value in daemon_set.get("spec", {}).items() if key != "templateGeneration"}
    return {**daemon_set, "spec": spec}


def _namespace(namespace: Struct, before: Struct) -> Struct:
    finalizers = (before.get("spec") or {}).get("finalizers")
    return {**namespace, "spec": {"finalizers": finalizers} if finalizers else {}}


def _new_namespace(namespace: Struct) -> Struct:
    finalizers = namespace.get("spec", {}).get("finalizers", [])
    return {**namespace, "spec": {"finalizers": [*finalizers, *(["kubernetes"] if "kubernetes" not in finalizers else [])]}}


def _account(account: Struct) -> Struct:
    """`cleanSecretReferences`."""
    if "secrets" not in account:
        return account
    return {**account, "secrets": [{"name": one["name"]} if one.get("name") else {} for one in account["secrets"]]}


_CREATED: dict[str, Callable[[Struct], Struct]] = {
    "Job": _new_job,
    "Namespace": _new_namespace,
    "PersistentVolumeClaim": _claim,
    "Pod": _pod,
    "Secret": secret,
    "Service": service_storage.created,
    "ServiceAccount": _account,
}
_UPDATED: dict[str, Callable[[Struct, Struct], Struct]] = {
    "DaemonSet": _daemon_set,
    "Namespace": _namespace,
    "PersistentVolumeClaim": _updated_claim,
    "Secret": _updated_secret,
    "Service": _service,
    "ServiceAccount": lambda account, before: _account(account),
}
