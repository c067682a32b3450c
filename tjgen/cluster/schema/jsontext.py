"""JSON text of ours -> its value, without the price of importing json (a tenth of a whole check).

`json` is Python around a scanner in C that CPython keeps in `_json`. Our own files need nothing of that Python: they are
known to be right. If there is no such scanner, `json` does it.
"""

from __future__ import annotations

from tjgen.trees.typing import Any


class _Plain:
    """Options of the scanner: no hooks, strict strings, plain numbers."""

    strict = True
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = float


def read_json(text: str) -> Any:
    """The value of the text. The scanner is loaded here: most values come from the file of compiled modules."""
    try:
        from _json import make_scanner
    except ImportError:
        from json import loads

        return loads(text)
    scan = make_scanner(_Plain)  # type: ignore[arg-type]  # it accepts any object with these attributes
    return scan(text, 0)[0]
