"""Runs in a queue of Kueue: syncs of each tool while they wait, run, and end change nothing, and lose nothing that Kueue wrote.

Rig: `minicluster up --with kueue,trainer-2.1,training-operator --nodes cpu:16x2` with MINICLUSTER_KUEUE=0.15 and
MINICLUSTER_TRAINER=2.1, or `--with kueue-0.19,training-operator` with MINICLUSTER_KUEUE=0.19.
"""

from __future__ import annotations

import os
from typing import Any

import pytest

from tests.e2e.rig import NEEDED, apply, eventually, kubectl, live
from tests.e2e.test_stop import LABELS, running, served, start_over
from tests.e2e.test_sync import Site, site

__all__ = ["site"]
KUEUE = os.environ.get("MINICLUSTER_KUEUE", "")
pytestmark = [
    NEEDED,
    pytest.mark.skipif(not KUEUE, reason="needs Kueue on the rig: set MINICLUSTER_KUEUE to its release, such as 0.19"),
]
RESOURCES = {
    "trainjob": "trainjobs.trainer.kubeflow.org",
    "jobset": "jobsets.jobset.x-k8s.io",
    "pytorchjob": "pytorchjobs.kubeflow.org",
}
PLATFORM = """\
apiVersion: tjgen.dev/v1alpha1
kind: Platform
metadata: {{name: rig}}
spec:
  cluster: {{kueue: "{kueue}"}}
  queues:
    {queue}: {{capability: {{cpu: 16, memory: 64Gi}}}}
"""


def open_queue(name: str, namespace: str, cpus: int) -> None:
    """Create the queue, or give it another quota."""
    version = "kueue.x-k8s.io/v1beta1"
    quotas = [{"name": "cpu", "nominalQuota": cpus}, {"name": "memory", "nominalQuota": "64Gi"}]
    flavors = [{"coveredResources": ["cpu", "memory"], "flavors": [{"name": name, "resources": quotas}]}]
    apply(
        [
            {"apiVersion": version, "kind": "ResourceFlavor", "metadata": {"name": name}},
            {
                "apiVersion": version,
                "kind": "ClusterQueue",
                "metadata": {"name": name},
                "spec": {"namespaceSelector": {}, "resourceGroups": flavors},
            },
            {
                "apiVersion": version,
                "kind": "LocalQueue",
                "metadata": {"name": name, "namespace": namespace},
                "spec": {"clusterQueue": name},
            },
        ]
    )


def admitted(namespace: str) -> list[bool]:
    """For each workload of Kueue, whether it is admitted."""
    workloads = live("workloads.kueue.x-k8s.io", "-n", namespace)
    return [any(one["type"] == "Admitted" and one["status"] == "True" for one in conditions(tree)) for tree in workloads]


def conditions(tree: Any) -> list[Any]:
    return list((tree.get("status") or {}).get("conditions") or ())


@pytest.mark.parametrize("target", RESOURCES)
def test_a_queued_run_is_synced_again_while_it_waits_runs_and_ends(site: Site, target: str) -> None:
    if not served(RESOURCES[target]):
        pytest.skip("the rig runs without the Training Operator (--with training-operator)")
    queue = site.namespace
    open_queue(queue, site.namespace, 0)
    (site.folder / "platform.yaml").write_text(PLATFORM.format(kueue=KUEUE, queue=queue), encoding="utf-8")
    project = site.folder / "tjgen.yaml"
    project.write_text(project.read_text(encoding="utf-8") + "  platforms: [platform.yaml]\n", encoding="utf-8")
    fields = f"cpu: 1\n  memory: 1Gi\n  sharedMemory: 256Mi\n  target: {target}\n  schedule: {{system: kueue, queue: {queue}}}\n"
    site.edit("  nodes: 2\n", f"  nodes: 2\n  {fields}" + '  env: {MINICLUSTER_SECONDS: "40"}\n')
    start_over(site)
    site.sync(again=1)
    eventually(lambda: admitted(site.namespace) == [False])
    (run,) = site.live(RESOURCES[target])
    name, label = run["metadata"]["name"], LABELS[target]
    assert run["spec"].get("suspend", run["spec"].get("runPolicy", {}).get("suspend")) is True
    site.sync(again=1)
    assert running(site, label, name) == 0

    open_queue(queue, site.namespace, 16)
    eventually(lambda: running(site, label, name) == 2, 60)
    site.sync(again=1)
    assert admitted(site.namespace) == [True]
    assert running(site, label, name) == 2

    def is_finished() -> bool:
        return any(
            one["type"] in ("Complete", "Completed", "Succeeded") and one["status"] == "True"
            for one in conditions(site.live(RESOURCES[target])[0])
        )

    eventually(is_finished, 120)
    site.sync(again=1)
    (after,) = site.live(RESOURCES[target])
    assert after["metadata"]["uid"] == run["metadata"]["uid"]
    assert is_finished()


@pytest.fixture(autouse=True)
def _without_queues(site: Site) -> Any:
    yield
    for kind in ("clusterqueue", "resourceflavor"):
        kubectl("delete", kind, site.namespace, "--ignore-not-found", "--wait=false")
