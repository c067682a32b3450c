"""What a run takes, from the manifests that are made of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.program import tjgen
from tjgen.compiler.totals.quotas import summed, used
from tjgen.compiler.totals.tally import ClaimedStorage, Totals, of_gang, of_run, together
from tjgen.trees.fields.path import Tree
from tjgen.trees.k8s.quantity import Quantity, parse
from tjgen.trees.manifests.manifest import Manifest


def manifest(kind: str, name: str, spec: Tree, api_version: str = "v1") -> Manifest:
    tree = {"apiVersion": api_version, "kind": kind, "metadata": {"name": name, "namespace": "team"}, "spec": spec}
    return Manifest(tree, {})


def job(name: str, pod: Tree, *, replicas: int = 1, parallelism: int | None = None) -> Tree:
    spec = {"template": {"spec": pod}, **({} if parallelism is None else {"parallelism": parallelism})}
    return {"name": name, "replicas": replicas, "template": {"spec": spec}}


def jobset(*jobs: Tree, **more: Any) -> Manifest:
    return manifest("JobSet", "run", {"replicatedJobs": list(jobs), **more}, "jobset.x-k8s.io/v1alpha2")


def container(cpu: str, limit: str | None = None, **more: Any) -> Tree:
    limits = {"limits": {"cpu": limit}} if limit else {}
    return {"name": "node", "resources": {"requests": {"cpu": cpu}, **limits, **more}}


def texts(amounts: dict[str, Quantity]) -> dict[str, str]:
    return {name: str(amount) for name, amount in amounts.items()}


def test_pods_are_counted_by_replicas_and_parallelism() -> None:
    pod = {"containers": [container("2", "3"), container("1")]}
    totals = of_run([jobset(job("a", pod, replicas=2, parallelism=3), job("b", pod))], [])
    assert (totals.pods, texts(totals.resources), texts(totals.limits)) == (7, {"cpu": "21"}, {"cpu": "21"})


def test_an_init_container_counts_where_it_is_the_largest() -> None:
    pod = {"containers": [container("2", "2")], "initContainers": [container("5", "8")]}
    totals = of_run([], [jobset(job("a", pod, parallelism=2))])
    assert (texts(totals.resources), texts(totals.limits)) == ({"cpu": "10"}, {"cpu": "16"})


def claim(size: str, storage_class: str | None = None) -> Tree:
    asked: Tree = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": size}}}
    return asked if storage_class is None else {**asked, "storageClassName": storage_class}


def test_claims_of_all_kinds() -> None:
    pod = {"containers": [], "volumes": [{"name": "tmp", "ephemeral": {"volumeClaimTemplate": {"spec": claim("1Gi", "fast")}}}]}
    policies = [{"templates": [{"metadata": {"name": "cache"}, "spec": claim("5Gi")}]}]
    made = [manifest("PersistentVolumeClaim", "data", claim("2Ti", "shared")), jobset(job("a", pod, parallelism=3))]
    made.append(jobset(volumeClaimPolicies=policies))
    assert of_run(made, []).claims == {
        "team/data": ClaimedStorage(parse("2Ti"), "shared"),
        "team/run-a-tmp": ClaimedStorage(parse("1Gi"), "fast", 3),
        "team/cache-run": ClaimedStorage(parse("5Gi"), ""),
    }


def test_a_claim_that_exists_counts_once_and_never_instead_of_a_new_one() -> None:
    mounted = [{"name": name, "persistentVolumeClaim": {"claimName": name}} for name in ("imagenet", "data", "unknown")]
    pod = {"containers": [], "volumes": mounted}
    made = [manifest("PersistentVolumeClaim", "data", claim("2Ti", "shared")), jobset(job("a", pod, parallelism=3))]
    sizes = {"team": {"imagenet": "5Ti", "data": "9Ti", "unmounted": "1Ti"}, "other": {"unknown": "7Ti"}}
    totals = of_run(made, [], sizes)
    assert totals.claims == {
        "team/imagenet": ClaimedStorage(parse("5Ti"), ""),
        "team/data": ClaimedStorage(parse("2Ti"), "shared"),
    }
    assert together([totals, totals]).claims == totals.claims


def test_devices_that_are_claimed() -> None:
    requests = [{"name": "gpu", "exactly": {"deviceClassName": "gpu.example.com", "count": 4}}]
    template = manifest("ResourceClaimTemplate", "four", {"spec": {"devices": {"requests": requests}}}, "resource.k8s.io/v1")
    pod = {"containers": [], "resourceClaims": [{"name": "gpu", "resourceClaimTemplateName": "four"}, {"name": "other"}]}
    totals = of_run([template, jobset(job("a", pod, parallelism=2))], [])
    assert totals.devices == {"gpu.example.com": 8}
    assert totals.objects == {"resourceclaimtemplates.resource.k8s.io": 1, "jobsets.jobset.x-k8s.io": 1}


NOTHING = Totals(0, {}, {}, {}, {}, {})


def test_what_several_share_counts_once() -> None:
    one = NOTHING._replace(
        pods=1, resources={"cpu": parse("1")}, claims={"team/a": ClaimedStorage(parse("1Gi"), "")}, devices={"x": 1}
    )
    both = together([one, one._replace(claims={**one.claims, "team/b": ClaimedStorage(parse("2Gi"), "")})])
    assert (both.pods, texts(both.resources), both.devices) == (2, {"cpu": "2"}, {"x": 2})
    assert list(both.claims) == ["team/a", "team/b"]


FULL = Totals(
    3,
    {"cpu": parse("2"), "example.com/gpu": parse("8")},
    {"team/a": ClaimedStorage(parse("1Gi"), "fast", 2), "team/b": ClaimedStorage(parse("1Gi"), "slow")},
    {"cpu": parse("4")},
    {"gpu.example.com": 6},
    {"trainjobs.trainer.kubeflow.org": 1},
)


@pytest.mark.parametrize(
    ("key", "amount"),
    {
        "pods": "3",
        "count/pods": "3",
        "cpu": "2",
        "requests.cpu": "2",
        "limits.cpu": "4",
        "requests.example.com/gpu": "8",
        "example.com/gpu": "8",
        "requests.storage": "3Gi",
        "storage": "3Gi",
        "persistentvolumeclaims": "3",
        "fast.storageclass.storage.k8s.io/requests.storage": "2Gi",
        "fast.storageclass.storage.k8s.io/persistentvolumeclaims": "2",
        "none.storageclass.storage.k8s.io/requests.storage": None,
        "gpu.example.com.deviceclass.resource.k8s.io/devices": "6",
        "count/trainjobs.trainer.kubeflow.org": "1",
        "services": None,
        "limits.memory": None,
    }.items(),
)
def test_the_keys_of_a_quota(key: str, amount: str | None) -> None:
    wanted = {} if amount is None else {key: parse(amount).nanos}
    assert summed(used(FULL, {key: "0"})) == wanted


EXPERIMENT = """
apiVersion: tjgen.dev/v1alpha1
kind: Experiment
metadata: {name: sum, namespace: team}
spec:
  runtime: tjgen-plain
  naming: fixed
  command: [count]
  nodes: 2
  cpu: 2
  volumes:
    data: {pvc: {create: {size: 10Gi, storageClassName: fast}}, mountPath: /data}
    tmp: {ephemeral: {size: 1Gi, storageClassName: fast}, mountPath: /tmp}
    more: {pvc: {create: {size: 5Gi}}, mountPath: /more}
"""
PLATFORM = """
apiVersion: tjgen.dev/v1alpha1
kind: Platform
metadata: {name: lab}
spec: {storageClasses: {fast: {bandwidth: 200M}}}
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "experiment.yaml").write_text(EXPERIMENT)
    (tmp_path / "platform.yaml").write_text(PLATFORM)
    (tmp_path / "tjgen.yaml").write_text("apiVersion: tjgen.dev/v1alpha1\nkind: Project\nspec: {platforms: [platform.yaml]}\n")
    return tmp_path


def test_the_table_has_a_column_for_what_storage_delivers(project: Path) -> None:
    answer = tjgen(project, "build", "experiment.yaml", "--summary")
    assert [line.split() for line in answer.out.splitlines()] == [
        ["NAMESPACE", "EXPERIMENT", "RUN", "STATE", "CLASS", "PODS", "CPU", "STORAGE", "BANDWIDTH"],
        ["team", "sum", "sum", "current", "-", "2", "4", "17Gi", "600M"],
        ["TOTAL", "all", "2", "4", "17Gi", "600M"],
    ]


def test_the_report_for_programs(project: Path) -> None:
    answer = tjgen(project, "build", "experiment.yaml", "--summary", "--format", "json")
    found = json.loads(answer.out)
    whole = {
        "pods": 2,
        "requests": {"cpu": "4"},
        "limits": {"cpu": "4"},
        "devices": {},
        "claims": {"team/sum-data": "10Gi", "team/sum-more": "5Gi", "team/sum-node-tmp": "2Gi"},
        "storage": "17Gi",
        "bandwidth": "600M",
    }
    (run,) = found["runs"]
    where = {"environment": "", "namespace": "team", "experiment": "sum", "class": "", "cluster": run["cluster"]}
    where |= {"team": "", "project": ""}
    assert run == {"name": "sum", "state": "current", **where, **whole, "cost": None, "slices": None}
    whole["cost"] = None
    assert (found["totals"], found["total"]) == ({"current": whole}, whole)
    groups = {"teams": {}, "environments": {}, "projects": {}, "namespaces": {"team": whole}}
    assert found["clusters"] == {run["cluster"]: {"totals": {"current": whole}, **groups, "total": whole}}


def test_devices_that_only_have_a_limit_are_counted() -> None:
    gpus = {"name": "node", "resources": {"limits": {"nvidia.com/gpu": 8, "cpu": "4"}, "requests": {"cpu": "2"}}}
    totals = of_run([jobset(job("a", {"containers": [gpus]}, parallelism=2))], [])
    assert texts(totals.resources) == {"nvidia.com/gpu": "16", "cpu": "4"}
    assert list(used(totals, {"requests.nvidia.com/gpu": 8})) == [("requests.nvidia.com/gpu", "", parse("16").nanos)]


def test_a_gang_needs_devices_that_its_pod_group_leaves_out() -> None:
    gpus = {"name": "node", "resources": {"limits": {"nvidia.com/gpu": 8}, "requests": {"cpu": "2"}}}
    run = jobset(job("a", {"containers": [gpus]}, parallelism=2))
    group = manifest("PodGroup", "run", {"minMember": 2, "minResources": {"cpu": "4"}}, "scheduling.volcano.sh/v1beta1")
    assert texts(of_gang(of_run([run], []), [group]).resources) == {"nvidia.com/gpu": "16", "cpu": "4"}
