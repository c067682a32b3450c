"""Manifests with the origins of their leaves -> a page: what each line of the sources sets, and how much the rest is."""

from __future__ import annotations

from collections.abc import Sequence

from tjgen.trees.diagnostics.model import Span
from tjgen.trees.explain.named import NamedPart
from tjgen.trees.explain.report import Explained, heading, hop_text, shown
from tjgen.trees.fields.path import render
from tjgen.trees.manifests.manifest import Manifest

_WIDTH = 120
_LINES = 40
"""Lines of sources that a page shows."""
_SHIPPED = "tjgen:"
"""What the names of files begin with that tjgen ships."""
_HEAD = ("apiVersion", "kind", "metadata")


def as_page(explained: Sequence[tuple[Manifest, list[Explained]]]) -> str:
    """The objects with the number of their fields; a line for each line of the sources; what has no line, counted."""
    lines = []
    by_line: dict[tuple[str, int], list[tuple[Manifest, Explained]]] = {}
    by_rule: dict[str, int] = {}
    for manifest, leaves in explained:
        lines.append(f"{heading(manifest)}: {len(leaves)} field{'s' * (len(leaves) != 1)}")
        for leaf in leaves:
            span = _span(leaf)
            if span is not None and not span.file.startswith(_SHIPPED):
                by_line.setdefault((span.file, span.line), []).append((manifest, leaf))
            elif leaf.owners:
                rule = span.file if span is not None else hop_text(leaf.owners[-1][-1]._replace(because=()))
                by_rule[rule] = by_rule.get(rule, 0) + 1
    lines.append("")
    lines += [_line(f"{file}:{line}", fields) for (file, line), fields in sorted(by_line.items())[:_LINES]]
    if len(by_line) > _LINES:
        lines.append(f"and {len(by_line) - _LINES} more lines of files")
    if by_rule:
        rules = sorted(by_rule.items(), key=lambda rule: (-rule[1], rule[0]))
        lines += ["", "From elsewhere:", *[f"  {rule}: {count}" for rule, count in rules]]
    return "".join(f"{line}\n" for line in lines)


def _line(place: str, fields: Sequence[tuple[Manifest, Explained]]) -> str:
    """The place, the field with the shortest path, and the number of others."""
    # The name of a thing shows least.
    texts = {
        (
            leaf.path[0] in _HEAD or leaf.path[-1] == "name",
            len(path := render(leaf.path)),
            f"{manifest.kind} {path}: {shown(leaf.value)}",
        )
        for manifest, leaf in fields
    }
    text = f"{place}  {min(texts)[-1]}"
    more = f"  (and {len(fields) - 1} more)" if len(fields) > 1 else ""
    return (text if len(text) + len(more) <= _WIDTH else f"{text[: _WIDTH - len(more) - 4]} ...") + more


def as_places(explained: Sequence[tuple[Manifest, dict[NamedPart, list[Explained]]]]) -> str:
    """Each place of a name: the object, the path, and below it the values with their origins."""
    lines: list[str] = []
    for manifest, named_leaves in explained:
        lines.append(heading(manifest))
        for key, leaves in named_leaves.items():
            lines.append(f"  {key.noun} {render(key.path)}")
            below = [leaf for leaf in leaves if leaf.path[len(key.path) :] != ("name",)] or leaves
            for leaf in below:
                answers = " + ".join(" <- ".join(hop_text(hop) for hop in hops) for hops in reversed(leaf.owners))
                field = render(leaf.path[len(key.path) :])
                lines.append(f"    {f'{field}: ' if field else ''}{shown(leaf.value)}  <- {answers}")
    return "".join(f"{line}\n" for line in lines)


def _span(leaf: Explained) -> Span | None:
    for hops in reversed(leaf.owners):
        for hop in reversed(hops):
            if hop.span is not None:
                return hop.span
    return None
