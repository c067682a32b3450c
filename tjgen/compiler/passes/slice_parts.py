"""The slices of a run and who reads them -> how even the parts of the readers are, in the summary and in a warning."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from tjgen.compiler.passes.slice_readers import Cut
from tjgen.language.setting import Setting
from tjgen.language.slicing import problems
from tjgen.language.slicing.items import DataItems
from tjgen.language.slicing.proof import Balance, Plan, balance
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import Tree
from tjgen.trees.session import Session

LARGE = 1.25
"""The largest part over the mean from which on it is reported."""
_CHOSEN = ("explicit", "weighted")
"""Strategies by which the experiment chooses unequal parts."""


def described(cut: Cut, plan: Plan, known: DataItems | None, setting: Setting, total: int = 0) -> Tree:
    """How even the parts of the readers are, for the summary of the build."""
    items = total if known is None else len(known)
    even = _balance(cut, plan, known, setting.session)
    tree: Tree = {"by": cut.section.by, "count": len(plan), "items": items, "fewest": even.fewest, "most": even.most}
    if even.smallest is not None:
        tree |= {"smallest": even.smallest, "largest": even.largest}
    read = sum(map(len, plan)) - items
    return {
        **tree,
        "ratio": round(even.ratio, 3),
        **({"repeated": read} if read > 0 else {"dropped": -read} if read else {}),
    }


def uneven(cut: Cut, plan: Plan, known: DataItems | None, setting: Setting) -> Iterator[Diagnostic]:
    """TJ237: a warning if one reader has much more than the others, and the experiment does not choose that."""
    slices = cut.section
    if slices.remainder != "keep" or slices.balance is not None or slices.virtual is not None or slices.by in _CHOSEN:
        return
    even = _balance(cut, plan, known, setting.session)
    # A reader without items has a diagnostic of its own.
    if even.ratio <= LARGE or not even.fewest:
        return
    reader = "node" if cut.readers == 1 else "process" if slices.workers == 1 else "worker"
    unit, fewest, most = "items", even.fewest, even.most
    if even.smallest is not None and even.largest is not None:
        unit, fewest, most = "bytes", even.smallest, even.largest
    message = (
        f"the parts are uneven: one {reader} reads {most} {unit}, another {fewest}; synchronous training then waits or hangs"
    )
    pad = "remainder: drop" if slices.deliver == "range" else "remainder: pad or drop"
    equal = f"set {pad} for parts of equal number"
    if even.smallest is not None:
        equal = "use more and smaller items" if slices.by == "lpt" else "set by: lpt, use more and smaller items"
    hint = f"{equal}, or a balance, such as {_above(even.ratio)}, to accept it"
    yield Diagnostic(problems.UNEVEN_PARTS, message, path=cut.at, hint=hint)


def _balance(cut: Cut, plan: Plan, known: DataItems | None, session: Session) -> Balance:
    """How even the parts are. Every n-th item of a slice goes to the same one of n readers."""
    if cut.readers == 1:
        return balance(plan, known, session)
    if known is None or known.unsized is not None:
        fewest, most = min(map(len, plan)) // cut.readers, -(-max(map(len, plan)) // cut.readers)
        total = sum(map(len, plan))
        return Balance(fewest, most, None, None, most * len(plan) * cut.readers / total if total else 1.0)

    def parts() -> Balance:
        return balance([[*islice(part, first, None, cut.readers)] for part in plan for first in range(cut.readers)], known)

    return session.latest("balance of readers", (plan, known, cut.readers), parts)


def _above(ratio: float) -> str:
    """A bound that the ratio keeps, with one digit."""
    return f"{ratio + 0.1:.1f}"
