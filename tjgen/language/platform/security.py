"""The Platform's `podSecurity` and a namespace -> the level of Pod Security of the namespace."""

from __future__ import annotations

from collections.abc import Mapping

from tjgen.trees.k8s.labels import POD_SECURITY, POD_SECURITY_MODES

ALL_OTHERS = "*"
"""The key for every namespace that has no key of its own."""


def key_of(levels: Mapping[str, str], namespace: str) -> str | None:
    """The key of `podSecurity` that applies to a namespace; None if the Platform sets no level for it."""
    return next((key for key in (namespace, ALL_OTHERS) if key in levels), None)


def labels_of(levels: Mapping[str, str], namespace: str) -> dict[str, str]:
    """The labels of a namespace that set its level in every mode; empty if the Platform sets no level for it."""
    key = key_of(levels, namespace)
    return {} if key is None else {f"{POD_SECURITY}{mode}": levels[key] for mode in POD_SECURITY_MODES}
