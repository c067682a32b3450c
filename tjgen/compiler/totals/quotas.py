"""What a run takes, and the quotas of its namespace or the capability of its queue -> whether it can ever start.

A quota has the keys of a ResourceQuota (`requests.nvidia.com/gpu`, `requests.storage`, `count/jobs.batch` ...), or plain resource
names for requests. Keys that no manifest of a run affects, such as `services`, are not compared.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from tjgen.compiler.totals.tally import ClaimedStorage, Totals
from tjgen.trees.diagnostics.model import Diagnostic, Note
from tjgen.trees.fields.managed import Managed
from tjgen.trees.fields.path import MISSING, FieldPath, get
from tjgen.trees.k8s.quantity import Quantity, parse
from tjgen.trees.k8s.readable import readable
from tjgen.trees.source.document import Document
from tjgen.trees.typing import NamedTuple

Limits = Mapping[str, str | int | float]
Used = tuple[str, str, int]
"""Key of a quota, what is used (a claim, which counts once; "" for what adds up), and its amount in billionths."""

_STORAGE_CLASS = ".storageclass.storage.k8s.io/"
_DEVICE_CLASS = ".deviceclass.resource.k8s.io/devices"
_REQUESTING_FIELDS: Mapping[str, FieldPath] = {
    "cpu": ("spec", "cpu"),
    "memory": ("spec", "memory"),
    "ephemeral-storage": ("spec", "ephemeralStorage"),
    "pods": ("spec", "nodes"),
    "storage": ("spec", "volumes"),
    "persistentvolumeclaims": ("spec", "volumes"),
}
_ONE_AFTER_ANOTHER = "suspend some of them, or let a queue admit one after the other; otherwise half of a gang may wait forever"
_REMOVE = (
    "use tjgen runs prune to remove runs that no source requests; "
    "outside of queues of Kueue, onSupersede: stop also stops runs that are superseded later"
)
_WHOLE = parse("1").nanos


def used(totals: Totals, quota: Limits) -> Iterator[Used]:
    """What a run takes of each key of a quota."""
    for key in quota:
        if key in ("pods", "count/pods"):
            yield key, "", totals.pods * _WHOLE
        elif _is_of_claims(key):
            yield from _of_claims(totals.claims, key)
        elif key.endswith(_DEVICE_CLASS):
            yield key, "", totals.devices.get(key.removesuffix(_DEVICE_CLASS), 0) * _WHOLE
        elif key.startswith("count/"):
            yield key, "", totals.objects.get(key.removeprefix("count/"), 0) * _WHOLE
        elif not (key.startswith("limits.") and "/" in key):  # Kubernetes counts devices only under requests
            amounts = totals.limits if key.startswith("limits.") else totals.resources
            amount = amounts.get(_resource(key))
            if amount is not None:
                yield key, "", amount.nanos


def alone(
    run: str, totals: Totals, quota: Limits, where: str, tree: Managed, at: FieldPath, platform: Document | None
) -> Iterator[Diagnostic]:
    """What the run takes more of than there is: of the quota at `at` in the Platform, called `where`."""
    code = "TJ385" if at[1] == "queues" else "TJ383"
    for key, amount in summed(used(totals, quota)).items():
        allowed = parse(quota[key])
        if amount > allowed.nanos:
            message = f"run {run} takes {shown(amount, allowed)} of {key}, but {where} has {quota[key]}: it never starts"
            span = platform.locate((*at, key)) if platform is not None else None
            path = requesting_field(key, tree)
            related = (Note("set here", span),)
            yield Diagnostic(code, message, None, path, None, related, f"request less, or raise {key} of {where} in the Platform")


class QuotaUse(NamedTuple):
    """What a run takes of one key of a bound."""

    run: str
    used: Used
    is_left: bool
    """Whether the build does not request the run: it is superseded or orphaned, and neither stopped nor archived."""
    project: str = ""
    """The other project of the workspace that has the run; empty for a run of the build."""


def together(uses: list[QuotaUse], quota: Limits, namespace: str, at: FieldPath, platform: Document) -> Iterator[Diagnostic]:
    """What runs take more of together than their namespace has."""
    for key, amount in summed(one.used for one in uses).items():
        allowed = parse(quota[key])
        runs = {one.run: one.is_left for one in uses if one.used[0] == key and one.used[2]}
        if amount > allowed.nanos and len(runs) > 1:
            takes_all = f"take {shown(amount, allowed)} of {key} together"
            others = sorted({one.project for one in uses if one.project and one.run in runs})
            takes_all += f", with those of {' and '.join(others)}" if others else ""
            left = f" ({sum(runs.values())} of them superseded or orphaned, and not stopped)" if any(runs.values()) else ""
            message = f"{len(runs)} runs in namespace {namespace}{left} {takes_all}, but its quota is {quota[key]}"
            hint = "request less, or raise the quota" if _is_of_claims(key) else _REMOVE if left else _ONE_AFTER_ANOTHER
            span = platform.locate((*at, key))
            yield Diagnostic("TJ384", message, span=span, hint=hint)


def behind(uses: list[QuotaUse], capability: Limits, queue: str, at: FieldPath, platform: Document) -> Iterator[Diagnostic]:
    """TJ286 for a queue in which current runs fit, but not next to the runs that the build does not request."""
    requested = summed(one.used for one in uses if not one.is_left)
    for key, left in summed(one.used for one in uses if one.is_left).items():
        allowed, current = parse(capability[key]), requested.get(key, 0)
        if left and current and current <= allowed.nanos < current + left:
            amounts = f"{shown(left, allowed)} of {key}, and current runs {shown(current, allowed)}"
            message = f"superseded or orphaned runs in queue {queue} request {amounts}, but it has {capability[key]}"
            span = platform.locate((*at, key))
            yield Diagnostic("TJ286", f"{message}: current runs may wait behind them", span=span, hint=_REMOVE)


def summed(takes: Iterable[Used]) -> dict[str, int]:
    """Key -> what is used of it; what has a name once."""
    sums: dict[str, int] = {}
    once = set()
    for key, item, amount in takes:
        if item and (key, item) in once:
            continue
        once.add((key, item))
        sums[key] = sums.get(key, 0) + amount
    return sums


def _is_of_claims(key: str) -> bool:
    return _STORAGE_CLASS in key or key in (
        "requests.storage",
        "storage",
        "persistentvolumeclaims",
        "count/persistentvolumeclaims",
    )


def _of_claims(claims: Mapping[str, ClaimedStorage], key: str) -> Iterator[Used]:
    wanted, of_class, what = key.rpartition(_STORAGE_CLASS)
    for name, claim in claims.items():
        if not of_class or claim.storage_class == wanted:
            number = claim.number * (claim.size.nanos if what.endswith("storage") else _WHOLE)
            yield key, name, number


def _resource(key: str) -> str:
    return key.removeprefix("requests.").removeprefix("limits.")


def requesting_field(key: str, tree: Managed) -> FieldPath:
    """Return the field of the experiment that sets the amount for a key of a quota, if there is one."""
    resource = _resource(key).rpartition(_STORAGE_CLASS)[2].removeprefix("requests.").removeprefix("count/")
    wanted = [_REQUESTING_FIELDS.get(resource, ("spec", "resources", resource)), ("spec", "gpu")]
    return next((path for path in wanted if get(tree.value, path) is not MISSING), ("metadata", "name"))


def shown(nanos: int, like: Quantity) -> str:
    """An amount in the format of a quota, for people."""
    return readable(Quantity(nanos, like.format))
