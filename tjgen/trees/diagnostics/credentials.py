"""Text -> the credentials in URLs of it: found, or concealed before the text is printed, as private keys and tokens are."""

from __future__ import annotations

from tjgen.trees import regex
from tjgen.trees.diagnostics import tokens
from tjgen.trees.typing import TYPE_CHECKING

if TYPE_CHECKING:
    import re

_URL = regex.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]{0,30})://(?P<user>[^\s/@\"'<>]+)@(?P<host>[^\s/\"'<>,;]*)")
_RUN = regex.compile(r"(?<![^\s/@\"'{}\[\]()])[^\s/@\"'{}\[\]()]+@(?!sha256:)(?=[\w.-]+[:/])")
"""What can hold a user and a password before the host in scp's form of an address. What precedes a digest is a tag."""
_WORD = regex.compile(r"[^:=,@]*")
_NOT_IN_NAME = regex.compile(r"[^\w.]")
_PLACEHOLDERS = regex.compile(r"(\$\{[A-Za-z_][A-Za-z0-9_]*\}|\$[A-Za-z_][A-Za-z0-9_]*|:|git)+")


def find(text: str) -> list[str]:
    """The URLs in a text that hold a password or a token, each as scheme and host alone.

    A user name alone is none for ssh, and neither is a variable such as `${TOKEN}`.
    """
    return [f"{match['scheme']}://***@{match['host']}" for match in _URL.finditer(text) if _is_secret(match)]


def find_in_address(text: str) -> list[str]:
    """The same for the address of an image or a repository, which may have no scheme."""
    return find(text) or [f"***@{text[end + 1 :].partition('/')[0]}" for _, end in _pairs(text)]


def concealed(text: str) -> str:
    """The text with asterisks instead of passwords, private keys and tokens; columns stay where they are."""
    text = tokens.concealed(text)
    if "@" not in text:
        return text
    hidden = _URL.sub(lambda match: _hidden(match) if _is_secret(match) else match[0], text)
    parts, done = [], 0
    for start, end in _pairs(hidden):
        parts += [hidden[done:start], "*" * (end - start)]
        done = end
    return "".join(parts) + hidden[done:]


def _pairs(text: str) -> list[tuple[int, int]]:
    """Matches `user:password` before `@host:` or `@host/`. The time grows with the length of the text."""
    ranges = []
    for match in _RUN.finditer(text):
        end = match.end() - 1
        start = _user(text, match.start(), end)
        if start is not None:
            ranges.append((start, end))
    return ranges


def _user(text: str, start: int, end: int) -> int | None:
    """Where the first word before a colon begins; a word behind a slash is part of a path."""
    while start < end:
        word = _WORD.match(text, start, end)
        stop = word.end() if word is not None else end
        begin: int | None = start
        if text[start - 1 : start] == "/":
            inner = _NOT_IN_NAME.search(text, start, stop)
            begin = inner.end() if inner is not None else None
        if begin is not None and begin < stop and text[stop] == ":" and stop + 1 < end:
            return begin
        start = stop + 1
    return None


def _is_secret(match: re.Match[str]) -> bool:
    scheme = match["scheme"].lower()
    if _PLACEHOLDERS.fullmatch(match["user"]):
        return False
    return ":" in match["user"] if scheme in ("ssh", "git+ssh") else True


def _hidden(match: re.Match[str]) -> str:
    start, end = (place - match.start() for place in match.span("user"))
    return match[0][:start] + "*" * (end - start) + match[0][end:]
