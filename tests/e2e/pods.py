"""Previews down to the pods, against the objects that the real controllers create from the same manifests.

`python -m tests.e2e.pods [--random N] [--seed S] [--manifests DIR] [--record FILE]` builds every example and case, or N random
experiments, or expands handwritten jobs (`tests/e2e/handwritten`, or the examples of an operator). It applies them to a running
cluster (see rig.py), and compares each object in both directions. With `tests/oracle/volcano` next to the cluster, Volcano Jobs
are compared, too. `--record` writes runs and their objects for `tests/cluster/controllers`.
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
from itertools import groupby, islice
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from tests.e2e.differences import UUID, Key, differences, key_of, normalized
from tests.e2e.experiments import experiments
from tests.e2e.inputs import Input, inputs, texts
from tests.e2e.rig import environment, kubectl
from tests.e2e.site import furnish, named
from tests.e2e.watch import Watch
from tests.program import tjgen
from tjgen.cluster.controllers.volcano import with_job_defaults
from tjgen.cluster.kinds.table import kind_of
from tjgen.trees.fields.patch import without_nulls
from tjgen.trees.k8s.placeholders import PLACEHOLDER_UID

TREE = "applied"
APPLIED_FIRST = ("TrainingRuntime", "ClusterTrainingRuntime", "PersistentVolumeClaim", "ConfigMap", "ResourceClaimTemplate")
BATCH = 400
"""Runs that are in the cluster at the same time."""


class Comparison(NamedTuple):
    """The result for one batch."""

    runs: int
    objects: int
    differences: list[str]


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
    documents = [document for text in found.values() for document in re.split("^---\n", text, flags=re.MULTILINE)]
    trees = [yaml.safe_load(document) for document in documents if "# Created when the run is resumed." not in document]
    return Run(one.name, manifests, trees)


def handwritten(folders: list[str], place: Path) -> Iterator[Run]:
    """A run for each file with jobs below folders, in a namespace of its own; files that `tjgen expand` refuses are left out."""
    paths = [path for folder in folders for path in sorted(Path(folder).rglob("*.yaml"))]
    for number, path in enumerate(paths):
        try:
            trees = [tree for tree in yaml.safe_load_all(path.read_text(encoding="utf-8")) if isinstance(tree, dict)]
        except yaml.YAMLError:
            continue  # a template of Helm
        # A null is dropped by a client-side apply, and refused with server-side apply.
        jobs = [without_nulls(tree) for tree in trees if _starts(tree)]
        for job in jobs:
            job["metadata"]["namespace"] = f"handwritten-{number}"
        if not jobs:
            continue
        (place / "jobs.yaml").write_text(yaml.safe_dump_all(jobs), encoding="utf-8")
        answer = tjgen(place, "expand", "jobs.yaml", "--expanded", "--all-pods")
        if answer.code == 0:
            yield Run(path.name, jobs, [tree for tree in yaml.safe_load_all(answer.out) if tree])
        else:
            sys.stdout.write(f"not expanded: {path}: {answer.err.splitlines()[0]}\n")


def known(run: Run, kinds: set[tuple[str, str]]) -> bool:
    """Whether the cluster has the kinds of a run, and the run brings its runtimes."""
    brought = {one["metadata"]["name"] for one in run.manifests if one["kind"] == "TrainingRuntime"}
    wanted = {one["spec"]["runtimeRef"]["name"] for one in run.manifests if one["kind"] == "TrainJob"}
    own = {(one["apiVersion"], one["kind"]) for one in (*run.manifests, *run.previews)}
    return own <= kinds and wanted <= brought and all("namespace" in one["metadata"] for one in run.manifests)


def compared(runs: list[Run], watch: Watch, seconds: float, record: list[Any] | None) -> Comparison:
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
        watch.read(live, namespaces)
        last = time.monotonic() if len(live) > before else last
        wanted = {_settled(key) for key in previews}
        if wanted <= {_settled(key) for key in live}:
            break
        time.sleep(1)
    time.sleep(2)
    watch.read(live, namespaces)
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
            pair = normalized(expected[key]), normalized(present[key])
            found += [f"{'/'.join(key)}{one}" for one in differences(*pair)]
    if record is not None:
        record += _recorded(runs, manifests, live)
    kubectl("delete", "namespace", "--wait=false", *sorted(namespaces))
    return Comparison(len(runs), len(present.keys() & expected.keys()), found)


def _is_aside(tree: Any) -> bool:
    """Whether an object has no preview: the copy of a runtime, the claims of pods, and pods of Jobs that several runs share."""
    metadata = tree["metadata"]
    is_of_pod = any(one["kind"] == "Pod" for one in metadata["ownerReferences"])
    return metadata["name"].endswith("-runtime-snapshot") or is_of_pod or "tjgen.dev/program" in metadata.get("labels", {})


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
    kind = kind_of(tree)
    return kind is not None and kind.controller != "" and kind.api_version == tree["apiVersion"]


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


def by_namespace(runs: list[Run]) -> Iterator[list[Run]]:
    """The runs of each namespace."""
    for _, group in groupby(runs, key=lambda run: run.manifests[0]["metadata"]["namespace"]):
        yield list(group)


def served() -> set[tuple[str, str]]:
    """The kinds that the cluster knows."""
    lines = [line.split() for line in kubectl("api-resources", "--no-headers").splitlines()]
    return {(words[-3], words[-1]) for words in lines}


def main() -> int:
    """Compare, print each difference, and return 1 if there is one."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--random", type=int, default=0, help="number of random experiments that build")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--manifests", nargs="+", default=[], help="folders with handwritten jobs, instead of experiments")
    parser.add_argument("--only", default="", help="part of the name of an input")
    parser.add_argument("--group", type=int, help="ordinal of the only group to compare: a cluster is slow to empty namespaces")
    parser.add_argument("--seconds", type=float, default=40)
    parser.add_argument("--record")
    options = parser.parse_args()
    kinds = served()
    record: list[Any] | None = [] if options.record else None
    with tempfile.TemporaryDirectory() as folder:
        chosen = experiments(options.seed, Path(folder) / "experiments") if options.random else inputs()
        building = (run for one in chosen if options.only in one.name and (run := built(one, Path(folder))) is not None)
        tried = list(
            islice(handwritten(options.manifests, Path(folder)) if options.manifests else building, options.random or None)
        )
        runs = [run for run in tried if known(run, kinds)]
        total = Comparison(0, 0, [])
        for ordinal, group in enumerate(by_namespace(runs) if options.random else groups(runs)):
            if options.group not in (None, ordinal):
                continue
            with Watch() as watch:
                one = compared(group, watch, options.seconds, record)
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
