"""`tjgen fit`, and what a build reports about the nodes of a Platform."""

from __future__ import annotations

import cProfile
import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.program import Answer, tjgen
from tjgen.cluster.queueing.kueue.objects import ClusterQueue, ClusterQueuePreemption, ResourceFlavor
from tjgen.cluster.queueing.kueue.snapshot import QueueSnapshot
from tjgen.cluster.scheduling.cluster import ScheduledCluster
from tjgen.cluster.scheduling.node import read_node
from tjgen.cluster.scheduling.pod import read_pod
from tjgen.compiler.fit.demand import Demand, DemandSet
from tjgen.compiler.fit.start import verdicts
from tjgen.compiler.fit.verdicts import FitCluster, FitRun
from tjgen.trees.manifests.manifest import Manifest

PROJECT = "apiVersion: tjgen.dev/v1alpha1\nkind: Project\nspec: {experiments: [experiments], platforms: [platform.yaml]}\n"
PLATFORM = """\
apiVersion: tjgen.dev/v1alpha1
kind: Platform
metadata: {name: lab}
spec:
%s
"""
POOL = """\
  nodePools:
    a100: {count: 4, like: a100, devices: 8, resources: {cpu: 96, memory: 1000Gi}%s}
  priorityClasses: {urgent: {value: 1000}}
"""
RUN = """\
apiVersion: tjgen.dev/v1alpha1
kind: Experiment
metadata: {name: %s, namespace: vision}
spec: {runtime: %s, naming: fixed, image: train:1, script: train.py, %s}
"""
TAINTED = POOL % ", taints: [{key: team, value: vision, effect: NoSchedule}]"
UNLABELED = "  nodePools: {a: {count: 4, resources: {cpu: 96, memory: 1000Gi, nvidia.com/gpu: 8}}}"
SMALL = "cpu: 8, memory: 64Gi"


def write(folder: Path, platform: str = POOL % "", runtime: str = "tjgen-torch", **runs: str) -> Path:
    """A project with a Platform and these runs."""
    (folder / ".git").mkdir(exist_ok=True)
    (folder / "experiments").mkdir(exist_ok=True)
    (folder / "tjgen.yaml").write_text(PROJECT, encoding="utf-8")
    (folder / "platform.yaml").write_text(PLATFORM % platform, encoding="utf-8")
    for name, fields in runs.items():
        (folder / f"experiments/{name}.yaml").write_text(RUN % (name, runtime, fields), encoding="utf-8")
    return folder


def results(answer: Answer) -> dict[str, Any]:
    """Run -> its result, of the only cluster."""
    (one,) = json.loads(answer.out)
    return {run["run"]: run for run in one["runs"]}


@pytest.mark.parametrize(
    ("runtime", "fields", "hint"),
    [
        pytest.param(
            "tjgen-torch",
            "nodes: 6, gpu: a100:8, cpu: 128",
            'request at most 96 of cpu for each pod; 4 of 6 pods of "node" fit: use fewer pods',
            id="too large and too many",
        ),
        pytest.param(
            "tjgen-plain",
            "target: volcanojob, roles: {ps: {replicas: 9, gpu: a100:8, cpu: 8}, worker: {replicas: 2, cpu: 128}}",
            '4 of 9 pods of "ps" fit: use fewer pods; for worker: request at most 96 of cpu for each pod',
            id="too many, and another role too large",
        ),
        pytest.param(
            "tjgen-plain",
            "target: volcanojob, roles: {ps: {replicas: 1, cpu: 100}, worker: {replicas: 2, cpu: 128}}",
            "request at most 96 of cpu for each pod; for worker: request at most 96 of cpu for each pod",
            id="two roles too large",
        ),
    ],
)
def test_the_hint_has_each_change_that_the_run_needs(tmp_path: Path, runtime: str, fields: str, hint: str) -> None:
    """With all changes of the hint, the run starts: one problem does not hide the next."""
    answer = tjgen(write(tmp_path, runtime=runtime, big=fields), "build", "experiments/big.yaml")
    assert answer.code == 1
    (written,) = [line for line in answer.err.splitlines() if line.startswith("  hint: ") and " pod" in line]
    assert written == f"  hint: {hint}"


@pytest.mark.parametrize(
    ("platform", "fields", "reason", "hint"),
    [
        pytest.param(
            POOL % "", "nodes: 5, gpu: a100:8", "Insufficient nvidia.com/gpu", '4 of 5 pods of "node" fit', id="too many pods"
        ),
        pytest.param(POOL % "", "gpu: a100:1, cpu: 200", "Insufficient cpu", "request at most 96 of cpu", id="too large a pod"),
        pytest.param(TAINTED, "gpu: a100:1", "untolerated taint", "{key: team, operator: Equal, value: vision", id="a taint"),
        pytest.param(
            POOL % "", "gpu: h100:1", "node affinity/selector", "change the device class of gpu to a100", id="another product"
        ),
        pytest.param(UNLABELED, "gpu: h100:1", "node affinity/selector", "write like: h100 in the node pool", id="no label"),
        pytest.param(TAINTED, "gpu: h100:1, cpu: 200", "untolerated taint", "request at most 96 of cpu", id="several causes"),
    ],
)
def test_a_build_reports_a_run_that_never_starts(tmp_path: Path, platform: str, fields: str, reason: str, hint: str) -> None:
    """TJ580 with the sentence of the scheduler, at a line of the experiment, and the change that helps."""
    answer = tjgen(write(tmp_path, platform, big=fields), "build", "experiments/big.yaml")
    assert answer.code == 1
    assert "error[TJ580] experiments/big.yaml:4:" in answer.err
    assert reason in answer.err
    assert hint in answer.err.partition("hint: ")[2]


def test_a_platform_without_nodes_reports_nothing_in_a_build_and_tj585_in_fit(tmp_path: Path) -> None:
    """The nodes are unknown."""
    folder = write(tmp_path, "  quotas: {vision: {pods: 100}}", big="nodes: 500, gpu: a100:8")
    assert "TJ580" not in tjgen(folder, "build").err
    answer = tjgen(folder, "fit")
    assert (answer.code, "error[TJ585] platform.yaml:3:18: Platform lab has no nodes" in answer.err) == (1, True)


def test_runs_start_by_priority_and_the_others_wait(tmp_path: Path) -> None:
    """A run with a higher priority comes first; a run without a gang keeps the nodes of its pods."""
    urgent = f"nodes: 3, gpu: a100:8, {SMALL}, schedule: {{priorityClassName: urgent}}"
    folder = write(tmp_path, big=f"nodes: 2, gpu: a100:8, {SMALL}", small=f"gpu: a100:1, {SMALL}", urgent=urgent)
    answer = tjgen(folder, "fit", "--format", "json")
    runs = results(answer)
    assert answer.code == 0
    assert {name: run["order"] for name, run in runs.items()} == {"urgent": 1, "big": None, "small": None}
    assert runs["small"]["result"] == "waits"
    assert "4 Insufficient nvidia.com/gpu" in runs["small"]["message"]


def test_a_gang_that_waits_leaves_its_nodes_to_others(tmp_path: Path) -> None:
    """All pods of a gang of Volcano start together, or none."""
    urgent = f"nodes: 3, gpu: a100:8, {SMALL}, schedule: {{priorityClassName: urgent}}"
    fields = {"big": f"nodes: 2, gpu: a100:8, {SMALL}", "small": f"gpu: a100:1, {SMALL}", "urgent": urgent}
    runs = results(tjgen(write(tmp_path, runtime="tjgen-torch-volcano", **fields), "fit", "--format", "json"))
    assert {name: run["order"] for name, run in runs.items()} == {"urgent": 1, "big": None, "small": 2}


def test_exclusive_placement_takes_a_domain_for_each_job(tmp_path: Path) -> None:
    """Each Job has a rack of its own, so a third one waits for two racks."""
    exclusive = "pod: {annotations: {alpha.jobset.sigs.k8s.io/exclusive-topology: rack}}"
    fields = f"target: jobset, nodes: 2, gpu: a100:1, {SMALL}, {exclusive}"
    folder = write(tmp_path, POOL % ", topology: {rack: 2}", first=fields, second=fields, third=fields)
    runs = results(tjgen(folder, "fit", "--format", "json"))
    assert {name: run["order"] for name, run in runs.items()} == {"first": 1, "second": 2, "third": None}


@pytest.mark.parametrize(
    ("platform", "code", "text"),
    [
        pytest.param("  nodes: [missing.yaml]", "TJ583", "missing.yaml does not exist", id="no file"),
        pytest.param(
            "  nodes: [table.txt]", "TJ583", "table.txt:1:1: table.txt: the value is not a Node", id="a table of kubectl"
        ),
        pytest.param("  nodes: [half.json]", "TJ001", "half.json:1:12", id="no JSON"),
        pytest.param("  nodes: [taint.json]", "TJ583", "a taint of a Node has the effect Never", id="taint of a file"),
        pytest.param("  nodes: [negative.json]", "TJ583", "Node a has a negative amount of cpu", id="a negative amount"),
        pytest.param("  nodes: [unnamed.json]", "TJ583", "a Node has no metadata.name", id="a node without a name"),
        pytest.param(
            "  nodePools: {a: {count: 1, resources: {cpu: 1, memory: 1Gi}, taints: [{key: a}]}}", "TJ584", "no effect", id="taint"
        ),
        pytest.param(
            "  nodePools: {a: {count: 1, resources: {cpu: 1, memory: 1Gi}, taints: [{value: a}]}}", "TJ584", "no key", id="key"
        ),
        pytest.param("  nodes: [tjgen.yaml]", "TJ583", "a Project is not a Node", id="no node"),
        pytest.param(
            "  nodePools: {a: {count: 1, like: b100, resources: {cpu: 1, memory: 1Gi}}}", "TJ584", "not a device", id="class"
        ),
        pytest.param("  nodePools: {a: {count: 1, resources: {cpu: 1}}}", "TJ584", "node pool a has no memory", id="no memory"),
        pytest.param("  nodePools: {a: {count: 1, like: cpu2}}", "TJ584", "no cpu and no memory", id="nothing"),
    ],
)
def test_nodes_that_cannot_be_used_are_errors(tmp_path: Path, platform: str, code: str, text: str) -> None:
    """At the line of the Platform or in the file; a build and fit stop."""
    folder = write(tmp_path, platform, small="nodes: 1")
    (folder / "table.txt").write_text("NAME   STATUS\nnode-a   Ready\n", encoding="utf-8")
    (folder / "half.json").write_text('{"items": [\n', encoding="utf-8")
    node = {"kind": "Node", "spec": {"taints": [{"key": "a", "effect": "Never"}]}, "status": {"allocatable": {"cpu": 1}}}
    (folder / "taint.json").write_text(json.dumps(node), encoding="utf-8")
    unnamed = {"kind": "Node", "status": {"allocatable": {"cpu": "-3", "memory": "1Gi"}}}
    (folder / "unnamed.json").write_text(json.dumps(unnamed), encoding="utf-8")
    (folder / "negative.json").write_text(json.dumps({**unnamed, "metadata": {"name": "a"}}), encoding="utf-8")
    for command in ("build", "fit"):
        answer = tjgen(folder, command)
        assert (answer.code, f"error[{code}]" in answer.err, text in answer.err) == (1, True, True), answer.err


def test_a_changed_file_of_nodes_changes_the_next_build(tmp_path: Path) -> None:
    """A build remembers its results, and forgets them with the nodes."""
    node = "apiVersion: v1\nkind: Node\nmetadata: {name: a}\nstatus: {allocatable: {cpu: %d, memory: 64Gi, pods: 110}}\n"
    folder = write(tmp_path, "  nodes: [nodes.yaml]", small="nodes: 1, cpu: 8, memory: 8Gi")
    warned = []
    for processors in (16, 4, 16):
        (folder / "nodes.yaml").write_text(node % processors, encoding="utf-8")
        warned.append("warning[TJ580]" in tjgen(folder, "build", "-o", "deploy").err)
    assert warned == [False, True, False]


FLAVORS = """\
  nodePools:
    small: {count: 1, like: a100, devices: 4, labels: {pool: small}, resources: {cpu: 96, memory: 1000Gi}}
    large: {count: 2, like: a100, devices: 8, labels: {pool: large}, resources: {cpu: 96, memory: 1000Gi}}
  flavors: {small: {nodeLabels: {pool: small}}, large: {nodeLabels: {pool: large}}}
  queues:
    vision:
      create:
        kueue:
          namespaces: [vision]
          flavors:
          - {name: small, quota: {cpu: 96, memory: 1000Gi, nvidia.com/gpu: 8}}
          - {name: large, quota: {cpu: 192, memory: 2000Gi, nvidia.com/gpu: 16}}
"""


def test_a_run_that_fits_only_a_later_flavor_of_its_queue_may_start(tmp_path: Path) -> None:
    """Kueue assigns the first flavor with quota, whose nodes are too small, unless other runs use that quota."""
    queue = "schedule: {system: kueue, queue: vision}"
    fields = f"gpu: a100:8, {SMALL}, {queue}"
    alone = tjgen(write(tmp_path, FLAVORS, second=fields), "fit")
    assert alone.code == 0, alone.err
    assert "may not start" in alone.out
    assert "warning[TJ582] experiments/second.yaml:3:18: run second may not start on the nodes of Platform lab" in alone.err
    assert "hint: all pods fit in flavor large" in alone.err
    assert "TJ580" not in tjgen(tmp_path, "build").err
    runs = results(tjgen(write(tmp_path, FLAVORS, first=f"gpu: a100:4, {SMALL}, {queue}"), "fit", "--format", "json"))
    assert {name: (run["order"], run["flavors"]) for name, run in runs.items()} == {
        "first": (1, ["small"]),
        "second": (2, ["large"]),
    }


COHORT = """\
  nodePools:
    a100: {count: 4, like: a100, devices: 8, resources: {cpu: 96, memory: 1000Gi}}
  priorityClasses: {urgent: {value: 1000}, idle: {value: -10, preemptionPolicy: Never}}
  queues:
    vision:
      create:
        kueue:
          namespaces: [vision]
          cohort: all
          preemption: {withinClusterQueue: LowerPriority, reclaimWithinCohort: Any}
          flavors: [{name: default, quota: {cpu: 200, memory: 2000Gi, nvidia.com/gpu: 16}}]
    batch:
      create:
        kueue:
          namespaces: [vision]
          cohort: all
          flavors: [{name: default, quota: {cpu: 200, memory: 2000Gi, nvidia.com/gpu: 16}}]
"""


def in_queue(name: str, more: str = "") -> str:
    """Fields of a run with eight devices in a queue of Kueue."""
    return f"gpu: a100:8, {SMALL}, schedule: {{system: kueue, queue: {name}{more}}}"


def test_a_queue_reclaims_what_others_borrow_of_its_quota(tmp_path: Path) -> None:
    """While the second run of one queue does not fit, the other queue borrows, and its run is evicted for the third."""
    runs = {"a1": in_queue("vision"), "a2": f"nodes: 2, {in_queue('vision')}", "a3": in_queue("vision")}
    folder = write(tmp_path, COHORT, **runs, b1=f"nodes: 2, {in_queue('batch')}", b2=in_queue("batch"))
    answer = tjgen(folder, "fit")
    assert answer.code == 0
    assert "starts, evicts vision/b2" in answer.out
    assert "is evicted, waits for the queue" in answer.out
    reason = "run b2 waits for queue batch, evicted for vision/a3, reclamation within the cohort: couldn't assign flavors"
    assert reason in answer.err
    one = results(tjgen(folder, "fit", "--format", "json"))
    assert (one["a3"]["evicts"], one["b2"]["result"], one["b2"]["order"]) == (["vision/b2"], "waits", None)
    report = folder / "report.html"
    tjgen(folder, "report", "-o", str(report))
    page = report.read_text(encoding="utf-8")
    assert "starts, evicts vision/b2" in page
    assert "Can be evicted by class urgent" in page


@pytest.mark.parametrize(
    "rules",
    [
        pytest.param("{withinClusterQueue: 7, reclaimWithinCohort: Sometimes, borrowWithinCohort: Never}", id="unknown policies"),
        pytest.param("{reclaimWithinCohort: LowerPriority, borrowWithinCohort: [1]}", id="a list"),
        pytest.param(
            "{reclaimWithinCohort: Any, borrowWithinCohort: {policy: LowerPriority, maxPriorityThreshold: high}}", id="a word"
        ),
    ],
)
def test_preemption_rules_that_kueue_does_not_know_evict_nothing(tmp_path: Path, rules: str) -> None:
    """The runs start as their quota allows."""
    platform = COHORT.replace("{withinClusterQueue: LowerPriority, reclaimWithinCohort: Any}", rules)
    folder = write(tmp_path, platform, a1=in_queue("vision"), b1=f"nodes: 2, {in_queue('batch')}", b2=in_queue("batch"))
    one = results(tjgen(folder, "fit", "--format", "json"))
    assert [name for name, run in one.items() if run["evicts"]] == []
    assert sum(bool(run["order"]) for run in one.values()) == 3


def test_fit_lists_the_classes_and_queues_that_can_evict_a_run(tmp_path: Path) -> None:
    """A higher class of the queue or of the scheduler, and queues whose quota the run borrows."""
    folder = write(tmp_path, COHORT, b1=f"nodes: 2, {in_queue('batch')}", b2=in_queue("batch"), a1=in_queue("vision"))
    one = results(tjgen(folder, "fit", "--format", "json"))
    assert {name: run["evictableBy"] for name, run in one.items()} == {
        "a1": ["class urgent"],
        "b1": ["class urgent", "queue vision"],
        "b2": ["class urgent", "queue vision"],
    }
    urgent = in_queue("vision", ", workloadPriority: urgent, priorityClassName: urgent")
    one = results(tjgen(write(tmp_path, COHORT, a1=urgent), "fit", "--format", "json", "experiments/a1.yaml"))
    assert (one["a1"]["workloadPriority"], one["a1"]["evictableBy"]) == (1000, [])
    assert "CAN BE EVICTED BY" not in tjgen(folder, "fit", "experiments/a1.yaml").out


def test_pods_that_fit_in_another_order_may_start() -> None:
    """The small pod goes to the large node if it comes first."""
    nodes = [
        read_node({"metadata": {"name": name}, "status": {"allocatable": {"cpu": cpu, "memory": "64Gi", "pods": 110}}})
        for name, cpu in (("small", 8), ("large", 16))
    ]
    shared = FitCluster(ScheduledCluster(nodes), QueueSnapshot([]), {}, "lab", {}, {})
    manifest = Manifest({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}}, {})

    def of(**roles: int) -> FitRun:
        sets = []
        for role, cpu in roles.items():
            spec = {"containers": [{"name": "node", "resources": {"requests": {"cpu": cpu, "memory": "1Gi"}}}]}
            sets.append(DemandSet(role, (read_pod({"metadata": {"name": role}, "spec": spec}),), manifest, (), ()))
        return FitRun("-".join(roles), "vision", "", Demand(tuple(sets), 0, 0, 0))

    (worker,), (launcher,), (never,) = (
        verdicts([one], shared) for one in (of(small=8, large=16), of(large=16, small=8), of(large=16, huge=17))
    )
    assert (worker.result, worker.condition) == ("may not start", "all pods fit if they are scheduled in the order large, small")
    assert "2 Insufficient cpu" in worker.message
    assert (launcher.result, launcher.condition) == ("starts", "")
    assert (never.result, never.condition) == ("never starts", "")


def test_verify_reports_changed_runs_that_never_start(tmp_path: Path) -> None:
    """At the line of the experiment, as a build does; the output tree stays as it is."""
    folder = write(tmp_path, small=f"nodes: 2, gpu: a100:8, {SMALL}")
    project = folder / "tjgen.yaml"
    project.write_text(project.read_text(encoding="utf-8").replace("spec: {", "spec: {output: {directory: deploy}, "))
    for words in (["init", "-q"], ["config", "user.name", "Ada"], ["config", "user.email", "ada@example.com"]):
        git(folder, *words)
    assert tjgen(folder, "build").code == 0
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "Add small")
    assert tjgen(folder, "verify", "--base", "HEAD").code == 0
    write(folder, small=f"nodes: 5, gpu: a100:8, {SMALL}")
    project.write_text(project.read_text(encoding="utf-8").replace("spec: {", "spec: {output: {directory: deploy}, ", 1))
    answer = tjgen(folder, "verify", "--base", "HEAD")
    assert answer.code == 1
    assert "error[TJ580] experiments/small.yaml:4:" in answer.err + answer.out
    assert '4 of 5 pods of "node" fit' in answer.err + answer.out


def git(folder: Path, *words: str) -> None:
    """Run git in the folder."""
    subprocess.run(["git", *words], cwd=folder, check=True)


@pytest.mark.parametrize("queues", [pytest.param(0, id="without queues"), pytest.param(4, id="in queues with preemption")])
def test_a_thousand_runs_on_two_hundred_nodes_take_few_calls(queues: int) -> None:
    """Equal nodes and equal pods are judged once."""
    quota = {"nvidia.com/gpu": 400, "cpu": 10_000_000, "memory": 2**50}
    flavor, rules = ResourceFlavor("default", {}, (), ()), ClusterQueuePreemption("LowerPriority", "Any")
    every = [ClusterQueue(f"q{i}", [(flavor, quota)], "lab", preemption=rules) for i in range(queues)]
    spec: dict[str, Any] = {"status": {"allocatable": {"cpu": "192", "memory": "2000Gi", "pods": 110, "nvidia.com/gpu": 8}}}
    nodes = [read_node({"metadata": {"name": f"n{i}", "labels": {"rack": str(i // 16)}}, **spec}) for i in range(200)]
    shared = FitCluster(ScheduledCluster(nodes), QueueSnapshot(every), {}, "lab", {}, {})
    manifest = Manifest({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}}, {})
    runs = []
    for i in range(1000):
        gpus, number = (1, 2, 4, 8)[i % 4], (1, 2, 4, 8, 16)[i % 5]
        resources = {"limits": {"nvidia.com/gpu": gpus}, "requests": {"cpu": gpus * 8, "memory": f"{gpus * 64}Gi"}}
        pod = read_pod({"metadata": {"name": f"r{i}"}, "spec": {"containers": [{"name": "node", "resources": resources}]}})
        gang = number * (i % 2)
        demand = Demand((DemandSet("node", (pod,) * number, manifest, (), ()),), 0, gang, gang, i % 3)
        runs.append(FitRun(f"r{i}", "vision", f"q{i % queues}" if queues else "", demand))
    profile = cProfile.Profile()
    several = profile.runcall(verdicts, runs, shared)
    calls = sum(one.callcount for one in profile.getstats())
    assert calls < (1_500_000 if queues else 800_000)  # 1,223,161 and 641,749 on Python 3.11
    assert 50 < sum(one.order > 0 for one in several) < 1000


def test_runs_that_are_not_promoted_are_reported(tmp_path: Path) -> None:
    write(tmp_path, small=f"gpu: a100:1, {SMALL}")
    environments = "spec: {environments: {prod: {runs: promoted}}, "
    (tmp_path / "tjgen.yaml").write_text(PROJECT.replace("spec: {", environments), encoding="utf-8")
    answer = tjgen(tmp_path, "fit")
    assert (answer.code, answer.out) == (0, "")
    assert "info[TJ736] 1 run is not shown: prod contains promoted runs only" in answer.err


def test_a_run_that_is_not_promoted_is_not_reported_for_another_one(tmp_path: Path) -> None:
    write(tmp_path, small=f"gpu: a100:1, {SMALL}", other=f"gpu: a100:1, {SMALL}")
    environments = "spec: {environments: {dev: {namespace: dev}, prod: {namespace: prod, runs: promoted}}, "
    (tmp_path / "tjgen.yaml").write_text(PROJECT.replace("spec: {", environments), encoding="utf-8")
    assert "info[TJ736] 2 runs are not shown" in tjgen(tmp_path, "fit").err
    assert "info[TJ736] 1 run is not shown" in tjgen(tmp_path, "fit", "small").err


def test_a_locked_run_is_placed_with_the_pods_of_the_tree(tmp_path: Path) -> None:
    """An overlay changes the pods of the source; a frozen run keeps its own, and fit reports both."""
    folder = in_tree(tmp_path)
    overlay(folder, 2)
    assert "TJ076" in tjgen(folder, "build").err
    (run,) = results(tjgen(folder, "fit", "--format", "json")).values()
    assert (run["pods"], run["result"], run["state"]) == (4, "starts", "locked, source differs")
    shrink(folder, 3)
    answer = tjgen(folder, "fit")
    assert answer.code == 1
    assert f"error[TJ580] experiments/big.yaml:3:18: run {run['run']} is locked with 4 pods and never starts" in answer.err
    assert f"  hint: the source requests 2 pods: tjgen build --renew {run['run']}\n" in answer.err
    overlay(folder, 3)
    (run,) = results(tjgen(folder, "fit", "--format", "json", "--set", "spec.nodes=1")).values()
    assert (run["pods"], run["state"]) == (1, "")


def test_a_locked_run_keeps_the_queue_of_the_tree(tmp_path: Path) -> None:
    folder = write(tmp_path, QUEUE, first=SMALL)
    unfixed(folder, "", "")
    project = PROJECT.replace("]}", "], overlays: [overlay.yaml], output: {directory: deploy}}")
    (folder / "tjgen.yaml").write_text(project, encoding="utf-8")
    overlay(folder, 1)
    committed(folder)
    text = (folder / "overlay.yaml").read_text(encoding="utf-8")
    queued = text.replace("nodes: 1", "schedule: {system: kueue, queue: team}")
    (folder / "overlay.yaml").write_text(queued, encoding="utf-8")
    assert "TJ076" in tjgen(folder, "build").err
    (run,) = results(tjgen(folder, "fit", "--format", "json")).values()
    assert (run["queue"], run["result"], run["state"]) == ("", "starts", "locked, source differs")


def test_a_run_that_no_source_requests_and_that_never_starts_is_an_error(tmp_path: Path) -> None:
    folder = in_tree(tmp_path)
    experiment = folder / "experiments/big.yaml"
    text = experiment.read_text(encoding="utf-8").replace("gpu: a100:8, ", "")
    experiment.write_text(text, encoding="utf-8")
    overlay(folder, 1)
    shrink(folder, 3)
    assert tjgen(folder, "build").code == 0
    answer = tjgen(folder, "fit", "big-*")
    assert answer.code == 1
    assert answer.err.count("error[TJ580] run big-") == 1, answer.err
    assert "is superseded in the tree with 4 pods and never starts: 0/3 nodes" in answer.err


@pytest.mark.parametrize("removed", [pytest.param(False, id="superseded"), pytest.param(True, id="orphaned")])
def test_a_run_that_no_source_requests_holds_its_nodes(tmp_path: Path, removed: bool) -> None:
    """Before and after the build that supersedes it, until it is archived."""
    folder = in_tree(tmp_path)
    experiment = folder / "experiments/big.yaml"
    text = experiment.read_text(encoding="utf-8")
    experiment.unlink()
    change = ("name: big", "name: next") if removed else ("64Gi", "65Gi")
    (folder / "experiments/next.yaml").write_text(text.replace(*change), encoding="utf-8")
    if removed:
        tjgen(folder, "build")
    for _ in range(2):
        runs = results(tjgen(folder, "fit", "--format", "json"))
        by_state = {run["state"]: run["result"] for run in runs.values()}
        assert by_state == {"orphaned" if removed else "superseded": "starts", "": "waits"}
        assert tjgen(folder, "build").code == 0
    old = next(name for name, run in runs.items() if run["state"])
    assert tjgen(folder, "runs", "archive", old).code == 0
    assert [run["result"] for run in results(tjgen(folder, "fit", "--format", "json")).values()] == ["starts"]


def test_nodes_that_shrink_block_new_runs_only(tmp_path: Path) -> None:
    """TJ580 is a warning for a run that exists, and an error for a new one, also for its renewal."""
    folder = in_tree(tmp_path)
    shrink(folder, 2)
    answer = tjgen(folder, "build")
    assert (answer.code, "warning[TJ580]" in answer.err, "tjgen runs archive big-" in answer.err) == (0, True, True)
    assert "if it is pending in the cluster, delete it there with kubectl" in answer.err
    assert "error[TJ580]" in tjgen(folder, "fit").err
    overlay(folder, 3)
    answer = tjgen(folder, "build", "--renew", "big*")
    assert (answer.code, "error[TJ580]" in answer.err) == (1, True)
    (folder / "experiments/new.yaml").write_text(
        (folder / "experiments/big.yaml").read_text(encoding="utf-8").replace("name: big", "name: new"), encoding="utf-8"
    )
    answer = tjgen(folder, "build")
    assert (answer.code, answer.err.count("error[TJ580]"), answer.err.count("warning[TJ580]")) == (1, 1, 1)


def test_fit_without_runs_prints_no_table(tmp_path: Path) -> None:
    """All runs are suspended."""
    answer = tjgen(write(tmp_path, big="state: suspended, nodes: 1"), "fit")
    assert (answer.code, answer.out, "there are no runs to place" in answer.err) == (0, "", True)


def in_tree(folder: Path) -> Path:
    """A project with an overlay and a tree with a run of four pods that fill the nodes."""
    write(folder, big=f"gpu: a100:8, {SMALL}, sharedMemory: 1Gi")
    experiment = folder / "experiments/big.yaml"
    experiment.write_text(experiment.read_text(encoding="utf-8").replace("naming: fixed, ", ""), encoding="utf-8")
    project = PROJECT.replace("]}", "], overlays: [overlay.yaml], output: {directory: deploy}}")
    (folder / "tjgen.yaml").write_text(project, encoding="utf-8")
    overlay(folder, 4)
    assert tjgen(folder, "build").code == 0
    return folder


def overlay(folder: Path, nodes: int) -> None:
    """Write the overlay that sets the number of pods."""
    text = "apiVersion: tjgen.dev/v1alpha1\nkind: Overlay\nmetadata: {name: size}\nspec: {experiment: {nodes: %d}}\n"
    (folder / "overlay.yaml").write_text(text % nodes, encoding="utf-8")


def shrink(folder: Path, count: int) -> None:
    """Write a Platform with fewer nodes."""
    (folder / "platform.yaml").write_text(PLATFORM % (POOL % "").replace("count: 4", f"count: {count}"), encoding="utf-8")


QUEUE = """\
  nodePools:
    a100: {count: 4, like: a100, devices: 8, resources: {cpu: 96, memory: 1000Gi}}
  flavors: {a100: {}}
  queues: {team: {create: {kueue: {namespaces: [vision], flavors: [{name: a100, quota: %s}]}}}}
"""
QUEUE %= "{cpu: 64, memory: 512Gi, nvidia.com/gpu: 16}"
QUEUED = f"gpu: a100:8, {SMALL}, schedule: {{system: kueue, queue: team}}"


def committed(folder: Path) -> None:
    """Build the tree of the project."""
    project = folder / "tjgen.yaml"
    text = project.read_text(encoding="utf-8")
    if "output" not in text:
        project.write_text(text.replace("spec: {", "spec: {output: {directory: deploy}, "), encoding="utf-8")
    answer = tjgen(folder, "build")
    assert answer.code == 0, answer.err


def unfixed(folder: Path, old: str, new: str) -> None:
    for path in (folder / "experiments").glob("*.yaml"):
        path.write_text(path.read_text(encoding="utf-8").replace("naming: fixed, ", "").replace(old, new), encoding="utf-8")


def test_a_run_of_a_queue_with_more_quota_than_nodes_gets_no_hint_to_use_a_gang(tmp_path: Path) -> None:
    platform = QUEUE.replace("gpu: 16", "gpu: 48").replace("cpu: 64, memory: 512Gi", "cpu: 640, memory: 5120Gi")
    write(tmp_path, platform, first=f"nodes: 3, {QUEUED}", second=f"nodes: 2, {QUEUED}")
    answer = tjgen(tmp_path, "fit")
    assert "queue team admits run second, but it waits for the nodes of Platform lab with 1 of 2 pods on nodes" in answer.err
    assert "hint: it holds its quota until nodes are free; if the queue has more quota than free nodes" in answer.err
    assert "gang scheduling" not in answer.err


def test_superseded_runs_that_hold_the_queue_are_named_with_the_command_that_removes_them(tmp_path: Path) -> None:
    write(tmp_path, QUEUE, first=QUEUED, second=QUEUED)
    unfixed(tmp_path, "", "")
    committed(tmp_path)
    old = sorted(path.name for path in (tmp_path / "deploy/runs/vision").glob("*/*"))
    unfixed(tmp_path, "train:1", "train:2")
    committed(tmp_path)
    answer = tjgen(tmp_path, "fit")
    assert answer.err.count("warning[TJ582]") == 2, answer.err
    command = f"tjgen runs prune {' '.join(old)}"
    hint = (
        f"superseded or orphaned runs hold part of it: {', '.join(old)}; if you no longer need them, run {command}; otherwise, "
    )
    assert answer.err.count(f"hint: {hint}it starts when other runs end") == 2, answer.err
    assert tjgen(tmp_path, *command.split()[1:]).code == 0
    again = tjgen(tmp_path, "fit")
    assert ("TJ582" in again.err, "2 of 2 runs can start" in again.out) == (False, True), again.out


def test_a_superseded_run_of_another_queue_is_not_named(tmp_path: Path) -> None:
    other = QUEUE.replace(
        "queues: {",
        "queues: {other: {create: {kueue: {namespaces: [vision], flavors: [{name: a100, quota: "
        "{cpu: 64, memory: 512Gi, nvidia.com/gpu: 8}}]}}}, ",
    )
    write(tmp_path, other, first=QUEUED.replace("team", "other"))
    unfixed(tmp_path, "", "")
    committed(tmp_path)
    unfixed(tmp_path, "other", "team")
    for name in ("second", "third"):
        (tmp_path / f"experiments/{name}.yaml").write_text(RUN % (name, "tjgen-torch", QUEUED), encoding="utf-8")
    committed(tmp_path)
    answer = tjgen(tmp_path, "fit")
    assert (answer.err.count("TJ582"), "prune" in answer.err) == (1, False), answer.err


def test_points_of_a_sweep_that_wait_for_one_reason_are_one_warning(tmp_path: Path) -> None:
    sweep = f"{QUEUED}, sweep: {{matrix: {{env.LR: [1, 2, 3, 4, 5]}}}}"
    answer = tjgen(write(tmp_path, QUEUE, tuning=sweep), "fit")
    assert answer.err.count("TJ582") == 1, answer.err
    assert "(and 2 more points like it) waits for queue team: " in answer.err
    assert answer.out.count("waits for the queue") == 3


def test_a_run_that_its_queue_admits_and_that_waits_for_nodes_is_no_contradiction(tmp_path: Path) -> None:
    platform = QUEUE.replace("count: 4", "count: 1")
    answer = tjgen(write(tmp_path, platform, first=QUEUED, second=QUEUED), "fit")
    assert "queue team admits run second, but it waits for the nodes of Platform lab: 0/1 nodes are available" in answer.err
    assert "lower its quota in the Platform, or add nodes" in answer.err
