"""The state of a PodGroup -> what Volcano writes about it."""

from __future__ import annotations

from collections.abc import Sequence

OVERUSED = ("resource in cluster is overused", "overused")
INSUFFICIENT = ("queue resource quota insufficient", "insufficient")


def event(words: tuple[str, str], resources: Sequence[str]) -> str:
    """The event of a group that stays Pending (`FormatResourceNames`)."""
    prefix, verb = words
    return f"{prefix}: {', '.join(f'{verb} {name}' for name in resources)}"


def gang_message(least: int, number: int, schedulable: int, reason: str) -> str:
    """The condition Unschedulable of a group that is Inqueue, as the plugin gang writes it.

    `schedulable` of the `number` pods have a node, which they do not get; `reason` is that of the first pod without one.
    """
    states = sorted([f"{number} Pending", f"{least} minAvailable"])
    pending = sorted(
        f"{count} {state}" for count, state in ((schedulable, "Schedulable"), (number - schedulable, "Unschedulable")) if count
    )
    text = f"{least - schedulable}/{number} tasks in gang unschedulable: pod group is not ready, {', '.join(states)}"
    origin = f". Origin reason is {reason}" if reason else ""
    return f"{text}; Pending: {', '.join(pending)}{origin}"
