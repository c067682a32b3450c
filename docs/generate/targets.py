"""The targets -> the page that says what each of them applies and who starts the pods."""

from __future__ import annotations

from collections.abc import Iterator

from docs.generate.markdown import NOTICE, code, table
from tjgen.targets.table import OF_TRAINER, TARGETS

INTRODUCTION = """\
`target` of an [experiment](experiment.md) says which kind of object is applied to the cluster, beside claims, ConfigMaps and
the like. Of a run for Trainer its runtime is applied too; the others need none in the cluster, since their pods are made of the
runtime when tjgen builds.
"""
_VOLCANO = "[Volcano Jobs](../how-to/volcano.md)"
_OPERATORS = "[PyTorchJob and others](../how-to/kubeflow-v1.md)"
_TOLD = {
    "trainjob": ("TrainJob `trainer.kubeflow.org/v1alpha1`", "Kubeflow Trainer, by JobSet", "[tutorial](../tutorial.md)"),
    "jobset": ("JobSet `jobset.x-k8s.io/v1alpha2`, and the PodGroup of its gang", "JobSet", "[queues](../how-to/queues.md)"),
    "volcanojob": ("Job `batch.volcano.sh/v1alpha1`", "Volcano, with a PodGroup of its own", _VOLCANO),
    "pytorchjob": ("PyTorchJob `kubeflow.org/v1`", "Training Operator", _OPERATORS),
    "tfjob": ("TFJob `kubeflow.org/v1`", "Training Operator", _OPERATORS),
    "mpijob": ("MPIJob `kubeflow.org/v2beta1`", "MPI Operator", _OPERATORS),
    "xgboostjob": ("XGBoostJob `kubeflow.org/v1`", "Training Operator", _OPERATORS),
    "jaxjob": ("JAXJob `kubeflow.org/v1`", "Training Operator", _OPERATORS),
}


def page() -> str:
    """The page."""
    return "\n".join(["# Targets\n", NOTICE, INTRODUCTION, table(("Target", "Applied", "Pods are started by", "More"), _rows())])


def _rows() -> Iterator[tuple[str, ...]]:
    for name in TARGETS:
        made, by, more = _TOLD[name]
        yield code(name), made + (", with its runtime" if name in OF_TRAINER[:1] else ""), by, more
