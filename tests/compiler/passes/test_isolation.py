"""When two tasks meet: in an item, in a folder that the other reads, where one writes; and when they do not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.program import tjgen
from tjgen.compiler.passes.isolation import met

READ = {"pvc": "corpus", "mountPath": "/corpus", "readOnly": True}
LIST = {"list": ["a/1", "a/2", "b/1"]}


@pytest.mark.parametrize(
    ("one", "other", "path"),
    [
        pytest.param(["a/1", "b"], ["a/2", "c"], None, id="apart"),
        pytest.param(["a/1", "b"], ["c", "b"], "b", id="the same item"),
        pytest.param(["a"], ["a/b/c"], "a/b/c", id="an item in a folder"),
        pytest.param(["x", "a/b/c"], ["a/b"], "a/b/c", id="the other way round"),
        pytest.param(["a"], ["ab/c"], None, id="a folder that begins alike"),
        pytest.param([""], ["a/b"], "a/b", id="an item in all there is"),
        pytest.param([""], [""], "", id="all there is, twice"),
        pytest.param([], [""], None, id="nothing"),
    ],
)
def test_what_paths_have_in_common(one: list[str], other: list[str], path: str | None) -> None:
    assert met(one, other) == path
    assert met(other, one) == path


def codes(folder: Path, left: Any, right: Any, data: Any = None, **volumes: Any) -> list[str]:
    spec = {
        "runtime": "tjgen-torch",
        "script": "train.py",
        "volumes": {"corpus": READ, **volumes},
        "tasks": {"left": left, "right": right},
    }
    if data is not None:
        spec["data"] = {"volume": "corpus", **data}
    head = {"apiVersion": "tjgen.dev/v1alpha1", "kind": "Experiment", "metadata": {"name": "apart", "namespace": "data"}}
    (folder / "experiment.yaml").write_text(yaml.safe_dump({**head, "spec": spec}))
    answer = tjgen(folder, "build", "experiment.yaml")
    assert answer.code == (1 if "error[" in answer.err else 0)
    return [line.partition("[")[2].partition("]")[0] for line in answer.err.splitlines() if line.startswith("error[")]


def volumes(**said: Any) -> dict[str, Any]:
    return {"volumes": {"corpus": said}}


@pytest.mark.parametrize(
    ("left", "right", "data", "found"),
    [
        pytest.param({}, {}, {}, ["TJ363"], id="all of one volume"),
        pytest.param({}, {}, {"shared": True}, [], id="all of one volume, and that is meant"),
        pytest.param({}, {}, {"items": LIST, "slices": {"over": "tasks"}}, [], id="divided over tasks"),
        pytest.param({}, {}, {"items": LIST, "slices": {}}, ["TJ363"], id="divided over the nodes of each"),
        pytest.param({}, {}, {"items": {"count": 10**9}, "slices": {"over": "tasks", "deliver": "range"}}, [], id="by number"),
        pytest.param({}, {}, {"items": {"count": 9}, "slices": {"deliver": "range"}}, ["TJ363"], id="by number, in each"),
        pytest.param(
            {},
            {"data": {"items": {"count": 8}}},
            {"items": {"count": 9}, "slices": {"over": "tasks", "deliver": "range"}},
            ["TJ363"],
            id="parts of different divisions",
        ),
        pytest.param({}, {}, {"slices": {"over": "tasks", "deliver": "subPath"}}, [], id="a folder each"),
        pytest.param({}, {}, {"slices": {"deliver": "subPath"}}, ["TJ363"], id="the folders of the nodes"),
        pytest.param({}, volumes(pvc="other"), {}, [], id="a claim each"),
        pytest.param({}, volumes(subPath="x"), {}, ["TJ363"], id="a folder and all"),
        pytest.param(volumes(subPath="x"), volumes(subPath="y"), {}, [], id="two folders"),
        pytest.param(volumes(hostPath="/a"), volumes(hostPath="/a/b"), {}, ["TJ363"], id="folders of nodes"),
        pytest.param(volumes(hostPath="/a"), volumes(hostPath="/ab"), {}, [], id="other folders of nodes"),
        pytest.param(
            volumes(nfs={"server": "s", "path": "/a"}), volumes(nfs={"server": "t", "path": "/a"}), {}, [], id="two servers"
        ),
        pytest.param(
            volumes(nfs={"server": "s", "path": "/a"}),
            volumes(nfs={"server": "s", "path": "/a/"}),
            {},
            ["TJ363"],
            id="one server",
        ),
        pytest.param(
            {"data": {"items": {"list": ["a"]}}}, {"data": {"items": {"list": ["a/1"]}}}, {"items": LIST}, ["TJ363"], id="nested"
        ),
        pytest.param({"data": {"path": "x"}}, {"data": {"path": "y"}}, {"items": LIST}, [], id="the same items elsewhere"),
    ],
)
def test_what_tasks_read(left: Any, right: Any, data: Any, found: list[str], tmp_path: Path) -> None:
    assert codes(tmp_path, left, right, data) == found


@pytest.mark.parametrize(
    ("volume", "found"),
    [
        pytest.param({"pvc": "out", "mountPath": "/out"}, ["TJ364"], id="a claim that exists"),
        pytest.param({"pvc": "out", "mountPath": "/out", "shared": True}, [], id="one that is meant to be shared"),
        pytest.param({"pvc": "out", "mountPath": "/out", "readOnly": True}, [], id="one that is only read"),
        pytest.param({"pvc": "out", "mountPath": "/out", "subPathExpr": "$(HOSTNAME)"}, [], id="folders that are not known"),
        pytest.param({"pvc": {"create": {"size": "1Gi"}}, "mountPath": "/out"}, [], id="a new one, with a folder for each run"),
        pytest.param({"emptyDir": {}, "mountPath": "/out"}, [], id="one of the pod"),
        pytest.param({"hostPath": "/out", "mountPath": "/out"}, ["TJ364"], id="a folder of nodes"),
        pytest.param({"pvc": "corpus", "mountPath": "/out"}, ["TJ364"], id="the claim that holds the data"),
    ],
)
def test_where_tasks_write(volume: Any, found: list[str], tmp_path: Path) -> None:
    assert sorted(set(codes(tmp_path, {"data": {"path": "x"}}, {"data": {"path": "y"}}, {}, out=volume))) == found
