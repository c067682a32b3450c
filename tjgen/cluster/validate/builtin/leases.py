"""Leases -> what the API server has against them.

Mirrors kubernetes 1.36 `pkg/apis/coordination/validation:ValidateLease`.
"""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster.validate.fault import Fault
from tjgen.cluster.validate.place import Place
from tjgen.trees.typing import Any


def lease(tree: dict[str, Any]) -> Iterator[Fault]:
    """`ValidateLeaseSpec`. Strategy and preferred holder are behind a gate that is off: the server drops them first."""
    spec, at = tree.get("spec", {}), Place("spec", ("spec",))
    if spec.get("leaseDurationSeconds", 1) <= 0:
        yield at.child("leaseDurationSeconds").invalid(spec["leaseDurationSeconds"], "must be greater than 0")
    if spec.get("leaseTransitions", 0) < 0:
        yield at.child("leaseTransitions").invalid(spec["leaseTransitions"], "must be greater than or equal to 0")
