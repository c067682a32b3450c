"""The rules of the identity of earlier releases, newest first: a run that has such an identity in a lock keeps its name."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.language.runs import identity_v1, identity_v2
from tjgen.language.spec.identity import Rule

EARLIER: dict[str, Rule] = {
    "identity_v2": identity_v2.SPEC,
    "identity_v1": identity_v1.SPEC,
}
"""Module of this package -> its rule of `spec`."""


def rules_before(is_bundled: bool) -> Iterator[tuple[Rule, bool]]:
    """Yield earlier rules for a run, and whether a task keeps defaults that override; `is_bundled`: tjgen has its runtime.

    The first of them differ from the newest only in blocks with default values alone.
    """
    yield identity_v2.OF_BUNDLED_RUNTIME if is_bundled else identity_v2.SPEC, True
    for rule in EARLIER.values():
        yield rule, rule is not identity_v1.SPEC
