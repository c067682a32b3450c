"""The type of the descriptions of the Training Operator's and the MPI Operator's kinds; each target module holds one."""

from __future__ import annotations

from collections.abc import Mapping

from tjgen.typing import NamedTuple


class Kind(NamedTuple):
    """One kind of job and its replica types."""

    name: str
    field: str
    """The field of the spec with the replica types."""
    types: Mapping[str, str]
    """Role -> replica type."""
    single: tuple[str, ...]
    """Roles of exactly one pod."""
    container: str
    """The name that the main container must have; "" where any will do."""
    policy: str
    """The ML policy of a runtime that finds its rendezvous here."""
    port_name: str = ""
    port: int = 0
    """The port that the operator opens where the main container has none of that name."""
    api_version: str = "kubeflow.org/v1"
    aside: tuple[str, ...] = ()
    """Roles that run the program and do not train."""

    @property
    def said(self) -> str:
        """The name in a sentence."""
        return f"{'an' if self.name[0] in 'MX' else 'a'} {self.name}"
