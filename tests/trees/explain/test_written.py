"""Field paths as people write them, and what they mean in a tree."""

from __future__ import annotations

import pytest

from tjgen.trees.explain.written import meant, meant_inside, nearest_path, steps_of
from tjgen.trees.fields.path import render

POD = {
    "metadata": {"labels": {"app": "a", "batch.kubernetes.io/job-name": "b"}},
    "spec": {
        "containers": [
            {"name": "node", "image": "torch", "ports": [{"containerPort": 29500}], "args": ["a", "b"]},
            {"name": "side", "image": "proxy", "volumeMounts": [{"name": "data", "mountPath": "/data"}]},
        ]
    },
}
JOB = {"spec": {"template": POD}}
NODE, SIDE = "spec.containers[name=node]", "spec.containers[name=side]"


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("spec.containers[0].image", [f"{NODE}.image"]),
        (".spec.containers[1].image", [f"{SIDE}.image"]),
        ("spec.containers.0.image", [f"{NODE}.image"]),
        ("spec.containers.side.image", [f"{SIDE}.image"]),
        ("spec.containers[side].image", [f"{SIDE}.image"]),
        ("spec.containers[name=side].image", [f"{SIDE}.image"]),
        ('spec.containers[name="side"].image', [f"{SIDE}.image"]),
        ('spec.containers[?(@.name=="side")].image', [f"{SIDE}.image"]),
        ("spec.containers.image", [f"{NODE}.image", f"{SIDE}.image"]),
        ("spec.containers[*].image", [f"{NODE}.image", f"{SIDE}.image"]),
        ("spec.containers[].image", [f"{NODE}.image", f"{SIDE}.image"]),
        ("spec.containers", ["spec.containers"]),
        ("spec.containers.node.ports[containerPort=29500]", [f"{NODE}.ports[containerPort=29500]"]),
        ("spec.containers.volumeMounts.data", [f"{SIDE}.volumeMounts[mountPath=/data]"]),
        ("spec.containers[0].args[1]", [f"{NODE}.args[1]"]),
        ("spec.containers[0].args[2]", []),
        ("metadata.labels.app", ["metadata.labels.app"]),
        ("metadata.labels.batch.kubernetes.io/job-name", ['metadata.labels["batch.kubernetes.io/job-name"]']),
        ("metadata.labels.batch\\.kubernetes\\.io/job-name", ['metadata.labels["batch.kubernetes.io/job-name"]']),
        ("metadata.*.app", ["metadata.labels.app"]),
        ("spec.containers[2].image", []),
        ("spec.image", []),
    ],
)
def test_a_written_path_means_paths_of_leaves(text: str, paths: list[str]) -> None:
    assert [render(path) for path in meant(POD, steps_of(text))] == paths


@pytest.mark.parametrize("text", ["spec[[", "spec.", "spec..containers", "spec.containers[0"])
def test_what_is_not_a_path_is_refused_with_its_position(text: str) -> None:
    with pytest.raises(ValueError, match=r"not a field path at character \d+: "):
        steps_of(text)


def test_a_path_of_the_pod_means_that_of_the_template() -> None:
    steps = steps_of("spec.containers[0].image")
    assert meant(JOB, steps) == []
    assert [render(path) for path in meant_inside(JOB, steps)] == [f"spec.template.{NODE}.image"]
    assert meant_inside(JOB, steps_of("image")) == []


@pytest.mark.parametrize(
    ("text", "near"),
    [
        ("spec.container[0].image", f"{NODE}.image"),
        ("spec.containers[0].imag", f"{NODE}.image"),
        ("spec.containers.imag", f"{NODE}.image"),
        ("spec.container[7].image", "spec.containers"),
        ("zzz.containers", None),
        ("spec.containers[7].image", None),
    ],
)
def test_the_nearest_path_corrects_one_step(text: str, near: str | None) -> None:
    assert nearest_path([POD], steps_of(text)) == near
