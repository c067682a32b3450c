"""What makes the objects by which each GitOps tool syncs a project, and what releases them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from tjgen.cluster.synctools.table import ARGOCD, FLUX
from tjgen.gitops.sync import argocd, flux
from tjgen.gitops.sync.objects import SyncObject
from tjgen.gitops.sync.ownership import Move
from tjgen.gitops.sync.site import Site
from tjgen.trees.typing import NamedTuple


class Syncing(NamedTuple):
    """The functions of one tool. Every field is required, so a tool without one of them does not type-check."""

    objects: Callable[[Site], list[SyncObject]]
    """The objects for one environment."""
    shared: Callable[[Site, Sequence[Site]], list[SyncObject]]
    """The objects for the whole project, with all its environments."""
    kept_folders: Callable[[Site], list[str]]
    """The stages whose empty folders Git has to keep."""
    release: Callable[[Move], Iterator[str]]
    """The commands that delete the owners of a layout and keep what they apply."""


SYNCING: Mapping[str, Syncing] = {
    ARGOCD: Syncing(argocd.objects, argocd.shared, lambda _: [], argocd.release),
    FLUX: Syncing(flux.objects, flux.shared, flux.kept_folders, flux.release),
}
"""Name of a tool -> its functions."""
