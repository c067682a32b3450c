"""`tjgen fit` for queues of Kueue whose flavors have a topology."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.compiler.fit.test_fit import SMALL, results, write
from tests.program import tjgen
from tjgen.cluster.queueing.kueue.objects import TopologyRequest
from tjgen.compiler.fit.domains import topology_request

RACK, BLOCK = "example.com/rack", "example.com/block"
PLATFORM = """\
  nodePools:
    a100:
      count: 8
      like: a100
      devices: 8
      resources: {cpu: 96, memory: 1000Gi}
      topology: {example.com/block: 4, example.com/rack: 2}
  topologies:
    default: {levels: [example.com/block, example.com/rack, kubernetes.io/hostname]}
  flavors:
    a100: {nodeLabels: {nvidia.com/gpu.product: NVIDIA-A100-SXM4-80GB}, topology: default}
  queues:
    vision:
      create:
        kueue:
          namespaces: [vision]
          flavors: [{name: a100, quota: {cpu: 900, memory: 9000Gi, nvidia.com/gpu: 80}}]
"""
MISFIT = 'topology "default" allows to fit only 2 out of 4 pod(s)'


def run(nodes: int, topology: str = "", more: str = SMALL) -> str:
    """The fields of a run of the queue with 8 devices for each pod."""
    level = f", topology: {{{topology}}}" if topology else ""
    return f"nodes: {nodes}, gpu: a100:8, {more}, schedule: {{system: kueue, queue: vision{level}}}"


@pytest.mark.parametrize(
    ("fields", "code", "reason", "hint"),
    [
        pytest.param(
            run(4, f"required: {RACK}"),
            "TJ581",
            MISFIT,
            f"use topology: {{required: {BLOCK}}}, or topology: {{preferred: {RACK}}}, or at most 2 of 4 pods of node",
            id="a rack is too small",
        ),
        pytest.param(
            run(6, f"required: {BLOCK}"),
            "TJ581",
            'topology "default" allows to fit only 4 out of 6 pod(s)',
            f"use topology: {{preferred: {BLOCK}}}, or at most 4 of 6 pods of node",
            id="a block is too small",
        ),
        pytest.param(
            run(9, f"preferred: {RACK}"),
            "TJ581",
            'topology "default" allows to fit only 8 out of 9 pod(s)',
            "use at most 8 of 9 pods of node",
            id="all nodes are too few",
        ),
        pytest.param(
            run(4, f"required: {BLOCK}, slice: {{level: kubernetes.io/hostname, size: 2}}"),
            "TJ581",
            'topology "default" doesn\'t allow to fit any of 2 slice(s)',
            "use no slice",
            id="a slice is too large for its level",
        ),
        pytest.param(
            run(2, "required: example.com/rak"),
            "TJ587",
            'Flavor "a100" does not contain the requested level',
            f'did you mean "{RACK}"?',
            id="a level that does not exist",
        ),
    ],
)
def test_a_run_that_fits_no_domain_is_reported_at_its_topology(
    tmp_path: Path, fields: str, code: str, reason: str, hint: str
) -> None:
    """The sentence of Kueue, the line of the experiment, and each change with which the run starts."""
    write(tmp_path, PLATFORM, wide=fields)
    answer = tjgen(tmp_path, "fit", "--format", "json")
    assert answer.code == 1
    (diagnostic,) = json.loads(answer.err)
    assert diagnostic["code"] == code
    assert reason in diagnostic["message"]
    assert diagnostic["hint"] == hint
    assert diagnostic["path"].startswith("spec.schedule.topology.")
    assert diagnostic["place"]["line"] == 4
    built = tjgen(tmp_path, "build", "experiments/wide.yaml")
    assert built.code == 1
    assert f"error[{code}]" in built.err


@pytest.mark.parametrize("change", [f"required: {BLOCK}", f"preferred: {RACK}"])
def test_the_changes_of_the_hint_let_the_run_start(tmp_path: Path, change: str) -> None:
    """With each of them, the run has domains."""
    answer = tjgen(write(tmp_path, PLATFORM, wide=run(4, change)), "fit", "--format", "json")
    assert answer.code == 0
    assert results(answer)["wide"]["domains"] == "a100-0: 1, a100-1: 1, a100-2: 1, 1 more"


def test_runs_get_domains_next_to_each_other(tmp_path: Path) -> None:
    """Each run has a rack of its own; a third one waits, and a run without a level takes a node that is left."""
    runs = {name: run(2, f"required: {RACK}") for name in ("one", "three", "two")}
    filler = run(3, "unconstrained: true")
    answer = tjgen(write(tmp_path, PLATFORM, **runs, filler=filler), "fit", "--format", "json")
    every = results(answer)
    assert every["filler"]["domains"] == "a100-0: 1, a100-1: 1, a100-2: 1"
    assert every["one"]["domains"] == "a100-4: 1, a100-5: 1"
    assert every["three"]["domains"] == "a100-6: 1, a100-7: 1"
    assert every["two"]["result"] == "waits"
    assert every["two"]["message"].endswith(
        'topology "default" allows to fit only 1 out of 2 pod(s). Total nodes: 8; excluded: resource "nvidia.com/gpu": 7'
    )
    assert "DOMAINS" in tjgen(tmp_path, "fit").out


def test_a_queue_that_places_all_pods_needs_no_request(tmp_path: Path) -> None:
    """Kueue implies the lowest level if all flavors of the queue have a topology."""
    every = results(tjgen(write(tmp_path, PLATFORM, plain=run(2), wide=run(9)), "fit", "--format", "json"))
    assert every["plain"]["domains"] == "a100-0: 1, a100-1: 1"
    assert "allows to fit only 8 out of 9 pod(s)" in every["wide"]["message"]


@pytest.mark.parametrize(
    ("old", "new", "code", "message"),
    [
        pytest.param("topology: default}", "topology: defalt}", "TJ589", 'no topology "defalt"', id="an undescribed topology"),
        pytest.param(
            ", example.com/rack: 2}", "}", "TJ588", f"none of its nodes has the label {RACK}", id="a level without nodes"
        ),
        pytest.param("A100-SXM4-80GB}", "H100-80GB-HBM3}", "TJ588", "no node has its labels", id="a flavor without nodes"),
    ],
)
def test_a_flavor_without_domains_is_reported_at_its_line(tmp_path: Path, old: str, new: str, code: str, message: str) -> None:
    """A build reports it, too."""
    write(tmp_path, PLATFORM.replace(old, new), small=run(1))
    for command in (["fit"], ["build", "experiments/small.yaml"]):
        answer = tjgen(tmp_path, *command)
        assert f"warning[{code}] platform.yaml:" in answer.err
        assert message in answer.err


def test_an_undescribed_topology_keeps_no_run_from_starting(tmp_path: Path) -> None:
    """Its levels are unknown, so any level may exist."""
    platform = PLATFORM.replace("    default: {levels", "    other: {levels")
    every = results(tjgen(write(tmp_path, platform, small=run(2, f"required: {RACK}")), "fit", "--format", "json"))
    assert (every["small"]["result"], every["small"]["domains"]) == ("starts", "")


def test_a_queue_without_a_topology_refuses_a_request_for_a_level(tmp_path: Path) -> None:
    """TJ587 explains where the Platform sets one."""
    platform = PLATFORM.replace(", topology: default}", "}")
    answer = tjgen(write(tmp_path, platform, small=run(2, f"required: {RACK}")), "fit")
    assert answer.code == 1
    assert 'Flavor "a100" does not support TopologyAwareScheduling' in answer.err
    assert "hint: set topology of a flavor of queue vision" in answer.err


def test_two_nodes_of_one_name_are_an_error(tmp_path: Path) -> None:
    """Otherwise each of them counts."""
    write(tmp_path, "  nodes: [nodes.json, nodes.json]\n", small="gpu: a100:1")
    node = {"kind": "Node", "metadata": {"name": "gpu-1"}, "status": {"allocatable": {"cpu": "8"}}}
    (tmp_path / "nodes.json").write_text(json.dumps(node), encoding="utf-8")
    answer = tjgen(tmp_path, "fit")
    assert answer.code == 1
    assert "error[TJ583] platform.yaml:5:10: 2 nodes have the name gpu-1" in answer.err


@pytest.mark.parametrize(
    ("annotations", "wanted"),
    [
        ({}, None),
        ({"group-name": "run"}, None),
        ({"required-topology": "a", "preferred-topology": "b", "group-name": "run"}, TopologyRequest("a", group="run")),
        ({"unconstrained-topology": "true"}, TopologyRequest(unconstrained=True)),
        ({"slice-required-topology": "a", "slice-size": "2"}, TopologyRequest(slices=(("a", 2),))),
        ({"slice-required-topology": "a", "slice-size": "two"}, None),
        (
            {"slice-required-topology-constraints": '[{"topology": "a", "size": 4}, {"topology": "b", "size": 2}]'},
            TopologyRequest(slices=(("a", 4), ("b", 2))),
        ),
        ({"slice-required-topology-constraints": "["}, None),
    ],
)
def test_annotations_are_read_as_kueue_reads_them(annotations: dict[str, str], wanted: TopologyRequest | None) -> None:
    """Annotations that a webhook refuses count as absent."""
    assert topology_request({f"kueue.x-k8s.io/podset-{key}": value for key, value in annotations.items()}) == wanted
