"""Every example and every case, synced twice by each engine: no error, nothing changed by the second sync, no drift, and the
JobSets that are made are those that were previewed.

Run on demand, see rig.py, each mode on a cluster of its own (`-k flux`): the rig is slow to empty namespaces. What needs an
operator or a runtime that the rig has not is left out.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

from tests.e2e.inputs import Built, batches, built, inputs
from tests.e2e.rig import NEEDED, eventually, kubectl, live, rig
from tests.e2e.site import furnish
from tjgen.cluster.schema import store
from tjgen.cluster.schema.defaults import with_defaults
from tjgen.cluster.trainer import framework
from tjgen.trees.manifests.manifest import RUNS, STAGES

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
        assert report["state"]["resources"]
        return [one for one in report["state"]["resources"] if not {one.get(key) for key in STATUSES} <= IN_SYNC]

    def _argocd(self) -> Any:
        (policy,) = {yaml.safe_dump(one["spec"]["syncPolicy"]) for each in self.batch for one in each.sync}
        flags = ["--app", self.name, "--dir", str(self.folder), "--recurse", "--prune", "--timeout", "15m"]
        # A client-side sync is one of all objects, not only of those that differ: every one has to stand a second apply.
        left_out = "ApplyOutOfSyncOnly=true" if self.client_side else ""
        options = [option for option in yaml.safe_load(policy)["syncOptions"] if option != left_out]
        flags += [word for option in options for word in ("--sync-option", option)]
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
        """What is in the cluster of what was applied -> all of it but its status, and what wrote that: other writes change it."""
        wanted = {(one["kind"], one["metadata"]["namespace"], one["metadata"]["name"]) for one in self.manifests}
        found = {}
        for api_version, kind in sorted({(one["apiVersion"], one["kind"]) for one in self.manifests}):
            group = api_version.partition("/")[0] if "/" in api_version else ""
            for one in live(f"{kind}.{api_version.partition('/')[2]}.{group}" if group else kind, "-A", "--show-managed-fields"):
                key = (kind, one["metadata"]["namespace"], one["metadata"]["name"])
                if key in wanted:
                    found[key] = self._version(one)
        return found

    def _version(self, one: Any) -> str:
        # A CronJob is run when its time comes, whoever syncs it: so not the version that the server counts.
        metadata = {key: value for key, value in one["metadata"].items() if key != "resourceVersion"}
        metadata["managedFields"] = [each for each in metadata["managedFields"] if each.get("subresource") != "status"]
        return json.dumps({**one, "metadata": metadata, "status": None}, sort_keys=True)


STATUSES = ("status", "serverSideStatus")
IN_SYNC = {"Synced", "", None}
"""Of an object, or of a record, which has no status."""
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
    furnish([tree for each in one.batch for tree in each.manifests], [tree for each in one.batch for tree in each.previews])
    yield one
    kubectl("delete", "namespace", "--wait=false", *namespaces)


def possible(one: Built) -> bool:
    """Whether the cluster knows the kinds of an input, and the input brings the runtimes that it refers to.

    What a Platform makes has a sync of its own, and its quotas would hold up the pods of others."""
    kinds = {(tree["apiVersion"], tree["kind"]) for tree in (*one.manifests, *one.previews)}
    brought = {tree["metadata"]["name"] for tree in one.manifests if tree["kind"] == "TrainingRuntime"}
    wanted = {tree["spec"]["runtimeRef"]["name"] for tree in one.manifests if tree["kind"] == "TrainJob"}
    return kinds <= served() and wanted <= brought and all("namespace" in tree["metadata"] for tree in one.manifests)


@cache
def served() -> set[tuple[str, str]]:
    """The kinds that the cluster knows: the rig has not every operator that a run may be for, Fluid for one."""
    lines = [line.split() for line in kubectl("api-resources", "--no-headers").splitlines()]
    return {(words[-3], words[-1]) for words in lines}


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
    # Not as YAML: what PyYAML takes for a text, 1e-3, Kubernetes takes for a number.
    return json.dumps(tree)


def test_everything_is_synced_twice(sync: Sync) -> None:
    sync.run()
    wanted = {
        (one["kind"], one["metadata"]["namespace"], one["metadata"]["name"]) for one in sync.manifests if not is_record(one)
    }
    assert set(sync.versions()) == wanted
    before = settled(sync)
    assert sync.drift() == []
    assert sync.versions() == before


def is_record(manifest: Any) -> bool:
    """Whether it is of an archived run, which is not started."""
    annotations = manifest["metadata"].get("annotations", {})
    return "argocd.argoproj.io/hook" in annotations or annotations.get("kustomize.toolkit.fluxcd.io/ssa") == "Ignore"


def settled(sync: Sync) -> dict[tuple[str, str, str], str]:
    """The objects when nothing writes to them any more: runs have ended, or wait for ever."""
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
    records = {(one["metadata"]["namespace"], one["metadata"]["name"]) for one in sync.manifests if is_record(one)}
    every = [one for each in sync.batch for one in each.previews if one["kind"] == "JobSet"]
    previews = [one for one in every if (one["metadata"]["namespace"], one["metadata"]["name"]) not in records]
    assert previews or len(sync.batch) == 1
    for preview in previews:
        key = (preview["metadata"]["namespace"], preview["metadata"]["name"])
        assert with_defaults(framework.live(preview), schema)["spec"] == found[key], key
