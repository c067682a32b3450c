"""`runtimes` -> ClusterTrainingRuntimes of the catalog, with images from where the platform has them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tjgen.compiler.passes.images import rewritten
from tjgen.gitops.bundle.manifest import SPEC, manifest
from tjgen.language.catalog.find import Catalog
from tjgen.language.catalog.runtime import API_VERSION, CLUSTER_KIND
from tjgen.language.spec.objects import PlatformSpec
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import FieldPath
from tjgen.trees.manifests.manifest import Manifest
from tjgen.trees.manifests.sourced import Sourced

DigestOf = Callable[[str], "str | None"]


def objects(spec: PlatformSpec, catalog: Catalog, digest_of: DigestOf | None) -> Iterator[Manifest | Diagnostic]:
    """Each runtime, or what is wrong with its name."""
    for position, name in enumerate(spec.runtimes):
        at: FieldPath = (*SPEC, "runtimes", position)
        runtime, problems = catalog.find(name, kind=CLUSTER_KIND, because=at)
        yield from problems
        if runtime is None:
            continue
        runtime = rewritten(runtime, spec.images.rewrite, digest_of)
        metadata = {key: runtime.tree["metadata"][key] for key in ("labels", "annotations") if key in runtime.tree["metadata"]}
        fields = {"spec": Sourced(runtime.tree["spec"], at)}
        yield manifest(API_VERSION, CLUSTER_KIND, {"name": Sourced(name, at), **metadata}, fields, at)
