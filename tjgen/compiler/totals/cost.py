"""Pods and claims of a run, and prices -> the cost of its devices for one hour and at most, and of its claims for one month.

The class of devices is that of the objects: a pod that requests the resource of a class and selects its nodes has devices of it.
So the cost of superseded and orphaned runs is known, too. Only devices and claims have a price.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from tjgen.cluster import outcomes
from tjgen.cluster.kinds.pods import pods_of
from tjgen.cluster.kinds.protocol import Kind
from tjgen.cluster.kinds.table import find
from tjgen.cluster.trainer.requests import pod_requests
from tjgen.compiler.totals.tally import ClaimedStorage, claimed_devices, with_requests
from tjgen.language.platform.devices import Accelerator
from tjgen.language.platform.prices import PriceList, priced_names
from tjgen.language.spec.objects import ExperimentSpec
from tjgen.trees.fields.path import Tree, get
from tjgen.trees.k8s.quantity import parse
from tjgen.trees.manifests.manifest import Manifest
from tjgen.trees.typing import NamedTuple

_NANOS = 10**9
_HOUR = 3600
_GIB = 2**30
_DEADLINE = "activeDeadlineSeconds"


class Cost(NamedTuple):
    """Cost of one run or several, in billionths of a currency."""

    currency: str = ""
    """Empty if nothing has a price."""
    hourly: int = 0
    """Cost of one hour of all devices that have a price."""
    at_most: int | None = 0
    """Cost up to the deadlines; None if a run has none."""
    unpriced: int = 0
    """Devices whose price is not known."""
    storage: Mapping[str, int | None] = {}
    """Claim -> the cost of one month; None if its StorageClass has no price. Runs may share a claim."""

    @property
    def is_known(self) -> bool:
        """Whether a currency is set, and there are devices."""
        return bool(self.currency and (self.hourly or self.unpriced))

    @property
    def texts(self) -> tuple[str, str]:
        """The cost of one hour, and up to the deadlines; `-` if it is not known, and `>=` if only some devices have a price."""
        if not (self.currency and self.hourly):
            return "-", "-"
        sign = ">=" if self.unpriced else ""
        hourly = f"{sign}{amount(self.hourly)} {self.currency}"
        return hourly, "-" if self.at_most is None else f"{sign}{amount(self.at_most)} {self.currency}"

    @property
    def monthly(self) -> int:
        """Cost of one month of all claims whose StorageClass has a price."""
        return sum(one for one in self.storage.values() if one is not None)

    @property
    def unpriced_claims(self) -> int:
        """Claims whose StorageClass has no price."""
        return sum(one is None for one in self.storage.values())

    @property
    def monthly_text(self) -> str:
        """The cost of one month, with the signs of `texts`."""
        if not self.monthly:
            return "-"
        return f"{'>=' if self.unpriced_claims else ''}{amount(self.monthly)} {self.currency}"


def amount(nanos: int) -> str:
    """Billionths of a currency -> a number with two decimals, rounded up from half."""
    cents = (nanos + _NANOS // 200) // (_NANOS // 100)
    return f"{cents // 100}.{cents % 100:02}"


def cost_of(
    devices: Mapping[str, int], prices: PriceList | None, deadline: int | None, claims: Mapping[str, ClaimedStorage]
) -> Cost:
    """Return the cost of devices by class (see `devices_of`), and of claims by name.

    `deadline`: seconds after which the run is stopped, if any.
    """
    if prices is None:
        return Cost()
    storage = {name: _monthly(claim, prices) for name, claim in claims.items()} if prices.storage else {}
    if not devices:
        return Cost(prices.currency, storage=storage)
    hourly = sum(parse(prices.devices[name]).nanos * number for name, number in devices.items() if name in prices.devices)
    unpriced = sum(number for name, number in devices.items() if name not in prices.devices)
    return Cost(prices.currency, hourly, None if deadline is None else hourly * deadline // _HOUR, unpriced, storage)


def summed_cost(costs: Iterable[Cost]) -> Cost:
    """Return the sum of costs; no cost if they are in several currencies. A claim that several runs share counts once."""
    known = [one for one in costs if one.is_known or one.storage]
    currencies = {one.currency for one in known}
    if len(currencies) > 1:
        return Cost()
    limits = [one.at_most for one in known]
    at_most = None if None in limits else sum(limit for limit in limits if limit is not None)
    storage = {name: monthly for one in known for name, monthly in one.storage.items()}
    return Cost("".join(currencies), sum(one.hourly for one in known), at_most, sum(one.unpriced for one in known), storage)


def _monthly(claim: ClaimedStorage, prices: PriceList) -> int | None:
    price = prices.storage.get(claim.storage_class)
    return parse(price).nanos * claim.size.nanos * claim.number // (_NANOS * _GIB) if price is not None else None


def devices_of(manifests: Iterable[Manifest], previews: Iterable[Manifest], classes: Mapping[str, Accelerator]) -> dict[str, int]:
    """Return the number of devices by name of their price: `a100`, `a100/1g.10gb`, `a100/shared`.

    Devices that fit no class, or several equally, are counted under the name of their resource.
    """
    manifests = list(manifests)
    templates = {one.name: one.tree for one in manifests if one.kind == "ResourceClaimTemplate"}
    candidates = [one for device in classes.values() for one in priced_names(device)]
    resources = {device.resource for _, device in candidates if device.resource is not None}
    drivers = {device.dra.device_class_name for _, device in candidates if device.dra is not None}
    devices: dict[str, int] = {}
    for pods in (one for manifest in (*manifests, *previews) for one in pods_of(manifest)):
        requests = {name: each.value for name, each in pod_requests(with_requests(pods.spec)).items() if name in resources}
        claims = {name: number for name, number in claimed_devices(pods.spec, templates) if name in drivers}
        for kind, each in {**requests, **claims}.items():
            if each:
                name = _class(kind, pods.spec.get("nodeSelector") or {}, candidates)
                devices[name] = devices.get(name, 0) + each * pods.number
    return devices


def requested_classes(spec: ExperimentSpec) -> str:
    """Return what an experiment requests devices of: classes, or the least memory of a device; empty if it requests none."""
    requests = [one.gpu for one in (spec, *spec.roles.values()) if one.gpu is not None]
    classes = (one.device_class or (f">={one.min_memory}" if one.min_memory else "") for one in requests)
    return ",".join(dict.fromkeys(one for one in classes if one))


def classes_of(devices: Iterable[str], classes: Mapping[str, Accelerator]) -> str:
    """Return the classes among the names that `devices_of` returns; empty if no class is known."""
    names = dict.fromkeys(name.partition("/")[0] for name in devices)
    return ",".join(name for name in names if name in classes)


def deadline_of(trees: Iterable[Tree]) -> int | None:
    """Return the seconds after which a run with these objects has ended, by the table of outcomes; None if nothing limits them.

    Restarts that do not count, such as those after disruptions, are left out.
    """
    for tree in trees:
        kind = find(str(tree.get("apiVersion", "")).partition("/")[0], str(tree.get("kind", "")))
        if kind is None or kind.run is None or not kind.run.target:
            continue
        jobs = get(tree, ("spec", "replicatedJobs"), None) or []
        limits = [get(job, ("template", "spec", _DEADLINE), None) for job in jobs]
        limits = limits or [get(tree, ("spec", _DEADLINE), get(tree, ("spec", "runPolicy", _DEADLINE), None))]
        return None if None in limits else _covered(tree, kind, max(limits))
    return None


def _covered(tree: Tree, kind: Kind, deadline: int) -> int | None:
    """How long a run with this deadline takes at most."""
    rules = get(tree, ("spec", "failurePolicy", "rules"), None) or ()
    means = ""
    if any("DeadlineExceeded" in (rule.get("onJobFailureReasons") or ()) for rule in rules):
        means = outcomes.FAIL_RULE
    elif any(_DEADLINE in pods.spec for pods in pods_of(Manifest(tree, {}))):
        means = outcomes.POD_DEADLINES
    outcome = outcomes.find(outcomes.kind_of(kind.api_version, kind.name), outcomes.DEADLINE, means=means)
    if outcome is None or outcome.result == outcomes.ON_TIME:
        return deadline
    if outcome.result == outcomes.QUIET:
        return None
    limit = get(tree, ("spec", "failurePolicy", "maxRestarts"), None) or get(tree, ("spec", "backoffLimit"), None) or 0
    return deadline * (int(limit) + 1)


def _class(kind: str, labels: Mapping[str, str], candidates: Sequence[tuple[str, Accelerator]]) -> str:
    """The name of the class with the most labels of nodes that the pod selects; those of the Platform come first."""
    fitting = [
        (len(device.node_selector), not device.is_builtin, name)
        for name, device in candidates
        if kind in (device.resource, device.dra.device_class_name if device.dra is not None else None)
        and device.node_selector.items() <= labels.items()
    ]
    best = max((one[:2] for one in fitting), default=None)
    names = [name for *rank, name in fitting if tuple(rank) == best]
    return names[0] if len(names) == 1 else kind
