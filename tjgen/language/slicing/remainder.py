"""A division whose slices differ in length -> slices of one length: by repeating items, or by leaving some out.

Collective training steps stop when the first reader has no more: equal lengths keep all of them going.
"""

from __future__ import annotations

from itertools import cycle, islice

from tjgen.language.slicing.proof import Plan

KEEP = "keep"
DROP = "drop"


def equal(plan: Plan, items: int, remainder: str, *, readers: int = 1) -> Plan:
    """The plan with slices whose common length divides by `readers`; the plan itself for `keep`.

    `pad` fills up with items from the head of the data, as torch's DistributedSampler does; `drop` cuts off the
    last items of each slice.
    """
    if remainder == KEEP or not items:
        return plan
    if remainder == DROP:
        length = min(map(len, plan)) // readers * readers
        return [part[:length] for part in plan]
    length = -(-max(map(len, plan)) // readers) * readers
    head = cycle(range(items))
    return [[*part, *islice(head, length - len(part))] for part in plan]
