"""What a target of the Training Operator or of the MPI Operator needs to know of its kind, beyond `kinds`."""

from __future__ import annotations

from collections.abc import Mapping

from tjgen.cluster.kinds.operator_job import OPERATOR_DEFAULTS
from tjgen.cluster.kinds.protocol import Kind
from tjgen.trees.typing import NamedTuple


class OperatorJob(NamedTuple):
    """One kind of job with its replica types."""

    kind: Kind
    types: Mapping[str, str]
    """Role -> replica type."""
    single: tuple[str, ...]
    """Roles of exactly one pod."""
    policy: str
    """The ML policy of a runtime whose rendezvous the operator sets up."""
    aside: tuple[str, ...] = ()
    """Roles that run the program and do not train."""

    @property
    def name(self) -> str:
        """The kind, such as PyTorchJob."""
        return self.kind.name

    @property
    def container(self) -> str:
        """The name that the main container must have; empty if any name works."""
        return OPERATOR_DEFAULTS[self.name].container if self.name in OPERATOR_DEFAULTS else ""

    @property
    def port(self) -> int:
        """The port that the operator opens if the main container has none of its own."""
        return OPERATOR_DEFAULTS[self.name].port

    @property
    def field(self) -> str:
        """The field of the spec that holds the replica types."""
        assert self.kind.run is not None, "an operator's job trains"
        return self.kind.run.replicas

    @property
    def with_article(self) -> str:
        """The name in a sentence: a TFJob, an MPIJob."""
        return f"{'an' if self.name[0] in 'MX' else 'a'} {self.name}"
