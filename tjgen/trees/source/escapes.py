"""Escapes in double quotes that kubectl reads in one way in JSON and in another, or not at all, in YAML."""

from __future__ import annotations

from tjgen.trees import regex
from tjgen.trees.typing import TYPE_CHECKING

if TYPE_CHECKING:
    import re

_SLASH = r"(?<!\\)(?:\\\\)*\\/"
_HALVES = r"(?<!\\)((?:\\\\)*)\\u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})"


def has_slash_escapes(content: str) -> bool:
    """Whether the text holds `\\/`: an escape in JSON and in YAML 1.2, none to go-yaml v2."""
    return "\\/" in content and regex.search(_SLASH, content) is not None


def join_halves(content: str) -> str:
    """The text with JSON's escapes of a character in two halves written as YAML's escape of one."""
    if "\\ud" not in content and "\\uD" not in content:
        return content
    return regex.sub(_HALVES, _joined, content)


def _joined(match: re.Match[str]) -> str:
    high, low = int(match[2], 16), int(match[3], 16)
    return f"{match[1]}\\U{0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00):08x}"
