"""Every example and every case, synced twice by each engine: no error, nothing changed by the second sync, no drift, and the
JobSets that are made are those that were previewed.

Run on demand, see rig.py, each mode on a cluster of its own (`-k flux`): the rig is slow to empty namespaces. What needs an
operator or a runtime that the rig has not is left out.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

from tests.e2e.inputs import Built, batches, built, inputs
from tests.e2e.rig import NEEDED, eventually, kubectl, live, rig
from tjgen.manifests.manifest import RUNS, STAGES
from tjgen.schema import store
from tjgen.schema.defaults import with_defaults
from tjgen.trainer import framework

pytestmark = NEEDED
NUMBER_OF_BATCHES = 2
SERVER_SIDE = "ServerSideApply=true"


class Sync(NamedTuple):
    """A batch as a tree, and the engine that syncs it."""

    tool: str
    client_side: bool
    batch: list[Built]
    folder: Path
    name: str

    def run(self) -> None:
        """One sync, which must succeed."""
        if self.tool == "argocd":
            self._argocd()
        else:
            self._flux()

    def drift(self) -> list[Any]:
        """What differs from Git, after a sync: for Argo CD by both of its comparisons."""
        if self.tool == "flux":
            return self._flux()
        report = self._argocd()
        for one in report["state"]["resources"]:
            assert not one.get("serverSideError"), one
        wrong = [one for one in report["state"]["resources"] if one.get("diff") or one.get("serverSideDiff")]
        assert wrong or report["state"]["status"] == report["state"]["serverSideStatus"] == "Synced", report["state"]
        return wrong

    def _argocd(self) -> Any:
        (policy,) = {yaml.safe_dump(one["spec"]["syncPolicy"]) for each in self.batch for one in each.sync}
        flags = ["--app", self.name, "--dir", str(self.folder), "--recurse", "--prune", "--timeout", "15m"]
        flags += [word for option in yaml.safe_load(policy)["syncOptions"] for word in ("--sync-option", option)]
        if self.client_side:
            # A sync of all objects, not only of those that differ: here every one has to stand a second apply.
            flags = [word for word in flags if word not in ("--sync-option", "ApplyOutOfSyncOnly=true")]
        report = rig("argo-sync", *flags)
        refused = [one for sync in report["syncs"] for one in sync["resources"] or () if one.get("syncResult") not in OK]
        assert [one["phase"] for one in report["syncs"]] == ["Succeeded"], refused or report["syncs"]
        return report

    def _flux(self) -> list[Any]:
        drift = []
        for stage in STAGES:
            stages = [one["spec"] for each in self.batch for one in each.sync if one["metadata"]["name"].endswith(f"-{stage}")]
            assert {(one["prune"], one["wait"], bool(one.get("dependsOn"))) for one in stages} == {(True, False, stage == RUNS)}
            if (self.folder / stage).exists():
                report = rig("flux-sync", "--name", f"{self.name}-{stage}", "--dir", str(self.folder / stage), "--prune")
                assert [one["error"] for one in report["runs"] if not one["ready"]] == []
                drift += [one for one in report.get("drift") or () if one["action"] not in ("unchanged", "skipped")]
        return drift

    @property
    def manifests(self) -> list[Any]:
        found = {path: text for one in self.batch for path, text in one.files.items() if path.endswith(".yaml")}
        return [yaml.safe_load(text) for text in found.values()]

    @property
    def namespaces(self) -> list[str]:
        return sorted({one["metadata"]["namespace"] for one in self.manifests})

    def versions(self) -> dict[tuple[str, str, str], str]:
        """What is in the cluster of what was applied -> its version, which every write changes."""
        wanted = {(one["kind"], one["metadata"]["namespace"], one["metadata"]["name"]) for one in self.manifests}
        found = {}
        for api_version, kind in sorted({(one["apiVersion"], one["kind"]) for one in self.manifests}):
            group = api_version.partition("/")[0] if "/" in api_version else ""
            for one in live(f"{kind}.{api_version.partition('/')[2]}.{group}" if group else kind, "-A"):
                key = (kind, one["metadata"]["namespace"], one["metadata"]["name"])
                if key in wanted:
                    found[key] = one["metadata"]["resourceVersion"]
        return found


OK = ("Synced", "Pruned", "PruneSkipped", "", None)
MODES = {"argocd, server-side": ("argocd", False), "argocd, client-side": ("argocd", True), "flux": ("flux", False)}


@pytest.fixture(scope="module", params=[f"{mode}, batch {number}" for mode in MODES for number in range(NUMBER_OF_BATCHES)])
def sync(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sync]:
    mode, number = request.param.rsplit(", batch ", 1)
    tool, client_side = MODES[mode]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TJGEN_CACHE", "off")
        folder = tmp_path_factory.mktemp("inputs")
        every = batches([one for one in [built(one, tool, folder) for one in inputs()] if possible(one)])
    assert len(every) == NUMBER_OF_BATCHES
    one = Sync(tool, client_side, every[int(number)], tmp_path_factory.mktemp("tree"), f"everything-{tool}-{number}")
    for each in one.batch:
        for path, text in each.files.items():
            place = one.folder / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(without_server_side(text) if client_side else text, encoding="utf-8")
    namespaces = one.namespaces
    kubectl("delete", "namespace", "--ignore-not-found", "--wait=true", "--timeout=600s", *namespaces)
    for namespace in namespaces:
        kubectl("create", "namespace", namespace)
    # Trainer refuses a run of Volcano that names a class which is not there.
    for priority in sorted(priority_classes([tree for each in one.batch for tree in (*each.manifests, *each.previews)])):
        kubectl("delete", "priorityclass", priority, "--ignore-not-found")
        kubectl("create", "priorityclass", priority, "--value=1000")
    yield one
    kubectl("delete", "namespace", "--wait=false", *namespaces)


def possible(one: Built) -> bool:
    """Whether the cluster knows the kinds of an input, and the input brings the runtimes that it refers to."""
    kinds = {(tree["apiVersion"], tree["kind"]) for tree in (*one.manifests, *one.previews)}
    brought = {tree["metadata"]["name"] for tree in one.manifests if tree["kind"] == "TrainingRuntime"}
    wanted = {tree["spec"]["runtimeRef"]["name"] for tree in one.manifests if tree["kind"] == "TrainJob"}
    return kinds <= served() and wanted <= brought


@cache
def served() -> set[tuple[str, str]]:
    """The kinds that the cluster knows: the rig has not every operator that a run may be for, Fluid for one."""
    lines = [line.split() for line in kubectl("api-resources", "--no-headers").splitlines()]
    return {(words[-3], words[-1]) for words in lines}


def priority_classes(tree: Any) -> set[str]:
    """The classes that pods in a tree name, but for those that every cluster has."""
    if isinstance(tree, list):
        return set().union(*map(priority_classes, tree))
    if not isinstance(tree, dict):
        return set()
    named = {tree["priorityClassName"]} if isinstance(tree.get("priorityClassName"), str) else set()
    return set().union(named, *map(priority_classes, tree.values())) - {"system-cluster-critical", "system-node-critical"}


def without_server_side(text: str) -> str:
    """A manifest for a client-side apply, which is Argo CD's own default."""
    if SERVER_SIDE not in text:
        return text
    tree = yaml.safe_load(text)
    annotations = tree["metadata"]["annotations"]
    key = "argocd.argoproj.io/sync-options"
    annotations[key] = ",".join(one for one in annotations[key].split(",") if one != SERVER_SIDE)
    if not annotations[key]:
        del annotations[key]
    return yaml.safe_dump(tree)


def test_everything_is_synced_twice(sync: Sync) -> None:
    sync.run()
    applied = {key for key in sync.versions() if key[0] == "TrainJob"}
    wanted = {
        ("TrainJob", one["metadata"]["namespace"], one["metadata"]["name"])
        for one in sync.manifests
        if one["kind"] == "TrainJob" and "argocd.argoproj.io/hook" not in one["metadata"].get("annotations", {})
    }
    assert applied == wanted
    before = settled(sync)
    assert sync.drift() == []
    assert sync.versions() == before


def settled(sync: Sync) -> dict[tuple[str, str, str], str]:
    """The versions when nothing writes to the objects any more: runs have ended, or wait for claims that nobody made."""
    last: list[dict[tuple[str, str, str], str]] = [{}]

    def same() -> bool:
        time.sleep(5)
        before, last[0] = last[0], sync.versions()
        return before == last[0]

    eventually(same, seconds=300)
    return last[0]


def test_the_jobsets_are_the_previews(sync: Sync) -> None:
    schema = store.find("jobset.x-k8s.io/v1alpha2", "JobSet")
    assert schema is not None
    found = {(one["metadata"]["namespace"], one["metadata"]["name"]): one["spec"] for one in live("jobset", "-A")}
    previews = [one for each in sync.batch for one in each.previews if one["kind"] == "JobSet"]
    assert previews or len(sync.batch) == 1
    for preview in previews:
        key = (preview["metadata"]["namespace"], preview["metadata"]["name"])
        assert with_defaults(framework.live(preview), schema)["spec"] == found[key], key
