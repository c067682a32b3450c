"""Names of resources in experiments and in quotas of a Platform -> those that are misspelled."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from tjgen.language.platform.devices import Accelerator
from tjgen.language.platform.quota_keys import misspelled_key
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import FieldPath
from tjgen.trees.k8s.nearest import distance
from tjgen.trees.source.document import Document
from tjgen.trees.typing import Any, Protocol

_NATIVE = ("cpu", "ephemeral-storage", "memory", "pods")
_SIDES = ("requests.", "limits.")
_MOST_EDITS = 2
"""Edits of a slip. More of them are likely to be the name of other devices, as is another number."""


class LimitedCluster(Protocol):
    """The fields of a Platform that limit resources."""

    @property
    def quotas(self) -> Mapping[str, Mapping[str, Any]]: ...
    @property
    def queues(self) -> Mapping[str, Any]: ...
    @property
    def namespaces(self) -> Mapping[str, Any]: ...
    @property
    def storage_classes(self) -> Mapping[str, Any]: ...


def misspelled_in_platform(spec: LimitedCluster, classes: Mapping[str, Accelerator], platform: Document) -> Iterator[Diagnostic]:
    """TJ244 for each misspelled key of quotas and queues. The API server finds those without a domain in a ResourceQuota."""
    known = _known(classes)
    for at, names in _amounts(spec):
        is_quota = at[1] == "quotas"
        is_validated = (is_quota and at[2] in spec.namespaces) or at[1] == "namespaces"
        side_of = _uncounted if is_quota else _side
        problems = list(_misspelled_keys(names, spec, at, with_native=not is_validated)) if is_quota else []
        reported = {one.path for one in problems}
        problems += _misspelled(
            [one for one in names if (*at, one) not in reported], known, at, side_of, with_native=not is_validated
        )
        for one in problems:
            yield one._replace(path=None, span=platform.locate(one.path or (), key=True))


def _misspelled_keys(names: Iterable[str], spec: LimitedCluster, at: FieldPath, *, with_native: bool) -> Iterator[Diagnostic]:
    for name in names:
        wrong = misspelled_key(name, spec.storage_classes, _nearest) if with_native or "/" in name else None
        if wrong is not None:
            message = f'a quota of "{name}" has no effect: {wrong.reason}'
            yield Diagnostic("TJ244", message, path=(*at, name), hint=f'did you mean "{wrong.meant}"?')


def misspelled_in_container(names: Iterable[str], classes: Mapping[str, Accelerator], at: FieldPath) -> Iterator[Diagnostic]:
    """TJ244 for each misspelled resource of a container. The API server finds those without a domain."""
    yield from _misspelled(names, _known(classes), at, _side, with_native=False)


def _misspelled(
    names: Iterable[str], known: list[str], at: FieldPath, wrong_side: Callable[[str], str], *, with_native: bool
) -> Iterator[Diagnostic]:
    for name in names:
        if with_native or "/" in name:
            side, wrong = _side(name), wrong_side(name)
            candidates = _candidates(name.removeprefix(side), known)
            if wrong:
                right = "requests." if at[1] == "quotas" else ""
                meant = candidates or [name.removeprefix(side)]
                hint = f"write {_either(right, meant)}"
                yield Diagnostic("TJ244", _without_effect(name, wrong, right), path=(*at, name), hint=hint)
            elif candidates:
                message = f'neither Kubernetes nor a device class has the resource "{name}"'
                yield Diagnostic("TJ244", message, path=(*at, name), hint=f"did you mean {_either(side, candidates)}?")


def _side(name: str) -> str:
    """The prefix of a name in a ResourceQuota, which names of resources elsewhere do not have."""
    return next((one for one in _SIDES if name.startswith(one)), "")


def _uncounted(name: str) -> str:
    """`limits.` before a device: only its requests count (kubernetes 1.36 `podComputeUsageHelper`)."""
    return "limits." if name.startswith("limits.") and "/" in name else ""


def _without_effect(name: str, wrong: str, right: str) -> str:
    if right:
        return f'a quota of "{name}" has no effect: Kubernetes counts devices only with the prefix "{right}"'
    return f'no node has the resource "{name}": only keys of quotas have the prefix "{wrong}"'


def _either(side: str, names: Iterable[str]) -> str:
    return " or ".join(f'"{side}{one}"' for one in names)


def _known(classes: Mapping[str, Accelerator]) -> list[str]:
    return list(dict.fromkeys(name for device in classes.values() for name in _resources(device)))


def _amounts(spec: LimitedCluster) -> Iterator[tuple[FieldPath, Iterable[str]]]:
    for name, quota in spec.quotas.items():
        yield ("spec", "quotas", name), quota
    for name, namespace in spec.namespaces.items():
        for kind in ("container", "pod"):
            bounds = getattr(namespace.limits, kind, None)
            if bounds is not None:
                of_kind: FieldPath = ("spec", "namespaces", name, "limits", kind)
                yield (*of_kind, "default"), bounds.default
                yield (*of_kind, "defaultRequest"), bounds.default_request
                yield (*of_kind, "min"), bounds.min
                yield (*of_kind, "max"), bounds.max
    for name, queue in spec.queues.items():
        at: FieldPath = ("spec", "queues", name)
        yield (*at, "capability"), queue.capability
        kueue = queue.create.kueue if queue.create is not None else None
        for position, share in enumerate(kueue.flavors if kueue is not None else ()):
            yield (*at, "create", "kueue", "flavors", position, "quota"), share.quota
        volcano = queue.create.volcano if queue.create is not None else None
        if volcano is not None:
            yield (*at, "create", "volcano", "deserved"), volcano.deserved
            yield (*at, "create", "volcano", "guarantee"), volcano.guarantee
            for cluster, described in volcano.extend_clusters.items():
                yield (*at, "create", "volcano", "extendClusters", cluster, "capacity"), described.capacity


def _resources(device: Accelerator) -> Iterator[str]:
    sharing, network = device.sharing, device.network
    several = (
        device.resource,
        *(part.resource for part in device.partitions.values()),
        *((sharing.resource, sharing.memory, sharing.cores) if sharing is not None else ()),
        *device.resources,
        *((network.resource, *network.resources) if network is not None else ()),
    )
    yield from (one for one in several if one is not None)


def _candidates(name: str, known: list[str]) -> list[str]:
    """The resources that a name probably means; empty for a known or entirely different name."""
    if name in known or name in _NATIVE:
        return []
    # `gpu` means the devices of some vendor.
    return [one for one in known if one.rpartition("/")[2] == name] or _nearest(name, known if "/" in name else _NATIVE)


def _nearest(name: str, known: Iterable[str]) -> list[str]:
    similar = [one for one in known if abs(len(one) - len(name)) <= _MOST_EDITS and _digits(one) == _digits(name)]
    edits, closest = min(((distance(name, one), one) for one in similar), default=(_MOST_EDITS + 1, ""))
    return [closest] if edits <= _MOST_EDITS else []


def _digits(text: str) -> list[str]:
    return [character for character in text if character.isdigit()]
