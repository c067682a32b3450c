"""What every module of the product looks like."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.checkout import ROOT, modules

NAMELESS = {"utils", "util", "helpers", "common", "base", "misc"}
WRITTEN = [path for path in modules() if path.read_text(encoding="utf-8").strip()]
"""Modules with content: an empty `__init__` says nothing."""


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("path", WRITTEN, ids=name)
def test_a_module_says_in_one_line_what_it_is(path: Path) -> None:
    docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
    assert docstring
    first, *rest = docstring.split("\n")
    assert first.endswith((".", ":"))
    assert not rest or rest[0] == ""


@pytest.mark.parametrize("path", [path for path in WRITTEN if path.name != "__init__.py"], ids=name)
def test_annotations_are_not_evaluated(path: Path) -> None:
    body = ast.parse(path.read_text(encoding="utf-8")).body
    first = next(node for node in body if isinstance(node, (ast.Import, ast.ImportFrom)))
    assert isinstance(first, ast.ImportFrom)
    assert first.module == "__future__"
    assert [alias.name for alias in first.names] == ["annotations"]


@pytest.mark.parametrize("path", modules(), ids=name)
def test_a_module_is_named_after_its_idea(path: Path) -> None:
    assert not NAMELESS & {path.stem, *path.relative_to(ROOT).parts}


def test_the_package_says_that_it_is_typed() -> None:
    assert (ROOT / "tjgen" / "py.typed").is_file()
