"""Which runtime a TrainJob gets, and which uid."""

from __future__ import annotations

from typing import Any

from tjgen.cluster.trainer.framework import Expansion
from tjgen.cluster.trainer.inputs import expand_documents

API = "trainer.kubeflow.org/v1alpha1"


def runtime(kind: str, image: str, **metadata: str) -> Any:
    pod = {"spec": {"containers": [{"name": "node", "image": image}]}}
    job = {"name": "node", "template": {"spec": {"template": pod}}}
    spec = {"template": {"spec": {"replicatedJobs": [job]}}}
    return {"apiVersion": API, "kind": kind, "metadata": {"name": "rt", **metadata}, "spec": spec}


def trainjob(name: str, kind: str | None = None, **metadata: str) -> Any:
    reference = {"name": "rt"} if kind is None else {"name": "rt", "kind": kind}
    return {"apiVersion": API, "kind": "TrainJob", "metadata": {"name": name, **metadata}, "spec": {"runtimeRef": reference}}


def image_of(expansion: Expansion) -> Any:
    [jobset] = [made.tree for made in expansion.objects if made.tree["kind"] == "JobSet"]
    return jobset["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]["spec"]["containers"][0]["image"]


def test_the_last_runtime_of_a_name_counts() -> None:
    documents = [runtime("ClusterTrainingRuntime", "old"), trainjob("a"), runtime("ClusterTrainingRuntime", "new")]
    assert [image_of(expansion) for _, expansion in expand_documents(documents)] == ["new"]


def test_a_namespaced_runtime_is_looked_for_in_the_namespace_of_the_trainjob() -> None:
    documents = [
        runtime("TrainingRuntime", "theirs", namespace="theirs"),
        runtime("TrainingRuntime", "ours", namespace="ours"),
        trainjob("a", "TrainingRuntime", namespace="ours"),
    ]
    assert [image_of(expansion) for _, expansion in expand_documents(documents)] == ["ours"]


def test_documents_go_before_the_catalog() -> None:
    def catalog(kind: str, namespace: str, name: str) -> Any:
        return runtime("ClusterTrainingRuntime", f"{kind}/{namespace}/{name}")

    assert [image_of(found) for _, found in expand_documents([trainjob("a")], catalog)] == ["ClusterTrainingRuntime//rt"]
    documents = [runtime("ClusterTrainingRuntime", "file"), trainjob("a")]
    assert [image_of(found) for _, found in expand_documents(documents, catalog)] == ["file"]


def test_a_list_counts_as_its_items() -> None:
    items = [runtime("ClusterTrainingRuntime", "listed"), trainjob("a")]
    documents = [{"apiVersion": "v1", "kind": "List", "items": items}]
    assert [image_of(expansion) for _, expansion in expand_documents(documents)] == ["listed"]


def test_trainjobs_are_numbered_by_their_names() -> None:
    documents = [runtime("ClusterTrainingRuntime", "i"), trainjob("a"), trainjob("b"), trainjob("a")]
    uids = [
        expansion.objects[0].tree["metadata"]["ownerReferences"][0]["uid"][-2:] for _, expansion in expand_documents(documents)
    ]
    assert uids == ["01", "02", "01"]


def test_nothing_that_went_in_is_written_into() -> None:
    documents = [runtime("ClusterTrainingRuntime", "i"), trainjob("a")]
    before = repr(documents)
    expand_documents(documents)
    assert repr(documents) == before


def test_a_patch_may_name_one_container_twice() -> None:
    """The schema rejects such a patch, but the controller merges both."""
    twice = [{"name": "node", "env": [{"name": name, "value": "1"}]} for name in ("A", "B")]
    pod = {"containers": twice, "volumes": [{"name": "v", "emptyDir": {}}] * 2}
    job = {"name": "node", "template": {"spec": {"template": {"spec": pod}}}}
    patch = {"manager": "a.io/b", "trainingRuntimeSpec": {"template": {"spec": {"replicatedJobs": [job, job]}}}}
    written = trainjob("a")
    run = {**written, "spec": {**written["spec"], "runtimePatches": [patch, patch]}}
    ((_, expansion),) = expand_documents([runtime("ClusterTrainingRuntime", "i"), run])
    (jobset,) = [made.tree for made in expansion.objects if made.tree["kind"] == "JobSet"]
    (container,) = jobset["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]["spec"]["containers"]
    assert {variable["name"] for variable in container["env"]} == {"A", "B"}
