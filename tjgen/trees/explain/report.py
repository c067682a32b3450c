"""A manifest -> for each leaf its source, all owners, and the line in the source: as text or as data."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.trees.explain.provenance import Hop, Sources, traces
from tjgen.trees.fields.path import FieldPath, Tree, render
from tjgen.trees.manifests.leaves import leaves
from tjgen.trees.manifests.manifest import PREVIEW, Manifest
from tjgen.trees.manifests.secrets import without_secrets
from tjgen.trees.typing import NamedTuple


class Explained(NamedTuple):
    """One leaf. `owners` has the hops of each owner, the one that wrote last at the end."""

    path: FieldPath
    value: Tree
    owners: list[list[Hop]]


def explain(manifest: Manifest, sources: Sources, below: FieldPath = ()) -> Iterator[Explained]:
    """Every leaf of `manifest` at or below the path `below`, its value without secrets."""
    for path, value in leaves(manifest.tree):
        if path[: len(below)] == below:
            origins = manifest.origins(path)
            owners = [hops for origin in origins for hops in traces(origin, sources, expanded=manifest.expanded)]
            yield Explained(path, without_secrets(value, path, manifest.kind), owners)


def as_text(manifest: Manifest, leaves: list[Explained]) -> str:
    """One line a leaf: the path, the value, and behind an arrow every hop to the file."""
    lines = [heading(manifest)]
    for leaf in leaves:
        answers = " + ".join(" <- ".join(hop_text(hop) for hop in hops) for hops in reversed(leaf.owners))
        lines.append(f"  {render(leaf.path)}: {shown(leaf.value)}  <- {answers}")
    return "\n".join(lines) + "\n"


def heading(manifest: Manifest) -> str:
    """Kind, namespace and name, and whether the object is a preview."""
    where = f"{manifest.namespace}/{manifest.name}" if manifest.namespace else manifest.name
    note = "  (preview: a controller makes it)" if manifest.stage == PREVIEW else ""
    return f"{manifest.kind} {where}{note}"


def as_data(manifest: Manifest, leaves: list[Explained]) -> Tree:
    """The same as a tree for JSON."""
    return {
        "kind": manifest.kind,
        "namespace": manifest.namespace,
        "name": manifest.name,
        "preview": manifest.stage == PREVIEW,
        "fields": [
            {
                "path": render(leaf.path),
                "value": leaf.value,
                "owners": [[_hop_data(hop) for hop in hops] for hops in reversed(leaf.owners)],
            }
            for leaf in leaves
        ],
    }


def hop_text(hop: Hop) -> str:
    """Return the owner, its field and the place, on one line."""
    place = f" ({hop.span.file}:{hop.span.line}:{hop.span.column})" if hop.span is not None else ""
    reason = f" {render(hop.because)}" if hop.because else ""
    if hop.source == "trainjob" and "runtimePatches" in hop.because:
        # The rest of the path repeats that of the leaf.
        reason = " spec.runtimePatches"
    source = "" if hop.source in ("experiment", "tjgen") or hop.source.startswith("file:") else f" {hop.source}"
    # "runtime runtime spec..." would repeat a word.
    return f"{hop.manager}{source if source.strip() != hop.manager else ''}{reason}{place}"


def _hop_data(hop: Hop) -> Tree:
    data: Tree = {"manager": hop.manager, "source": hop.source, "because": render(hop.because)}
    if hop.span is not None:
        data["file"], data["line"], data["column"] = hop.span.file, hop.span.line, hop.span.column
    return data


def shown(value: Tree) -> str:
    """The first line of a value."""
    text = "null" if value is None else str(value).lower() if value.__class__ is bool else str(value)
    first, *rest = text.split("\n")
    return first + (" ..." if rest else "")
