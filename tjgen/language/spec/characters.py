"""A tree of the language -> the texts that hold control characters where they could add a line to a file that is generated.

Names, images, paths and packages become parts of Dockerfiles, shell programs, URLs and reports. A line break in one of them
would begin a new line there; marks of direction show another text than the one that is read. Texts with intentional
several lines, such as scripts, are left alone.
"""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.trees import regex
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import FieldPath, Tree, render

_FREE = frozenset(
    (
        "annotations",
        "args",
        "command",
        "description",
        "env",
        "harmless",
        "ignore",
        "options",
        "patches",
        "script",
        "summary",
    )
)
"""Keys of texts that may have several lines."""
_CONTAINERS = (dict, list)
_FILES = "files"
"""A map of texts that may have several lines. Its keys are paths."""
_CONTROL = regex.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")


def diagnostics(tree: Tree, path: FieldPath = ()) -> Iterator[Diagnostic]:
    """TJ110 for each text with one, keys of maps included."""
    if tree.__class__ is str:
        # Nearly all texts are printable, which takes no time to see.
        if not tree.isprintable() and (match := _CONTROL.search(tree)) is not None:
            yield _diagnostic(render(path), match[0], path)
    elif tree.__class__ is dict:
        for key, value in tree.items():
            if key.__class__ is str and not key.isprintable() and (match := _CONTROL.search(key)) is not None:
                yield _diagnostic(f"a key of {render(path)}", match[0], path)
            elif key == _FILES and value.__class__ is dict:
                yield from diagnostics(dict.fromkeys(value), (*path, key))
            elif key not in _FREE and (value.__class__ in _CONTAINERS or (value.__class__ is str and not value.isprintable())):
                yield from diagnostics(value, (*path, key))
    elif tree.__class__ is list:
        for position, item in enumerate(tree):
            if item.__class__ in _CONTAINERS or (item.__class__ is str and not item.isprintable()):
                yield from diagnostics(item, (*path, position))


def is_strange(text: str) -> bool:
    """Whether a text of one line holds a control character or a line break."""
    return not text.isprintable() and _CONTROL.search(text) is not None


def _diagnostic(field: str, character: str, path: FieldPath) -> Diagnostic:
    shown = "a line break" if character in "\r\n\u2028\u2029" else f"the control character U+{ord(character):04X}"
    hint = "remove it: this text becomes part of a line"
    return Diagnostic("TJ110", f"{field} contains {shown}", path=path, hint=hint)
