"""`tjgen report`: the section on pods and starts, and the timeline that it draws."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.checkout import ROOT
from tests.program import tjgen
from tests.tools.report.test_report import HOSTILE, Page
from tjgen.cluster.queueing.kueue.snapshot import QueueSnapshot
from tjgen.cluster.scheduling.cluster import ScheduledCluster, SchedulingAttempt
from tjgen.cluster.scheduling.node import read_node
from tjgen.cluster.scheduling.pod import SchedulingPod, read_pod
from tjgen.compiler.building.timelines import ClusterTimeline, PlannedRun
from tjgen.compiler.fit.demand import Demand, DemandSet
from tjgen.compiler.fit.timeline import BOUND, ESTIMATE, UNKNOWN, RunDuration, TimedRun, timeline
from tjgen.compiler.fit.verdicts import FitCluster, FitRun
from tjgen.tools.report.content import Report
from tjgen.tools.report.starts import section
from tjgen.tools.report.timeline_picture import timeline_picture
from tjgen.trees.manifests.manifest import Manifest

EXAMPLE = ROOT / "examples/fit"
GPU = "nvidia.com/gpu"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The example of `tjgen fit`."""
    shutil.copytree(EXAMPLE, tmp_path / "fit")
    return tmp_path / "fit"


def shared(devices: int) -> FitCluster:
    """One node."""
    node = {"metadata": {"name": "a"}, "status": {"allocatable": {"cpu": 96, "memory": "1Ti", "pods": 110, GPU: devices}}}
    return FitCluster(ScheduledCluster([read_node(node)]), QueueSnapshot([]), {}, "lab", {}, {})


def run(name: str, devices: int, number: int = 1) -> FitRun:
    """A run with plain pods."""
    spec = {"containers": [{"name": "node", "resources": {"limits": {GPU: devices}}}]}
    pod = read_pod({"metadata": {"name": name}, "spec": spec})
    manifest = Manifest({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}}, {})
    return FitRun(name, "vision", "", Demand((DemandSet("node", (pod,) * number, manifest, (), ()),), 0, 0, 0))


def test_the_example_shows_a_run_that_starts_one_that_waits_and_one_that_never_starts(folder: Path) -> None:
    """With pods, pools, flavors, the sentence and its line, and the times that follow from deadlines."""
    answer = tjgen(folder, "report")
    page = Page(answer.out)
    text = " ".join(page.text.split())
    assert answer.code == 1
    assert "7 nodes; 1 of 3 runs can start now" in text
    assert "vision / classify node x 2 vision a100 a100 x 2 starts now after at most 12 h" in text
    assert "vision / segment node x 1 vision a100 a100 x 1 waits for the queue after 12 h after at most 18 h" in text
    assert "vision / pretrain node x 6 - - - never starts - - run pretrain never starts on the nodes of Platform lab: 0/7" in text
    assert "experiments/pretrain.yaml:11:" in text or "experiments/pretrain.yaml:10:" in text
    assert "1 run never" in text
    (label,) = [value for tag, name, value in page.attributes if name == "aria-label" and value.startswith("Devices over time")]
    assert "a100 on all nodes: at most 16 in use, capacity 32. a100 in queue vision: at most 16 in use, quota 16." in label


def test_there_is_no_section_without_nodes_and_queues(folder: Path) -> None:
    """The nodes and quotas are unknown."""
    (folder / "platform.yaml").write_text(
        "apiVersion: tjgen.dev/v1alpha1\nkind: Platform\nmetadata: {name: lab}\nspec: {quotas: {vision: {pods: 9}}}\n",
        encoding="utf-8",
    )
    assert 'id="starts"' not in tjgen(folder, "report").out


def test_queues_count_if_the_nodes_are_unknown(folder: Path) -> None:
    """A Platform with a queue and no nodes."""
    platform = folder / "platform.yaml"
    text = platform.read_text(encoding="utf-8")
    platform.write_text(text[: text.index("  nodePools:")] + text[text.index("  flavors:") :], encoding="utf-8")
    text = " ".join(Page(tjgen(folder, "report").out).text.split())
    assert "nodes unknown, so only queues count; 2 of 3 runs can start now" in text
    assert "segment node x 1 vision a100 - waits for the queue after 12 h" in text


def test_clusters_are_apart(folder: Path) -> None:
    """Two environments on two Platforms: a part for each, and no total of both."""
    text = (folder / "platform.yaml").read_text(encoding="utf-8")
    (folder / "other.yaml").write_text(text.replace("name: lab", "name: other").replace("count: 4", "count: 8"), encoding="utf-8")
    environments = "{dev: {platform: lab}, prod: {platform: other}}"
    project = (folder / "tjgen.yaml").read_text(encoding="utf-8").replace("[platform.yaml]", "[platform.yaml, other.yaml]")
    (folder / "tjgen.yaml").write_text(f"{project}  environments: {environments}\n", encoding="utf-8")
    page = Page(tjgen(folder, "report").out)
    labels = [value for _, name, value in page.attributes if name == "aria-label" and value.startswith("Devices over time")]
    assert [("on lab" in one, "capacity 32" in one, "capacity 64" in one) for one in labels] == [
        (True, True, False),
        (False, False, True),
    ]
    text = " ".join(page.text.split())
    assert "7 nodes; 1 of 3 runs can start now" in text
    assert "11 nodes; 2 of 3 runs can start now" in text


def test_a_run_starts_when_the_end_of_another_frees_its_devices() -> None:
    """Ends free devices; a run without an end keeps them, and a run after it has no start."""
    runs = [run("first", 4), run("second", 4), run("third", 4), run("fourth", 8)]
    known = [RunDuration(BOUND, 50), RunDuration(UNKNOWN), RunDuration(ESTIMATE, 30), RunDuration(BOUND, 9)]
    timed = timeline(runs, known, shared(8))
    assert [(one.start, one.end) for one in timed] == [(0, 50), (0, None), (50, 80), (None, None)]
    assert [one.verdict.result for one in timed] == ["starts", "starts", "waits for the scheduler", "waits for the scheduler"]
    known[1] = RunDuration(ESTIMATE, 60)
    assert [(one.start, one.end) for one in timeline(runs, known, shared(8))] == [(0, 50), (0, 60), (50, 80), (80, 89)]


def test_pods_that_hold_nodes_keep_them_until_their_run_starts() -> None:
    """A run without a gang holds a part of the node while it waits for the rest."""
    runs = [run("first", 6), run("second", 2, 4), run("third", 2)]
    timed = timeline(runs, [RunDuration(BOUND, 10), RunDuration(BOUND, 10), RunDuration(BOUND, 5)], shared(8))
    assert timed[1].verdict.result == "waits, 1 of 4 pods on nodes"
    assert [one.start for one in timed] == [0, 10, 20]


def test_the_picture_says_which_bars_are_bounds() -> None:
    """A kind of bar for an estimate, a deadline, and an unknown end; the sums of each kind are exact."""
    runs = [run("first", 4), run("second", 2), run("third", 2)]
    known = [RunDuration(BOUND, 50), RunDuration(UNKNOWN), RunDuration(ESTIMATE, 30)]
    planned = [
        PlannedRun("", one, {"a100": 4 if one.duration.kind == BOUND else 2}, {}, ()) for one in timeline(runs, known, shared(8))
    ]
    picture = timeline_picture(ClusterTimeline("lab", 1, planned, {"a100": 8}, {}))
    assert picture is not None
    drawn = ElementTree.fromstring(f"<svg>{picture.marks}</svg>")
    assert drawn.findtext("./text") == "ends after the estimate of its author"
    classes = [one.attrib["class"] for one in drawn.iter("rect")]
    assert classes[:3] == ["bar-estimate", "bar-deadline", "bar-unknown"], "the legend"
    heights = [float(one.attrib["height"]) for one in drawn.iter("rect")][3:9]
    assert heights == [18, 36, 18, 18, 36, 18], "72 pixels for 8 devices: 2 unknown, 4 bounded, 2 estimated; then 2 and 4; then 2"
    assert classes[3:9] == [f"bar-{kind}" for kind in (UNKNOWN, BOUND, ESTIMATE, UNKNOWN, BOUND, UNKNOWN)]
    assert classes[9:] == ["bar-deadline", "bar-unknown", "bar-estimate"], "a bar for each run"
    assert len(drawn.findall(".//path[@class='rule']")) == 1


def test_hostile_names_stay_text() -> None:
    """Names of runs, roles, queues, pools, devices and Platforms."""
    own = run(HOSTILE, 4)._replace(queue=HOSTILE, namespace=HOSTILE)
    demand = own.demand._replace(sets=tuple(one._replace(role=HOSTILE) for one in own.demand.sets))
    (timed,) = timeline([own._replace(demand=demand)], [RunDuration(UNKNOWN)], shared(8))
    planned = PlannedRun(HOSTILE, timed, {HOSTILE: 4}, {HOSTILE: 1}, ())
    cluster = ClusterTimeline(HOSTILE, 1, [planned], {HOSTILE: 8}, {(HOSTILE, HOSTILE): 8})
    text = "".join(section(Report("", "", (), {}, (), (), {}, (), (), [cluster])))
    page = Page(text)
    assert "script" not in page.tags
    assert not [name for _, name, _ in page.attributes if name.startswith("on")]
    assert "<script>alert(1)</script>" in page.text
    assert not set("\u202e\u2066\x7f") & set(text)


def test_many_runs_have_rows_up_to_a_limit() -> None:
    """The picture stays readable; the table has the others."""
    runs = [run(f"r{number}", 1) for number in range(60)]
    timed: list[TimedRun] = timeline(runs, [RunDuration(BOUND, 60)] * 60, shared(8))
    assert [one.start for one in timed] == [number // 8 * 60 for number in range(60)]
    cluster = ClusterTimeline("lab", 1, [PlannedRun("", one, {"a100": 1}, {}, ()) for one in timed], {"a100": 8}, {})
    picture = timeline_picture(cluster)
    assert picture is not None
    assert "and 20 more runs, in the table below" in picture.marks


def test_pods_that_fit_no_node_are_not_tried_again_until_others_start(monkeypatch: pytest.MonkeyPatch) -> None:
    """With 1000 runs on 200 nodes, a pod is tried at most twice as often as pods are placed."""
    tries: list[bool] = []
    attempt = ScheduledCluster.attempt

    def counted(cluster: ScheduledCluster, pod: SchedulingPod, within: Sequence[int] | None = None) -> SchedulingAttempt:
        answer = attempt(cluster, pod, within)
        tries.append(answer.node is not None)
        return answer

    monkeypatch.setattr(ScheduledCluster, "attempt", counted)
    spec = {"status": {"allocatable": {"cpu": "192", "memory": "2000Gi", "pods": 110, GPU: 8}}}
    nodes = [read_node({"metadata": {"name": f"n{number}"}, **spec}) for number in range(200)]
    runs = [run(f"r{number}", (1, 2, 4, 8)[number % 4], (1, 2, 4, 8, 16)[number % 5]) for number in range(1000)]
    known = [RunDuration(BOUND, 3600 * (1 + number % 24)) for number in range(1000)]
    timed = timeline(runs, known, FitCluster(ScheduledCluster(nodes), QueueSnapshot([]), {}, "lab", {}, {}))
    assert all(one.start is not None for one in timed)
    assert len(tries) < 2 * sum(tries)
