"""Known traps that are no rule of lint, each with what it is and why: the page of rules shows them."""

from __future__ import annotations

from collections.abc import Mapping

REASONS: Mapping[str, tuple[str, str]] = {
    "G37": (
        "Protection that comes with the commit that removes the object.",
        "What is removed has no manifest left to hold it. Removals are judged by what was synced before (TJ635, TJ636).",
    ),
}
"""Trap -> what it is, why it is no rule."""
