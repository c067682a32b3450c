"""The facts that the jobs of the Training Operator and of the MPI Operator share."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tjgen.cluster.kinds.protocol import (
    COUNTED_FROM_START,
    MANAGED,
    METADATA,
    ONE,
    SILENT,
    Conditions,
    Effect,
    Kind,
    Pods,
    RunFacts,
)
from tjgen.trees.fields.path import FieldPath, Tree, get
from tjgen.trees.typing import NamedTuple

_NEW_PODS = Effect(SILENT, "accepted, but existing pods stay unchanged; only new pods get the change")


class OperatorDefaults(NamedTuple):
    """What the Training Operator fills in for a kind."""

    container: str
    """The name that the main container must have."""
    port_name: str
    port: int
    """The port that the operator opens if the main container has none of that name."""
    restart_policy: str
    unread: tuple[str, ...] = ()
    """Fields of the spec that the schema has, and that the controller does not read."""


OPERATOR_DEFAULTS = {
    "PyTorchJob": OperatorDefaults("pytorch", "pytorchjob-port", 23456, "OnFailure"),
    "TFJob": OperatorDefaults("tensorflow", "tfjob-port", 2222, "Never"),
    "XGBoostJob": OperatorDefaults("xgboost", "xgboostjob-port", 9999, "Never"),
    "JAXJob": OperatorDefaults("jax", "jaxjob-port", 6666, "Never"),
    "PaddleJob": OperatorDefaults("paddle", "master", 36543, "OnFailure", unread=("elasticPolicy",)),
}
"""Kind -> its defaults: training-operator v1.9 `pkg/apis/kubeflow.org/v1`."""


def effect(path: FieldPath, before: Tree, after: Tree) -> Effect | None:
    """The operators create pods once and do not compare existing pods with their template.

    training-operator v1.9 `controller.v1/common/pod.go:ReconcilePods` creates and deletes pods by their index alone; of an
    MPIJob's launcher, only the fields that decide about its node reach the Job that exists.
    """
    if path[:2] == ("spec", "runPolicy"):
        return COUNTED_FROM_START if path[:3] == ("spec", "runPolicy", "activeDeadlineSeconds") else None
    if path[:1] != ("spec",) or path[-1:] == ("replicas",):
        return None
    return _NEW_PODS


def operator_job(
    name: str,
    replicas: str,
    framework: str,
    *,
    processes: str = ONE,
    version: str = "v1",
    starter: str = "Training Operator",
    job_owner: str = "",
) -> Kind:
    """A kind of job; `replicas` is the field of its spec that holds the replica types."""
    return Kind(
        api_version=f"kubeflow.org/{version}",
        name=name,
        plural=f"{name.lower()}s",
        changeable=(*METADATA, ("spec", "runPolicy", "suspend")),
        effect=effect,
        access=MANAGED,
        status=Conditions("Succeeded", "replicaStatuses"),
        run=RunFacts(
            target=name.lower(),
            needs="",
            starter=starter,
            page="[PyTorchJob and others](../how-to/kubeflow-v1.md)",
            framework=framework,
            processes=processes,
            finds_container_by_name=name in OPERATOR_DEFAULTS,
            scheduler="",
            is_preview=False,
            job_owner=job_owner,
            pods=_pods_in(replicas),
            replicas=replicas,
            pod_label="training.kubeflow.org/job-name",
        ),
        controller=starter.lower().replace(" ", "_"),
    )


def _pods_in(field: str) -> Callable[[Tree], Iterator[Pods]]:
    def pods(tree: Tree) -> Iterator[Pods]:
        for role, spec in (get(tree, ("spec", field), None) or {}).items():
            if spec is None:
                continue  # a role without a value has no pods
            count = spec.get("replicas")
            path: FieldPath = ("spec", field, role, "template")
            yield Pods(role.lower(), int(1 if count is None else count), path, spec.get("template") or {})

    return pods
