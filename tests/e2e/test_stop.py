"""`onSupersede: stop` and `tjgen status` on a real cluster, with the sync engines of Argo CD and Flux.

Rig: `minicluster up --with training-operator` for all targets. For Trainer 2.1, `--with trainer-2.1` and MINICLUSTER_TRAINER=2.1.
"""

from __future__ import annotations

import json
import os
import shutil
import time

import pytest

from tests.e2e.rig import NEEDED, environment, eventually, kubectl, live
from tests.e2e.test_sync import Site, site
from tests.program import tjgen

__all__ = ["site"]
pytestmark = NEEDED
LABELS = {
    "trainjob": "jobset.sigs.k8s.io/jobset-name",
    "jobset": "jobset.sigs.k8s.io/jobset-name",
    "pytorchjob": "training.kubeflow.org/job-name",
}


def start_over(site: Site) -> None:
    """Build the project again without its lock, for the release of Trainer that the rig runs."""
    release = os.environ.get("MINICLUSTER_TRAINER")
    if release:
        project = site.folder / "tjgen.yaml"
        project.write_text(project.read_text(encoding="utf-8") + f'  trainer: "{release}"\n', encoding="utf-8")
    for folder in ("deploy", "tjgen.lock.d"):
        shutil.rmtree(site.folder / folder)
    site.build()


def served(resource: str) -> bool:
    return resource in kubectl("api-resources", "--verbs=list", "-o", "name").split()


def running(site: Site, label: str, name: str) -> int:
    pods = live("pods", "-n", site.namespace, "-l", f"{label}={name}")
    return sum(pod["status"].get("phase") == "Running" and "deletionTimestamp" not in pod["metadata"] for pod in pods)


def current(site: Site) -> str:
    (name,) = (one["name"] for one in json.loads(tjgen(site.folder, "runs", "--json").out) if one["state"] == "current")
    return str(name)


@pytest.mark.parametrize("target", LABELS)
def test_a_superseded_run_is_stopped_by_a_sync_and_stays_so(site: Site, target: str) -> None:
    if target == "pytorchjob" and not served("pytorchjobs.kubeflow.org"):
        pytest.skip("the rig runs without the Training Operator (--with training-operator)")
    start_over(site)
    fields = f"script: train.py\n  onSupersede: stop\n  target: {target}\n  env: {{MINICLUSTER_SECONDS: forever}}"
    site.edit("script: train.py", fields)
    site.build()
    site.sync()
    old, label = current(site), LABELS[target]
    eventually(lambda: running(site, label, old) == 2)
    site.edit("train:1", "train:2")
    site.build()
    site.sync(again=1)
    new = current(site)
    assert new != old
    eventually(lambda: (running(site, label, old), running(site, label, new)) == (0, 2))
    end = time.monotonic() + 8
    while time.monotonic() < end:
        assert (running(site, label, old), running(site, label, new)) == (0, 2)
        time.sleep(1)
    # Back to the old content: the run resumes under its name.
    site.edit("train:2", "train:1")
    site.build()
    site.sync()
    eventually(lambda: (running(site, label, old), running(site, label, new)) == (2, 0))


def test_status_and_archive_read_the_cluster(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KUBECONFIG", environment()["KUBECONFIG"])
    start_over(site)
    site.edit("script: train.py", 'script: train.py\n  env: {MINICLUSTER_SECONDS: "1"}')
    site.build()

    def states() -> list[tuple[str, bool]]:
        return [(one["health"], one["ended"]) for one in json.loads(tjgen(site.folder, "status", "--json").out)]

    assert states() == [("Missing", False)] * 2
    site.sync()
    eventually(lambda: states() == [("Healthy", True)] * 2)
    answer = tjgen(site.folder, "runs", "archive", "--finished")
    assert (answer.code, answer.err) == (0, "runs: 2 archived\n")
    assert tjgen(site.folder, "build", "--check").code == 0


@pytest.mark.parametrize("target", LABELS)
def test_a_run_that_kubectl_suspended_resumes_from_git(site: Site, target: str) -> None:
    """kubectl owns `suspend: true`, and a server-side apply of Argo CD does not reset a field that the manifest lacks."""
    if target == "pytorchjob" and not served("pytorchjobs.kubeflow.org"):
        pytest.skip("the rig runs without the Training Operator (--with training-operator)")
    start_over(site)
    site.edit(
        "script: train.py", f"script: train.py\n  state: active\n  target: {target}\n  env: {{MINICLUSTER_SECONDS: forever}}"
    )
    site.build()
    site.sync()
    name, label = current(site), LABELS[target]
    eventually(lambda: running(site, label, name) == 2)
    suspend = {"suspend": True} if target != "pytorchjob" else {"runPolicy": {"suspend": True}}
    kubectl("patch", target, name, "-n", site.namespace, "--type", "merge", "-p", json.dumps({"spec": suspend}))
    eventually(lambda: running(site, label, name) == 0)
    site.edit("state: active", "state: suspended")
    site.build()
    site.sync()
    site.edit("state: suspended", "state: active")
    site.build()
    site.sync(again=1)
    eventually(lambda: running(site, label, name) == 2)
    assert site.state.get("status", "Synced") == "Synced"
    assert {one["action"] for one in site.state.get("drift", [])} <= {"unchanged"}
