"""Items, a number of slices and a strategy's name -> a proven plan, or why there is none."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice

from tjgen.language.slicing import problems, strategies
from tjgen.language.slicing.items import DataItems
from tjgen.language.slicing.proof import Plan, faults, heaviest
from tjgen.language.slicing.proof import balance as even
from tjgen.language.slicing.remainder import KEEP, equal
from tjgen.language.slicing.strategy import PluginError
from tjgen.trees.diagnostics.model import ERROR, Diagnostic, has_errors
from tjgen.trees.fields.path import FieldPath
from tjgen.trees.k8s.nearest import nearest
from tjgen.trees.session import Session
from tjgen.trees.typing import Any

MOST_SLICES = 100_000
"""Pods of one Indexed Job. Upstream: batch/validation `maxParallelismForIndexedJob`."""

NONE_REFUSED: Mapping[str, Diagnostic] = {}
_MOST_REPORTED = 5
_OTHERS = "report it to the author of the strategy, or use another one"


def divide(
    items: DataItems,
    count: int,
    by: str,
    *,
    because: FieldPath,
    options: Mapping[str, Any] | None = None,
    remainder: str = KEEP,
    readers: int = 1,
    balance: float | None = None,
    files: Mapping[str, str] = strategies.NO_FILES,
    refused: Mapping[str, Diagnostic] = NONE_REFUSED,
    session: Session | None = None,
) -> tuple[Plan | None, list[Diagnostic]]:
    """Return the indexes of the items for each of `count` slices; `because` is the experiment's field for slices.

    `remainder` is the rule for slices of unequal length (see remainder.py), `readers` how many share a slice,
    `balance` how often the mean the largest slice may be; `files` are the strategies of the project,
    `refused` those of them whose code may not run. `session` keeps what the runs of a build share.
    """
    if count > MOST_SLICES:
        message = f"{count} slices are requested, but a Job has at most {MOST_SLICES} pods"
        return None, [Diagnostic(problems.MANY, message, path=because, hint="use fewer nodes")]
    if by in refused:
        return None, [refused[by]._replace(path=(*because, "by"))]
    options, session = options or {}, session or Session()
    try:
        strategy = strategies.load(by, files, session)
    except PluginError as problem:
        return None, [_unusable(by, problem, because)]
    if strategy is None:
        known = strategies.known(files)
        near = nearest(by, known)
        hint = f'did you mean "{near}"?' if near else f"use one of {', '.join(known)}"
        diagnostic = Diagnostic(problems.STRATEGY, f'unknown slicing strategy "{by}"', path=(*because, "by"), hint=hint)
        return None, [diagnostic]
    if strategy.NEEDS_SIZES and items.unsized is not None:
        message = f"{by} balances by size, but {items.paths[items.unsized]!r} has no size"
        hint = "give every item a size, or divide by contiguous or round-robin"
        return None, [Diagnostic(problems.UNSIZED, message, path=(*because, "by"), hint=hint)]
    try:
        plan, bound = strategies.plan_of(by, strategy, items, count, options)
    except PluginError as problem:
        return None, [_unusable(by, problem, because)]
    except ValueError as problem:
        hint = "change the other fields of `by` to fit the items and the nodes"
        return None, [Diagnostic(problems.REFUSED, f"{by} {problem}", path=because, hint=hint)]
    diagnostics = _judged(plan, items, count, by, because, covering=options.get("covering", True))
    diagnostics = diagnostics or _unkept(plan, items if strategy.NEEDS_SIZES else None, bound, by, because, session)
    if has_errors(diagnostics):
        return None, diagnostics
    evened = equal(plan, len(items), remainder, readers=readers)
    diagnostics += left(evened, plan, readers, because)
    diagnostics += short(evened, len(items), readers, because)
    diagnostics += uneven(evened, items, balance, because, session)
    return (None if has_errors(diagnostics) else evened), diagnostics


def _judged(plan: Plan, items: DataItems, count: int, by: str, because: FieldPath, *, covering: bool) -> list[Diagnostic]:
    return [
        Diagnostic(problems.BROKEN, f"the slices of {by} do not divide the items: {fault}", path=(*because, "by"), hint=_OTHERS)
        for fault in islice(faults(plan, len(items), count, covering=covering), _MOST_REPORTED)
    ]


def _unkept(
    plan: Plan, items: DataItems | None, bound: int | None, by: str, because: FieldPath, session: Session
) -> list[Diagnostic]:
    """A slice that is larger than the maximum of the strategy."""
    if bound is None:
        return []
    number, most = heaviest(plan, items, session)
    if most <= bound:
        return []
    message = f"slice {number} of {by} has {most} {'items' if items is None else 'bytes'}, but {by} promises at most {bound}"
    return [Diagnostic(problems.BROKEN, message, path=(*because, "by"), hint=_OTHERS)]


def _unusable(by: str, problem: PluginError, because: FieldPath) -> Diagnostic:
    hint = "fix it, then test it with `python -m tjgen.language.slicing.conformance`"
    return Diagnostic(problems.UNUSABLE, f"the strategy {by} {problem}", path=(*because, "by"), hint=hint)


def uneven(
    plan: Plan, items: DataItems | None, bound: float | None, because: FieldPath, session: Session
) -> Iterator[Diagnostic]:
    """An error where the largest slice is more than `bound` times the mean, by bytes where `items` have sizes."""
    if bound is None:
        return
    evenness = even(plan, items, session)
    if evenness.ratio > bound:
        number, _ = heaviest(plan, None if evenness.largest is None else items, session)
        message = f"slice {number} is {evenness.ratio:.3f} times as large as the mean, but balance allows {bound}"
        hint = "use lpt for items of unequal size, fewer nodes, or more and smaller items"
        yield Diagnostic(problems.UNEVEN, message, path=(*because, "balance"), hint=hint)


def left(evened: Plan, plan: Plan, readers: int, because: FieldPath) -> Iterator[Diagnostic]:
    """Items that `drop` leaves out, where they are more than those that cannot be divided evenly."""
    items, kept = sum(map(len, plan)), sum(map(len, evened))
    at: FieldPath = (*because, "remainder")
    if items and not kept:
        message = f"none of {items} items is left when all slices are cut to the length of the shortest"
        hint = "use remainder: pad, fewer nodes, or more and smaller items"
        yield Diagnostic(problems.LEFT_OUT, message, path=at, hint=hint, severity=ERROR)
    elif items - kept >= len(plan) * readers:
        message = f"{items - kept} of {items} items are not read, because the slices differ in length"
        hint = "use remainder: pad, or divide by contiguous or round-robin"
        yield Diagnostic(problems.LEFT_OUT, message, path=at, hint=hint)


def short(plan: Plan, items: int, readers: int, because: FieldPath) -> Iterator[Diagnostic]:
    """A warning where slices have fewer items than they have readers."""
    numbers = [number for number, part in enumerate(plan) if len(part) < readers]
    if numbers:
        slices, verb = ("slice", "is") if len(plan) == 1 else ("slices", "is" if len(numbers) == 1 else "are")
        less = "empty" if readers == 1 else f"too short for the {readers} processes of a node"
        reason = "there is only 1 item" if items == 1 else f"there are only {items} items"
        first = f"; the first is slice {numbers[0]}" if len(plan) > 1 else ""
        message = f"{len(numbers)} of {len(plan)} {slices} {verb} {less}, because {reason}{first}"
        yield Diagnostic(problems.EMPTY, message, path=because, hint="use fewer nodes, or more and smaller items")
