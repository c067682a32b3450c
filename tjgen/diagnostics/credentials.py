"""Text -> the credentials in URLs of it: found, or concealed before the text is printed, as private keys and tokens are."""

from __future__ import annotations

import re

from tjgen.diagnostics import tokens

_URL = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*)://(?P<user>[^\s/@\"'<>]+)@(?P<host>[^\s/\"'<>,;]*)")
_PAIR = re.compile(r"(?<![\w/.])(?P<user>[^\s/:@\"'=,{}\[\]()]+:[^\s/@\"'{}\[\]()]+)@(?!sha256:)(?=[\w.-]+[:/])")
"""As some write scp's form of an address. What precedes a digest is a tag."""
_PLACEHOLDERS = re.compile(r"(\$\{[A-Za-z_][A-Za-z0-9_]*\}|\$[A-Za-z_][A-Za-z0-9_]*|:|git)+")


def find(text: str) -> list[str]:
    """The URLs in a text that hold a password or a token, each as scheme and host alone.

    A user name alone is none for ssh, and neither is a variable such as `${TOKEN}`.
    """
    return [f"{match['scheme']}://***@{match['host']}" for match in _URL.finditer(text) if _is_secret(match)]


def find_in_address(text: str) -> list[str]:
    """The same for the address of an image or a repository, which may have no scheme."""
    return find(text) or [f"***@{text[match.end() :].partition('/')[0]}" for match in _PAIR.finditer(text)]


def concealed(text: str) -> str:
    """The text with asterisks in place of passwords, private keys and tokens; columns stay where they are."""
    text = tokens.concealed(text)
    if "@" not in text:
        return text
    hidden = _URL.sub(lambda match: _hidden(match) if _is_secret(match) else match[0], text)
    return _PAIR.sub(_hidden, hidden)


def _is_secret(match: re.Match[str]) -> bool:
    scheme = match["scheme"].lower()
    if _PLACEHOLDERS.fullmatch(match["user"]):
        return False
    return ":" in match["user"] if scheme in ("ssh", "git+ssh") else True


def _hidden(match: re.Match[str]) -> str:
    start, end = (place - match.start() for place in match.span("user"))
    return match[0][:start] + "*" * (end - start) + match[0][end:]
