"""JobSets whose nodes have a job each: the references to the job that they replace, and what cannot be divided."""

from __future__ import annotations

import pytest

from tjgen.compiler.targets.jobset import apart
from tjgen.trees.fields.managed import Managed, Origin
from tjgen.trees.fields.path import Tree, get
from tjgen.trees.manifests.manifest import Manifest
from tjgen.trees.workload.workload import Workload

_ORIGIN = (Origin("data", "experiment", ("spec", "data")),)
_INDEX = {"fieldRef": {"fieldPath": "metadata.labels['batch.kubernetes.io/job-completion-index']"}}


def _workload() -> Workload:
    volumes = [{"corpus": {"path": ["hostPath", "path"], "value": f"/disk/{number}"}} for number in range(2)]
    tree = {"apart": {"node": {str(number): {"volumes": one, "node": f"gpu-{number}"} for number, one in enumerate(volumes)}}}
    return Workload("run", "team", Managed(tree, {(): _ORIGIN}), ())


def _job(name: str, **fields: Tree) -> Tree:
    containers = [{"name": "main", "env": [{"name": "RANK", "valueFrom": _INDEX}, {"name": "HOST", "value": "run-node-0-1.run"}]}]
    pod = {"containers": containers, "initContainers": [{"name": "first"}], "volumes": [{"name": "corpus"}]}
    spec = {"parallelism": 2, "completions": 2, "template": {"spec": pod}}
    return {"name": name, "replicas": 1, "template": {"spec": spec}, **fields}


def _apart(spec: Tree) -> tuple[Tree, list[str]]:
    tree = {"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet", "metadata": {"name": "run"}, "spec": spec}
    manifest, problems = apart(Manifest(tree, {(): _ORIGIN}), _workload())
    return manifest.tree["spec"], [problem.message for problem in problems]


def test_each_job_has_the_number_the_disk_and_the_node_of_its_pod() -> None:
    spec, problems = _apart({"replicatedJobs": [_job("node"), _job("other")]})
    assert not problems
    assert [job["name"] for job in spec["replicatedJobs"]] == ["node-0", "node-1", "other"]
    second = spec["replicatedJobs"][1]["template"]["spec"]
    assert (second["parallelism"], second["completions"]) == (1, 1)
    pod = second["template"]["spec"]
    number = {"name": "JOB_COMPLETION_INDEX", "value": "1"}
    host = {"name": "HOST", "value": "run-node-1-0-0.run"}
    assert pod["containers"][0]["env"] == [number, {"name": "RANK", "value": "1"}, host]
    assert pod["initContainers"] == [{"name": "first", "env": [number]}]
    assert pod["volumes"] == [{"name": "corpus", "hostPath": {"path": "/disk/1"}}]
    assert pod["nodeSelector"] == {"kubernetes.io/hostname": "gpu-1"}
    other = spec["replicatedJobs"][2]["template"]["spec"]["template"]["spec"]["containers"][0]["env"]
    assert other == [{"name": "RANK", "valueFrom": _INDEX}, host], "only names of hosts change in other jobs"


def test_policies_name_the_new_jobs() -> None:
    policies = {
        "successPolicy": {"operator": "Any", "targetReplicatedJobs": ["other", "node"]},
        "failurePolicy": {"rules": [{"action": "FailJobSet", "targetReplicatedJobs": ["node"]}, {"action": "FailJobSet"}]},
        "coordinator": {"replicatedJob": "node", "jobIndex": 0, "podIndex": 1},
    }
    spec, _ = _apart({"replicatedJobs": [_job("node"), _job("other")], **policies})
    assert spec["successPolicy"]["targetReplicatedJobs"] == ["other", "node-0", "node-1"]
    rules = [{"action": "FailJobSet", "targetReplicatedJobs": ["node-0", "node-1"]}, {"action": "FailJobSet"}]
    assert spec["failurePolicy"]["rules"] == rules
    assert spec["coordinator"] == {"replicatedJob": "node-1", "jobIndex": 0, "podIndex": 0}


def test_names_of_other_runs_and_roles_stay() -> None:
    job = _job("node")
    texts = ["other-run-node-0-0.x", "run-node-0-0x", "run-nodes-0-0", "run-node-0-0,run-node-0-1"]
    job["template"]["spec"]["template"]["spec"]["containers"][0]["args"] = texts
    spec, _ = _apart({"replicatedJobs": [job]})
    args = get(spec["replicatedJobs"][0], ("template", "spec", "template", "spec", "containers", 0, "args"))
    assert args == [*texts[:3], "run-node-0-0-0,run-node-1-0-0"]


def test_a_job_that_starts_after_the_nodes_is_refused() -> None:
    _, problems = _apart({"replicatedJobs": [_job("node"), _job("last", dependsOn=[{"name": "node", "status": "Complete"}])]})
    assert problems == ["job last starts after job node, which becomes a job for each slice"]


@pytest.mark.parametrize("key", ["alpha.jobset.sigs.k8s.io/exclusive-topology", "kueue.x-k8s.io/podset-required-topology"])
def test_a_topology_of_one_job_is_refused(key: str) -> None:
    job = _job("node")
    job["template"]["spec"]["template"]["metadata"] = {"annotations": {key: "rack"}}
    _, problems = _apart({"replicatedJobs": [job]})
    assert problems == [f"annotation {key} places the pods of one job together, but each slice has a job of its own"]
