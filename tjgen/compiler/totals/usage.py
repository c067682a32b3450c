"""A compiled run -> what `tjgen build --summary` prints of it; and the same from plain data of another process."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tjgen.compiler.totals.cost import deadline_of, devices_of
from tjgen.compiler.totals.tally import ClaimedStorage, Totals, of_run
from tjgen.language.platform.devices import Accelerator
from tjgen.language.setting import ClaimSizes
from tjgen.trees.fields.path import Tree
from tjgen.trees.k8s.quantity import Quantity
from tjgen.trees.manifests.manifest import Manifest
from tjgen.trees.typing import Any, NamedTuple


class Usage(NamedTuple):
    """What a run takes of the cluster."""

    totals: Totals
    devices: dict[str, int]
    """Name of a price (see `cost.py`) -> number of devices."""
    deadline: int | None
    """Seconds after which the run is stopped; None if nothing limits them."""
    slices: dict[str, Tree] | None
    """How even the slices of each data set are; None if no data is sliced."""

    @staticmethod
    def of(
        manifests: Sequence[Manifest],
        previews: Sequence[Manifest],
        slices: dict[str, Tree] | None,
        classes: Mapping[str, Accelerator],
        claims: ClaimSizes,
    ) -> Usage:
        """The usage of a run by its objects, with `classes` and `claims` as for `Compiled.usage`."""
        devices = devices_of(manifests, previews, classes) if classes else {}
        return Usage(of_run(manifests, previews, claims), devices, deadline_of(one.tree for one in manifests), slices)

    @staticmethod
    def of_plain(plain: Any) -> Usage:
        """A usage that was written as JSON."""
        (pods, resources, claims, limits, claimed, objects), devices, deadline, slices = plain
        storage = {name: ClaimedStorage(Quantity(*size), *rest) for name, (size, *rest) in claims.items()}
        totals = Totals(pods, _quantities(resources), storage, _quantities(limits), claimed, objects)
        return Usage(totals, devices, deadline, slices)


def _quantities(amounts: Any) -> dict[str, Quantity]:
    return {name: Quantity(*amount) for name, amount in amounts.items()}
