"""Items, a number of slices and a strategy's name -> a proven plan, or why there is none."""

from __future__ import annotations

from collections.abc import Mapping

from tjgen.diagnostics.model import Diagnostic, has_errors
from tjgen.fields.path import FieldPath
from tjgen.k8s.nearest import nearest
from tjgen.slicing import problems, strategies
from tjgen.slicing.items import Items
from tjgen.slicing.proof import faults
from tjgen.typing import Any

MOST_SLICES = 100_000
"""Pods of one Indexed Job. Upstream: batch/validation `maxParallelismForIndexedJob`."""

_MOST_REPORTED = 5


def divide(
    items: Items, count: int, by: str, *, because: FieldPath, options: Mapping[str, Any] | None = None
) -> tuple[list[list[int]] | None, list[Diagnostic]]:
    """Indexes of the items for each of `count` slices; `because` is where the experiment asks for slices."""
    if count > MOST_SLICES:
        message = f"{count} slices are asked for, and a Job has at most {MOST_SLICES} pods"
        return None, [problems.error(problems.MANY, message, path=because, hint="use fewer nodes")]
    strategy = strategies.load(by)
    if strategy is None:
        known = strategies.known()
        near = nearest(by, known)
        hint = f'did you mean "{near}"?' if near else f"use one of {', '.join(known)}"
        found = problems.error(problems.STRATEGY, f'no slicing strategy is called "{by}"', path=(*because, "by"), hint=hint)
        return None, [found]
    if strategy.NEEDS_SIZES and items.unsized is not None:
        message = f"{by} balances by size, and {items.paths[items.unsized]!r} has none"
        hint = "give every item a size, or divide by contiguous or round-robin"
        return None, [problems.error(problems.UNSIZED, message, path=(*because, "by"), hint=hint)]
    plan = strategy.plan(items, count, options or {})
    diagnostics = _judged(plan, items, count, by, because)
    return (None if has_errors(diagnostics) else plan), diagnostics


def _judged(plan: list[list[int]], items: Items, count: int, by: str, because: FieldPath) -> list[Diagnostic]:
    found = []
    for fault in faults(plan, len(items), count):
        hint = "report it to whoever wrote the strategy, or use another one"
        found.append(
            problems.error(problems.BROKEN, f"the slices of {by} are no division: {fault}", path=(*because, "by"), hint=hint)
        )
        if len(found) == _MOST_REPORTED:
            break
    empty = [number for number, part in enumerate(plan) if not part]
    if empty and not found:
        message = f"{len(empty)} of {count} slices are empty, for there are {len(items)} items: slice {empty[0]} first"
        hint = "use fewer nodes, or more and smaller items"
        found.append(problems.warning(problems.EMPTY, message, path=because, hint=hint))
    return found
