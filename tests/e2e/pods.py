"""Previews down to the pods, against the objects that the real controllers create from the same manifests.

`python -m tests.e2e.pods [--random N] [--seed S] [--record FILE]` builds every example and case, or N random experiments, applies
what was built to a running cluster (see rig.py), and compares each object in both directions. With `tests/oracle/volcano` next
to the cluster, Volcano Jobs are compared, too. `--record` writes runs and their objects for `tests/cluster/controllers`.
"""

from __future__ import annotations

import argparse
import json
import lzma
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from tests.e2e.experiments import experiments
from tests.e2e.inputs import Input, inputs, texts
from tests.e2e.rig import environment, kubectl
from tests.e2e.site import furnish, named
from tests.program import tjgen
from tjgen.cluster.controllers.volcano_defaults import with_job_defaults
from tjgen.cluster.policies.stored import stored
from tjgen.trees.k8s.placeholders import PLACEHOLDER_UID

CONTROLLED = (
    *("jobs.batch", "pods", "services", "configmaps", "secrets", "networkpolicies.networking.k8s.io"),
    *("jobsets.jobset.x-k8s.io", "podgroups.scheduling.volcano.sh", "podgroups.scheduling.x-k8s.io"),
    *("horizontalpodautoscalers.autoscaling", "persistentvolumeclaims"),
)
TREE = "applied"
APPLIED_FIRST = ("TrainingRuntime", "ClusterTrainingRuntime", "PersistentVolumeClaim", "ConfigMap", "ResourceClaimTemplate")
UUID = re.compile("[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
BATCH = 400
"""Runs that are in the cluster at the same time."""
PRIORITY = "1000"
"""The value of the priority classes that the site has."""
Key = tuple[str, str, str]


class Comparison(NamedTuple):
    """The result for one batch."""

    runs: int
    objects: int
    differences: list[str]


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
    elif preview != live and not (isinstance(preview, str) and preview.startswith("domain-of-")):
        yield f"{path}: preview {json.dumps(preview)[:200]}, cluster {json.dumps(live)[:200]}"


def cluster(seen: dict[Key, Any], namespaces: set[str]) -> None:
    """Add the objects that controllers own, as they are when they are first seen."""
    answer = subprocess.run(
        ["kubectl", "get", ",".join(CONTROLLED), "-A", "-o", "json", "--show-managed-fields=false"],
        capture_output=True,
        text=True,
        check=False,
        env=environment(),
    )
    assert answer.returncode == 0, answer.stderr
    for tree in json.loads(answer.stdout)["items"]:
        if tree["metadata"]["namespace"] in namespaces and tree["metadata"].get("ownerReferences"):
            if tree["kind"] == "ConfigMap":
                seen[key_of(tree)] = tree  # the script of hosts of an MPIJob lists running workers
            seen.setdefault(key_of(tree), tree)


def apply(manifests: list[Any]) -> list[str]:
    """Apply the objects of runs after what they need; the errors of the server."""
    first = sorted(manifests, key=lambda one: APPLIED_FIRST.index(one["kind"]) if one["kind"] in APPLIED_FIRST else 99)
    for one in first:
        one["metadata"].pop("ownerReferences", None)
    text = json.dumps({"apiVersion": "v1", "kind": "List", "items": first})
    words = ["kubectl", "apply", "--server-side", "--force-conflicts", "-f", "-"]
    answer = subprocess.run(words, input=text, capture_output=True, text=True, check=False, env=environment())
    return [line for line in answer.stderr.splitlines() if line.strip()]


class Run(NamedTuple):
    """What was built of one input."""

    name: str
    manifests: list[Any]
    previews: list[Any]


def built(one: Input, folder: Path) -> Run | None:
    """Build an input in a copy; None if it does not build."""
    place = folder / re.sub("[^a-z0-9-]", "-", one.name)
    shutil.copytree(one.folder, place)
    # Not into the tree of an example, which has superseded runs: they have no previews.
    answer = tjgen(place, "build", *one.words, "-o", TREE, "--expanded", "previews", "--all-pods")
    if answer.code != 0:
        return None
    found = texts(place / TREE / one.environment) if (place / TREE / one.environment).exists() else {}
    manifests = [
        yaml.safe_load(text) for path, text in found.items() if path.endswith(".yaml") and not path.startswith("gitops/")
    ]
    previews = place / "previews" / one.environment
    found = texts(previews) if previews.exists() else {}
    trees = [yaml.safe_load(text) for text in found.values() if "# Created when the run is resumed." not in text]
    return Run(one.name, manifests, trees)


def known(run: Run, kinds: set[tuple[str, str]]) -> bool:
    """Whether the cluster has the kinds of a run, and the run brings its runtimes."""
    brought = {one["metadata"]["name"] for one in run.manifests if one["kind"] == "TrainingRuntime"}
    wanted = {one["spec"]["runtimeRef"]["name"] for one in run.manifests if one["kind"] == "TrainJob"}
    own = {(one["apiVersion"], one["kind"]) for one in (*run.manifests, *run.previews)}
    return own <= kinds and wanted <= brought and all("namespace" in one["metadata"] for one in run.manifests)


def compared(runs: list[Run], seconds: float, record: list[Any] | None) -> Comparison:
    """Apply runs whose objects do not clash, and compare what follows."""
    namespaces = {one["metadata"]["namespace"] for run in runs for one in run.manifests}
    kubectl("delete", "namespace", "--ignore-not-found", "--wait=true", "--timeout=300s", *sorted(namespaces))
    for namespace in sorted(namespaces):
        kubectl("create", "namespace", namespace)
    manifests = [one for run in runs for one in run.manifests]
    previews = {key_of(one): one for run in runs for one in run.previews}
    furnish(manifests, list(previews.values()))
    queues = {one["spec"].get("queue", "default") for one in manifests if one["apiVersion"].startswith("batch.volcano.sh")}
    queues |= {one["spec"].get("queue", "default") for one in previews.values() if one["kind"] == "PodGroup"}
    queue: Any = {"apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "Queue", "spec": {"weight": 1}}
    apply([{**queue, "metadata": {"name": name}} for name in sorted(queues)])
    accounts = {(one["metadata"]["namespace"], name) for one in manifests for name in named("serviceAccountName", one)}
    account = {"apiVersion": "v1", "kind": "ServiceAccount"}
    others = sorted((namespace, name) for namespace, name in accounts if name != "default")
    apply([{**account, "metadata": {"name": name, "namespace": namespace}} for namespace, name in others])
    classes = {name for one in (*manifests, *previews.values()) for name in named("runtimeClassName", one)}
    handler = {"apiVersion": "node.k8s.io/v1", "kind": "RuntimeClass", "handler": "runc"}
    apply([{**handler, "metadata": {"name": name}} for name in sorted(classes)])
    # The rig has not the webhook of Volcano, which writes defaults such as the queue.
    problems = apply([with_job_defaults(one) if one["apiVersion"].startswith("batch.volcano.sh") else one for one in manifests])
    live: dict[Key, Any] = {}
    end = last = time.monotonic()
    while time.monotonic() < last + seconds and time.monotonic() < end + 300:
        before = len(live)
        cluster(live, namespaces)
        last = time.monotonic() if len(live) > before else last
        wanted = {_settled(key) for key in previews}
        if wanted <= {_settled(key) for key in live}:
            break
        time.sleep(1)
    time.sleep(2)
    cluster(live, namespaces)
    found = [f"not applied: {line}" for line in problems]
    applied = {key_of(one) for one in manifests}
    own = [(key, one) for key, one in live.items() if key not in applied and not _is_aside(one)]
    present = {_settled(key): one for key, one in own}
    expected = {_settled(key): one for key, one in previews.items()}
    for key in sorted(present.keys() | expected.keys()):
        if key not in present:
            found.append(f"{'/'.join(key)}: only in the preview")
        elif key not in expected:
            found.append(f"{'/'.join(key)}: only in the cluster")
        else:
            if (present[key].get("status") or {}).get("phase") in ("Succeeded", "Failed"):
                # The Job controller has counted the pod and removed its finalizer.
                present[key]["metadata"]["finalizers"] = expected[key]["metadata"].get("finalizers", [])
            pair = normalized(expected[key]), normalized(present[key])
            found += [f"{'/'.join(key)}{one}" for one in differences(*pair)]
    if record is not None:
        record += _recorded(runs, manifests, live)
    kubectl("delete", "namespace", "--wait=false", *sorted(namespaces))
    return Comparison(len(runs), len(present.keys() & expected.keys()), found)


def _is_aside(tree: Any) -> bool:
    """Whether an object has no preview: the copy of a runtime, and pods of Jobs that several runs share."""
    metadata = tree["metadata"]
    return metadata["name"].endswith("-runtime-snapshot") or "tjgen.dev/program" in metadata.get("labels", {})


def _settled(key: Key) -> Key:
    return key[0], key[1], UUID.sub(PLACEHOLDER_UID, key[2])


def _recorded(runs: list[Run], manifests: list[Any], live: dict[Key, Any]) -> Iterator[Any]:
    """Each object that controllers create something of, with what they create: of the pods of a Job the first and the last."""
    kinds = ",".join(sorted({f"{one['kind']}.{one['apiVersion'].rpartition('/')[0]}" for one in manifests if _starts(one)}))
    listed = json.loads(kubectl("get", kinds, "-A", "-o", "json"))["items"] if kinds else []
    applied = {key_of(one) for one in manifests}
    owners = [
        *[one for one in listed if key_of(one) in applied],
        *[one for one in live.values() if one["kind"] in ("JobSet", "Job")],
    ]
    for owner in owners:
        uid = owner["metadata"]["uid"]
        children = [one for one in live.values() if any(ref["uid"] == uid for ref in one["metadata"]["ownerReferences"])]
        children = [one for one in children if not one["metadata"]["name"].endswith("-runtime-snapshot")]
        if children and owner["kind"] != "TrainJob":
            found = sorted([normalized(one) for one in children], key=key_of)
            yield {"source": _without_noise(owner), "names": [key_of(one) for one in found], "created": sampled(found)}


def sampled(objects: list[Any]) -> list[Any]:
    """The first, the second, and the last object of each kind."""
    kept = []
    for kind in dict.fromkeys(one["kind"] for one in objects):
        same = [one for one in objects if one["kind"] == kind]
        kept += same if len(same) < 4 else [*same[:2], same[-1]]
    return kept


def _starts(tree: Any) -> bool:
    return tree["kind"] in ("JobSet", "Job", "MPIJob", "PyTorchJob", "TFJob", "XGBoostJob", "JAXJob")


def _without_noise(tree: Any) -> Any:
    metadata = {name: one for name, one in tree["metadata"].items() if name in ("name", "namespace", "labels", "annotations")}
    metadata.get("annotations", {}).pop("kubectl.kubernetes.io/last-applied-configuration", None)
    return json.loads(
        UUID.sub(
            PLACEHOLDER_UID, json.dumps({**{name: one for name, one in tree.items() if name != "status"}, "metadata": metadata})
        )
    )


def groups(runs: list[Run]) -> Iterator[list[Run]]:
    """The runs in groups whose objects do not clash."""
    rest = runs
    while rest:
        group: list[Run] = []
        later: list[Run] = []
        taken: dict[Key, Any] = {}
        for run in rest:
            own = {key_of(one): one for one in run.manifests}
            clashes = any(taken.get(key, one) != one for key, one in own.items())
            starts = any(_starts(one) or one["kind"] == "TrainJob" for one in run.manifests if key_of(one) in taken)
            if clashes or starts or len(group) == BATCH:
                later.append(run)
            else:
                group.append(run)
                taken |= own
        yield group
        rest = later


def served() -> set[tuple[str, str]]:
    """The kinds that the cluster knows."""
    lines = [line.split() for line in kubectl("api-resources", "--no-headers").splitlines()]
    return {(words[-3], words[-1]) for words in lines}


def main() -> int:
    """Compare, print each difference, and return 1 if there is one."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--random", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="part of the name of an input")
    parser.add_argument("--group", type=int, help="ordinal of the only group to compare: a cluster is slow to empty namespaces")
    parser.add_argument("--seconds", type=float, default=40)
    parser.add_argument("--record")
    options = parser.parse_args()
    kinds = served()
    record: list[Any] | None = [] if options.record else None
    with tempfile.TemporaryDirectory() as folder:
        chosen = experiments(options.random, options.seed, Path(folder) / "experiments") if options.random else inputs()
        tried = [run for one in chosen if options.only in one.name and (run := built(one, Path(folder))) is not None]
        runs = [run for run in tried if known(run, kinds)]
        total = Comparison(0, 0, [])
        for ordinal, group in enumerate(groups(runs)):
            if options.group not in (None, ordinal):
                continue
            one = compared(group, options.seconds, record)
            total = Comparison(total.runs + one.runs, total.objects + one.objects, [*total.differences, *one.differences])
            lines = [f"{one.runs} runs, {one.objects} objects, {len(one.differences)} differences", *one.differences]
            sys.stdout.write("\n  ".join(lines) + "\n")
            sys.stdout.flush()
    if record is not None:
        Path(options.record).write_bytes(lzma.compress(json.dumps(record).encode()))
    left_out = ", ".join(run.name for run in tried if run not in runs)
    sys.stdout.write(
        f"{total.runs} runs, {total.objects} objects, {len(total.differences)} differences; left out: {left_out or 'none'}\n"
    )
    return 1 if total.differences else 0


if __name__ == "__main__":
    sys.exit(main())
