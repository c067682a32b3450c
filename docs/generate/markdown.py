"""Rows and headings -> Markdown."""

from __future__ import annotations

from collections.abc import Iterable

NOTICE = "<!-- Made by `python -m docs.generate` from the code. Change it there. -->\n"


def table(header: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    """A table; columns that are empty in every row are left out."""
    body = list(rows)
    kept = [column for column in range(len(header)) if any(row[column] for row in body)]
    lines = [[row[column].replace("|", "\\|").replace("\n", " ") for column in kept] for row in [header, *body]]
    lines.insert(1, ["---"] * len(kept))
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


def anchor(heading: str) -> str:
    """The fragment that leads to a heading."""
    return "#" + "".join(sign for sign in heading.lower().replace(" ", "-") if sign.isalnum() or sign in "-_")


def code(text: str) -> str:
    """Text in the type of code."""
    return f"`{text}`"
