"""A field of a manifest -> who set it, through every hop down to a line of a file."""

from __future__ import annotations

from collections.abc import Mapping

from tjgen.trees.diagnostics.model import Span
from tjgen.trees.fields.managed import Managed, Origin
from tjgen.trees.fields.path import MISSING, FieldPath, get
from tjgen.trees.manifests.leaves import lasting
from tjgen.trees.manifests.manifest import Manifest
from tjgen.trees.source.document import Document
from tjgen.trees.typing import NamedTuple


class Sources(NamedTuple):
    """The trees that origins of one run point into."""

    experiment: Managed
    """The merged experiment; its origins point into documents."""
    documents: Mapping[str, Document]
    """Documents by the name that origins use: "file:PATH"."""
    runtime: Document | None
    """The catalog's runtime."""
    platform: Document | None
    project: Document | None
    trainjob: Manifest | None = None
    """The input of previews, a TrainJob or the run's own job: their origins point into it and into `made_runtime`."""
    created_runtime: Manifest | None = None


class Hop(NamedTuple):
    """One step of an answer: the owner, its field, and the place (None: not in a file)."""

    manager: str
    source: str
    because: FieldPath
    span: Span | None


def traces(origin: Origin, sources: Sources, *, expanded: bool = False, key: bool = False) -> list[list[Hop]]:
    """Return the hops from `origin` to the end, for each owner of the field that the twin copied.

    `expanded` means that the twin created the object, so that origins point into the inputs of the twin.
    """
    if not expanded or origin.source not in ("trainjob", "job", "runtime"):
        return [trace(origin, sources, key=key)]
    manifest = sources.created_runtime if origin.source == "runtime" else sources.trainjob
    copied = Hop(origin.manager, origin.source, origin.because, None)
    earlier = manifest.origins(origin.because) if manifest is not None else ()
    return [[copied, *trace(one, sources, key=key)] for one in earlier] or [[copied]]


def trace(origin: Origin, sources: Sources, *, expanded: bool = False, key: bool = False) -> list[Hop]:
    """Return the hops from `origin` to the end: one for a rule of tjgen, up to three for a field of a JobSet.

    With `expanded`, it is the last of `traces`. With `key`, places are those of keys instead of values.
    """
    if expanded:
        return traces(origin, sources, expanded=True, key=key)[-1]
    if origin.source == "experiment":
        origins = _origins_in(sources.experiment, origin.because)
        hops = [Hop(origin.manager, "experiment", origin.because, None)]
        if origins:
            last = origins[-1]
            document = sources.documents.get(last.source)
            span = _span(document, last.because, key=key) if document is not None else None
            hops[0] = hops[0]._replace(span=span)
            if last.manager != "experiment":
                hops.append(Hop(last.manager, last.source, last.because, span))
        return hops
    document = {"runtime": sources.runtime, "platform": sources.platform, "project": sources.project}.get(
        origin.source, sources.documents.get(origin.source)
    )
    span = _span(document, origin.because, key=key) if document is not None and origin.because is not None else None
    return [Hop(origin.manager, origin.source, origin.because, span)]


def _origins_in(tree: Managed, path: FieldPath) -> tuple[Origin, ...]:
    """Return the owners of `path`. A map of one entry is that entry: of `MODE: {value: full}` an overlay may set the value."""
    value, inner = get(tree.value, path), path
    while value.__class__ is dict and len(value) == 1:
        ((key, value),) = value.items()
        inner = (*inner, key)
        if inner in tree.owners:
            path = inner
    return tree.origins(path)


def _span(document: Document, path: FieldPath, *, key: bool) -> Span | None:
    """Return the place of `path`. In a short form (`gpu: h100:8`) one value sets several parts."""
    length = len(path)
    while length and get(document.value, path[:length]) is MISSING:
        length -= 1
    is_short = length < len(path) and get(document.value, path[:length]).__class__ not in (dict, list)
    return document.locate(path[:length] if is_short else path, key=key)


def place_in(manifest: Manifest, path: FieldPath, sources: Sources, *, key: bool = False) -> Span | None:
    """Return the line that set a field of a manifest, or its nearest parent; with `key`, the place of the key."""
    for origin in reversed(manifest.origins(lasting(manifest.tree, path))):
        for hop in reversed(trace(origin, sources, expanded=manifest.expanded, key=key)):
            if hop.span is not None:
                return hop.span
    return None
