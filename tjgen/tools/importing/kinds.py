"""The kind of a job -> the module that turns it into an experiment, imported when there is one."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Protocol

from tjgen.cluster.kinds.jobset import JOBSET
from tjgen.cluster.kinds.ray import RAYJOB
from tjgen.cluster.kinds.table import kind_of
from tjgen.cluster.kinds.volcano_job import VOLCANO_JOB
from tjgen.trees.fields.path import Tree
from tjgen.trees.typing import cast

if TYPE_CHECKING:
    from tjgen.tools.importing import jobset, kubeflow, kuberay, volcano


_IMPORTERS = {
    (JOBSET.group, JOBSET.name): "jobset",
    (VOLCANO_JOB.group, VOLCANO_JOB.name): "volcano",
    (RAYJOB.group, RAYJOB.name): "kuberay",
}
"""Group and name of a kind -> its module of this package."""
_OF_OPERATORS = "kubeflow"
"""The module for the jobs of the Training Operator and of the MPI Operator."""


class Importer(Protocol):
    """A module that imports a kind."""

    def experiment(self, tree: Tree) -> Tree:
        """Return the experiment that covers as much of the job as the language has fields for."""

    def filled(self, tree: Tree) -> Tree:
        """The job as a cluster stores it."""


if TYPE_CHECKING:
    IMPORTERS: tuple[Importer, ...] = (jobset, kubeflow, kuberay, volcano)
    """For the type checker: a module that lacks a function of the protocol is an error here."""


def importer(tree: Tree) -> Importer | None:
    """The importer of an object; None for a kind or version that has none. TrainJobs are imported with their runtimes instead."""
    kind = kind_of(tree)
    if kind is None or kind.run is None or kind.api_version != tree.get("apiVersion"):
        return None
    name = _OF_OPERATORS if kind.run.replicas else _IMPORTERS.get((kind.group, kind.name))
    return None if name is None else cast("Importer", import_module(f"tjgen.tools.importing.{name}"))
