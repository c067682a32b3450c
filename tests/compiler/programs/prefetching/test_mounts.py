"""Where the pods that train see the data of a prefetch: at its path, from the folder of its content."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.program import tjgen

CONTENT = "CONTENT"


def mounts(folder: Path, volume: dict[str, Any], path: str | None, **more: Any) -> dict[str, dict[str, str | None]]:
    """The mounts of the data's volume by container: path in the container -> folder of the volume; CONTENT is the data's."""
    prefetch = {"volume": "data", "source": "s3://bucket/set", **({"path": path} if path else {})}
    spec = {
        "target": "jobset",
        "runtime": "tjgen-torch",
        "script": "train.py",
        "nodes": 2,
        "volumes": {"data": {"pvc": "data", "readOnly": True, **volume}, "disk": {"emptyDir": {}, "mountPath": "/disk"}},
        "prefetch": prefetch,
        **more,
    }
    head = {"apiVersion": "tjgen.dev/v1alpha1", "kind": "Experiment", "metadata": {"name": "read", "namespace": "data"}}
    (folder / "experiment.yaml").write_text(yaml.safe_dump({**head, "spec": spec}), encoding="utf-8")
    answer = tjgen(folder, "build", "experiment.yaml")
    assert answer.code == 0, answer.err
    built = {one["kind"]: one for one in yaml.safe_load_all(answer.out)}
    target = next(
        one["value"] for one in built["Job"]["spec"]["template"]["spec"]["containers"][0]["env"] if one["name"] == "TARGET"
    )
    content = target.removeprefix("/tjgen/target/")
    pod = built["JobSet"]["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]["spec"]
    found: dict[str, dict[str, str | None]] = {}
    assert pod["initContainers"][0]["name"] == "tjgen-wait"  # what reads the data starts after it
    for container in [*pod["initContainers"], *pod["containers"]]:
        for mount in container.get("volumeMounts", []):
            if mount["name"] == "data":
                assert mount["readOnly"]
                below = mount.get("subPath", mount.get("subPathExpr"))
                seen = below.replace(content, CONTENT) if below is not None else None
                found.setdefault(container["name"], {})[mount["mountPath"]] = seen
    assert found.pop("tjgen-wait") == {"/tjgen/marks": None}
    return found


@pytest.mark.parametrize(
    ("volume", "path", "seen"),
    [
        ({"mountPath": "/data"}, None, {"/data": CONTENT}),
        ({"mountPath": "/data"}, "set", {"/data": None, "/data/set": CONTENT}),
        ({"mountPath": "/data/"}, "a/set/", {"/data/": None, "/data/a/set": CONTENT}),
        ({"mountPath": "/data", "subPath": "set"}, "set", {"/data": CONTENT}),
        ({"mountPath": "/data", "subPath": "set/train"}, "set", {"/data": f"{CONTENT}/train"}),
        ({"mountPath": "/data", "subPath": "train"}, None, {"/data": f"{CONTENT}/train"}),
        ({"mountPath": "/data", "subPath": "a"}, "a/set", {"/data": "a", "/data/set": CONTENT}),
        ({"mountPath": "/data", "subPath": "sets"}, "set", {"/data": "sets"}),
        (
            {"mounts": {"/train": {"subPath": "set/train"}, "/test": {"subPath": "set/test"}, "/other": {"subPath": "other"}}},
            "set",
            {"/train": f"{CONTENT}/train", "/test": f"{CONTENT}/test", "/other": "other"},
        ),
    ],
)
def test_the_main_container_sees_the_data_at_its_path(
    volume: dict[str, Any], path: str | None, seen: dict[str, str | None], tmp_path: Path
) -> None:
    assert mounts(tmp_path, volume, path) == {"node": seen}


def test_folders_of_slices_are_folders_of_the_data(tmp_path: Path) -> None:
    data = {"volume": "data", "path": "set", "slices": {"deliver": "subPath", "folder": "part-$(INDEX)", "over": "nodes"}}
    found = mounts(tmp_path, {"mountPath": "/data"}, "set", data=data)
    assert found == {"node": {"/data": f"{CONTENT}/part-$(TJGEN_SLICE_INDEX)"}}


def test_the_container_that_copies_a_slice_sees_the_data_too(tmp_path: Path) -> None:
    slices = {"deliver": "init", "scratch": "disk", "over": "nodes"}
    data = {"volume": "data", "path": "set", "items": {"list": ["a", "b"]}, "slices": slices}
    seen = {"/data": None, "/data/set": CONTENT}
    assert mounts(tmp_path, {"mountPath": "/data"}, "set", data=data) == {"tjgen-slice": seen, "node": seen}


def test_sources_have_folders_of_their_own(tmp_path: Path) -> None:
    def target(uri: str) -> str:
        text = yaml.safe_load((tmp_path / "experiment.yaml").read_text())
        text["spec"]["prefetch"]["source"] = uri
        (tmp_path / "experiment.yaml").write_text(yaml.safe_dump(text))
        job = next(one for one in yaml.safe_load_all(tjgen(tmp_path, "build", "experiment.yaml").out) if one["kind"] == "Job")
        [container] = job["spec"]["template"]["spec"]["containers"]
        return str(next(one["value"] for one in container["env"] if one["name"] == "TARGET"))

    mounts(tmp_path, {"mountPath": "/data"}, "set")
    assert target("s3://bucket/v1") == target("s3://bucket/v1")
    assert len({target(f"s3://bucket/v{number}") for number in range(3)}) == 3
