"""The table of kinds: group and name -> the description, loaded when needed. Other packages keep no list of kinds.

To add a kind, write its module and add one line here. Tests compare the table with the modules of this package and with the
targets of the language, and try every kind with every consumer.
"""

from __future__ import annotations

from tjgen.cluster.kinds.protocol import Kind, RunFacts
from tjgen.trees.fields.path import Tree

_PLACES: dict[tuple[str, str], tuple[str, str]] = {
    ("trainer.kubeflow.org", "TrainJob"): ("trainjob", "TRAINJOB"),
    ("trainer.kubeflow.org", "TrainingRuntime"): ("trainjob", "TRAINING_RUNTIME"),
    ("jobset.x-k8s.io", "JobSet"): ("jobset", "JOBSET"),
    ("batch", "Job"): ("supporting", "JOB"),
    ("batch", "CronJob"): ("supporting", "CRON_JOB"),
    ("batch.volcano.sh", "Job"): ("volcano_job", "VOLCANO_JOB"),
    ("scheduling.volcano.sh", "PodGroup"): ("volcano_job", "POD_GROUP"),
    ("scheduling.x-k8s.io", "PodGroup"): ("supporting", "COSCHEDULING_POD_GROUP"),
    ("kubeflow.org", "PyTorchJob"): ("pytorchjob", "PYTORCHJOB"),
    ("kubeflow.org", "TFJob"): ("tfjob", "TFJOB"),
    ("kubeflow.org", "MPIJob"): ("mpijob", "MPIJOB"),
    ("kubeflow.org", "XGBoostJob"): ("xgboostjob", "XGBOOSTJOB"),
    ("kubeflow.org", "JAXJob"): ("jaxjob", "JAXJOB"),
    ("kubeflow.org", "PaddleJob"): ("paddlejob", "PADDLEJOB"),
    ("ray.io", "RayJob"): ("ray", "RAYJOB"),
    ("ray.io", "RayCluster"): ("ray", "RAYCLUSTER"),
    ("resource.k8s.io", "ResourceClaimTemplate"): ("supporting", "RESOURCE_CLAIM_TEMPLATE"),
    ("data.fluid.io", "Dataset"): ("supporting", "DATASET"),
    ("data.fluid.io", "DataLoad"): ("supporting", "DATA_LOAD"),
    ("monitoring.coreos.com", "PodMonitor"): ("supporting", "POD_MONITOR"),
    ("monitoring.coreos.com", "PrometheusRule"): ("supporting", "PROMETHEUS_RULE"),
    ("", "PersistentVolumeClaim"): ("supporting", "CLAIM"),
    ("", "ConfigMap"): ("supporting", "CONFIG_MAP"),
}
"""Group and name of a kind -> module of this package and its constant there. The order is that of lists in outputs."""
OF_TRAINER = ("trainjob", "jobset")
"""The targets whose objects the twin of the Trainer controller expands. Every other target is direct (see targets/direct.py)."""

OF_TRAINING_OPERATOR = tuple([name.lower() for group, name in _PLACES if group == "kubeflow.org" and name != "MPIJob"])
"""The targets whose jobs the Training Operator runs. MPIJob belongs to the MPI Operator."""


def find(group: str, name: str) -> Kind | None:
    """The description of a kind, or None for a kind that has none."""
    place = _PLACES.get((group, name))
    return None if place is None else _load(*place)


def kind_of(tree: Tree) -> Kind | None:
    """The description of a manifest's kind, or None. The version of its apiVersion is not compared."""
    return find(*group_and_kind(tree))


def replica_field(name: str) -> str:
    """The field of the spec that holds the replica types of a kind of the API group kubeflow.org; empty for other kinds."""
    kind = find("kubeflow.org", name)
    return kind.run.replicas if kind is not None and kind.run is not None else ""


def kind_of_target(target: str) -> Kind:
    """The kind that a target writes. The constant of the kind is the name of the target in capitals."""
    return _load(*_OF_TARGETS[target])


def facts_of(target: str) -> RunFacts:
    """The facts about the runs of a target."""
    run = kind_of_target(target).run
    assert run is not None, "a target writes a kind that trains"
    return run


def kinds() -> tuple[Kind, ...]:
    """All kinds, in the order of the table."""
    return tuple([_load(*place) for place in _PLACES.values()])


def targets() -> tuple[str, ...]:
    """The names of all targets."""
    return tuple([kind.run.target for kind in kinds() if kind.run is not None and kind.run.target])


def group_and_kind(tree: Tree) -> tuple[str, str]:
    """API group and kind of a manifest, empty where the manifest has none."""
    return str(tree.get("apiVersion", "")).rpartition("/")[0], str(tree.get("kind", ""))


_OF_TARGETS = {constant.replace("_", "").lower(): (module, constant) for module, constant in _PLACES.values()}
"""Name of a target -> the place of its kind. The other names in it are those of kinds that no target writes."""
_loaded: dict[str, Kind] = {}
"""Constant -> its description, once it was used."""


def _load(module: str, constant: str) -> Kind:
    kind = _loaded.get(constant)
    if kind is None:
        kind = _loaded[constant] = getattr(__import__(f"tjgen.cluster.kinds.{module}", fromlist=[constant]), constant)
    return kind
