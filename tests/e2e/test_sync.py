"""What Argo CD and Flux make of trees that tjgen wrote, with their real engines, on a real API server with the real controllers.

Run on demand: `MINICLUSTER=<binary> MINICLUSTER_DIR=<state of a running cluster> .ci/test tests/e2e`. The
rig is described where its sources are; `minicluster up --dir STATE` starts it.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.e2e.rig import NEEDED, eventually, kubectl, live, rig
from tests.program import tjgen
from tjgen.cluster.schema import store
from tjgen.cluster.schema.defaults import with_defaults
from tjgen.cluster.trainer import framework

pytestmark = NEEDED

PROJECT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Project
spec:
  experiments: [experiments]
  output: {{directory: deploy}}
  gitops: {{tool: {tool}, repository: "https://git.example.com/site.git"}}
"""
EXPERIMENT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Experiment
metadata: {{name: run, namespace: {namespace}, labels: {{team: search}}}}
spec:
  runtime: tjgen-torch
  image: train:1
  script: train.py
  nodes: 2
  volumes:
    out: {{pvc: {{create: {{size: 1Gi, storageClassName: wait-for-consumer, accessModes: [ReadWriteMany]}}}}, mountPath: /out}}
"""


class Site:
    """A project, a namespace, and a tool that syncs the one to the other."""

    def __init__(self, folder: Path, namespace: str, tool: str) -> None:
        self.folder = folder
        self.namespace = namespace
        self.tool = tool
        (folder / "experiments").mkdir(parents=True)
        (folder / "tjgen.yaml").write_text(PROJECT.format(tool=tool), encoding="utf-8")
        self.experiment = folder / "experiments/run.yaml"
        self.experiment.write_text(EXPERIMENT.format(namespace=namespace), encoding="utf-8")

    def build(self, *words: str) -> None:
        answer = tjgen(self.folder, "build", "-o", "deploy", *words)
        assert answer.code == 0, answer.err

    def edit(self, old: str, new: str) -> None:
        text = self.experiment.read_text(encoding="utf-8")
        assert old in text
        self.experiment.write_text(text.replace(old, new), encoding="utf-8")

    def sync(self, *, again: int = 0) -> list[dict[str, str]]:
        """Sync the tree, and again without a change; for each sync what was done to which object. Every sync must succeed."""
        return self._argocd(again) if self.tool == "argocd" else self._flux(again)

    def _argocd(self, again: int) -> list[dict[str, str]]:
        (application,) = [yaml.safe_load(path.read_text()) for path in (self.folder / "deploy/gitops").iterdir()]
        source, policy = application["spec"]["source"], application["spec"]["syncPolicy"]
        synced = self.folder / "synced"
        shutil.rmtree(synced, ignore_errors=True)
        assert source["directory"] == {"recurse": True, "exclude": "gitops/*"}
        shutil.copytree(self.folder / source["path"], synced, ignore=shutil.ignore_patterns("gitops"))
        flags = ["--app", self.namespace, "--namespace", self.namespace, "--dir", str(synced), "--recurse"]
        flags += [word for option in policy["syncOptions"] for word in ("--sync-option", option)]
        flags += ["--prune"] if policy["automated"]["prune"] else []
        report = rig("argo-sync", *flags, "--repeat", str(again))
        assert [one["phase"] for one in report["syncs"]] == ["Succeeded"] * (again + 1), report
        self.state = report["state"]
        return [{one["kind"]: one.get("syncResult", "") for one in sync.get("resources") or ()} for sync in report["syncs"]]

    def _flux(self, again: int) -> list[dict[str, str]]:
        done: list[dict[str, str]] = [{} for _ in range(again + 1)]
        self.state = {"drift": []}
        found = [yaml.safe_load(path.read_text()) for path in (self.folder / "deploy/gitops").glob("kustomization-*.yaml")]
        for stage in sorted(found, key=lambda tree: len(tree["spec"].get("dependsOn", ()))):
            folder = self.folder / stage["spec"]["path"]
            flags = ["--name", f"{self.namespace}-{folder.name}", "--dir", str(folder)]
            flags += ["--prune"] if stage["spec"]["prune"] else []
            flags += ["--wait"] if stage["spec"]["wait"] else []
            report = rig("flux-sync", *flags, "--repeat", str(again))
            for index, one in enumerate(report["runs"]):
                assert one["ready"], report
                for what, change in (one.get("changes") or {}).items():
                    done[index][what.partition("/")[0]] = change
                for what in one.get("pruned") or ():
                    done[index][what.partition("/")[0]] = "pruned"
            self.state["drift"] += report.get("drift") or []
        return done

    def live(self, kind: str) -> list[Any]:
        """The objects of a kind that are in the namespace."""
        return live(kind, "-n", self.namespace)


@pytest.fixture(params=["argocd", "flux"])
def site(tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    monkeypatch.setenv("TJGEN_CACHE", "off")
    test = request.node.originalname.removeprefix("test_").replace("_", "-")[:40].strip("-")
    namespace = f"{test}-{request.param}"
    kubectl("delete", "namespace", namespace, "--ignore-not-found", "--wait=true", "--timeout=60s")
    kubectl("create", "namespace", namespace)
    one = Site(tmp_path / "project", namespace, request.param)
    one.build()
    yield one
    kubectl("delete", "namespace", namespace, "--wait=false")


def test_a_second_sync_changes_nothing(site: Site) -> None:
    first, second = site.sync(again=1)
    assert set(first) == {"TrainingRuntime", "PersistentVolumeClaim", "TrainJob"}
    if site.tool == "argocd":
        assert {site.state["status"], site.state["serverSideStatus"]} == {"Synced"}
    else:
        assert set(second.values()) == {"unchanged"}
        assert {one["action"] for one in site.state["drift"]} == {"unchanged"}
    eventually(
        lambda: any(one["type"] == "Complete" for job in site.live("trainjob") for one in job["status"].get("conditions", ()))
    )


def test_the_jobset_is_the_preview(site: Site) -> None:
    site.build("--expanded", "../previews")
    site.sync()
    eventually(lambda: site.live("jobset"))
    (path,) = (site.folder.parent / "previews").rglob("previews.yaml")
    (preview,) = [one for one in yaml.safe_load_all(path.read_text()) if one["kind"] == "JobSet"]
    schema = store.find("jobset.x-k8s.io/v1alpha2", "JobSet")
    assert schema is not None
    (live,) = site.live("jobset")
    assert with_defaults(framework.live(preview), schema)["spec"] == live["spec"]
    assert preview["metadata"]["name"] == live["metadata"]["name"]


def test_a_record_is_not_started_in_a_new_cluster(site: Site) -> None:
    assert tjgen(site.folder, "runs", "archive", "run-*").code == 0
    site.sync(again=1)
    assert site.live("trainjob") == []
    assert site.live("jobset") == []


def test_a_record_that_is_in_the_cluster_is_left_alone(site: Site) -> None:
    site.sync()
    eventually(
        lambda: any(one["type"] == "Complete" for job in site.live("trainjob") for one in job["status"].get("conditions", ()))
    )
    (before,) = site.live("trainjob")
    assert tjgen(site.folder, "runs", "archive", "run-*").code == 0
    site.sync(again=1)
    (after,) = site.live("trainjob")
    assert after["metadata"]["resourceVersion"] == before["metadata"]["resourceVersion"]
    assert "deletionTimestamp" not in after["metadata"]
    # Taken back, it is applied again, which changes its annotations and starts nothing.
    assert tjgen(site.folder, "runs", "unarchive", "run-*").code == 0
    site.sync()
    assert [job["metadata"]["uid"] for job in site.live("trainjob")] == [before["metadata"]["uid"]]
    assert len(site.live("jobset")) == 1


def test_what_may_change_in_place_reaches_the_run(site: Site) -> None:
    site.edit("script: train.py", "script: train.py\n  env: {MINICLUSTER_SECONDS: forever}")
    site.build("--prune-runs")
    site.sync()
    eventually(lambda: site.live("jobset"))
    site.edit("search", "ads")
    site.edit("spec:\n", "spec:\n  state: suspended\n")
    site.build()
    site.sync()
    (job,) = site.live("trainjob")
    assert job["metadata"]["labels"]["team"] == "ads"
    assert job["spec"]["suspend"] is True
    eventually(lambda: all(one["spec"].get("suspend") for one in site.live("jobset")))


def test_claims_stay_and_runs_go_with_their_runtime(site: Site) -> None:
    site.sync()
    eventually(lambda: site.live("jobset"))
    site.experiment.rename(site.experiment.with_suffix(".txt"))
    other = EXPERIMENT.format(namespace=site.namespace).replace("name: run", "name: other").replace("tjgen-torch", "tjgen-plain")
    (site.folder / "experiments/other.yaml").write_text(other, encoding="utf-8")
    site.build("--prune-data")
    assert len(list((site.folder / "deploy/runtimes").rglob("*.yaml"))) == 1
    site.sync()
    eventually(lambda: [job["metadata"]["name"].partition("-")[0] for job in site.live("trainjob")] == ["other"])
    eventually(lambda: len(site.live("trainingruntime")) == 1)
    assert sorted(claim["metadata"]["name"] for claim in site.live("pvc")) == ["other-out", "run-out"]
    assert not any("deletionTimestamp" in claim["metadata"] for claim in site.live("pvc"))


def test_diff_says_what_the_server_says(site: Site) -> None:
    site.sync()
    earlier = site.folder / "earlier"
    shutil.copytree(site.folder / "deploy", earlier)
    (job,) = (site.folder / "deploy").rglob("trainjob-*.yaml")
    then = next(earlier.rglob("trainjob-*.yaml"))
    then.write_text(then.read_text(encoding="utf-8").replace("train:1", "train:0"), encoding="utf-8")
    answer = tjgen(site.folder, "diff", "earlier")
    assert answer.code == 1
    changed = site.folder / "changed.yaml"
    changed.write_text(job.read_text(encoding="utf-8").replace("train:1", "train:0"), encoding="utf-8")
    refused = kubectl("apply", "--server-side", "--force-conflicts", "--dry-run=server", "-f", str(changed), check=False)
    assert "spec.trainer: Invalid value: field is immutable" in answer.out
    assert (
        'spec.trainer: Invalid value: "object": field is immutable' in refused
        or "spec.trainer: Invalid value: field is immutable" in refused
    )
