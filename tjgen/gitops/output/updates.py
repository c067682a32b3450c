"""An object that several runs share, and its file before the build -> what the API server refuses of the change (TJ540)."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.compiler.building.run import Run
from tjgen.gitops.diff.side import tree_of
from tjgen.gitops.diff.update import refusals
from tjgen.trees.diagnostics.model import WARNING, Diagnostic
from tjgen.trees.explain.provenance import place_in
from tjgen.trees.fields.path import get


def refused_updates(before: str, run: Run, path: str, body: str) -> Iterator[Diagnostic]:
    """TJ540 for each refusal, at the line of the source. A warning: the object before may not have been applied yet."""
    old, new = tree_of(before, path), tree_of(body, path)
    if old is None or new is None:
        return
    manifest = next((one for one in run.compiled.manifests if one.tree == new), None)
    for refusal in refusals(old, new):
        span = place_in(manifest, refusal.path, run.compiled.sources) if manifest is not None else None
        subject = manifest.ref if manifest is not None else None
        name = f"{get(new, ('kind',), '')}/{get(new, ('metadata', 'name'), '')}"
        hint = "leave the field as it is, or give the object another name; if it was never applied, ignore the warning"
        yield Diagnostic("TJ540", f"{name}: {refusal.words}", subject, refusal.path, span, hint=hint, severity=WARNING)
