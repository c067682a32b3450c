"""Syntax trees of modules -> which module imports which, and the cycles among them."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path

from tests.checkout import ROOT

Imports = Mapping[str, set[str]]
"""Dotted name of a module -> the modules of the product that it imports anywhere, also inside functions."""


def dotted(path: Path) -> str:
    """The dotted name of the module in a file."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports_of(trees: Mapping[Path, ast.Module]) -> Imports:
    """The imports of each module, imports that only type checkers read included."""
    known = {dotted(path) for path in trees}
    return {dotted(path): set(_imported(tree, known)) & known for path, tree in trees.items()}


def cycles(imports: Imports) -> list[list[str]]:
    """The groups of modules that import each other, each sorted by name; empty if there is no cycle.

    Uses Tarjan's strongly connected components without recursion.
    """
    order: dict[str, int] = {}
    lowest: dict[str, int] = {}
    path: list[str] = []
    groups: list[list[str]] = []
    for start in sorted(imports):
        work = [(start, iter(sorted(imports[start])))] if start not in order else []
        while work:
            module, rest = work[-1]
            if module not in order:
                order[module] = lowest[module] = len(order)
                path.append(module)
            step = next(rest, None)
            if step is None:
                work.pop()
                if work:
                    above = work[-1][0]
                    lowest[above] = min(lowest[above], lowest[module])
                if lowest[module] == order[module]:
                    group = path[path.index(module) :]
                    del path[path.index(module) :]
                    groups += [sorted(group)] if len(group) > 1 else []
            elif step not in order:
                work.append((step, iter(sorted(imports[step]))))
            elif step in path:
                lowest[module] = min(lowest[module], order[step])
    return sorted(groups)


def _imported(tree: ast.Module, known: set[str]) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            inner = [f"{node.module}.{alias.name}" for alias in node.names]
            yield from (one if one in known else node.module for one in inner)
