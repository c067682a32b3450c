"""Import contracts of pyproject.toml and docstrings -> the page and the picture of the packages."""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path

from docs.generate.markdown import NOTICE, code, table

ROOT = Path(__file__).parent.parent.parent
PACKAGE = "tjgen"
PICTURE = "packages.svg"

_ROW, _GAP, _LEFT, _WIDTH, _BOX = 58, 8, 12, 900, 26
_LETTER = 7.3
"""Sizes in pixels: a row, the space between boxes, the margin, the picture, a box; the width of a letter."""


def layers() -> dict[str, list[list[str]]]:
    """Package -> its layers from top to bottom, each with the modules and packages that do not import each other."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]["contracts"]
    return {
        container: [[name.strip() for name in layer.split("|")] for layer in contract["layers"]]
        for contract in contracts
        if contract["type"] == "layers"
        for container in contract["containers"]
    }


def sentence(module: str) -> str:
    """The first paragraph of the docstring of a module or package, on one line."""
    path = ROOT.joinpath(*module.split("."))
    file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    docstring = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or ""
    return " ".join(docstring.partition("\n\n")[0].split())


def page() -> str:
    """The page: a picture of the groups, then a table of each group from its upper to its lower packages."""
    every = layers()
    lines = [
        "# Packages",
        "",
        NOTICE,
        "An upper package imports lower ones, never the reverse; packages of one layer do not import each other.",
        "`lint-imports` checks this, and refuses a package that has no place in pyproject.toml.",
        "",
        f"![The groups of packages, from top to bottom]({PICTURE})",
        "",
    ]
    for group in _groups(every):
        container = f"{PACKAGE}.{group}"
        lines += [f"## {group}", "", sentence(container), ""]
        rows = [
            (str(height), code(name), sentence(f"{container}.{name}"))
            for height, layer in enumerate(reversed(every.get(container, [])), start=1)
            for name in layer
        ]
        if rows:
            lines += [table(("Layer", "Package", "What it does"), reversed(rows))]
    return "\n".join(lines).rstrip("\n") + "\n"


def picture() -> str:
    """The picture as SVG: a row for each group, with a box for each package in it."""
    every = layers()
    groups = _groups(every)
    height = _GAP + len(groups) * (_ROW + _GAP)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" font-family="monospace" font-size="12">',
        "<title>The packages of tjgen: upper ones import lower ones</title>",
    ]
    for number, group in enumerate(groups):
        top = _GAP + number * (_ROW + _GAP)
        inner = _WIDTH - 2 * _LEFT
        parts.append(f'<rect x="{_LEFT}" y="{top}" width="{inner}" height="{_ROW}" rx="6" fill="#eef2f7" stroke="#8796a8"/>')
        parts.append(f'<text x="{_LEFT + 10}" y="{top + 18}" font-weight="bold" fill="#1b2733">{escape(group)}</text>')
        names = [name for layer in every.get(f"{PACKAGE}.{group}", []) for name in layer]
        parts += _boxes(names, top + 26)
    return "\n".join([*parts, "</svg>"]) + "\n"


def _boxes(names: Sequence[str], top: int) -> Iterator[str]:
    left = float(_LEFT + 10)
    for name in names:
        width = len(name) * _LETTER + 10
        yield f'<rect x="{left:.0f}" y="{top}" width="{width:.0f}" height="{_BOX}" rx="4" fill="#ffffff" stroke="#8796a8"/>'
        yield f'<text x="{left + 5:.0f}" y="{top + 17}" fill="#1b2733">{escape(name)}</text>'
        left += width + _GAP


def _groups(every: dict[str, list[list[str]]]) -> list[str]:
    return [name for layer in every[PACKAGE] for name in layer]
