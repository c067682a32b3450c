"""Objects of `tjgen explain` and a name in them -> the places that have it; without a name, a page about the objects."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from tjgen.trees.diagnostics.model import CompileError, Diagnostic
from tjgen.trees.diagnostics.printable import printable, printable_json
from tjgen.trees.explain.named import FIELD, NOUNS, NamedPart, named, places
from tjgen.trees.explain.provenance import Sources
from tjgen.trees.explain.report import Explained, as_data, explain
from tjgen.trees.explain.summary import as_page, as_places
from tjgen.trees.explain.written import nearest_path, steps_of
from tjgen.trees.fields.path import render
from tjgen.trees.k8s.nearest import nearest
from tjgen.trees.manifests.leaves import leaves
from tjgen.trees.manifests.manifest import Manifest

_TOGETHER = frozenset({"limit", "request"})
"""Targets with the same name."""
_MOST = 12
"""Places of a field with one name that are shown; with more of them, a path is needed."""

Chosen = Sequence[tuple[Manifest, Sources]]


def show_name(chosen: Chosen, text: str, *, as_json: bool) -> bool:
    """Print the places of a name or a path, as `PET_MASTER_ADDR`, `variable/PET_MASTER_ADDR` or `spec.trainer.numNodes`.

    Returns False if nothing has it.

    Raises CompileError (TJ748) if things of several kinds have the name, or too many fields.
    """
    noun, _, name = text.partition("/")
    if noun not in NOUNS.values():
        noun, name = "", text
    matching = [(manifest, places(list(explain(manifest, sources)), noun, name)) for manifest, sources in chosen]
    matching = [(manifest, named_leaves) for manifest, named_leaves in matching if named_leaves]
    kinds = {one.noun for _, named_leaves in matching for one in named_leaves}
    if len(kinds) > 1 and FIELD in kinds:
        kinds.discard(FIELD)
        kept = [
            (manifest, {one: below for one, below in named_leaves.items() if one.noun != FIELD})
            for manifest, named_leaves in matching
        ]
        matching = [(manifest, named_leaves) for manifest, named_leaves in kept if named_leaves]
    if not matching:
        return False
    if len(kinds) > 1 and not kinds <= _TOGETHER:
        hint = f"use one of {', '.join(f'{kind}/{name}' for kind in sorted(kinds))}"
        raise CompileError([Diagnostic("TJ748", f'"{name}" is the name of {len(kinds)} things', hint=hint)])
    _refuse_many(matching, name, kinds)
    if as_json:
        import json

        data = [
            as_data(manifest, [leaf for below in named_leaves.values() for leaf in below]) for manifest, named_leaves in matching
        ]
        sys.stdout.write(printable_json(json.dumps(data, indent=2)) + "\n")
    else:
        sys.stdout.write(printable(as_places(matching)))
    return True


def show_page(chosen: Chosen, more: int) -> None:
    """Print the page of the objects of a run; `more` is the number of other runs."""
    text = as_page([(manifest, list(explain(manifest, sources))) for manifest, sources in chosen])
    runs = f"\n{more} more run{'s' * (more != 1)}: name one by KIND/NAME\n" if more else ""
    sys.stdout.write(
        printable(f"{text}{runs}\nTo explain a variable, a volume or a limit, add its name; --all shows every field.\n")
    )


def near_name(chosen: Chosen, text: str) -> str:
    """A hint with the nearest name or path in the objects; "" if none is near.

    The names of variables, volumes and the like come first, then those of fields, then paths.
    """
    known = {one for manifest, _ in chosen for path, value in leaves(manifest.tree) for one in named(path, value)}
    near = (
        nearest(text, {one.name for one in known if one.noun != FIELD})
        or nearest(text, {one.name for one in known if one.noun == FIELD})
        or _nearest_path(chosen, text)
    )
    return f'did you mean "{near}"?' if near else ""


def _nearest_path(chosen: Chosen, text: str) -> str | None:
    try:
        steps = steps_of(text)
    except ValueError:
        return None
    return nearest_path([manifest.tree for manifest, _ in chosen], steps) if len(steps) > 1 else None


def _refuse_many(matching: Sequence[tuple[Manifest, dict[NamedPart, list[Explained]]]], name: str, kinds: set[str]) -> None:
    paths = [f"{manifest.kind} {render(one.path)}" for manifest, named_leaves in matching for one in named_leaves]
    if kinds == {FIELD} and len(paths) > _MOST:
        hint = f"use a path, such as {paths[0]} or {paths[1]}"
        raise CompileError([Diagnostic("TJ748", f'{len(paths)} fields are called "{name}"', hint=hint)])
