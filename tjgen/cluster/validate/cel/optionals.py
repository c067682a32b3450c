"""CEL's optional values: what `oldSelf` is where a rule has `optionalOldSelf`, and what `.?` and `[?]` select.

Mirrors github.com/google/cel-go `cel/library.go` (optionalLib): `optional.of`, `optional.none`, `optional.ofNonZeroValue`,
`hasValue`, `value`, `orValue`, `or`, and fields of an optional, which are optional too.
"""

from __future__ import annotations

from collections.abc import Callable

from tjgen.cluster.validate.cel.values import NONE, CelError, Optional, of, overload
from tjgen.trees.typing import Any


def of_non_zero(item: Any) -> Optional:
    """`optional.ofNonZeroValue(item)`."""
    return of(item) if item else NONE


def _has_value(value: Any) -> bool:
    return _optional(value).is_present


def _value(value: Any) -> Any:
    if not _optional(value).is_present:
        raise CelError("optional.none() dereference")
    return value.item


def _optional(value: Any) -> Optional:
    if not isinstance(value, Optional):
        raise overload()
    return value


METHODS: dict[tuple[str, int], Callable[..., Any]] = {
    ("hasValue", 1): _has_value,
    ("value", 1): _value,
}
NAMESPACED: dict[tuple[str, int], Callable[..., Any]] = {
    ("optional.of", 1): of,
    ("optional.none", 0): lambda: NONE,
    ("optional.ofNonZeroValue", 1): of_non_zero,
}
