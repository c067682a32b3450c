"""Prefetches to disks of nodes: the Job of each node runs on a folder of its own, and pods wait for the data of their node."""

from __future__ import annotations

from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

from tests.compiler.programs.prefetching.cluster import Cluster, ended, interpreter, started
from tjgen.trees.k8s.labels import HOSTNAME

NODES = ["node-1", "node-2.example.com"]


class Nodes(Cluster):
    """A prefetch to the disks of two nodes."""

    def __init__(self, folder: Path, **prefetch: Any) -> None:
        super().__init__(folder, {"volume": "origin"}, volume="disk", nodes=NODES, **prefetch)
        pods = [(job, job["spec"]["template"]["spec"]) for job in self.objects if job["kind"] == "Job"]
        self.jobs = {pod["nodeSelector"][HOSTNAME]: job for job, pod in pods}
        for node in NODES:
            self.disk(node).mkdir()

    def disk(self, node: str) -> Path:
        return self.folder / node

    def bring_to(self, node: str, *, index: int = 0, attempt: int = 0) -> CompletedProcess[str]:
        """The answer of a pod of the Job of a node."""
        job = self.jobs[node]
        [container] = job["spec"]["template"]["spec"]["containers"]
        folders = {"target": self.disk(node), "source": self.source}
        pod = f"{job['metadata']['name']}-{index}-{attempt}"
        fields = {"INDEX": str(index), "JOB": f"uid-{node}", "POD": pod}
        python = interpreter("python3.9") or ["python3"]
        return ended(started(self.words(container, python), {**self.placed(container, folders), **fields}))

    def wait_on(self, node: str, shell: list[str]) -> CompletedProcess[str]:
        """The answer of the init container of a pod of the run on a node, which looks once."""
        [container] = [one for one in self.run["initContainers"] if one["name"] == "tjgen-wait"]
        environment = {**self.placed(container, {"disk": self.disk(node)}), "TIMEOUT": "0", "PAUSE": "1"}
        return ended(started(self.words(container, shell), environment))


@pytest.fixture
def cluster(tmp_path: Path) -> Nodes:
    nodes = Nodes(tmp_path, workers=2)
    for name in ("a", "b", "c"):
        (nodes.source / name).write_text(name)
    return nodes


def test_a_pod_starts_when_the_disk_of_its_node_has_all_data(shell: list[str], cluster: Nodes) -> None:
    first, second = NODES
    assert cluster.bring_to(first, index=0).returncode == 0
    assert cluster.wait_on(first, shell).returncode == 1
    assert cluster.bring_to(first, index=1).returncode == 0
    assert cluster.wait_on(first, shell).returncode == 0
    assert cluster.wait_on(second, shell).returncode == 1
    [state] = (cluster.disk(first) / ".tjgen-prefetch").iterdir()
    assert sorted(path.name for path in (state / "content").iterdir()) == ["a", "b", "c"]


def test_a_node_that_cannot_be_filled_fails_only_the_pods_on_it(shell: list[str], cluster: Nodes) -> None:
    first, second = NODES
    for index in range(2):
        assert cluster.bring_to(first, index=index).returncode == 0
    cluster.source.rename(cluster.folder / "gone")
    for attempt in range(cluster.jobs[second]["spec"]["backoffLimit"] + 1):
        assert cluster.bring_to(second, attempt=attempt).returncode == 1
    assert cluster.wait_on(first, shell).returncode == 0
    answer = cluster.wait_on(second, shell)
    assert answer.returncode == 1
    assert "has failed, so the data is not complete" in answer.stderr


def test_the_pods_of_jobs_and_runs_start_only_on_nodes_of_the_volume(cluster: Nodes) -> None:
    assert sorted(cluster.jobs) == NODES
    assert cluster.run["nodeSelector"] == {"example.com/disk": "fast"}
    for node, job in cluster.jobs.items():
        assert job["spec"]["template"]["spec"]["nodeSelector"] == {"example.com/disk": "fast", HOSTNAME: node}


def test_another_node_adds_a_job_and_changes_nothing_else(tmp_path: Path) -> None:
    written = {}
    for nodes in (["a", "b"], ["a", "b", "c"]):
        folder = tmp_path / str(len(nodes))
        folder.mkdir()
        cluster = Cluster(folder, "s3://bucket/data", volume="disk", nodes=nodes)
        written[len(nodes)] = {one["metadata"]["name"]: one for one in cluster.objects}
    added = written[3].keys() - written[2].keys()
    assert written[2] == {name: one for name, one in written[3].items() if name not in added}
    assert [name.rpartition("-")[2] for name in added] == ["c"]
