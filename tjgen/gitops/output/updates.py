"""A shared object, and its file before the build -> what the API server refuses of the change (TJ540, TJ169)."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.compiler.building.run import Run
from tjgen.gitops.diff.side import tree_of
from tjgen.gitops.diff.update import of_default_class, refusals
from tjgen.gitops.emit.plan import OutputFile
from tjgen.gitops.output.committed import is_new
from tjgen.gitops.output.disk import OnDisk
from tjgen.trees.diagnostics.model import WARNING, Diagnostic
from tjgen.trees.explain.provenance import Sources, place_in
from tjgen.trees.fields.path import FieldPath, Tree, get
from tjgen.trees.k8s.quantity import compare, parse
from tjgen.trees.manifests.manifest import Manifest

_CHANGED = "TJ621"
"""Lint reports a refused change of a claim."""
_SIZE: FieldPath = ("spec", "resources", "requests", "storage")
_CLASS: FieldPath = ("spec", "storageClassName")


def refused_updates(on_disk: OnDisk, stored: str, run: Run, file: OutputFile) -> Iterator[Diagnostic]:
    """TJ540 for each refusal, at the line of the source. A warning: the object before may not have been applied yet.

    The object before is that of HEAD, so that each build reports the same. Without Git, it is `stored`. No sync has applied
    an object that HEAD lacks.
    """
    committed = on_disk.committed(file.path)
    old, new = tree_of(committed.body if committed is not None else stored, file.path), tree_of(file.body, file.path)
    if old is None or new is None or old == new or (committed is None and is_new(on_disk.directory, file.path)):
        return
    compiled = run.compiled.in_full()
    manifest = next((one for one in compiled.manifests if one.tree == new), None)
    is_claim = get(new, ("kind",), None) == "PersistentVolumeClaim"
    refused = [*refusals(old, new), *of_default_class(old, new)]
    for refusal in refused if not is_claim or not _is_ignored(file) else ():
        span = place_in(manifest, refusal.path, compiled.sources) if manifest is not None else None
        subject = manifest.ref if manifest is not None else None
        name = f"{get(new, ('kind',), '')}/{get(new, ('metadata', 'name'), '')}"
        hint = _hint(is_claim=is_claim)
        yield Diagnostic("TJ540", f"{name}: {refusal.words}", subject, refusal.path, span, hint=hint, severity=WARNING)
    if is_claim:
        yield from _cannot_grow(old, new, compiled.sources, manifest)


def _is_ignored(file: OutputFile) -> bool:
    """Whether the annotation of a claim states why the rule of lint about the same change does not apply."""
    from tjgen.gitops.lint.reading import read_items  # few builds change a claim
    from tjgen.gitops.lint.suppress import in_annotations

    return any(_CHANGED in mark.codes and mark.reason for mark in in_annotations(read_items(file.body, file.path, {}).items))


def _hint(*, is_claim: bool) -> str:
    if not is_claim:
        return "restore the field, or give the object another name; if the object was never applied, ignore the warning"
    from tjgen.gitops.lint.rules.changed_objects import NEW_CLAIM  # few builds change a claim

    return f"restore the field, or {NEW_CLAIM}"


def _cannot_grow(old: Tree, new: Tree, sources: Sources, manifest: Manifest | None) -> Iterator[Diagnostic]:
    """TJ169 for a larger claim of a class without expansion, as the Platform creates or describes it (admission plugin
    PersistentVolumeClaimResize)."""
    sizes = [get(tree, _SIZE, None) for tree in (old, new)]
    name, platform = get(new, _CLASS, None), sources.platform
    if platform is None or name is None or None in sizes or compare(parse(sizes[1]), parse(sizes[0])) <= 0:
        return
    described = get(platform.value, ("spec", "storageClasses", name), None) or {}
    create = described.get("create")
    if create.get("allowVolumeExpansion") if create is not None else described.get("allowVolumeExpansion", True):
        return
    claim = get(new, ("metadata", "name"), "")
    span = place_in(manifest, _SIZE, sources) if manifest is not None else None
    message = (
        f"claim {claim} grows from {sizes[0]} to {sizes[1]}, but its class {name} does not permit this: the sync is rejected"
    )
    where = "in the Platform" if create is not None else "in the cluster and in the Platform"
    hint = f"restore the size, or set allowVolumeExpansion: true for {name} {where}"
    yield Diagnostic("TJ169", message, manifest.ref if manifest is not None else None, _SIZE, span, hint=hint)
