"""Amounts of resources, with the comparisons of Volcano's `Resource` (pkg/scheduler/api/resource_info.go).

Amounts are floats, as Volcano's: thousandths of a processor, bytes of memory, pods, and thousandths of everything else.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tjgen.cluster.scheduling.node import CPU, MEMORY, PODS

Resources = Mapping[str, float]
NOTHING: Resources = {}

_LEAST = 0.1
"""Differences below it do not count (`minResource`)."""
_UNSCALED = (CPU, MEMORY, PODS)
_QUOTA_PREFIXES = ("count/", "requests.", "limits.")


def resources_of(amounts: Mapping[str, int]) -> dict[str, float]:
    """Amounts of the scheduling model -> those of Volcano. Names that only count in a ResourceQuota are left out."""
    return {
        name: float(amount if name in _UNSCALED else amount * 1000)
        for name, amount in amounts.items()
        if not name.startswith(_QUOTA_PREFIXES)
    }


def amount_of(name: str, value: float) -> int:
    """An amount of Volcano -> one of the scheduling model, rounded down."""
    return int(value + _LEAST) if name in _UNSCALED else int((value + _LEAST) / 1000)


def added(several: Iterable[Resources]) -> dict[str, float]:
    """The sum."""
    total: dict[str, float] = {}
    for one in several:
        for name, amount in one.items():
            total[name] = total.get(name, 0.0) + amount
    return total


def exceeding(left: Resources, right: Resources) -> dict[str, float]:
    """What `left` has beyond `right` (`ExceededPart`)."""
    return {name: max(amount - right.get(name, 0.0), 0.0) for name, amount in left.items()}


def limited(amounts: Resources, limits: Resources) -> dict[str, float]:
    """The amounts, at most those of `limits`; a resource without a limit stays (`MinDimensionResource` with Infinity)."""
    return {name: min(amount, limits.get(name, amount)) for name, amount in amounts.items()}


def most(left: Resources, right: Resources) -> dict[str, float]:
    """The larger amount of each resource (`helpers.Max`)."""
    return {name: max(left.get(name, 0.0), right.get(name, 0.0)) for name in {**left, **right}}


def is_empty(amounts: Resources) -> bool:
    """Whether there is nothing but pods (`IsEmpty`)."""
    return all(amount < _LEAST for name, amount in amounts.items() if name != PODS)


def is_within(left: Resources, right: Resources) -> bool:
    """Whether no amount of `left` is above that of `right` (`LessEqual` with Zero)."""
    return all(amount < right.get(name, 0.0) + _LEAST for name, amount in left.items())


def beyond(used: Resources, limits: Resources, requested: Resources) -> list[str]:
    """The requested resources of which more is used than the limits allow (`LessEqualWithDimensionAndResourcesName`)."""
    return [
        name for name, amount in requested.items() if name != PODS and amount > 0 and used.get(name, 0.0) > limits.get(name, 0.0)
    ]


def share(allocated: Resources, deserved: Resources) -> float:
    """The largest part of a deserved resource that is allocated (`updateQueueAttrShare`)."""
    return max((allocated.get(name, 0.0) / amount for name, amount in deserved.items() if amount >= _LEAST), default=0.0)
