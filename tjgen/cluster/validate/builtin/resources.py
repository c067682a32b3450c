"""Names and amounts of resources -> what the API server has against them.

Mirrors kubernetes 1.36 `pkg/apis/core/helper` and `pkg/apis/core/validation` (validateResourceName,
validateResourceRequirements).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from tjgen.cluster.validate.fault import Fault
from tjgen.cluster.validate.place import Place
from tjgen.trees.k8s import quantity, syntax
from tjgen.trees.k8s.nearest import nearest
from tjgen.trees.k8s.quantity import Quantity
from tjgen.trees.typing import Any

HUGE_PAGES = "hugepages-"
NOT_NEGATIVE = "must be greater than or equal to 0"
_THOUSANDTH = 1_000_000
_MOST = 2**63 - 1
_SHORT = 18
_COMPUTE = ("cpu", "memory", "ephemeral-storage")
_DEVICES = ("gpu", "gpus")
"""Names of devices without a domain. They are not misspellings of `cpu`."""
_COUNTED = (
    "configmaps",
    "persistentvolumeclaims",
    "pods",
    "replicationcontrollers",
    "resourcequotas",
    "secrets",
    "services",
    "services.loadbalancers",
    "services.nodeports",
)
QUOTA_RESOURCES = frozenset(
    (*_COMPUTE, *_COUNTED, *[f"{side}.{name}" for side in ("limits", "requests") for name in _COMPUTE], "requests.storage")
)

NameCheck = Callable[[str, Place], Iterator[Fault]]


def is_native(name: str) -> bool:
    """Whether a resource is Kubernetes' own (`IsNativeResource`)."""
    return "/" not in name or "kubernetes.io/" in name


def is_extended(name: str) -> bool:
    """Whether a resource is a device or the like, counted in whole numbers (`IsExtendedResourceName`)."""
    return not is_native(name) and not name.startswith("requests.") and not syntax.label_key(f"requests.{name}")


def may_overcommit(name: str) -> bool:
    """Whether limits may be above requests (`IsOvercommitAllowed`)."""
    return is_native(name) and not name.startswith(HUGE_PAGES)


def is_whole(name: str) -> bool:
    """Whether a resource comes in whole numbers only (`IsIntegerResourceName`)."""
    return name in _COUNTED or is_extended(name)


def resource_name(name: str, at: Place) -> Iterator[Fault]:
    """`validateResourceName`."""
    messages = syntax.label_key(name)
    for message in messages:
        yield at.invalid(name, message)
    if not messages and "/" not in name and name != "storage" and not is_quota_resource(name):
        yield at.invalid(name, "must be a standard resource type or fully qualified")._replace(hint=_meant(name, QUOTA_RESOURCES))


def _meant(name: str, known: Iterable[str]) -> str | None:
    """The hint for a misspelled name; None if no known name is near."""
    side = next((one for one in ("requests.", "limits.") if name.startswith(one)), "")
    resource = name.removeprefix(side)
    if resource in _DEVICES:
        return f"write {side and 'requests.'}nvidia.com/gpu, or the name of other devices with its domain"
    near = nearest(resource, [one.removeprefix(side) for one in known if one.startswith(side)])
    return f"write {side}{near}" if near is not None else None


def _more_specific(faults: Iterable[Fault], name: str, detail: str, at: Place, known: Iterable[str]) -> Iterator[Fault]:
    """The faults of a name without a domain and `detail`, which repeats them in a narrower form."""
    yield from (fault._replace(echo=True) for fault in faults)
    yield at.invalid(name, detail)._replace(hint=_meant(name, known))


def container_resource_name(name: str, at: Place) -> Iterator[Fault]:
    """`validateContainerResourceName`."""
    faults = resource_name(name, at)
    if "/" not in name and name not in _COMPUTE and not name.startswith(HUGE_PAGES):
        yield from _more_specific(faults, name, "must be a standard resource for containers", at, _COMPUTE)
        return
    yield from faults
    if "/" in name and not is_native(name) and not is_extended(name):
        yield at.invalid(name, "doesn't follow extended resource name standard")


def pod_resource_name(name: str, at: Place) -> Iterator[Fault]:
    """`validatePodResourceName`."""
    wrong = list(resource_name(name, at))
    yield from wrong
    if not wrong and name not in ("cpu", "memory") and not name.startswith(HUGE_PAGES):
        yield at.not_supported(name, ("cpu", HUGE_PAGES, "memory"))


def quota_resource_name(name: str, at: Place) -> Iterator[Fault]:
    """`ValidateResourceQuotaResourceName`."""
    faults = resource_name(name, at)
    if "/" in name or is_quota_resource(name):
        yield from faults
    else:
        yield from _more_specific(faults, name, "must be a standard resource for quota", at, QUOTA_RESOURCES)


def amounts(given: dict[str, Any], side: str) -> dict[str, Quantity]:
    """The limits or requests of some resources, to the thousandth as the server keeps them (`SetDefaults_ResourceList`)."""
    return {name: _rounded(quantity.parse(value)) for name, value in given.get(side, {}).items()}


def is_quota_resource(name: str) -> bool:
    """Whether a quota of a resource is Kubernetes' own (`IsStandardQuotaResourceName`)."""
    return name in QUOTA_RESOURCES or name.startswith((HUGE_PAGES, f"requests.{HUGE_PAGES}"))


def _rounded(value: Quantity) -> Quantity:
    return Quantity(in_thousandths(value) * _THOUSANDTH, value.format) if value.nanos % _THOUSANDTH else value


def amount(name: str, value: Quantity, at: Place) -> Iterator[Fault]:
    """`ValidateResourceQuantityValue`."""
    if value.nanos < 0:
        yield at.invalid(str(value), NOT_NEGATIVE)
    if is_whole(name) and _cut(in_thousandths(value)) % 1000:
        yield at.invalid(str(value), "must be an integer")


def in_thousandths(value: Quantity) -> int:
    """The amount in thousandths, fractions rounded away from zero (`Quantity.MilliValue`)."""
    thousandths = -(-abs(value.nanos) // _THOUSANDTH)
    return thousandths if value.nanos >= 0 else -thousandths


def _cut(thousandths: int) -> int:
    """Return upstream's value of a number beyond 64 bits: 0 for few digits, the low bits for many."""
    if -_MOST <= thousandths <= _MOST:
        return thousandths
    return 0 if len(str(abs(thousandths)).rstrip("0")) <= _SHORT else thousandths % 2**64


def requirements(given: dict[str, Any], name_check: NameCheck, claims: set[str], at: Place) -> Iterator[Fault]:
    """`validateResourceRequirements`, for containers and pods alike."""
    limits, requests = amounts(given, "limits"), amounts(given, "requests")
    for name, value in limits.items():
        field = at.child("limits").key(name)
        yield from name_check(name, field)
        yield from amount(name, value, field)
        yield from _pages(name, value, field)
    for name, value in requests.items():
        field = at.child("requests").key(name)
        yield from name_check(name, field)
        yield from amount(name, value, field)
        yield from _within(name, value, limits, at)
        yield from _pages(name, value, field)
    named = {*limits, *requests}
    if not named & {"cpu", "memory"} and any(name.startswith(HUGE_PAGES) for name in named):
        yield at.forbidden("HugePages require cpu or memory")
    yield from _claims(given.get("claims", ()), claims, at.child("claims"))


def _within(name: str, value: Quantity, limits: dict[str, Quantity], at: Place) -> Iterator[Fault]:
    requests = at.child("requests").seen_at(name)
    limit = limits.get(name)
    if limit is None:
        if not may_overcommit(name):
            yield at.child("limits").required("Limit must be set for non overcommitable resources")
    elif value.nanos != limit.nanos and not may_overcommit(name):
        yield requests.invalid(str(value), f"must be equal to {name} limit of {limit}")
    elif value.nanos > limit.nanos:
        yield requests.invalid(str(value), f"must be less than or equal to {name} limit of {limit}")


def _pages(name: str, value: Quantity, at: Place) -> Iterator[Fault]:
    if name.startswith(HUGE_PAGES) and not _fill_pages(name, value):
        yield at.invalid(str(value), f"{value} is not positive integer multiple of {name}")


def _fill_pages(name: str, value: Quantity) -> bool:
    """`IsHugePageResourceValueDivisible`."""
    try:
        size = quantity.parse(name.removeprefix(HUGE_PAGES))
    except ValueError:
        return False
    return size.nanos > 0 and in_thousandths(size) % 1000 == 0 and value.value % size.value == 0


def _claims(given: Any, known: set[str], at: Place) -> Iterator[Fault]:
    """`validateResourceClaimNames`."""
    seen: set[str] = set()
    for position, claim in enumerate(given):
        element = at.item(position)
        name, request = claim.get("name", ""), claim.get("request", "")
        if not name:
            yield element.required()
            continue
        if name in seen:
            yield element.duplicate(name)
        else:
            key = name
            if request:
                for message in syntax.dns1123_label(request):
                    yield element.child("request").invalid(request, message)
                key = f"{name}/{request}"
            if key in seen:
                yield element.duplicate(key)
            elif not request:
                for other in sorted(seen):
                    if other.startswith(f"{name}/"):
                        yield element.duplicate(name)
            seen.add(key)
        if name not in known:
            choices = f": {', '.join(sorted(known))}" if known else " which is empty"
            yield element.not_found(name, f"must be one of the names in pod.spec.resourceClaims{choices}")
