"""Known traps that are no rule of lint, each with what it is and why: the page of rules shows them."""

from __future__ import annotations

from collections.abc import Mapping

REASONS: Mapping[str, tuple[str, str]] = {}
"""Trap -> what it is, why it is no rule."""
