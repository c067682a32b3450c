"""Modules of a copy of the tree -> the same with a probe before every statement of a function, to see which tests run it.

A probe is `__hits__[n] = 1`. `__hits__` is a bytearray among the builtins, so a probe costs next to nothing.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from tests.mutation.mutants import Mutant

NAME = "__hits__"
SIZE = 1 << 17
"""More than all statements of the product."""


class Statement(NamedTuple):
    """A statement of a function: its file, and its first and last line."""

    file: str
    line: int
    end: int
    text: str
    """Its first line."""


def statements(root: Path, files: Iterable[str]) -> list[Statement]:
    """Every statement that gets a probe; the number of the probe is the position in the list."""
    found = []
    for file in files:
        source = (root / file).read_text(encoding="utf-8")
        lines = source.splitlines()
        for body in _bodies(ast.parse(source)):
            for node in body:
                if not _is_docstring(node):
                    text = lines[node.lineno - 1].strip()
                    found.append(Statement(file, node.lineno, node.end_lineno or node.lineno, text))
    assert len(found) < SIZE
    return found


def instrument(root: Path, files: Iterable[str]) -> None:
    """Write the probes into the files below `root`."""
    number = 0
    for file in files:
        tree = ast.parse((root / file).read_text(encoding="utf-8"))
        for body in _bodies(tree):
            probed: list[ast.stmt] = []
            for node in body:
                if not _is_docstring(node):
                    probed += ast.parse(f"{NAME}[{number}] = 1").body
                    number += 1
                probed.append(node)
            body[:] = probed
        (root / file).write_text(ast.unparse(tree), encoding="utf-8")
    start = root / "tjgen/__init__.py"
    head = f"import builtins as _builtins\nif not hasattr(_builtins, '{NAME}'):\n    _builtins.{NAME} = bytearray({SIZE})\n"
    text = start.read_text(encoding="utf-8")
    first_import = text.index("from tjgen.trees.typing")
    start.write_text(text[:first_import] + head + text[first_import:], encoding="utf-8")


def hits() -> bytearray:
    """The probes that this process has passed since they were last set to zero."""
    if not hasattr(builtins, NAME):
        setattr(builtins, NAME, bytearray(SIZE))
    found = getattr(builtins, NAME)
    assert isinstance(found, bytearray)
    return found


def statement_of(mutant: Mutant, found: list[Statement]) -> Statement | None:
    """The innermost statement that holds a mutant; none for what an import evaluates."""
    if not mutant.owner:
        return None
    holding = [one for one in found if one.file == mutant.file and one.line <= mutant.line <= one.end]
    return max(holding, key=lambda one: (one.line, -one.end), default=None)


def probes_of(file: str, statement: Statement | None, table: list[Statement]) -> list[int]:
    """The probes of a statement in a table that may be of another state of the tree; those of its file where it is not there.

    They choose the tests that are tried on a mutant, so a table that is not of today costs time, or a test that would matter.
    """
    own = [n for n, one in enumerate(table) if one.file == file]
    own = own or [n for n, one in enumerate(table) if Path(one.file).name == Path(file).name]
    if statement is None:
        return own
    same = [n for n in own if table[n].text == statement.text]
    nearest = min((abs(table[n].line - statement.line) for n in same), default=0)
    return [n for n in same if abs(table[n].line - statement.line) == nearest] or own


def _bodies(tree: ast.Module) -> list[list[ast.stmt]]:
    """The lists of statements in functions; outer ones first."""
    found: list[list[ast.stmt]] = []

    def visit(node: ast.AST, *, is_inside: bool) -> None:
        is_inside = is_inside or isinstance(node, ast.FunctionDef)
        children = list(ast.iter_child_nodes(node))
        if is_inside and not isinstance(node, ast.ClassDef):
            for field in ("body", "orelse", "finalbody"):
                body = getattr(node, field, None)
                if isinstance(body, list) and body:
                    found.append(body)
        for child in children:
            visit(child, is_inside=is_inside)

    visit(tree, is_inside=False)
    return found


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
