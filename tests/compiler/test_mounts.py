"""Mounts below read-only mounts: the container runtime cannot create their folders."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.program import tjgen

EXPERIMENT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Experiment
metadata: {name: digits, namespace: vision}
spec:
  runtime: tjgen-torch
  image: train:1
  script: train.py
  volumes:
    outer: {%s}
    inner: {%s}
"""
INNER = "emptyDir: {}, mountPath: /data/cache"


def reported(folder: Path, outer: str, inner: str = INNER) -> list[dict[str, str]]:
    (folder / "experiment.yaml").write_text(EXPERIMENT % (outer, inner), encoding="utf-8")
    answer = tjgen(folder, "build", "experiment.yaml", "--format", "json")
    assert answer.code == 0, answer.err
    return [one for one in json.loads(answer.err or "[]") if one["code"] == "TJ239"]


@pytest.mark.parametrize(
    "outer",
    [
        "pvc: corpus, mountPath: /data, readOnly: true",
        "pvc: corpus, mountPath: /data/, readOnly: true",
        "nfs: {server: nas, path: /exports}, mountPath: /data, readOnly: true",
        "pvc: corpus, mounts: {/data: {readOnly: true}, /out: {}}",
        "image: registry.example.com/data:1, mountPath: /data",
    ],
)
def test_a_mount_below_a_read_only_mount_is_reported(outer: str, tmp_path: Path) -> None:
    (one,) = reported(tmp_path, outer)
    assert one["severity"] == "warning"
    assert one["message"].startswith("/data/cache is below /data")
    assert one["message"].endswith('the container starts only if volume "outer" has the folder cache')


@pytest.mark.parametrize(
    ("outer", "inner"),
    [
        pytest.param("pvc: corpus, mountPath: /data", INNER, id="the outer mount is writable"),
        pytest.param("pvc: corpus, mountPath: /data, readOnly: true", "emptyDir: {}, mountPath: /database", id="another path"),
        pytest.param("configMap: settings, mountPath: /data, readOnly: true", INNER, id="the kubelet creates the folder"),
        pytest.param("pvc: corpus, mountPath: /data/cache/deep, readOnly: true", INNER, id="the inner mount is read-only"),
    ],
)
def test_other_mounts_are_not_reported(outer: str, inner: str, tmp_path: Path) -> None:
    assert reported(tmp_path, outer, inner) == []


def test_the_nearest_mount_counts(tmp_path: Path) -> None:
    outer = "pvc: corpus, mountPath: /data, readOnly: true"
    inner = "emptyDir: {}, mounts: {/data/cache: {}, /data/cache/deep: {}}"
    assert [one["message"].partition(" ")[0] for one in reported(tmp_path, outer, inner)] == ["/data/cache"]
