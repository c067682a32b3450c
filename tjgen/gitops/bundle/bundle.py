"""A Platform -> the objects that it makes, in an order in which they can be applied, and what is wrong with them.

The bundle has no objects of runs: its objects exist before all runs of a cluster, and outlive them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tjgen.gitops.bundle import access, kueue, namespaces, priorities, problems, runtimes, storage, volcano
from tjgen.gitops.bundle.annotations import annotated
from tjgen.gitops.bundle.runtimes import DigestOf
from tjgen.language.catalog.find import Catalog
from tjgen.language.spec.objects import PlatformSpec
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.manifests.manifest import Manifest

MAKERS: tuple[Callable[[PlatformSpec], Iterator[Manifest]], ...] = (
    namespaces.objects,
    storage.objects,
    priorities.objects,
    volcano.objects,
    kueue.objects,
    access.objects,
)


def objects(
    spec: PlatformSpec, catalog: Catalog, digest_of: DigestOf | None = None, tool: str = "none"
) -> tuple[list[Manifest], list[Diagnostic]]:
    """Every object, with what the tool that syncs them has to know; diagnostics speak in paths of the Platform."""
    diagnostics = list(problems.of_platform(spec, tool))
    created = [one for maker in MAKERS for one in maker(spec)]
    for one in runtimes.objects(spec, catalog, digest_of):
        if isinstance(one, Diagnostic):
            diagnostics.append(one)
        else:
            created.append(one)
    return [annotated(one, tool) for one in created], diagnostics
