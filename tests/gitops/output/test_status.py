"""`tjgen status`, and `tjgen runs archive --finished` with kubectl; `recorded/cluster.json` is what a cluster reported."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.checkout import ROOT
from tests.gitops.output.test_runs import runs, snapshot
from tests.program import Answer, tjgen
from tjgen.cli import cluster
from tjgen.gitops.output import kubectl
from tjgen.gitops.output.pods import look_of

RECORDED = (ROOT / "tests/gitops/output/recorded/cluster.json").read_text(encoding="utf-8")
PROJECT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Project
spec:
  experiments: [experiments]
  output: {directory: deploy}
"""
EXPERIMENT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Experiment
metadata: {name: %s, namespace: watch}
spec:
%s  runtime: tjgen-torch
  image: train:1
  script: train.py
  env: %s
"""
ENV = {
    "good": '{MINICLUSTER_SECONDS: "1"}',
    "bad": '{MINICLUSTER_SECONDS: "1", MINICLUSTER_EXIT: "3"}',
    "runs": "{MINICLUSTER_SECONDS: forever}",
    "waits": "{MINICLUSTER_SECONDS: forever}",
    "absent": "{A: b}",
}
TABLE = """\
RUN              STATE            HEALTH     SINCE                 RESTARTS  MESSAGE
absent-5545p2sm  current          Missing    -                     -         not in the cluster
bad-4lvtprmx     current          Degraded   2026-11-22T22:08:23Z  2         failed: jobset failed due to reaching max number \
of restarts (first failed job: bad-4lvtprmx-node-0)
  pod: bad-4lvtprmx-node-0-0-mxjcf, container node: Error, exit code 3
  kubectl logs -n watch bad-4lvtprmx-node-0-0-mxjcf -c node
good-g7w74297    current          Healthy    2026-11-22T22:08:18Z  0         completed: jobset completed successfully
  pod: good-g7w74297-node-0-0-l84qq
  kubectl logs -n watch good-g7w74297-node-0-0-l84qq --all-containers
runs-cwdzhk78    current          Healthy    2026-11-22T22:08:16Z  0         running
  pod: runs-cwdzhk78-node-0-0-dzsht
  kubectl logs -n watch runs-cwdzhk78-node-0-0-dzsht --all-containers
waits-cwdzhk78   suspended        Suspended  2026-11-22T22:08:16Z  -         suspended: TrainJob is suspended
stranger         not in the tree  Healthy    2026-11-22T22:08:17Z  0         running
  pod: stranger-node-0-0-ch2dn
  kubectl logs -n watch stranger-node-0-0-ch2dn --all-containers
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The project whose runs were in the recorded cluster, built."""
    monkeypatch.setenv("TJGEN_CACHE", "off")
    project = tmp_path / "project"
    (project / "experiments").mkdir(parents=True)
    (project / "tjgen.yaml").write_text(PROJECT, encoding="utf-8")
    for name, env in ENV.items():
        text = EXPERIMENT % (name, "  state: suspended\n" if name == "waits" else "", env)
        (project / f"experiments/{name}.yaml").write_text(text, encoding="utf-8")
    assert tjgen(project, "build", "-o", "deploy").code == 0
    return project


def status(folder: Path, *words: str, text: str = RECORDED) -> Answer:
    return tjgen(folder, "status", "--from", "-", *words, stdin=text)


def with_kubectl(folder: Path, script: str, monkeypatch: pytest.MonkeyPatch, name: str = "kubectl") -> Path:
    """A program of this name before all others on the PATH; it writes its words to a file, which is returned."""
    programs = folder.parent / "programs"
    programs.mkdir(exist_ok=True)
    (programs / name).write_text(f'#!/bin/sh\necho "$*" >> {programs}/{name}.words\n{script}\n', encoding="utf-8")
    (programs / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    return programs / f"{name}.words"


def recorded_kubectl(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (folder.parent / "cluster.json").write_text(RECORDED, encoding="utf-8")
    answers = "printf 'pods\\ntrainjobs.trainer.kubeflow.org\\njobsets.jobset.x-k8s.io\\n'"
    script = f'case "$*" in *api-resources*) {answers};; *) cat {folder.parent}/cluster.json;; esac'
    return with_kubectl(folder, script, monkeypatch)


def test_each_run_is_shown_with_its_state_in_the_cluster(folder: Path) -> None:
    answer = status(folder)
    assert (answer.code, answer.out) == (0, TABLE)
    assert answer.err == "runs: 1 Degraded (1 failed), 3 Healthy (1 completed, 2 running), 1 Missing, 1 Suspended\n"


def test_a_run_that_kueue_holds_is_shown_with_the_reason(folder: Path) -> None:
    cluster_objects = json.loads(RECORDED)
    owner = {"kind": "TrainJob", "name": "waits-cwdzhk78"}
    waiting = {"type": "QuotaReserved", "status": "False", "message": "insufficient unused quota for cpu"}
    workload = {"apiVersion": "kueue.x-k8s.io/v1beta1", "kind": "Workload", "spec": {"queueName": "vision"}}
    workload |= {"metadata": {"name": "w", "namespace": "watch", "ownerReferences": [owner]}, "status": {"conditions": [waiting]}}
    cluster_objects["items"].append(workload)
    answer = status(folder, "waits-*", text=json.dumps(cluster_objects))
    assert "Suspended  2026-11-22T22:08:16Z  -         waiting: queue vision: insufficient unused quota for cpu" in answer.out
    assert answer.err == "runs: 1 Suspended (1 waiting)\n"
    waiting["status"] = "True"
    assert "suspended: TrainJob is suspended" in status(folder, "waits-*", text=json.dumps(cluster_objects)).out


def test_a_run_whose_pod_has_no_node_is_not_shown_as_running(folder: Path) -> None:
    cluster_objects = json.loads(RECORDED)
    for one in cluster_objects["items"]:
        if one["kind"] == "Pod" and one["metadata"]["name"].startswith("runs-"):
            one["status"] = pod("a", "Pending", PodScheduled="0/2 nodes are available")["status"]
    answer = status(folder, "runs-*", text=json.dumps(cluster_objects))
    assert "Progressing  2026-11-22T22:08:16Z  0         waiting: 1 of 1 pods have no node" in answer.out
    assert answer.err == "runs: 1 Progressing (1 waiting)\n"
    assert "Unschedulable: 0/2 nodes are available" in answer.out


def test_programs_get_the_same(folder: Path) -> None:
    (bad,) = (one for one in json.loads(status(folder, "--json").out) if one["run"] == "bad-4lvtprmx")
    assert (bad["health"], bad["restarts"], bad["ended"], bad["reason"]) == ("Degraded", 2, True, "Error, exit code 3")
    assert bad["commands"] == ["kubectl logs -n watch bad-4lvtprmx-node-0-0-mxjcf -c node"]


def test_a_name_and_a_namespace_limit_what_is_shown(folder: Path) -> None:
    shown = [line.split()[0] for line in status(folder, "good-*").out.splitlines() if not line.startswith(" ")]
    assert shown == ["RUN", "good-g7w74297"]
    assert [one["run"] for one in json.loads(status(folder, "--namespace", "other", "--json").out)] == []
    assert "error[TJ080]" in status(folder, "nope").err
    assert status(folder, "good").out == status(folder, "good-g7w74297").out


def test_archived_and_pruned_runs_are_named_so(folder: Path) -> None:
    assert runs(folder, "archive", "absent-*", "-o", "deploy").code == 0
    (folder / "experiments/runs.yaml").unlink()
    assert tjgen(folder, "build", "-o", "deploy", "--prune-runs").code == 0
    found = {one["run"]: one for one in json.loads(status(folder, "--json").out)}
    assert (found["absent-5545p2sm"]["state"], found["absent-5545p2sm"]["health"]) == ("archived", None)
    assert (found["runs-cwdzhk78"]["state"], found["runs-cwdzhk78"]["health"]) == ("pruned", "Healthy")


def test_kubectl_is_used_without_a_file(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = recorded_kubectl(folder, monkeypatch)
    answer = tjgen(folder, "status", "--context", "lab")
    assert answer.out == TABLE.replace("kubectl logs", "kubectl --context lab logs")
    first, second, third = words.read_text(encoding="utf-8").splitlines()
    assert first == "--context lab api-resources --verbs=list -o name --request-timeout=30s"
    kinds = "trainjobs.trainer.kubeflow.org,jobsets.jobset.x-k8s.io,pods"
    assert second == f"--context lab get {kinds} -n watch -o json --request-timeout=30s"
    assert third == first, "a cluster without Fluid has no data sets to list"


@pytest.mark.parametrize("permitted", [True, False])
def test_kubectl_lists_what_explains_a_state(folder: Path, monkeypatch: pytest.MonkeyPatch, permitted: bool) -> None:
    """Events of a run without pods, Workloads of a suspended run, and Jobs of a failed run without restarts."""
    listed = json.loads(RECORDED)
    listed["items"] = [one for one in listed["items"] if one["kind"] == "TrainJob"]
    bad, _, running, _, waits = listed["items"]
    running["status"] = {"jobsStatus": [{"name": "node", "active": 0, "ready": 0}]}

    def owned(name: str, kind: str, api: str, **more: Any) -> dict[str, Any]:
        metadata = {"name": name, "namespace": "watch", "ownerReferences": [{"kind": "TrainJob", "name": name}]}
        return {"apiVersion": api, "kind": kind, "metadata": metadata, **more}

    name = running["metadata"]["name"]
    about = {"kind": "Job", "name": f"{name}-node-0"}
    refused = {
        "reason": "FailedCreate",
        "message": "exceeded quota: a",
        "lastTimestamp": "2026-11-22T23:00:00Z",
        "involvedObject": about,
    }
    unadmitted = {"conditions": [{"type": "QuotaReserved", "status": "False", "message": "no quota"}]}
    answers = {
        "events": [{"apiVersion": "v1", "kind": "Event", "metadata": {"name": "e", "namespace": "watch"}, **refused}],
        "workloads.kueue.x-k8s.io": [
            owned(waits["metadata"]["name"], "Workload", "kueue.x-k8s.io/v1beta1", spec={"queueName": "a"}, status=unadmitted)
        ],
        "jobs.batch": [owned(bad["metadata"]["name"], "Job", "batch/v1", status={"failed": 4})],
    }
    above = folder.parent
    (above / "cluster.json").write_text(json.dumps(listed), encoding="utf-8")
    cases = []
    for resource, items in answers.items():
        (above / resource).write_text(json.dumps({"items": items}), encoding="utf-8")
        command = f"cat {above}/{resource}" if permitted else f"echo '{resource} is forbidden' >&2; exit 1"
        cases.append(f"*'get {resource} '*) {command};;")
    served = "\\n".join(["pods", "trainjobs.trainer.kubeflow.org", *answers])
    words = with_kubectl(
        folder,
        f'case "$*" in *api-resources*) printf "{served}\\n";; {" ".join(cases)} *) cat {above}/cluster.json;; esac',
        monkeypatch,
    )
    answer = tjgen(folder, "status", "--json")
    shown = {one["run"]: (one["message"], one["restarts"]) for one in json.loads(answer.out)}
    found = (shown[name][0], shown[waits["metadata"]["name"]][0], shown[bad["metadata"]["name"]][1])
    assert "get events -n watch --field-selector type=Warning -o json" in words.read_text(encoding="utf-8")
    if permitted:
        assert (answer.err.count("TJ287"), found) == (0, ("refused: exceeded quota: a", "waiting: queue a: no quota", 4))
    else:
        starting = "starting: no pod has started; if this lasts, events show whether its pods are refused"
        assert (answer.code, answer.err.count("info[TJ287]"), found) == (
            0,
            3,
            (starting, "suspended: TrainJob is suspended", None),
        )


def test_finished_runs_are_archived_with_kubectl(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    recorded_kubectl(folder, monkeypatch)
    assert runs(folder, "archive", "--finished", "-o", "deploy").err == "runs: 2 archived\n"
    states = {one["name"]: one["state"] for one in json.loads(runs(folder, "list", "--json").out)}
    assert [name for name, state in states.items() if state == "archived"] == ["bad-4lvtprmx", "good-g7w74297"]
    assert tjgen(folder, "build", "--check").code == 0


FAILURES = {
    "that fails": ("echo 'error: no access' >&2; exit 1", "failed: error: no access"),
    "that prints no list": ('case "$*" in *api-resources*) echo pods;; *) echo no;; esac', "printed no list"),
    "that knows no pods": ("exit 0", "lists no pods"),
    "that does not answer": ("exec sleep 20", "did not answer within 1 seconds"),
}


@pytest.mark.parametrize("command", [["status"], ["runs", "archive", "--finished"]], ids=["status", "archive"])
@pytest.mark.parametrize("failure", FAILURES)
def test_a_kubectl_that_fails_is_reported_and_changes_nothing(
    folder: Path, monkeypatch: pytest.MonkeyPatch, failure: str, command: list[str]
) -> None:
    script, message = FAILURES[failure]
    with_kubectl(folder, script, monkeypatch)
    monkeypatch.setattr(cluster, "SECONDS", 1 if "answer" in failure else 60)
    before = snapshot(folder)
    answer = tjgen(folder, *command)
    assert (answer.code, answer.out) == (1, "")
    assert "error[TJ287]" in answer.err
    assert message in answer.err
    assert snapshot(folder) == before


def test_without_kubectl_the_message_names_the_way_out(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(folder))
    answer = tjgen(folder, "status")
    assert answer.code == 1
    assert "error[TJ287] kubectl is not on the PATH" in answer.err
    assert "use --from FILE with the saved output of kubectl get trainjobs,jobsets,pods -A -o json" in answer.err


@pytest.mark.parametrize("command", [["status", "--from", "x", "--context", "y"], ["runs", "archive", "x", "--context", "y"]])
def test_wrong_use_is_refused(folder: Path, command: list[str]) -> None:
    assert tjgen(folder, *command).code == 2


def pod(name: str, phase: str, *containers: dict[str, Any], **conditions: str) -> dict[str, Any]:
    found = [{"type": key, "status": "False", "reason": "Unschedulable", "message": text} for key, text in conditions.items()]
    return {"metadata": {"name": name}, "status": {"phase": phase, "containerStatuses": list(containers), "conditions": found}}


def ended(reason: str, code: int, at: str, state: str = "state") -> dict[str, Any]:
    found = {"terminated": {"reason": reason, "exitCode": code, "finishedAt": at}}
    return {"name": "node", "restartCount": 1 if state == "lastState" else 0, state: found}


LOOKS = {
    "the pod that failed first": (
        [
            pod("a", "Failed", ended("Error", 1, "2024-01-01T00:00:09Z")),
            pod("b", "Failed", ended("OOMKilled", 137, "2024-01-01T00:00:05Z")),
        ],
        ("b", "node", "OOMKilled, exit code 137", True, False),
    ),
    "a container that started again": (
        [pod("a", "Running", ended("Error", 1, "2024-01-01T00:00:05Z", "lastState"))],
        ("a", "node", "Error, exit code 1", True, True),
    ),
    "an image that does not exist": (
        [pod("a", "Running"), pod("b", "Pending", {"name": "node", "state": {"waiting": {"reason": "ImagePullBackOff"}}})],
        ("b", "node", "ImagePullBackOff", False, False),
    ),
    "a container that cannot start, with the message of the kubelet": (
        [pod("a", "Pending", {"name": "node", "state": {"waiting": {"reason": "CreateContainerError", "message": "no space"}}})],
        ("a", "node", "CreateContainerError: no space", False, False),
    ),
    "a container that starts": (
        [pod("a", "Running"), pod("b", "Pending", {"name": "node", "state": {"waiting": {"reason": "ContainerCreating"}}})],
        ("b", "node", "ContainerCreating", False, False),
    ),
    "no free node": (
        [pod("a", "Pending", PodScheduled="0/4 nodes are available")],
        ("a", "", "Unschedulable: 0/4 nodes are available", False, False),
    ),
    "an evicted pod": ([pod("a", "Failed")], ("a", "", "the pod failed", False, False)),
    "pods that run": ([pod("b", "Running"), pod("a", "Running")], ("a", "", "", False, False)),
}


@pytest.mark.parametrize("case", LOOKS)
def test_the_pod_to_look_at(case: str) -> None:
    pods, expected = LOOKS[case]
    assert look_of(pods) == expected


def test_without_pods_there_is_none_to_look_at() -> None:
    assert look_of([]) is None


def scripts() -> dict[str, str]:
    """The scripts of the scheduled pipelines on the page, by forge."""
    page = (ROOT / "docs/how-to/status.md").read_text(encoding="utf-8")
    github, gitlab = (yaml.safe_load(text) for text in re.findall(r"```yaml\n(.*?)```", page, re.S))
    steps = [step for step in github["jobs"]["archive"]["steps"] if "tjgen runs" in step.get("run", "")]
    lines = [line for line in gitlab["archive-finished"]["script"] if not line.startswith("pip ")]
    return {"github": steps[0]["run"], "gitlab": "set -eu\n" + "\n".join(lines)}


@pytest.mark.parametrize("forge", ["github", "gitlab"])
def test_the_scheduled_pipelines_push_what_they_archive(folder: Path, monkeypatch: pytest.MonkeyPatch, forge: str) -> None:
    recorded_kubectl(folder, monkeypatch)
    requests = with_kubectl(folder, 'case "$*" in *view*) exit 1;; esac', monkeypatch, "gh")
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    remote = folder.parent / "remote.git"
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@example.com"]
    for words in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-qm", "First"]):
        subprocess.run([*git, *words], cwd=folder, check=True)
    subprocess.run(["git", "clone", "-q", "--bare", str(folder), str(remote)], check=True)
    subprocess.run(["git", "-C", str(remote), "config", "receive.advertisePushOptions", "true"], check=True)
    clone = folder.parent / "clone"
    # A forge checks out the newest commit alone.
    subprocess.run(["git", "clone", "-q", "--depth", "1", f"file://{remote}", str(clone)], check=True)
    script = scripts()[forge].replace("https://archive:$ARCHIVE_TOKEN@$CI_SERVER_HOST/$CI_PROJECT_PATH.git", "origin")
    environment = {**os.environ, "RUNNER_TEMP": str(folder.parent), "KUBECONFIG_CONTENT": "x", "TJGEN_CACHE": "off"}
    first = subprocess.run(["bash", "-c", script], cwd=clone, env=environment, capture_output=True, text=True, check=False)
    assert first.returncode == 0, first.stderr
    shown = ["git", "-C", str(remote), "diff", "--stat=200", "main", "archive-finished-runs"]
    changed = subprocess.run(shown, capture_output=True, text=True, check=True).stdout
    assert sorted(set(re.findall(r"(?:bad|good|runs|waits|absent)-[a-z0-9]{8}", changed))) == ["bad-4lvtprmx", "good-g7w74297"]
    if forge == "github":
        assert "pr create --head archive-finished-runs" in requests.read_text(encoding="utf-8")
        assert not (folder.parent / "kubeconfig").exists()
    again = subprocess.run(["bash", "-c", script], cwd=clone, env=environment, capture_output=True, text=True, check=False)
    assert again.returncode == 0, again.stderr
    log = subprocess.run(["git", "log", "--oneline"], cwd=clone, capture_output=True, text=True, check=True).stdout
    assert len(log.splitlines()) == 2


def test_runs_are_read_from_their_namespace_after_it_was_renamed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = recorded_kubectl(folder, monkeypatch)
    for file in (folder / "experiments").iterdir():
        file.write_text(file.read_text(encoding="utf-8").replace("namespace: watch", "namespace: sight"), encoding="utf-8")
    assert tjgen(folder, "runs", "rename", "--namespace", "watch", "sight").code == 0
    assert tjgen(folder, "build").code == 0
    answer = tjgen(folder, "status")
    assert (answer.code, answer.out) == (0, TABLE)
    assert tjgen(folder, "runs", "archive", "--finished").err.splitlines()[-1] == "runs: 2 archived"
    asked = [line for line in words.read_text(encoding="utf-8").splitlines() if " -n " in line]
    assert [line.split(" -n ")[1].split()[0] for line in asked] == ["watch", "watch"]


FLUID = {
    "tjgen.yaml": PROJECT + "  platforms: [platform.yaml]\n",
    "platform.yaml": "apiVersion: tjgen.dev/v1alpha1\nkind: Platform\nmetadata: {name: lab}\nspec: {fluid: {}}\n",
    "experiments/fluid.yaml": EXPERIMENT % ("fluid", "  naming: fixed\n", "{A: b}")
    + """\
  volumes:
    new: {dataset: {create: {mounts: {a: "s3://a"}, quota: 1Gi}}, mountPath: /new}
    project: {dataset: {create: {mounts: {a: "s3://b"}, quota: 1Gi, scope: project}}, mountPath: /project}
    words: {dataset: words, mountPath: /words}
    claim: {pvc: claim, mountPath: /claim}
""",
}
STATES = {"cacheCapacity": "2.00GiB", "cached": "1.20GiB", "cachedPercentage": "60.0%", "cacheHitRatio": "87.5%"}
DATA_SETS = """
DATA SET   NAMESPACE  PHASE     CACHED   SHARE  HIT RATIO
fluid-new  watch      Bound     1.20GiB  60.0%  87.5%
project    watch      Missing   -        -      -
words      watch      NotBound  -        -      -
"""


def data_set(name: str, status: Any) -> dict[str, Any]:
    """A Dataset as Fluid v1.0 reports it."""
    metadata = {"name": name, "namespace": "watch"}
    return {"apiVersion": "data.fluid.io/v1alpha1", "kind": "Dataset", "metadata": metadata, "spec": {}, "status": status}


REPORTED = [
    data_set("fluid-new", {"phase": "Bound", "ufsTotal": "2.00GiB", "cacheStates": STATES}),
    data_set("words", {"phase": "NotBound"}),
    data_set("others", {"phase": "Bound", "cacheStates": STATES}),
]


@pytest.fixture
def with_fluid(folder: Path) -> Path:
    """The same project with a run that mounts data sets of Fluid."""
    for name, text in FLUID.items():
        (folder / name).write_text(text, encoding="utf-8")
    assert tjgen(folder, "build", "-o", "deploy").code == 0
    return folder


def test_data_sets_are_shown_with_what_is_cached(with_fluid: Path) -> None:
    tree = json.loads(RECORDED)
    text = json.dumps({**tree, "items": [*tree["items"], *REPORTED]})
    answer = status(with_fluid, text=text)
    assert (answer.code, answer.out.endswith("--all-containers\n" + DATA_SETS)) == (0, True), answer
    (run,) = (one for one in json.loads(status(with_fluid, "--json", text=text).out) if one["run"] == "fluid")
    names = {"name": "fluid-new", "namespace": "watch", "phase": "Bound"}
    assert run["dataSets"][0] == {**names, "cached": "1.20GiB", "cachedPercentage": "60.0%", "cacheHitRatio": "87.5%"}
    assert [one["phase"] for one in run["dataSets"]] == ["Bound", None, "NotBound"]
    assert "DATA SET" not in status(with_fluid, "good-*", text=text).out


@pytest.mark.parametrize("odd", [None, "text", {"phase": 3, "cacheStates": []}, {"cacheStates": {"cached": None}}])
def test_a_data_set_without_a_usual_state_is_shown(with_fluid: Path, odd: Any) -> None:
    tree = json.loads(RECORDED)
    answer = status(with_fluid, text=json.dumps({**tree, "items": [*tree["items"], data_set("words", odd)]}))
    assert (answer.code, "\nwords      watch " in answer.out) == (0, True), answer


@pytest.mark.parametrize("permitted", [True, False])
def test_kubectl_lists_data_sets_if_the_cluster_serves_them(
    with_fluid: Path, monkeypatch: pytest.MonkeyPatch, permitted: bool
) -> None:
    above = with_fluid.parent
    (above / "cluster.json").write_text(RECORDED, encoding="utf-8")
    (above / "data.json").write_text(json.dumps({"items": REPORTED}), encoding="utf-8")
    answers = "printf 'pods\\ntrainjobs.trainer.kubeflow.org\\ndatasets.data.fluid.io\\n'"
    lists = f"cat {above}/data.json" if permitted else "echo 'datasets is forbidden' >&2; exit 1"
    script = f'case "$*" in *api-resources*) {answers};; *datasets*) {lists};; *) cat {above}/cluster.json;; esac'
    words = with_kubectl(with_fluid, script, monkeypatch)
    answer = tjgen(with_fluid, "status", "--context", "lab")
    assert (answer.code, DATA_SETS in answer.out) == (0, permitted), answer
    assert ("info[TJ287]" in answer.err, "datasets is forbidden" in answer.err) == (not permitted, not permitted), answer.err
    assert "--context lab get datasets.data.fluid.io -n watch -o json" in words.read_text(encoding="utf-8")


def changed(tree: Any, path: tuple[str | int, ...], value: Any) -> Any:
    """The tree with another value at a path. Steps of the path that it lacks are added."""
    if not path:
        return value
    if path[0] == 0:
        tree = tree if isinstance(tree, list) and tree else [{}]
        return [changed(one, path[1:], value) if number == path[0] else one for number, one in enumerate(tree)]
    inner = tree.get(path[0], {}) if isinstance(tree, dict) else {}
    return {**(tree if isinstance(tree, dict) else {}), path[0]: changed(inner, path[1:], value)}


def typed_paths(shape: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """The paths of a shape, with the first item of each list."""
    if path:
        yield path
    if isinstance(shape, dict):
        for key, inner in shape.items():
            yield from typed_paths(inner, (*path, "app" if key == "*" else key))
    elif isinstance(shape, list):
        yield from typed_paths(shape[0], (*path, 0))


def of_kind(kind: str) -> Any:
    """The first recorded object of a kind; a made one if the cluster had none."""
    items = json.loads(RECORDED)["items"]
    return next((one for one in items if one["kind"] == kind), {"apiVersion": "v1", "kind": kind, "metadata": {"name": "a"}})


PATHS = [
    (kind, path)
    for kind in ("Pod", "TrainJob", "JobSet", "Job", "RayJob", "Workload", "Event")
    for shape in (kubectl._SHAPE, kubectl._STATUS, kubectl._SHAPES.get(kind, {}))
    for path in typed_paths(shape)
]


@pytest.mark.parametrize("value", [True, 3.5, "text", [1], {"a": 1}, [None], -7], ids=repr)
def test_a_field_of_another_type_is_named(folder: Path, value: Any) -> None:
    """Each field that a command reads, with a value of another type: the field is reported, or the value has its type."""
    codes = Counter[int]()
    for kind, path in PATHS:
        odd = changed(of_kind(kind), path, value)
        text = json.dumps({"kind": "List", "items": [*json.loads(RECORDED)["items"], odd]})
        answer = status(folder, text=text)
        codes[answer.code] += 1
        assert answer.code == 0 or (answer.code, answer.err.count("error[TJ041]")) == (1, 1), (kind, path, answer)
        assert answer.code == 1 or "Traceback" not in answer.err
    assert codes[1] > len(PATHS) // 3, codes


def test_null_is_an_absent_field(folder: Path) -> None:
    for kind, path in PATHS:
        if path[-1] not in (0, "kind"):
            odd = changed(of_kind(kind), path, None)
            answer = status(folder, text=json.dumps({"kind": "List", "items": [of_kind("Pod"), odd]}))
            assert answer.code == 0, (kind, path, answer)


def test_a_damaged_file_of_a_run_is_named(folder: Path) -> None:
    file = next((folder / "deploy/runs/watch/good").glob("*/trainjob-*.yaml"))
    file.write_text(file.read_text(encoding="utf-8") + "<<<<<<< HEAD\n=======\n", encoding="utf-8")
    answer = status(folder)
    assert (answer.code, answer.err.count("error[TJ697]")) == (1, 1), answer
    assert f"runs/watch/good/{file.parent.name}/{file.name}" in answer.err
