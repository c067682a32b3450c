"""What a Platform makes, synced twice by each engine: no error, and no difference afterwards."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.inputs import TREE, Input, built
from tests.e2e.rig import NEEDED, kubectl, rig
from tests.program import cases

pytestmark = NEEDED
NAME = "platform-makes-its-objects"
NOT_CONVERTED = "ClusterQueue:/spec/cohortName"
"""The rig has no webhook that turns versions of Kueue into each other, so it loses the fields that have other names in the
version that is stored."""


@pytest.fixture(params=["argocd", "flux"])
def platform(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[str, Path]]:
    """The tool, and the folder that it syncs."""
    monkeypatch.setenv("TJGEN_CACHE", "off")
    (case,) = [case for case in cases("cases") if case.name == NAME]
    one = built(Input(f"case {NAME}", case, ("platform.yaml",)), request.param, tmp_path)
    folder = tmp_path / f"case-{NAME}" / TREE / "platform"
    assert folder.is_dir()
    made = {tree["metadata"]["name"] for tree in one.manifests if tree["kind"] == "Namespace"}
    found = sorted({tree["metadata"].get("namespace", "") for tree in one.manifests} - made - {""})
    for namespace in found:
        kubectl("create", "namespace", namespace)
    yield request.param, folder
    for tree in reversed(one.manifests):
        words = ["-n", tree["metadata"]["namespace"]] if "namespace" in tree["metadata"] else []
        group, _, version = tree["apiVersion"].rpartition("/")
        kind = f"{tree['kind']}.{version}.{group}" if group else tree["kind"]
        kubectl("delete", kind, tree["metadata"]["name"], *words, "--ignore-not-found", "--wait=false")
    kubectl("delete", "namespace", *found, *made, "--ignore-not-found", "--timeout=300s")


def test_a_platform_is_synced_twice(platform: tuple[str, Path]) -> None:
    tool, folder = platform
    if tool == "argocd":
        words = ["--recurse", "--prune", "--repeat", "1", "--ignore", NOT_CONVERTED]
        report = rig("argo-sync", "--app", NAME, "--dir", str(folder), *words)
        assert [sync["phase"] for sync in report["syncs"]] == ["Succeeded", "Succeeded"], report["syncs"]
        differing = [
            one for one in report["state"]["resources"] if (one["status"], one["serverSideStatus"]) != ("Synced", "Synced")
        ]
        assert report["state"]["resources"]
        assert differing == []
    else:
        report = rig("flux-sync", "--name", NAME, "--dir", str(folder), "--prune", "--repeat", "1")
        assert [run.get("error") for run in report["runs"] if not run["ready"]] == []
        assert set(report["runs"][1]["changes"].values()) == {"unchanged"}
        assert {one["action"] for one in report["drift"]} == {"unchanged"}
