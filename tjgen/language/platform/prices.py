"""Names of prices -> the classes, partitions and shared devices that they mean, and those that mean nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tjgen.language.platform.devices import Accelerator, Amount
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.k8s.nearest import nearest
from tjgen.trees.source.document import Document
from tjgen.trees.typing import NamedTuple, Protocol


class PriceList(Protocol):
    """Prices as a Platform sets them."""

    @property
    def currency(self) -> str: ...
    @property
    def devices(self) -> Mapping[str, Amount]: ...
    @property
    def storage(self) -> Mapping[str, Amount]: ...


class PricedDevices(NamedTuple):
    """What is known of the devices of a cluster."""

    cluster: str
    """The name of the cluster."""
    classes: Mapping[str, Accelerator]
    prices: PriceList | None


SHARED = "shared"
"""The part after the slash in the name of a shared device, where a partition has its profile."""


def priced_names(device: Accelerator) -> Iterator[tuple[str, Accelerator]]:
    """Yield the name of each price that a class can have, and the class, partition or shared device as a class of its own."""
    yield device.name, device
    for profile in device.partitions:
        yield f"{device.name}/{profile}", device.part(profile)
    sharing = device.sharing
    if sharing is not None and sharing.resource is not None:
        labels = {**device.node_selector, **sharing.node_selector}
        yield f"{device.name}/{SHARED}", device._replace(resource=sharing.resource, dra=None, node_selector=labels)


def unknown_classes(
    prices: PriceList, classes: Mapping[str, Accelerator], storage_classes: Sequence[str], platform: Document
) -> Iterator[Diagnostic]:
    """TJ767 for each price that belongs to no device class, or to no StorageClass of the Platform."""
    names = [name for device in classes.values() for name, _ in priced_names(device)]
    hint = "use a class of spec.deviceClasses, or a built-in one (tjgen devices)"
    for name in prices.devices:
        if name not in names:
            yield _unknown("devices", name, names, "a device class", hint, platform)
    for name in prices.storage:
        if name not in storage_classes:
            hint = f"if the cluster has it, add it to the Platform: `storageClasses: {{{name}: {{}}}}`"
            yield _unknown("storage", name, storage_classes, "a StorageClass of it", hint, platform)


def _unknown(field: str, name: str, known: Sequence[str], what: str, hint: str, platform: Document) -> Diagnostic:
    near = nearest(name, known)
    span = platform.locate(("spec", "prices", field, name), key=True)
    message = f'the Platform has a price for "{name}", which is not {what}'
    return Diagnostic("TJ767", message, span=span, hint=f'did you mean "{near}"?' if near else hint)
