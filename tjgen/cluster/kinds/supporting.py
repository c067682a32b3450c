"""The kinds that a run needs and that do not train."""

from __future__ import annotations

from tjgen.cluster.kinds.protocol import IN_PLACE, MANAGED, METADATA, SUSPENDABLE, Effect, Kind, Phases, takes_effect
from tjgen.trees.fields.path import FieldPath, Tree

_GROWTH = Effect(IN_PLACE, "refused as long as the claim is not bound, or where its class allows no growth")
_CLASS = Effect(IN_PLACE, "refused where the cluster has filled in another class")


def _claim_effect(path: FieldPath, before: Tree, after: Tree) -> Effect | None:
    if path[:4] == ("spec", "resources", "requests", "storage"):
        return _GROWTH
    return _CLASS if path[:2] == ("spec", "storageClassName") else None


def _applied(api_version: str, name: str, plural: str) -> Kind:
    """A kind that an apply may change as a whole."""
    return Kind(
        api_version=api_version,
        name=name,
        plural=plural,
        changeable=None,
        effect=takes_effect,
        access=MANAGED,
        status=None,
        run=None,
        controller="",
    )


JOB = _applied("batch/v1", "Job", "jobs")._replace(changeable=SUSPENDABLE, controller="job")
CRON_JOB = _applied("batch/v1", "CronJob", "cronjobs")
COSCHEDULING_POD_GROUP = _applied("scheduling.x-k8s.io/v1alpha1", "PodGroup", "podgroups")._replace(
    status=Phases("Finished", ("Failed",), parent="")
)
RESOURCE_CLAIM_TEMPLATE = _applied("resource.k8s.io/v1", "ResourceClaimTemplate", "resourceclaimtemplates")
DATASET = _applied("data.fluid.io/v1alpha1", "Dataset", "datasets")
DATA_LOAD = _applied("data.fluid.io/v1alpha1", "DataLoad", "dataloads")
POD_MONITOR = _applied("monitoring.coreos.com/v1", "PodMonitor", "podmonitors")
PROMETHEUS_RULE = _applied("monitoring.coreos.com/v1", "PrometheusRule", "prometheusrules")
CLAIM = _applied("v1", "PersistentVolumeClaim", "persistentvolumeclaims")._replace(effect=_claim_effect)
CONFIG_MAP = _applied("v1", "ConfigMap", "configmaps")._replace(changeable=METADATA)
"""Only an immutable ConfigMap is limited to its changeable fields."""
