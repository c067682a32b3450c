"""A Platform -> the objects that it makes, in an order in which they can be applied, and what is wrong with them.

The bundle has no objects of runs: its objects exist before all runs of a cluster, and outlive them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tjgen.compiler.checks.images import wrong_rules
from tjgen.gitops.bundle import access, included, kueue, namespaces, priorities, problems, runtimes, storage, volcano
from tjgen.gitops.bundle.annotations import annotated
from tjgen.gitops.bundle.runtimes import DigestOf
from tjgen.language.catalog.find import Catalog
from tjgen.language.platform.devices import classes
from tjgen.language.platform.resources import misspelled_in_platform
from tjgen.language.resolve.project import LoadedProject, PlatformDocument
from tjgen.language.spec.objects import PlatformSpec
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.explain.provenance import Sources
from tjgen.trees.fields.managed import Origin, graft
from tjgen.trees.manifests.manifest import Manifest
from tjgen.trees.typing import NamedTuple

MAKERS: tuple[Callable[[PlatformSpec], Iterator[Manifest]], ...] = (
    namespaces.objects,
    storage.objects,
    priorities.objects,
    volcano.objects,
    kueue.objects,
    access.objects,
)


class Bundle(NamedTuple):
    """The objects of a Platform, and the errors."""

    manifests: list[Manifest]
    sources: Sources
    """What the origins of the objects point into."""
    diagnostics: list[Diagnostic]
    """Without a place, they are about paths of the Platform."""


def objects(project: LoadedProject, platform: PlatformDocument, catalog: Catalog, digest_of: DigestOf | None = None) -> Bundle:
    """Every object, with the annotations for the tool that syncs the project."""
    spec, tool = platform.platform.spec, project.spec.gitops.tool
    diagnostics = list(problems.of_platform(spec, tool, platform.document))
    diagnostics += misspelled_in_platform(spec, classes(spec.device_classes), platform.document)
    diagnostics += wrong_rules(spec.images.rewrite, platform.document)
    created = [one for maker in MAKERS for one in maker(spec)]
    for one in runtimes.objects(spec, catalog, digest_of):
        if isinstance(one, Diagnostic):
            diagnostics.append(one)
        else:
            created.append(one)
    files = included.objects(project, platform)
    diagnostics += [*files.diagnostics, *included.duplicates(created, files)]
    sources = Sources(graft({}, Origin("platform", "platform")), files.documents, None, platform.document, None)
    manifests = [*created, *files.manifests]
    if spec.patches:
        from tjgen.compiler.passes.patches import PLATFORM, patched  # most platforms have no patches

        manifests, problems_of_patches = patched(manifests, spec.patches, sources, PLATFORM, allows=project.allowances)
        diagnostics += problems_of_patches
    return Bundle([annotated(one, tool) for one in manifests], sources, diagnostics)
