"""Runs as they were compiled -> who asked for a value of one of their manifests."""

from __future__ import annotations

from collections.abc import Iterable

from tjgen.compiler.building.run import Run
from tjgen.gitops.diff.side import Said
from tjgen.trees.diagnostics.model import ObjectRef
from tjgen.trees.explain.provenance import Sources, trace
from tjgen.trees.explain.report import hop_text
from tjgen.trees.fields.path import FieldPath, Tree, get
from tjgen.trees.manifests.leaves import leaves
from tjgen.trees.manifests.manifest import Manifest


class Asking:
    """The manifests of compiled runs, asked by object and field. `prefix` goes before the names of files."""

    def __init__(self, prefix: str = "") -> None:
        self._prefix = prefix
        self._made: dict[ObjectRef, tuple[Manifest, Sources]] = {}

    def add(self, runs: Iterable[Run]) -> None:
        """Take compiled runs, and what controllers will make of them."""
        for run in runs:
            self.add_made((*run.compiled.manifests, *run.compiled.previews), run.compiled.sources)

    def add_made(self, manifests: Iterable[Manifest], sources: Sources) -> None:
        """Take manifests whose origins point into `sources`."""
        for manifest in manifests:
            self._made.setdefault(manifest.ref, (manifest, sources))

    def ask(self, ref: ObjectRef, path: FieldPath, value: Tree) -> Said | None:
        """Who asked for `value`; None where that was not compiled: a frozen run keeps what is older."""
        found = self._made.get(ref)
        if found is None:
            return None
        manifest, sources = found
        if get(manifest.tree, path) != value:
            return None
        # Of a map or list that came as a whole its first leaf is asked.
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
        return Said(" <- ".join(hop_text(hop) for hop in hops), spans[-1] if spans else None)
