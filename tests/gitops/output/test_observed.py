"""`tjgen status`: the state of a run, from its object, its JobSet and Jobs, its pods, and events.

`recorded/refused.json` is what a cluster with Trainer 2.3.0, JobSet 0.12 and Kubernetes 1.36.3 reported of two runs with two pods
each: Pod Security refuses those of one run, a quota admits one pod of the other.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.checkout import ROOT
from tests.program import tjgen
from tjgen.gitops.sync.states import DEGRADED, HEALTHY, PROGRESSING, SUSPENDED

PROJECT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Project
spec: {experiments: [experiments], output: {directory: deploy}}
"""
EXPERIMENT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Experiment
metadata: {name: NAME, namespace: SPACE}
spec: {runtime: tjgen-torch, image: "train:1", script: train.py, naming: fixedTARGET}
"""
FORBIDDEN = 'Error creating: pods "jobset-node-0-0-abcde" is forbidden: '
SECURITY = 'violates PodSecurity "restricted:latest": allowPrivilegeEscalation != false'
QUOTA = "exceeded quota: team, requested: requests.nvidia.com/gpu=8, used: requests.nvidia.com/gpu=8"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with runs of three kinds."""
    project = tmp_path_factory.mktemp("project")
    (project / "experiments").mkdir()
    (project / "tjgen.yaml").write_text(PROJECT, encoding="utf-8")
    targets = {"train": "", "jobset": ", target: jobset", "torch": ", target: pytorchjob, nodes: 2", "refused": "", "quota": ""}
    for name, target in targets.items():
        namespace = {"refused": "strict", "quota": "small"}.get(name, "team")
        text = EXPERIMENT.replace("NAME", name).replace("SPACE", namespace).replace("TARGET", target)
        (project / f"experiments/{name}.yaml").write_text(text, encoding="utf-8")
    answer = tjgen(project, "build")
    assert answer.code == 0, answer.err
    return project


def meta(name: str, at: str = "10:00:00", namespace: str = "team", **more: Any) -> dict[str, Any]:
    return {"name": name, "namespace": namespace, "creationTimestamp": f"2026-01-01T{at}Z", **more}


def labels(experiment: str) -> dict[str, str]:
    return {"app.kubernetes.io/managed-by": "tjgen", "tjgen.dev/experiment": experiment}


def counts(active: int, ready: int, **more: int) -> list[dict[str, Any]]:
    return [{"name": "node", "active": active, "ready": ready, "failed": 0, "succeeded": 0, "suspended": 0, **more}]


def train(status: dict[str, Any], **spec: Any) -> dict[str, Any]:
    api = "trainer.kubeflow.org/v1alpha1"
    return {
        "apiVersion": api,
        "kind": "TrainJob",
        "metadata": meta("train", labels=labels("train")),
        "spec": spec,
        "status": status,
    }


def jobset(status: dict[str, Any], name: str = "train", **spec: Any) -> dict[str, Any]:
    metadata = meta(name, labels=labels(name)) if name != "train" else meta(name, ownerReferences=[owner("TrainJob", name)])
    return {"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet", "metadata": metadata, "spec": spec, "status": status}


def torch(status: dict[str, Any], *, suspend: bool = False) -> dict[str, Any]:
    spec = {"pytorchReplicaSpecs": {"Master": {"replicas": 1}, "Worker": {"replicas": 1}}, "runPolicy": {"suspend": suspend}}
    metadata = meta("torch", labels=labels("torch"))
    return {"apiVersion": "kubeflow.org/v1", "kind": "PyTorchJob", "metadata": metadata, "spec": spec, "status": status}


def owner(kind: str, name: str) -> dict[str, Any]:
    return {"kind": kind, "name": name, "controller": True}


def pod(
    name: str, phase: str = "Running", at: str = "10:00:01", state: Any = None, *, run: str = "train", **more: Any
) -> dict[str, Any]:
    label = "training.kubeflow.org/job-name" if run == "torch" else "jobset.sigs.k8s.io/jobset-name"
    owned = owner("PyTorchJob", run) if run == "torch" else owner("Job", f"{run}-node-0")
    running = (
        {"running": {"startedAt": "2026-01-01T10:00:02Z"}} if phase == "Running" else {"waiting": {"reason": "ContainerCreating"}}
    )
    containers = [{"name": "node", "restartCount": more.pop("restarts", 0), "state": state or running}]
    index = {"batch.kubernetes.io/job-completion-index": more.pop("index")} if "index" in more else {}
    metadata = meta(name, at, labels={label: run, **index}, ownerReferences=[owned], **more.pop("metadata", {}))
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": metadata,
        "status": {"phase": phase, "containerStatuses": containers, **more},
    }


def unschedulable(name: str) -> dict[str, Any]:
    condition = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": "0/2 nodes are available"}
    return pod(name, "Pending", conditions=[condition])


def event(about: dict[str, Any], message: str, at: str = "10:00:05", reason: str = "FailedCreate") -> dict[str, Any]:
    time = f"2026-01-01T{at}Z"
    named = meta(f"{about['name']}.{at}.{reason}")
    return {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": named,
        "type": "Warning",
        "reason": reason,
        "message": message,
        "involvedObject": about,
        "firstTimestamp": time,
        "lastTimestamp": time,
    }


def condition(name: str, status: str = "True", message: str = "") -> dict[str, Any]:
    return {"type": name, "status": status, "message": message or f"{name}.", "lastTransitionTime": "2026-01-01T10:00:03Z"}


NO_POD = "starting: no pod has started; if this lasts, events show whether its pods are refused"
NOT_ALL = "starting: not all pods have started"
RECONCILING = "TrainJobResourcesCreationFailed"
TRAIN, TORCH = {"kind": "TrainJob", "name": "train"}, {"kind": "PyTorchJob", "name": "torch"}
JOB = {"kind": "Job", "name": "train-node-0"}
ALL_OF_ONE = {"jobsStatus": counts(1, 1)}
SOME = {"jobsStatus": counts(1, 0)}
NONE = {"jobsStatus": counts(0, 0)}
HELD = train({"conditions": [condition("Suspended")]}, suspend=True)
FAILED = train({"conditions": [condition("Failed")]})
CASES: dict[str, tuple[list[dict[str, Any]], str, str]] = {
    "all pods run": ([train(ALL_OF_ONE), pod("a"), pod("b")], HEALTHY, "running"),
    "all pods pull their image": (
        [train(SOME), pod("a", "Pending"), pod("b", "Pending")],
        PROGRESSING,
        "starting: 0 of 2 pods have started",
    ),
    "no scheduler has seen the pods": (
        [train(SOME), pod("a", "Pending", containerStatuses=[])],
        PROGRESSING,
        "starting: 0 of 1 pods have started",
    ),
    "one pod has started": ([train(SOME), pod("a"), pod("b", "Pending")], PROGRESSING, "starting: 1 of 2 pods have started"),
    "an image does not exist": (
        [train(SOME), pod("a", "Pending", state={"waiting": {"reason": "ImagePullBackOff"}})],
        PROGRESSING,
        "starting: 0 of 1 pods have started",
    ),
    "a container fails again and again": (
        [train(SOME), pod("a", "Running", state={"waiting": {"reason": "CrashLoopBackOff"}}, restarts=4)],
        PROGRESSING,
        "starting: 0 of 1 pods have started",
    ),
    "no node is free": ([train(SOME), unschedulable("a"), pod("b")], PROGRESSING, "waiting: 1 of 2 pods have no node"),
    "a pod is missing": ([train(SOME), pod("a")], PROGRESSING, NOT_ALL),
    "only counts are known": ([train(ALL_OF_ONE)], HEALTHY, "running"),
    "the JobSet knows earlier": (
        [train({"conditions": [condition("Suspended", "False")]}), jobset({"replicatedJobsStatus": counts(1, 1)})],
        HEALTHY,
        "running",
    ),
    "Pod Security refuses all pods": ([train(NONE), event(JOB, FORBIDDEN + SECURITY)], DEGRADED, f"refused: {SECURITY}"),
    "a quota refuses one of two pods": (
        [train(SOME), pod("a"), event(JOB, FORBIDDEN + QUOTA)],
        DEGRADED,
        f"refused: {QUOTA}",
    ),
    "a quota refuses the pod of one of two Jobs": (
        [train(ALL_OF_ONE), pod("a"), event({"kind": "Job", "name": "train-node-1"}, FORBIDDEN + QUOTA)],
        DEGRADED,
        f"refused: {QUOTA}",
    ),
    "a pod was refused before it was created": (
        [train(ALL_OF_ONE), pod("a", at="10:00:09"), event(JOB, FORBIDDEN + QUOTA)],
        HEALTHY,
        "running",
    ),
    "pods of an earlier run were refused": (
        [train(NONE), event(JOB, FORBIDDEN + QUOTA, at="09:00:00")],
        PROGRESSING,
        NO_POD,
    ),
    "pods of another run were refused": (
        [train(NONE), event({"kind": "Job", "name": "train-b-node-0"}, FORBIDDEN + QUOTA)],
        PROGRESSING,
        NO_POD,
    ),
    "a webhook refuses the JobSet": (
        [train({}), event(TRAIN, 'admission webhook "a" denied the request', reason=RECONCILING)],
        DEGRADED,
        'refused: admission webhook "a" denied the request',
    ),
    "an update failed once": (
        [train(ALL_OF_ONE), pod("a"), event(TRAIN, "timeout", reason=RECONCILING)],
        HEALTHY,
        "running",
    ),
    "a queue holds it": (
        [{**HELD, "metadata": meta("train", labels={**labels("train"), "kueue.x-k8s.io/queue-name": "a"})}],
        SUSPENDED,
        "waiting: its queue has not admitted it",
    ),
    "its pods are being deleted": (
        [HELD, pod("a", metadata={"deletionTimestamp": "2026-01-01T10:00:09Z"})],
        SUSPENDED,
        "suspended: Suspended.",
    ),
    "it has failed, and a pod is left": ([FAILED, pod("a", "Failed")], DEGRADED, "failed: Failed."),
    "a PyTorchJob is refused": (
        [
            torch({"conditions": [condition("Created"), condition("Suspended")]}),
            event(TORCH, FORBIDDEN + SECURITY, reason="FailedCreatePod"),
        ],
        DEGRADED,
        f"refused: {SECURITY}",
    ),
    "a PyTorchJob was resumed": (
        [torch({"conditions": [condition("Suspended")]})],
        PROGRESSING,
        NO_POD,
    ),
    "a PyTorchJob was resumed, and its pods run": (
        [torch({"conditions": [condition("Suspended")]}, suspend=True), pod("a", run="torch"), pod("b", run="torch")],
        HEALTHY,
        "running",
    ),
    "a JobSet starts": ([jobset({"replicatedJobsStatus": counts(1, 0)}, "jobset")], PROGRESSING, NOT_ALL),
}


@pytest.mark.parametrize("case", CASES)
def test_the_state_of_a_run(folder: Path, case: str) -> None:
    items, health, message = CASES[case]
    word = message.partition(":")[0]
    name = items[0]["metadata"]["name"]
    text = json.dumps({"kind": "List", "items": items})
    (run,) = json.loads(tjgen(folder, "status", name, "--from", "-", "--json", stdin=text).out)
    assert (run["phase"], run["health"], run["message"]) == (word, health, message)
    counted = f" ({'1 ' + word})" if word != health.lower() else ""
    assert tjgen(folder, "status", name, "--from", "-", stdin=text).err == f"runs: 1 {health}{counted}\n"


def failed(failed: int, parallelism: int, succeeded: int = 0, *, ended: bool = True) -> dict[str, Any]:
    """A Job of the run."""
    status = {"failed": failed, "succeeded": succeeded, "conditions": [condition("Failed")] if ended else []}
    metadata = meta("train-node-0", ownerReferences=[owner("JobSet", "train")])
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, "spec": {"parallelism": parallelism}, "status": status}


RESTARTS: dict[str, tuple[list[dict[str, Any]], int | None]] = {
    "its pods are gone, and so is its JobSet": ([FAILED], None),
    "its pods are gone, and its JobSet was restarted": ([FAILED, jobset({"restarts": 2})], 2),
    "its pods are gone, and its JobSet was not restarted": ([FAILED, jobset({"restarts": 0})], None),
    "its pods are gone, and its Job replaced 3 of 5": ([FAILED, jobset({}), failed(5, 2)], 3),
    "its pods are gone, one of which succeeded": ([FAILED, jobset({}), failed(3, 2, 1)], 2),
    "its Job goes on": ([train(SOME), jobset({}), failed(2, 2, ended=False)], 2),
    "containers and the JobSet restarted": ([FAILED, jobset({"restarts": 1}), pod("a", "Failed", restarts=2)], 3),
    "a pod replaces another": ([train(SOME), pod("a", "Failed", index="0"), pod("b", index="0"), pod("c", index="1")], 1),
    "nothing restarted": ([train(ALL_OF_ONE), pod("a")], 0),
}


@pytest.mark.parametrize("case", RESTARTS)
def test_restarts_that_nothing_reports_are_unknown(folder: Path, case: str) -> None:
    items, expected = RESTARTS[case]
    text = json.dumps({"kind": "List", "items": items})
    (run,) = json.loads(tjgen(folder, "status", "train", "--from", "-", "--json", stdin=text).out)
    assert run["restarts"] == expected
    row = next(
        line for line in tjgen(folder, "status", "train", "--from", "-", stdin=text).out.splitlines() if line.startswith("train")
    )
    assert row.split()[4] == ("-" if expected is None else str(expected))


def test_runs_of_other_projects_are_counted(folder: Path) -> None:
    others = [train(ALL_OF_ONE), train(ALL_OF_ONE), train(ALL_OF_ONE), train(ALL_OF_ONE)]
    others[0]["metadata"] = meta("old", labels=labels("train"))
    others[1]["metadata"] = meta("other", labels=labels("other"))
    others[2]["metadata"] = meta("train", namespace="else", labels=labels("train"))
    others[3]["metadata"] = meta("handwritten")
    items = [train(ALL_OF_ONE), jobset(ALL_OF_ONE), *others]
    answer = tjgen(folder, "status", "--from", "-", stdin=json.dumps({"kind": "List", "items": items}))
    shown = [line.split()[0] for line in answer.out.splitlines() if not line.startswith(("RUN", " "))]
    assert sorted(shown) == ["jobset", "old", "quota", "refused", "torch", "train"]
    assert answer.err.splitlines() == ["runs: 2 Healthy (2 running), 4 Missing", "runs of other projects: 2 (not listed)"]
    one = tjgen(folder, "status", "--namespace", "team", "--from", "-", stdin=json.dumps({"kind": "List", "items": items}))
    assert one.err.splitlines()[-1] == "runs of other projects: 1 (not listed)"


def test_recorded_runs_whose_pods_are_refused(folder: Path) -> None:
    text = (ROOT / "tests/gitops/output/recorded/refused.json").read_text(encoding="utf-8")
    found = {one["run"]: one for one in json.loads(tjgen(folder, "status", "--from", "-", "--json", stdin=text).out)}
    quota, security = found["quota"], found["refused"]
    assert quota["message"] == "refused: exceeded quota: q, requested: pods=1, used: pods=1, limited: pods=1"
    assert security["message"].startswith('refused: violates PodSecurity "restricted:latest": allowPrivilegeEscalation != false')
    assert (quota["health"], quota["since"], quota["restarts"]) == (DEGRADED, "2026-11-28T23:14:42Z", 0)
    assert (security["health"], security["since"], security["restarts"]) == (DEGRADED, "2026-11-28T23:14:41Z", None)
    without = json.loads(text)
    without["items"] = [one for one in without["items"] if one["kind"] != "Event"]
    found = {
        one["run"]: one["message"]
        for one in json.loads(tjgen(folder, "status", "--from", "-", "--json", stdin=json.dumps(without)).out)
    }
    assert (found["refused"], found["quota"]) == (NO_POD, NOT_ALL)
