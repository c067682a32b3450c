"""An object of a preview and an object of a cluster -> each field that differs, without what differs between two clusters."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from tjgen.cluster.policies.stored import stored
from tjgen.trees.k8s.placeholders import PLACEHOLDER_UID

UUID = re.compile("[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
PRIORITY = "1000"
"""The value of the priority classes that the site has."""
Key = tuple[str, str, str]


def key_of(tree: Any) -> Key:
    """Kind with its group, namespace, and the name that does not depend on chance."""
    metadata, group = tree["metadata"], tree["apiVersion"].rpartition("/")[0]
    name = metadata.get("generateName") if tree["kind"] == "Pod" else None
    return f"{tree['kind']}.{group}", metadata.get("namespace", ""), str(name or metadata["name"])


def normalized(tree: Any) -> Any:
    """The object with the defaults of the server, without what differs from one cluster to the next."""
    tree = json.loads(UUID.sub(PLACEHOLDER_UID, json.dumps(tree)).replace("value-of-", "VALUE-OF-"))
    tree.pop("status", None)
    if "stringData" in tree:
        tree["data"] = {**tree.get("data", {}), **tree.pop("stringData")}
    if tree["kind"] == "Secret":
        tree["data"] = sorted(tree["data"])
        tree.setdefault("type", "Opaque")
    else:
        found = stored(tree)
        tree = json.loads(json.dumps(found.tree)) if found is not None else tree
    tree.pop("status", None)
    metadata = tree["metadata"]
    kept = ("name", "generateName", "namespace", "labels", "annotations", "finalizers", "ownerReferences")
    tree["metadata"] = {name: metadata[name] for name in kept if metadata.get(name)}
    if tree["kind"] != "Pod":
        tree["metadata"].pop("finalizers", None)
    return without_order(_CLEAN.get(tree["kind"], lambda one: one)(tree))


def without_order(tree: Any) -> Any:
    """The tree with sorted variables where the plugins of Trainer write in the order of a Go map: those of XGBoost."""
    if isinstance(tree, list):
        return [without_order(one) for one in tree]
    if not isinstance(tree, dict):
        return tree
    changed = {name: without_order(one) for name, one in tree.items()}
    if isinstance(changed.get("env"), list) and any(one["name"].startswith("DMLC_") for one in changed["env"]):
        changed["env"] = sorted(changed["env"], key=json.dumps)
    return changed


def _pod(tree: Any) -> Any:
    spec, metadata = tree["spec"], tree["metadata"]
    if "generateName" in metadata:
        metadata.pop("name", None)
    labels = metadata.get("labels", {})
    for label in ("topology.kubernetes.io/zone", "topology.kubernetes.io/region"):
        labels.pop(label, None)
    for label, value in labels.items():
        if value.startswith("VALUE-OF-"):
            labels[label] = PRIORITY
    for name in ("nodeName", "priority", "preemptionPolicy", "serviceAccount"):
        spec.pop(name, None)
    if spec.get("serviceAccountName") == "default":
        del spec["serviceAccountName"]
    tolerations = [one for one in spec.get("tolerations", ()) if not one.get("key", "").startswith("node.kubernetes.io/")]
    spec["tolerations"] = tolerations
    spec["volumes"] = [one for one in spec.get("volumes", ()) if not one["name"].startswith("kube-api-access")]
    is_volcano = "volcano.sh/job-name" in labels
    for container in (*spec.get("containers", ()), *spec.get("initContainers", ())):
        mounts = [one for one in container.get("volumeMounts", ()) if not one["name"].startswith("kube-api-access")]
        # The plugins of Volcano run in the order of a Go map.
        container["volumeMounts"] = sorted(mounts, key=json.dumps) if is_volcano else mounts
        if is_volcano:
            container["env"] = sorted(container.get("env", ()), key=json.dumps)
    if is_volcano:
        spec["volumes"] = sorted(spec["volumes"], key=json.dumps)
    metadata["finalizers"] = [one for one in metadata.get("finalizers", ()) if not one.startswith("foreground")]
    return tree


def _service(tree: Any) -> Any:
    for name in ("clusterIPs", "ipFamilies", "ipFamilyPolicy", "internalTrafficPolicy", "sessionAffinity"):
        tree["spec"].pop(name, None)
    if tree["spec"].get("clusterIP") != "None":
        tree["spec"].pop("clusterIP", None)
    # The operator lists the ports in the order of a Go map.
    tree["spec"]["ports"] = sorted(tree["spec"].get("ports", ()), key=json.dumps)
    return tree


def _job(tree: Any) -> Any:
    tree["spec"].pop("selector", None)
    tree["spec"]["template"]["spec"].pop("serviceAccount", None)  # the server writes the old name, too
    labels = tree["spec"]["template"].setdefault("metadata", {}).setdefault("labels", {})
    for label in ("job-name", "controller-uid", "batch.kubernetes.io/job-name", "batch.kubernetes.io/controller-uid"):
        labels.pop(label, None)
        tree["metadata"].get("labels", {}).pop(label, None)
    if tree["metadata"].get("labels") == {}:
        del tree["metadata"]["labels"]
    tree["spec"]["template"]["metadata"].pop("ownerReferences", None)  # the server drops it from a template
    return tree


def _group(tree: Any) -> Any:
    # The webhook of Volcano, which the rig has not, writes the queue.
    tree["spec"].setdefault("queue", "default")
    tree["metadata"].get("annotations", {}).pop("kubectl.kubernetes.io/last-applied-configuration", None)
    return tree


def _claim(tree: Any) -> Any:
    for name in ("volumeName", "storageClassName"):
        tree["spec"].pop(name, None)
    for name in list(tree["metadata"].get("annotations", {})):
        if name.startswith(("pv.kubernetes.io/", "volume.")):
            del tree["metadata"]["annotations"][name]
    if not tree["metadata"].get("annotations"):
        tree["metadata"].pop("annotations", None)
    return tree


_CLEAN = {"Pod": _pod, "Service": _service, "Job": _job, "PodGroup": _group, "PersistentVolumeClaim": _claim}


def differences(preview: Any, live: Any, path: str = "") -> Iterator[str]:
    """Each leaf that differs."""
    if isinstance(preview, dict) and isinstance(live, dict):
        for name in sorted(preview.keys() | live.keys()):
            if name not in preview or name not in live:
                side, tree = ("preview", preview) if name in preview else ("cluster", live)
                yield f"{path}.{name}: only in the {side}: {json.dumps(tree[name])[:200]}"
            else:
                yield from differences(preview[name], live[name], f"{path}.{name}")
    elif isinstance(preview, list) and isinstance(live, list) and len(preview) == len(live):
        for position, pair in enumerate(zip(preview, live, strict=True)):
            yield from differences(*pair, f"{path}[{position}]")
    elif preview != live and not _depends_on_cluster(path, preview, live):
        yield f"{path}: preview {json.dumps(preview)[:200]}, cluster {json.dumps(live)[:200]}"


def _depends_on_cluster(path: str, preview: Any, live: Any) -> bool:
    """Whether a value is a placeholder, or the script of an MPIJob that lists running workers: here those of a part of them."""
    if not isinstance(preview, str) or not isinstance(live, str):
        return False
    is_part = set(live.splitlines()) <= set(preview.splitlines())
    return preview.startswith("domain-of-") or (path.endswith(".data.discover_hosts.sh") and is_part)
