"""The facts of each kind, written out a second time: a change of one is a change of both."""

from __future__ import annotations

from typing import Any

import pytest

from tjgen.cluster.kinds.pods import pods_of
from tjgen.cluster.kinds.protocol import IN_PLACE, SILENT, Conditions, Phases
from tjgen.cluster.kinds.table import facts_of, find, group_and_kind, kinds, replica_field, targets
from tjgen.gitops.diff.effect import effect
from tjgen.gitops.diff.fields import Changed
from tjgen.trees.fields.path import MISSING
from tjgen.trees.manifests.manifest import Manifest

POD: dict[str, Any] = {"spec": {"containers": [{"name": "c"}]}}
NEW_PODS = "accepted, but existing pods stay unchanged; only new pods get the change"
DEADLINE = "counts from the start of the run: one that is past it fails at once"
ONE_CLUSTER = "accepted, but the existing RayCluster and its pods stay unchanged; only a new attempt gets the change"
NEVER = "accepted, but the existing JobSet is never rebuilt"
OPERATOR = ("PyTorchJob", "TFJob", "MPIJob", "XGBoostJob", "JAXJob", "PaddleJob")


def test_the_kinds_and_their_plurals() -> None:
    assert [(kind.api_version, kind.name, kind.plural) for kind in kinds()] == [
        ("trainer.kubeflow.org/v1alpha1", "TrainJob", "trainjobs"),
        ("trainer.kubeflow.org/v1alpha1", "TrainingRuntime", "trainingruntimes"),
        ("jobset.x-k8s.io/v1alpha2", "JobSet", "jobsets"),
        ("batch/v1", "Job", "jobs"),
        ("batch/v1", "CronJob", "cronjobs"),
        ("batch.volcano.sh/v1alpha1", "Job", "jobs"),
        ("scheduling.volcano.sh/v1beta1", "PodGroup", "podgroups"),
        ("scheduling.x-k8s.io/v1alpha1", "PodGroup", "podgroups"),
        ("kubeflow.org/v1", "PyTorchJob", "pytorchjobs"),
        ("kubeflow.org/v1", "TFJob", "tfjobs"),
        ("kubeflow.org/v2beta1", "MPIJob", "mpijobs"),
        ("kubeflow.org/v1", "XGBoostJob", "xgboostjobs"),
        ("kubeflow.org/v1", "JAXJob", "jaxjobs"),
        ("kubeflow.org/v1", "PaddleJob", "paddlejobs"),
        ("ray.io/v1", "RayJob", "rayjobs"),
        ("ray.io/v1", "RayCluster", "rayclusters"),
        ("resource.k8s.io/v1", "ResourceClaimTemplate", "resourceclaimtemplates"),
        ("data.fluid.io/v1alpha1", "Dataset", "datasets"),
        ("data.fluid.io/v1alpha1", "DataLoad", "dataloads"),
        ("monitoring.coreos.com/v1", "PodMonitor", "podmonitors"),
        ("monitoring.coreos.com/v1", "PrometheusRule", "prometheusrules"),
        ("v1", "PersistentVolumeClaim", "persistentvolumeclaims"),
        ("v1", "ConfigMap", "configmaps"),
    ]
    of_trainer_and_volcano = ("trainjob", "jobset", "volcanojob")
    assert targets() == (*of_trainer_and_volcano, *(name.lower() for name in OPERATOR), "rayjob")


@pytest.mark.parametrize(
    ("group", "name", "changeable"),
    [
        ("trainer.kubeflow.org", "TrainJob", ["metadata.labels", "metadata.annotations", "spec.suspend"]),
        ("trainer.kubeflow.org", "TrainingRuntime", ["metadata.labels", "metadata.annotations"]),
        ("jobset.x-k8s.io", "JobSet", ["metadata.labels", "metadata.annotations", "spec.suspend"]),
        ("batch", "Job", ["metadata.labels", "metadata.annotations", "spec.suspend"]),
        ("batch", "CronJob", None),
        ("batch.volcano.sh", "Job", ["metadata.labels", "metadata.annotations"]),
        ("scheduling.volcano.sh", "PodGroup", None),
        *(("kubeflow.org", name, ["metadata.labels", "metadata.annotations", "spec.runPolicy.suspend"]) for name in OPERATOR),
        ("ray.io", "RayJob", ["metadata.labels", "metadata.annotations", "spec.suspend"]),
        ("ray.io", "RayCluster", None),
        ("", "PersistentVolumeClaim", None),
        ("", "ConfigMap", ["metadata.labels", "metadata.annotations"]),
    ],
)
def test_the_fields_that_may_change_in_place(group: str, name: str, changeable: list[str] | None) -> None:
    kind = find(group, name)
    assert kind is not None
    assert (None if kind.changeable is None else [".".join(map(str, path)) for path in kind.changeable]) == changeable


@pytest.mark.parametrize(
    ("group", "name", "status"),
    [
        ("trainer.kubeflow.org", "TrainJob", Conditions("Complete", "jobsStatus")),
        ("jobset.x-k8s.io", "JobSet", Conditions("Completed", "replicatedJobsStatus")),
        (
            "batch.volcano.sh",
            "Job",
            Phases(
                "Completed",
                ("Failed", "Aborted", "Terminated"),
                "state",
                waiting=("Pending",),
                starting=("Restarting",),
                restarts="retryCount",
            ),
        ),
        ("scheduling.volcano.sh", "PodGroup", Phases("Completed", (), "")),
        ("scheduling.x-k8s.io", "PodGroup", Phases("Finished", ("Failed",), "")),
        *(("kubeflow.org", name, Conditions("Succeeded", "replicaStatuses")) for name in OPERATOR),
        (
            "ray.io",
            "RayJob",
            Phases(
                "Complete",
                ("Failed", "ValidationFailed"),
                "",
                "jobDeploymentStatus",
                ("Waiting",),
                ("Initializing", "Retrying"),
                ("Suspending", "Suspended"),
            ),
        ),
        ("ray.io", "RayCluster", None),
        ("batch", "Job", None),
    ],
)
def test_how_a_status_reports_the_end(group: str, name: str, status: Conditions | Phases | None) -> None:
    kind = find(group, name)
    assert kind is not None
    assert kind.status == status


def test_the_replica_fields() -> None:
    assert {name: replica_field(name) for name in (*OPERATOR, "JobSet")} == {
        "PyTorchJob": "pytorchReplicaSpecs",
        "TFJob": "tfReplicaSpecs",
        "MPIJob": "mpiReplicaSpecs",
        "XGBoostJob": "xgbReplicaSpecs",
        "JAXJob": "jaxReplicaSpecs",
        "PaddleJob": "paddleReplicaSpecs",
        "JobSet": "",
    }


def test_what_a_target_does_for_its_programs() -> None:
    facts = {name: facts_of(name) for name in targets()}
    assert {name: (run.framework, run.processes) for name, run in facts.items()} == {
        "trainjob": ("", "counted"),
        "jobset": ("", "by the runtime"),
        "volcanojob": ("", "by the runtime"),
        "pytorchjob": ("PyTorch", "counted"),
        "tfjob": ("TensorFlow", "one"),
        "mpijob": ("MPI", "counted"),
        "xgboostjob": ("XGBoost", "one"),
        "jaxjob": ("JAX", "one"),
        "paddlejob": ("PaddlePaddle", "counted"),
        "rayjob": ("", "one"),
    }
    assert [name for name, run in facts.items() if not run.finds_container_by_name] == [
        "jobset",
        "volcanojob",
        "mpijob",
        "rayjob",
    ]
    assert {name: run.scheduler for name, run in facts.items() if run.scheduler} == {"volcanojob": "volcano"}
    assert [name for name, run in facts.items() if run.is_preview] == ["jobset"]
    assert {name: run.job_owner for name, run in facts.items() if run.job_owner} == {
        "trainjob": "JobSet",
        "jobset": "JobSet",
        "mpijob": "MPIJob",
    }


def test_what_the_page_of_targets_says() -> None:
    runs = {kind.name if kind.group != "batch.volcano.sh" else "volcano": kind.run for kind in kinds() if kind.run is not None}
    assert {name: (run.needs, run.starter, run.page) for name, run in runs.items()} == {
        "TrainJob": (", with its runtime", "Kubeflow Trainer, by JobSet", "[tutorial](../tutorial.md)"),
        "JobSet": (
            ", and the PodGroup of its gang",
            "JobSet",
            "[queues](../how-to/queues.md)",
        ),
        "volcano": (
            "",
            "Volcano, with its own PodGroup",
            "[Volcano Jobs](../how-to/volcano.md)",
        ),
        **{
            name: (
                "",
                "MPI Operator" if name == "MPIJob" else "Training Operator",
                "[PyTorchJob and others](../how-to/kubeflow-v1.md)",
            )
            for name in OPERATOR
        },
        "RayJob": (
            "",
            "KubeRay, with its own RayCluster",
            "[RayJobs](../how-to/rayjob.md)",
        ),
    }


@pytest.mark.parametrize(
    ("api_version", "kind", "path", "values", "expected"),
    [
        *(("kubeflow.org/v1", name, "spec.x.Worker.replicas", (1, 2), (IN_PLACE, "")) for name in ("PyTorchJob", "TFJob")),
        ("kubeflow.org/v1", "PyTorchJob", "spec.x.Worker.template.spec.image", ("a", "b"), (SILENT, NEW_PODS)),
        ("kubeflow.org/v1", "PyTorchJob", "spec.runPolicy.suspend", (True, False), (IN_PLACE, "")),
        ("kubeflow.org/v1", "PyTorchJob", "spec.runPolicy.activeDeadlineSeconds", (1, 2), (IN_PLACE, DEADLINE)),
        ("kubeflow.org/v1", "PyTorchJob", "metadata.replicas", (1, 2), (IN_PLACE, "")),
        ("kubeflow.org/v1", "PyTorchJob", "metadata.labels.a", (1, 2), (IN_PLACE, "")),
        ("trainer.kubeflow.org/v1alpha1", "TrainJob", "spec.trainer", (MISSING, {}), (SILENT, NEVER)),
        ("trainer.kubeflow.org/v1alpha1", "TrainJob", "spec.trainer", ({}, MISSING), (SILENT, NEVER)),
        ("trainer.kubeflow.org/v1alpha1", "TrainJob", "spec.initializer.model", (MISSING, {}), (SILENT, NEVER)),
        ("trainer.kubeflow.org/v1alpha1", "TrainJob", "spec.trainer", ({"a": 1}, {}), (IN_PLACE, "")),
        ("trainer.kubeflow.org/v1alpha1", "TrainJob", "spec.activeDeadlineSeconds", (MISSING, 1), (IN_PLACE, DEADLINE)),
        ("trainer.kubeflow.org/v1alpha1", "TrainJob", "spec.activeDeadlineSeconds", (1, 2), (IN_PLACE, "")),
        (
            *("trainer.kubeflow.org/v1alpha1", "TrainJob", "spec.runtimePatches", ([], [1])),
            (IN_PLACE, "reaches the pods when the run is resumed"),
        ),
        (
            *("trainer.kubeflow.org/v1alpha1", "TrainingRuntime", "spec.template", ({}, MISSING)),
            (SILENT, "runs that exist work from a snapshot of their runtime (Trainer 2.3)"),
        ),
        ("trainer.kubeflow.org/v1alpha1", "TrainingRuntime", "metadata.labels", ({}, MISSING), (IN_PLACE, "")),
        (
            *("v1", "PersistentVolumeClaim", "spec.resources.requests.storage", ("1Gi", "2Gi")),
            (IN_PLACE, "refused as long as the claim is not bound, or where its class allows no growth"),
        ),
        (
            *("v1", "PersistentVolumeClaim", "spec.storageClassName", (MISSING, "a")),
            (IN_PLACE, "refused where the cluster has filled in another class"),
        ),
        ("v1", "PersistentVolumeClaim", "spec.volumeName", (MISSING, "a"), (IN_PLACE, "")),
        ("jobset.x-k8s.io/v1alpha2", "JobSet", "spec.suspend", (True, False), (IN_PLACE, "")),
        ("ray.io/v1", "RayJob", "spec.rayClusterSpec.rayVersion", ("a", "b"), (SILENT, ONE_CLUSTER)),
        ("ray.io/v1", "RayJob", "spec.entrypoint", ("a", "b"), (SILENT, ONE_CLUSTER)),
        ("ray.io/v1", "RayJob", "spec.suspend", (True, False), (IN_PLACE, "")),
        ("ray.io/v1", "RayJob", "spec.backoffLimit", (1, 2), (IN_PLACE, "")),
        ("ray.io/v1", "RayJob", "spec.activeDeadlineSeconds", (1, 2), (IN_PLACE, DEADLINE)),
        ("ray.io/v1", "RayJob", "metadata.labels.a", (1, 2), (IN_PLACE, "")),
        ("ray.io/v1", "RayCluster", "spec.rayVersion", (1, 2), (IN_PLACE, "")),
        ("example.com/v1", "Other", "spec.a", (1, 2), (IN_PLACE, "")),
    ],
)
def test_the_effect_of_an_accepted_change(
    api_version: str, kind: str, path: str, values: tuple[Any, Any], expected: tuple[str, str]
) -> None:
    tree = {"apiVersion": api_version, "kind": kind}
    assert effect(tree, Changed(tuple(path.split(".")), *values)) == expected


def pods(**tree: Any) -> list[tuple[Any, ...]]:
    return [(one.role, one.number, one.path, one.spec) for one in pods_of(Manifest(tree, {}))]


def test_the_pods_of_a_jobset() -> None:
    jobs = [
        {"name": "a", "template": {"spec": {"template": POD}}},
        {"name": "b", "replicas": 2, "template": {"spec": {"parallelism": 3, "template": POD}}},
    ]
    after = ("template", "spec", "template")
    assert pods(apiVersion="jobset.x-k8s.io/v1alpha2", kind="JobSet", spec={"replicatedJobs": jobs}) == [
        ("a", 1, ("spec", "replicatedJobs", (("name", "a"),), *after), POD["spec"]),
        ("b", 6, ("spec", "replicatedJobs", (("name", "b"),), *after), POD["spec"]),
    ]


def test_the_pods_of_a_volcano_job() -> None:
    tasks = [{"template": POD}, {"name": "b", "replicas": 2, "template": {}}]
    assert pods(apiVersion="batch.volcano.sh/v1alpha1", kind="Job", spec={"tasks": tasks}) == [
        ("default0", 0, ("spec", "tasks", 0, "template"), POD["spec"]),
        ("b", 2, ("spec", "tasks", (("name", "b"),), "template"), {}),
    ]


def test_the_pods_of_an_operators_job() -> None:
    replicas = {"Master": {"template": POD}, "Worker": {"replicas": 3, "template": POD}, "None": {"replicas": 0}}
    path = ("spec", "pytorchReplicaSpecs")
    assert pods(apiVersion="kubeflow.org/v1", kind="PyTorchJob", spec={"pytorchReplicaSpecs": replicas}) == [
        ("master", 1, (*path, "Master", "template"), POD["spec"]),
        ("worker", 3, (*path, "Worker", "template"), POD["spec"]),
        ("none", 0, (*path, "None", "template"), {}),
    ]


def test_the_pods_of_a_rayjob() -> None:
    groups = [{"groupName": "a", "replicas": 9, "maxReplicas": 3, "numOfHosts": 2, "template": POD}, {"suspend": True}]
    cluster = {"headGroupSpec": {"template": POD}, "workerGroupSpecs": groups}
    at = ("spec", "rayClusterSpec")
    submitter = pods(apiVersion="ray.io/v1", kind="RayJob", spec={"clusterSelector": {"ray.io/cluster": "a"}})
    assert [(role, number, path) for role, number, path, _ in submitter] == [("submitter", 1, ("spec", "submitterPodTemplate"))]
    spec = {"rayClusterSpec": cluster, "submissionMode": "SidecarMode"}
    assert pods(apiVersion="ray.io/v1", kind="RayJob", spec=spec) == [
        ("head", 1, (*at, "headGroupSpec", "template"), POD["spec"]),
        ("a", 6, (*at, "workerGroupSpecs", (("groupName", "a"),), "template"), POD["spec"]),
        ("", 0, (*at, "workerGroupSpecs", 1, "template"), {}),
    ]


def test_the_group_and_the_name_of_a_kind() -> None:
    assert group_and_kind({"apiVersion": "batch/v1", "kind": "Job"}) == ("batch", "Job")
    assert group_and_kind({"apiVersion": "v1", "kind": "Pod"}) == ("", "Pod")
    assert group_and_kind({}) == ("", "")
