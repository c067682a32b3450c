"""The kind of a job -> the module that turns it into an experiment, imported when there is one."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Protocol

from tjgen.cluster.kinds.table import kind_of
from tjgen.trees.fields.path import Tree
from tjgen.trees.typing import cast

if TYPE_CHECKING:
    from tjgen.tools.importing import jobset, kubeflow, kuberay, volcano


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
    if kind is None or kind.run is None or kind.api_version != tree.get("apiVersion") or not kind.run.importer:
        return None
    return cast("Importer", import_module(kind.run.importer))
