"""Any text -> valid text of HTML and SVG: escaped, and with marks for invisible characters."""

from __future__ import annotations

import re

from tjgen.trees.diagnostics.printable import HIDDEN, escaped

_UNSEEN = f"[{HIDDEN}]"
"""XML refuses some of these characters, and readers are misled by others."""


def escape(text: object) -> str:
    """Text between tags. Unseen signs are spelled as in Python: `\\u202e`."""
    seen = re.sub(_UNSEEN, escaped, str(text))
    return seen.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def quoted(text: object) -> str:
    """An attribute's value, in its quotes."""
    return '"' + escape(text).replace('"', "&quot;") + '"'


def slug(text: str) -> str:
    """Letters, digits and hyphens that remind of `text`, for a fragment or a class. Two texts may give one."""
    return re.sub(r"[^A-Za-z0-9]+", "-", text).strip("-")
