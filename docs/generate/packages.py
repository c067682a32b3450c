"""Import contracts of pyproject.toml and docstrings -> the page and the picture of the packages."""

from __future__ import annotations

import ast
import tomllib
from pathlib import Path

from docs.generate.markdown import NOTICE, code, table
from docs.generate.pictures import Box, Row, svg

ROOT = Path(__file__).parent.parent.parent
PACKAGE = "tjgen"
PICTURE = "packages.svg"


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
    rows = [
        Row(group, [Box(name, [name]) for layer in every.get(f"{PACKAGE}.{group}", []) for name in layer])
        for group in _groups(every)
    ]
    return svg("The packages of tjgen: upper ones import lower ones", rows)


def _groups(every: dict[str, list[list[str]]]) -> list[str]:
    return [name for layer in every[PACKAGE] for name in layer]
