"""Compiled runs -> the source line that set a value of one of their manifests."""

from __future__ import annotations

from collections.abc import Iterable

from tjgen.compiler.building.run import Run
from tjgen.gitops.diff.side import Attribution
from tjgen.trees.diagnostics.model import ObjectRef
from tjgen.trees.explain.provenance import Sources, trace
from tjgen.trees.explain.report import hop_text
from tjgen.trees.fields.path import FieldPath, Tree, get
from tjgen.trees.manifests.leaves import lasting, leaves
from tjgen.trees.manifests.manifest import Manifest


class Attributions:
    """The manifests of compiled runs, by object: the origin of each value. `prefix` precedes the names of files."""

    def __init__(self, prefix: str = "") -> None:
        self._prefix = prefix
        self._objects: dict[ObjectRef, tuple[Manifest, Sources]] = {}

    def add(self, runs: Iterable[Run]) -> None:
        """Add compiled runs, and the objects that controllers will create from them."""
        for run in runs:
            self.add_created((*run.compiled.manifests, *run.compiled.previews), run.compiled.sources)

    def add_created(self, manifests: Iterable[Manifest], sources: Sources) -> None:
        """Add manifests whose origins point into `sources`."""
        for manifest in manifests:
            self._objects.setdefault(manifest.ref, (manifest, sources))

    def find(self, ref: ObjectRef, path: FieldPath, value: Tree) -> Attribution | None:
        """The attribution of `value`; None if the object was not compiled, since a frozen run keeps older values."""
        known = self._objects.get(ref)
        if known is None:
            return None
        manifest, sources = known
        path = lasting(manifest.tree, path)
        if get(manifest.tree, path) != value:
            return None
        # The first leaf represents a map or list that was set as a whole.
        origins = manifest.origins(next(iter(leaves(value, path)))[0])
        if not origins:
            return None
        hops = trace(origins[-1], sources, expanded=manifest.expanded)
        if self._prefix:
            hops = [
                hop._replace(span=hop.span._replace(file=self._prefix + hop.span.file)) if hop.span is not None else hop
                for hop in hops
            ]
        spans = [hop.span for hop in hops if hop.span is not None]
        return Attribution(" <- ".join(hop_text(hop) for hop in hops), spans[-1] if spans else None)
