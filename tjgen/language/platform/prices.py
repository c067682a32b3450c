"""Names of priced devices -> the classes, partitions and shared devices that they mean."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

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


def unknown_classes(names: Iterable[str], classes: Mapping[str, Accelerator], platform: Document) -> Iterator[Diagnostic]:
    """TJ767 for each price that belongs to no device class."""
    known = [name for device in classes.values() for name, _ in priced_names(device)]
    for name in names:
        if name not in known:
            near = nearest(name, known)
            hint = f'did you mean "{near}"?' if near else "use a class of spec.deviceClasses, or a built-in one (tjgen devices)"
            span = platform.locate(("spec", "prices", "devices", name), key=True)
            yield Diagnostic("TJ767", f'the Platform has a price for "{name}", which is not a device class', span=span, hint=hint)
