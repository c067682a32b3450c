"""Reasons and the number of nodes with each -> the sentence of the event FailedScheduling."""

from __future__ import annotations

from collections.abc import Mapping

NO_NODES = "no nodes available to schedule pods"


def sentence(nodes: int, counts: Mapping[str, int], *, before: str = "", after: str = "") -> str:
    """The sentence, as `framework.FitError.Error`: reasons sort as text, their numbers included.

    `before` is the reason of a check before all filters, `after` the result of preemption.
    """
    text = f"0/{nodes} nodes are available:"
    if before:
        text += f" {before}."
    elif counts:
        text += f" {', '.join(sorted(f'{count} {reason}' for reason, count in counts.items()))}."
    return f"{text} {after}" if after else text
