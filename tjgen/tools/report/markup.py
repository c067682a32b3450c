"""Any text -> valid text of HTML and SVG: escaped, and with marks for invisible characters."""

from __future__ import annotations

import re

_UNSEEN = (
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufdd0-\ufdef\ufeff\ufffe\uffff\ud800-\udfff]"
)
"""Controls, signs that turn the direction of writing, halves of pairs: XML refuses some, and readers are misled by others."""


def escape(text: object) -> str:
    """Text between tags. Unseen signs are spelled as in Python: `\\u202e`."""
    seen = re.sub(_UNSEEN, _spelled, str(text))
    return seen.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def quoted(text: object) -> str:
    """An attribute's value, in its quotes."""
    return '"' + escape(text).replace('"', "&quot;") + '"'


def slug(text: str) -> str:
    """Letters, digits and hyphens that remind of `text`, for a fragment or a class. Two texts may give one."""
    return re.sub(r"[^A-Za-z0-9]+", "-", text).strip("-")


def _spelled(match: re.Match[str]) -> str:
    number = ord(match[0])
    return f"\\x{number:02x}" if number < 0x100 else f"\\u{number:04x}"
