"""The kind of a job -> the module that says it as an experiment, imported when there is one."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Protocol

from tjgen.fields.path import Tree
from tjgen.typing import cast

_KUBEFLOW = "tjgen.importing.kubeflow"
KINDS: Mapping[tuple[str, str], str] = {
    ("jobset.x-k8s.io/v1alpha2", "JobSet"): "tjgen.importing.jobset",
    ("batch.volcano.sh/v1alpha1", "Job"): "tjgen.importing.volcano",
    ("kubeflow.org/v1", "PyTorchJob"): _KUBEFLOW,
    ("kubeflow.org/v1", "TFJob"): _KUBEFLOW,
    ("kubeflow.org/v1", "XGBoostJob"): _KUBEFLOW,
    ("kubeflow.org/v1", "JAXJob"): _KUBEFLOW,
    ("kubeflow.org/v2beta1", "MPIJob"): _KUBEFLOW,
}


class Importer(Protocol):
    """A module of the table."""

    def experiment(self, tree: Tree) -> Tree:
        """The experiment that says as much of the job as the language has words for."""

    def filled(self, tree: Tree) -> Tree:
        """The job as a cluster stores it."""


def importer(tree: Tree) -> Importer | None:
    """Who imports an object; None for one that is no job of these kinds."""
    module = KINDS.get((str(tree.get("apiVersion")), str(tree.get("kind"))))
    return None if module is None else cast("Importer", import_module(module))
