"""What a direct target is: a module that makes the run's own object, whose controller starts the pods without Trainer.

To add one, describe its kind in `kinds`, write its module here, and name it in the language (`spec.target`).
"""

from __future__ import annotations

from collections.abc import Mapping

from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import FieldPath
from tjgen.trees.manifests.manifest import Manifest
from tjgen.trees.typing import MappingProxyType, NamedTuple, Protocol
from tjgen.trees.workload.workload import Workload


class RequestedSize(NamedTuple):
    """The experiment's settings for nodes and roles, before the Workload has any of them."""

    nodes: int | None
    roles: Mapping[str, int | None]
    """Role -> replicas."""
    is_elastic: bool = False
    """Whether the number of nodes may change."""
    because: FieldPath = ("spec", "nodes")
    """The field that sets `nodes`."""
    topologies: Mapping[str, FieldPath] = MappingProxyType({})
    """Role -> the field that sets its replicas, if it is not `replicas`."""


class Lowered(NamedTuple):
    """The result of a direct target for a Workload."""

    job: Manifest
    objects: list[Manifest]
    """The objects that must exist before it, in the order in which they can be applied."""
    diagnostics: list[Diagnostic]


class Target(Protocol):
    """The functions of such a module."""

    def arranged(self, workload: Workload, size: RequestedSize) -> tuple[Workload, list[Diagnostic]]:
        """The runtime's jobs as the roles of the kind, each with its own number of pods (see groups.py)."""

    def lower(self, workload: Workload) -> Lowered:
        """The object, its supporting objects, and unsupported fields; paths are of the experiment."""

    def find_warnings(self, job: Manifest, workload: Workload) -> list[Diagnostic]:
        """Where the object, with the patches on it, does not do what it seems to; paths are of the object."""

    def budget(self, job: Manifest) -> int:
        """Return the maximum length of the run's name, so that the names derived from it stay valid."""
