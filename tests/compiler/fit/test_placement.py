"""`tjgen fit` for gangs of Volcano with a network topology, on nodes in HyperNodes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.compiler.fit.test_fit import SMALL, results, write
from tests.program import tjgen

PLATFORM = """\
  cluster: {networkTopologyAware: %s}
  nodePools:
    a100: {count: 8, like: a100, devices: 8, resources: {cpu: 96, memory: 1000Gi}, topology: {rack: 2, block: 4}}
  nodes: [hypernodes.yaml]
  queues: {vision: {create: {volcano: {weight: 1}}}}
"""


def hyper_node(name: str, tier: int, *members: dict[str, Any]) -> dict[str, Any]:
    """A HyperNode with these members."""
    spec = {"tier": tier, "members": list(members)}
    return {"apiVersion": "topology.volcano.sh/v1alpha1", "kind": "HyperNode", "metadata": {"name": name}, "spec": spec}


def nodes(**selector: Any) -> dict[str, Any]:
    """A member of type Node."""
    return {"type": "Node", "selector": selector}


def part(name: str) -> dict[str, Any]:
    """A member of type HyperNode."""
    return {"type": "HyperNode", "selector": {"exactMatch": {"name": name}}}


NODE = nodes(exactMatch={"name": "a100-0"})
RACKS = [hyper_node(f"rack-{i}", 1, nodes(labelMatch={"matchLabels": {"rack": f"a100-{i}"}})) for i in range(4)]
BLOCKS = [hyper_node(f"block-{i}", 2, part(f"rack-{2 * i}"), part(f"rack-{2 * i + 1}")) for i in range(2)]


def project(folder: Path, hyper_nodes: list[dict[str, Any]], aware: str = "true", **runs: str) -> Path:
    """A project with these HyperNodes and runs."""
    folder = write(folder, PLATFORM % aware, "tjgen-torch-volcano", **runs)
    (folder / "hypernodes.yaml").write_text(yaml.safe_dump_all(hyper_nodes), encoding="utf-8")
    return folder


def run(pods: int, topology: str = "") -> str:
    """The fields of a run that requests whole nodes."""
    within = f", networkTopology: {{{topology}}}" if topology else ""
    return f"nodes: {pods}, gpu: a100:8, {SMALL}, schedule: {{queue: vision{within}}}"


def fit(folder: Path) -> dict[str, Any]:
    """Run -> its result."""
    return results(tjgen(folder, "fit", "--format", "json"))


@pytest.mark.parametrize(
    ("pods", "topology", "place"),
    [
        pytest.param(2, "highestTierAllowed: 1", "rack-0", id="a rack"),
        pytest.param(2, "highestTierAllowed: 2", "rack-0", id="the lowest tier in which it fits"),
        pytest.param(3, "highestTierAllowed: 2", "block-0", id="a block"),
        pytest.param(4, "mode: soft", "block-0", id="a preference"),
        pytest.param(6, "mode: soft", "", id="a preference above all blocks"),
        pytest.param(6, "highestTierAllowed: 3", "", id="a tier above all HyperNodes"),
        pytest.param(6, "", "", id="no topology"),
    ],
)
def test_a_gang_starts_in_the_lowest_tier_in_which_it_fits(tmp_path: Path, pods: int, topology: str, place: str) -> None:
    """The column DOMAINS has the HyperNode."""
    found = fit(project(tmp_path, RACKS + BLOCKS, a=run(pods, topology)))["a"]
    assert (found["result"], found["domains"]) == ("starts", place)


def test_gangs_go_to_the_fullest_hyper_node(tmp_path: Path) -> None:
    """A second run fills the rack of the first, and so the third finds an empty one."""
    runs = {name: run(pods, "highestTierAllowed: 1") for name, pods in (("a", 1), ("b", 1), ("c", 2))}
    found = fit(project(tmp_path, RACKS + BLOCKS, **runs))
    assert [found[name]["domains"] for name in "abc"] == ["rack-0", "rack-0", "rack-1"]


@pytest.mark.parametrize(
    ("pods", "tier", "hint"),
    [
        pytest.param(3, 1, "use highestTierAllowed: 2, or mode: soft, or at most 2 of 3 pods of node", id="a higher tier"),
        pytest.param(5, 1, "use mode: soft, or at most 2 of 5 pods of node", id="no tier"),
        pytest.param(5, 2, "use mode: soft, or at most 4 of 5 pods of node", id="the highest tier"),
    ],
)
def test_a_gang_above_all_hyper_nodes_never_starts(tmp_path: Path, pods: int, tier: int, hint: str) -> None:
    """TJ580 at the topology, with the changes with which it fits. Without the topology, it starts."""
    folder = project(tmp_path, RACKS + BLOCKS, a=run(pods, f"highestTierAllowed: {tier}"))
    answer = tjgen(folder, "fit")
    assert answer.code == 1
    assert "error[TJ580] experiments/a.yaml:4:" in answer.err
    assert f"{pods}/{pods} tasks in gang unschedulable: pod group is not ready" in answer.err
    assert f"hint: {hint}\n" in answer.err
    assert "TJ580" in tjgen(folder, "build", "-o", "out").err


def test_the_sentence_names_the_hyper_node_that_was_tried(tmp_path: Path) -> None:
    """The rack has enough in total, and not on one of its nodes."""
    large = "nodes: 1, gpu: a100:8, cpu: 150, memory: 64Gi, schedule: {queue: vision, networkTopology: {highestTierAllowed: 1}}"
    answer = tjgen(project(tmp_path, RACKS, a=large), "fit")
    assert "Origin reason is a-node: In hyperNode rack-0: 0/2 nodes are unavailable: 2 Insufficient cpu." in answer.err
    assert "hint: request at most 96 of cpu for each pod\n" in answer.err


def test_a_gang_waits_while_others_use_the_racks(tmp_path: Path) -> None:
    """Two nodes are free, in different racks: TJ582."""
    block = run(3, "highestTierAllowed: 2")
    folder = project(tmp_path, RACKS + BLOCKS, a=block, b=block, c=run(2, "highestTierAllowed: 1"))
    found = fit(folder)
    assert [found[name]["domains"] for name in "abc"] == ["block-0", "block-1", ""]
    assert found["c"]["result"] == "waits"
    assert "hint: no HyperNode up to tier 1 has free nodes for all pods; it starts when" in tjgen(folder, "fit").err


def test_without_the_plugin_topologies_do_not_count(tmp_path: Path) -> None:
    """Volcano ignores them, as TJ399 of the build reports."""
    folder = project(tmp_path, RACKS, "false", a=run(4, "highestTierAllowed: 1"))
    assert fit(folder)["a"]["result"] == "starts"
    assert "TJ399" in tjgen(folder, "build", "-o", "out").err


@pytest.mark.parametrize(
    "members",
    [
        pytest.param([nodes(exactMatch={"name": "a100-0"}), nodes(exactMatch={"name": "absent"})], id="names"),
        pytest.param([nodes(regexMatch={"pattern": "^a100-0$"})], id="a pattern"),
        pytest.param(
            [nodes(labelMatch={"matchExpressions": [{"key": "rack", "operator": "In", "values": ["a100-0"]}]})], id="labels"
        ),
    ],
)
def test_members_are_selected_as_volcano_does(tmp_path: Path, members: list[dict[str, Any]]) -> None:
    """By name, by pattern, and by labels; names without a node do not count."""
    folder = project(
        tmp_path, [hyper_node("rack", 1, *members)], a=run(1, "highestTierAllowed: 1"), b=run(3, "highestTierAllowed: 1")
    )
    found = fit(folder)
    assert (found["a"]["domains"], found["b"]["result"]) == ("rack", "never")


@pytest.mark.parametrize(
    ("hyper_nodes", "reason"),
    [
        pytest.param([hyper_node("a", 1, NODE), hyper_node("a", 2, NODE)], "2 HyperNodes have the name a", id="a name twice"),
        pytest.param(
            [hyper_node("a", 1, part("b")), hyper_node("c", 1, part("b"))], "HyperNode b is a member of a and of c", id="parents"
        ),
        pytest.param(
            [hyper_node("a", 1, part("b")), hyper_node("b", 1, part("a"))], "HyperNode b is a member of itself", id="a circle"
        ),
        pytest.param(
            [{**hyper_node("a", 1, NODE), "apiVersion": "v1"}], "HyperNode a does not have the apiVersion", id="a version"
        ),
        pytest.param([{"kind": "HyperNode"}], "a HyperNode has no metadata.name or no spec", id="nothing"),
        pytest.param([hyper_node("a", "x", NODE)], "HyperNode a: spec.tier", id="a tier"),  # type: ignore[arg-type]
        pytest.param(
            [hyper_node("a", 1, nodes(regexMatch={"pattern": "a)"}))], "member regexMatch pattern is invalid", id="a pattern"
        ),
        pytest.param(
            [hyper_node("a", 1, nodes())], "Either ExactMatch or RegexMatch or LabelMatch must be specified", id="no selector"
        ),
        pytest.param(
            [hyper_node("a", 1, nodes(labelMatch={"matchExpressions": [{"key": "rack", "operator": "Has"}]}))],
            "HyperNode a: spec.members[0].selector.labelMatch.matchExpressions[0].operator",
            id="an operator",
        ),
    ],
)
def test_hyper_nodes_that_volcano_cannot_read_are_refused(tmp_path: Path, hyper_nodes: list[dict[str, Any]], reason: str) -> None:
    """TJ583."""
    answer = tjgen(project(tmp_path, hyper_nodes, a=run(1)), "fit")
    assert answer.code == 1
    assert "error[TJ583]" in answer.err
    assert reason in answer.err


def test_the_import_replaces_the_names(tmp_path: Path) -> None:
    """Members are listed by the aliases of their nodes; the result is read again."""
    racks = [hyper_node("row-7-rack-1", 1, nodes(regexMatch={"pattern": "^gpu"})), hyper_node("row-7", 2, part("row-7-rack-1"))]
    node = {"kind": "Node", "metadata": {"name": "gpu-17.corp"}, "status": {"allocatable": {"cpu": "8", "memory": "1Gi"}}}
    (tmp_path / "cluster.json").write_text(json.dumps({"kind": "List", "items": [node, *racks]}), encoding="utf-8")
    answer = tjgen(tmp_path, "nodes", "import", "cluster.json")
    assert (answer.code, answer.err) == (0, "")
    items = yaml.safe_load(answer.out)["items"]
    assert [one["metadata"]["name"] for one in items] == ["node-0", "hypernode-0", "hypernode-1"]
    assert items[1:] == [
        hyper_node("hypernode-0", 1, nodes(exactMatch={"name": "node-0"})),
        hyper_node("hypernode-1", 2, part("hypernode-0")),
    ]
    (tmp_path / "public.yaml").write_text(answer.out, encoding="utf-8")
    assert tjgen(tmp_path, "nodes", "import", "public.yaml").out == answer.out
