"""Diagnostics -> the data that a forge requires in addition to the text: path in the repository, and fingerprint.

Forges look for files from the top of the working tree, not from the working directory of a command.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from hashlib import sha256

from tjgen.trees.diagnostics.model import Diagnostic, Span
from tjgen.trees.diagnostics.printable import printable, visible
from tjgen.trees.fields.path import render as render_path
from tjgen.trees.typing import NamedTuple

NOWHERE = "tjgen.yaml"
"""The file for diagnostics that have none: forges drop results without a place."""


class Reported(NamedTuple):
    """A diagnostic in the form of a forge."""

    diagnostic: Diagnostic
    text: str
    """Message and hint."""
    fingerprint: str
    """The same as long as the diagnostic is, also where lines have moved; another for each in a report."""


def reported(diagnostics: Iterable[Diagnostic]) -> Iterator[Reported]:
    """Return every diagnostic in its order, with the paths of its files in the repository."""
    top = _top()
    seen: dict[str, int] = {}
    for one in diagnostics:
        notes = tuple([note._replace(message=printable(note.message), span=_shown(note.span, top)) for note in one.related])
        moved = one._replace(span=_shown(one.span, top), related=notes)
        text = _text(one)
        known = "\n".join(
            (
                one.code,
                moved.span.file if moved.span is not None else "",
                "/".join(one.subject) if one.subject is not None else "",
                render_path(one.path) if one.path is not None else "",
                text,
            )
        )
        seen[known] = seen.get(known, 0) + 1
        digest = sha256(f"{known}\n{seen[known]}".encode(errors="surrogateescape")).hexdigest()
        yield Reported(moved, text, digest[:32])


def _text(diagnostic: Diagnostic) -> str:
    text = f"{diagnostic.message}\nHint: {diagnostic.hint}" if diagnostic.hint else diagnostic.message
    return printable(text)


def _shown(span: Span | None, top: str | None) -> Span | None:
    """The place with a name that a report may show. No forge would find a file with such a name anyway."""
    moved = _moved(span, top)
    return moved if moved is None or moved.file.isprintable() else moved._replace(file=visible(moved.file))


def _moved(span: Span | None, top: str | None) -> Span | None:
    # Standard input, bundled runtimes and files of revisions are in no folder: they keep their names.
    if span is None or top is None or not os.path.lexists(span.file):
        return span
    path = os.path.relpath(os.path.join(os.path.realpath(os.path.dirname(span.file)), os.path.basename(span.file)), top)
    return span._replace(file=span.file if path.startswith(f"..{os.sep}") else path.replace(os.sep, "/"))


def _top() -> str | None:
    """The working tree that the command runs in. Its `.git` is a file where it is a second one of its repository."""
    folder = os.path.realpath(".")
    while not os.path.lexists(os.path.join(folder, ".git")):
        above = os.path.dirname(folder)
        if above == folder:
            return None
        folder = above
    return folder
