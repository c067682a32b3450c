"""What may not change of ConfigMaps, Secrets and ResourceQuotas.

Mirrors kubernetes 1.36 `pkg/apis/core/validation` (ValidateConfigMapUpdate, ValidateSecretUpdate, ValidateResourceQuotaUpdate).
"""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster.validate.fault import Fault
from tjgen.cluster.validate.place import Place, at
from tjgen.cluster.validate.update.metadata import IMMUTABLE
from tjgen.trees.typing import Any

_FROZEN = "field is immutable when `immutable` is set"


def config_map(new: dict[str, Any], old: dict[str, Any]) -> Iterator[Fault]:
    """`ValidateConfigMapUpdate`."""
    yield from _frozen(new, old, ("data", "binaryData"))


def secret(new: dict[str, Any], old: dict[str, Any]) -> Iterator[Fault]:
    """`ValidateSecretUpdate`."""
    if new.get("type", "") != old.get("type", ""):
        yield at(("type",)).invalid(new.get("type", ""), IMMUTABLE)
    yield from _frozen(new, old, ("data",))


def _frozen(new: dict[str, Any], old: dict[str, Any], names: tuple[str, ...]) -> Iterator[Fault]:
    if not old.get("immutable"):
        return
    if not new.get("immutable"):
        yield at(("immutable",)).forbidden(_FROZEN)
    for name in names:
        if (new.get(name) or {}) != (old.get(name) or {}):
            yield at((name,)).forbidden(_FROZEN)


def quota(new: dict[str, Any], old: dict[str, Any]) -> Iterator[Fault]:
    """`ValidateResourceQuotaUpdate`."""
    scopes = new.get("spec", {}).get("scopes") or []
    if set(scopes) != set(old.get("spec", {}).get("scopes") or []):
        yield Place().child("spec", "scopes").invalid(scopes, IMMUTABLE)
