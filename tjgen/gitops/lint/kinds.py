"""Groups and kinds that rules speak of."""

from __future__ import annotations

from tjgen.cluster.kinds.table import find, kinds
from tjgen.cluster.synctools import flux
from tjgen.cluster.synctools.table import TOOLS
from tjgen.trees.fields.path import FieldPath

TRAINJOB = ("trainer.kubeflow.org", "TrainJob")
RUNTIME = ("trainer.kubeflow.org", "TrainingRuntime")
CLUSTER_RUNTIME = ("trainer.kubeflow.org", "ClusterTrainingRuntime")
RUNTIMES = (RUNTIME, CLUSTER_RUNTIME)
JOBSET = ("jobset.x-k8s.io", "JobSet")
VOLCANO_JOB = ("batch.volcano.sh", "Job")
VOLCANO_QUEUE = ("scheduling.volcano.sh", "Queue")
PODGROUP = ("scheduling.volcano.sh", "PodGroup")
JOB = ("batch", "Job")
CRONJOB = ("batch", "CronJob")
CLAIM = ("", "PersistentVolumeClaim")
CONFIGMAP = ("", "ConfigMap")
SECRET = ("", "Secret")
SERVICE = ("", "Service")
NAMESPACE = ("", "Namespace")
POD = ("", "Pod")
PRIORITY_CLASS = ("scheduling.k8s.io", "PriorityClass")
STORAGE_CLASS = ("storage.k8s.io", "StorageClass")
APPLICATION = ("argoproj.io", "Application")
APPLICATION_SET = ("argoproj.io", "ApplicationSet")
(KUSTOMIZATION,) = flux.TOOL.syncing

RUNS = tuple((kind.group, kind.name) for kind in kinds() if kind.run is not None)
"""Kinds that train: deleting an object ends a run."""
OPERATOR_JOBS = tuple(sorted((kind.group, kind.name) for kind in kinds() if kind.run is not None and kind.run.replicas))
"""Jobs of the Training Operator and of the MPI Operator."""
SYNCED_BY = tuple([(tool.name, tool.syncing[0]) for tool in TOOLS])
"""Each tool, and the kind of its objects that configure a sync."""
CLUSTERED = frozenset({CLUSTER_RUNTIME, VOLCANO_QUEUE, NAMESPACE, PRIORITY_CLASS, STORAGE_CLASS})
"""Kinds without a namespace."""


def suspend_of(kind: tuple[str, str]) -> FieldPath:
    """The path of the field that suspends an object of a kind."""
    known = find(*kind)
    return (known.suspend if known is not None else None) or ("spec", "suspend")
