"""Items, a number of slices and a strategy's name -> a proven plan, or why there is none."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice

from tjgen.diagnostics.model import Diagnostic, has_errors
from tjgen.fields.path import FieldPath
from tjgen.k8s.nearest import nearest
from tjgen.slicing import problems, strategies
from tjgen.slicing.items import Items
from tjgen.slicing.proof import faults
from tjgen.slicing.remainder import KEEP, equal
from tjgen.typing import Any

MOST_SLICES = 100_000
"""Pods of one Indexed Job. Upstream: batch/validation `maxParallelismForIndexedJob`."""

_MOST_REPORTED = 5


def divide(
    items: Items,
    count: int,
    by: str,
    *,
    because: FieldPath,
    options: Mapping[str, Any] | None = None,
    remainder: str = KEEP,
    readers: int = 1,
) -> tuple[list[list[int]] | None, list[Diagnostic]]:
    """Indexes of the items for each of `count` slices; `because` is where the experiment asks for slices.

    `remainder` says what becomes of slices of unequal length (see remainder.py), `readers` how many share a slice.
    """
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
    try:
        plan = strategy.plan(items, count, options or {})
    except ValueError as problem:
        hint = "make what is said beside `by` fit the items and the nodes"
        return None, [problems.error(problems.REFUSED, f"{by} {problem}", path=because, hint=hint)]
    diagnostics = _judged(plan, items, count, by, because)
    if has_errors(diagnostics):
        return None, diagnostics
    evened = equal(plan, len(items), remainder, readers=readers)
    diagnostics += _left(evened, plan, readers, because)
    diagnostics += _empty(evened, len(items), readers, because)
    return (None if has_errors(diagnostics) else evened), diagnostics


def _judged(plan: list[list[int]], items: Items, count: int, by: str, because: FieldPath) -> list[Diagnostic]:
    hint = "report it to whoever wrote the strategy, or use another one"
    return [
        problems.error(problems.BROKEN, f"the slices of {by} are no division: {fault}", path=(*because, "by"), hint=hint)
        for fault in islice(faults(plan, len(items), count), _MOST_REPORTED)
    ]


def _left(evened: list[list[int]], plan: list[list[int]], readers: int, because: FieldPath) -> Iterator[Diagnostic]:
    """Items that `drop` leaves out, where they are more than those that cannot be divided evenly."""
    items, kept = sum(map(len, plan)), sum(map(len, evened))
    at: FieldPath = (*because, "remainder")
    if items and not kept:
        message = f"nothing is left of {items} items when all slices are as short as the shortest"
        hint = "use remainder: pad, fewer nodes, or more and smaller items"
        yield problems.error(problems.LEFT_OUT, message, path=at, hint=hint)
    elif items - kept >= len(plan) * readers:
        message = f"{items - kept} of {items} items are read by nobody, for the slices differ in length"
        hint = "use remainder: pad, or divide by contiguous or round-robin"
        yield problems.warning(problems.LEFT_OUT, message, path=at, hint=hint)


def _empty(plan: list[list[int]], items: int, readers: int, because: FieldPath) -> Iterator[Diagnostic]:
    short = [number for number, part in enumerate(plan) if len(part) < readers]
    if short:
        less = "empty" if readers == 1 else f"too short for the {readers} processes of a node"
        message = f"{len(short)} of {len(plan)} slices are {less}, for there are {items} items: slice {short[0]} first"
        yield problems.warning(problems.EMPTY, message, path=because, hint="use fewer nodes, or more and smaller items")
