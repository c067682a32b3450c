"""Names that follow content: pinned, since users keep them in Git and clusters."""

from __future__ import annotations

import pytest

from tjgen.language.catalog.naming import digest, emitted_name

ANCESTOR = "trainer.kubeflow.org/trainjob-ancestor-step"


def spec(command: list[str], step: str = "trainer") -> dict[str, object]:
    container = {"name": "node", "image": "träin:1", "command": command}
    template = {"spec": {"template": {"spec": {"containers": [container]}}}, "metadata": {"labels": {ANCESTOR: step}}}
    return {
        "mlPolicy": {"numNodes": 2, "torch": {}},
        "template": {"spec": {"replicatedJobs": [{"name": "node", "template": template}]}},
    }


@pytest.mark.parametrize(
    ("runtime", "tree", "wanted"),
    [
        pytest.param("empty", {}, "empty-44136fa3", id="an empty spec"),
        pytest.param("acme-torch", spec(["python"]), "acme-torch-6ba9b903", id="a hash at the end"),
        pytest.param("acme-llama3.2-1b", spec(["tune", "run", "x"]), "f53f556e.acme-llama3.2-1b", id="torchtune: a hash before"),
        pytest.param("acme-torch", spec(["tune", "run"], "other"), "acme-torch-30aecde5", id="tune run beside the trainer"),
    ],
)
def test_pinned(runtime: str, tree: dict[str, object], wanted: str) -> None:
    assert emitted_name(runtime, tree) == wanted


def test_order_of_keys_does_not_count() -> None:
    assert digest({"a": {"b": 1, "c": 2}, "d": []}) == digest({"d": [], "a": {"c": 2, "b": 1}})


def test_every_value_counts() -> None:
    trees = [{}, {"a": None}, {"a": 1}, {"a": "1"}, {"a": True}, {"a": [1, 2]}, {"a": [2, 1]}, {"a": {"b": 1}}]
    assert len({digest(tree) for tree in trees}) == len(trees)
