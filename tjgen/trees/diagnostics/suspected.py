"""Variables whose names suggest that their values are secrets: recognized, or concealed in a line before it is printed."""

from __future__ import annotations

from tjgen.trees import regex
from tjgen.trees.typing import TYPE_CHECKING

if TYPE_CHECKING:
    import re

_ENDS = ("PASSWORD", "PASSWD", "SECRET", "TOKEN", "API_?KEY", "SECRET_ACCESS_KEY", "PRIVATE_KEY", "CREDENTIALS")
_NAME = rf"(\A|_)({'|'.join(_ENDS)})\Z"
_HARMLESS = ("", "true", "false", "none", "null", "0", "1")
_REFERENCES = ("$", "/", "<", "[")
"""How a variable, a path, and a placeholder or a special token of a model, such as `<pad>`, begin."""
_MARKS = ("PASSW", "SECRET", "TOKEN", "KEY", "CREDENTIALS")
"""What each of the ends has: most names and lines have none, and need no regular expression."""
_VARIABLE = r"""(?P<name>\b[A-Z][A-Z0-9_]*)(?P<between>["']?\s*[:=]\s*)(?P<value>"[^"]*"|'[^']*'|[^\s,"'{}\[\]]+)"""
"""A variable in capital letters with its value, in YAML, JSON or a shell. A field such as `token` is not a variable."""
_PASSWORD = r"[A-Za-z][A-Za-z0-9+.-]{0,30}://[^\s/@:\"'<>]*:(?![$*{])[^\s/@\"'<>]+@[^\s/@]"
"""A URL with a password, which is not a variable or asterisks."""


def is_suspected(name: str, value: str) -> bool:
    """Whether the name of a variable suggests that its value is a secret, and the value can be one."""
    return is_suspicious(name) and value.lower() not in _HARMLESS and not value.startswith(_REFERENCES)


def is_suspicious(name: str) -> bool:
    """Whether the name of a variable suggests that its value is a secret."""
    name = name.upper()
    return any(mark in name for mark in _MARKS) and regex.search(_NAME, name) is not None


def from_secret(name: str) -> str:
    """The entry in `env` of an experiment for a variable that takes its value from a key of a Secret."""
    return f"{name}: {{secret: {name.lower().replace('_', '-')}, key: {name}}}"


def in_env(name: str, entry: str) -> str:
    """The entry in `env` for a variable: from a Secret if its name suggests one, else `entry`."""
    return from_secret(name) if is_suspicious(name) else entry


def has_password(text: str) -> bool:
    """Whether a text has a URL with a password."""
    return "://" in text and "@" in text and regex.search(_PASSWORD, text) is not None


def concealed(line: str) -> str:
    """The line with an asterisk for each character of a suspected secret; columns stay where they are."""
    for mark in _MARKS:
        if mark in line:
            return regex.sub(_VARIABLE, _hidden, line)
    return line


def _hidden(match: re.Match[str]) -> str:
    value = match["value"]
    text = value.strip("\"'")
    if not is_suspected(match["name"], text):
        return match[0]
    return match["name"] + match["between"] + value.replace(text, "*" * len(text), 1)
