"""`prefetch` of a valid merged experiment -> conflicts between its fields."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.language.resolve.named_sets import name_problem
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import FieldPath, Tree, get, render

PREFETCH: FieldPath = ("spec", "prefetch")
_MOST = 32
"""Prefetches of an experiment: every Job of a lower priority has a container for each Job of the next higher one."""


def check(prefetch: Tree) -> Iterator[Diagnostic]:
    """Every rule over `prefetch` in long form."""
    sets = prefetch.get("sets")
    if not sets:
        if "priority" in prefetch:
            message = "spec.prefetch has a priority, but it is the only prefetch"
            yield Diagnostic("TJ128", message, path=(*PREFETCH, "priority"), hint="remove priority, or add sets")
        yield from _source(prefetch, PREFETCH)
        return
    if "env" in prefetch:  # not among the alternatives of the model: there, `env: {}` would rename runs
        message = "spec.prefetch has sets and env, which are mutually exclusive"
        yield Diagnostic("TJ121", message, path=(*PREFETCH, "env"), hint="set env in each of sets")
    if len(sets) > _MOST:
        message = f"spec.prefetch.sets has {len(sets)} prefetches, more than {_MOST}"
        hint = "fetch several folders with one prefetch, with source.paths"
        yield Diagnostic("TJ173", message, path=(*PREFETCH, "sets"), hint=hint)
    for name, one in sets.items():
        at = (*PREFETCH, "sets", name)
        yield from name_problem(name, at)
        yield from _source(one, at)


def _source(prefetch: Tree, at: FieldPath) -> Iterator[Diagnostic]:
    source = get(prefetch, ("source",), None) or {}
    if "uri" in source and "path" in source:
        message = f"{render((*at, 'source'))} has a path, which is for a volume, but its source is a uri"
        hint = "write the folder at the end of the uri, or paths to select some of its files"
        yield Diagnostic("TJ128", message, path=(*at, "source", "path"), hint=hint)
