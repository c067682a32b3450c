"""Text -> the private keys and well-known tokens in it: found, or concealed before the text is printed.

One detection for all: what a build packs, what `build` and `check` judge, the rule of lint (TJ662), and every diagnostic.
"""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.trees import regex
from tjgen.trees.canonical import sha256_hex
from tjgen.trees.typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import re

_MARKS = (
    "PRIVATE KEY", "hf_", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "gldt-", "glrt-", "sk-", "AKIA",
    "ASIA", "xox", "AIza", "ya29.", "eyJ", "npm_", "pypi-AgE", "dckr_pat_", "sk_live_", "AccountKey=",
)  # fmt: skip
"""What each of the forms below holds: most texts have none, and need no regular expression."""
_FORMS: tuple[tuple[str, str], ...] = (
    ("a private key", r"-----BEGIN (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?-----(?:[^-]*(?:-----END [A-Z0-9 ]*-----)?)"),
    ("a token of Hugging Face", r"\bhf_[A-Za-z0-9]{20,}"),
    ("a token of GitHub", r"\b(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{20,})"),
    ("a token of GitLab", r"\bgl(?:pat|dt|rt)-[\w-]{20,}"),
    # A word such as "task-sk-learn-..." has no upper case letter with a digit.
    ("an API key", r"(?<![\w-])sk-(?=[\w-]*[A-Z])(?=[\w-]*[0-9])[\w-]{20,}"),
    ("a live API key", r"\bsk_live_[A-Za-z0-9]{16,}"),
    ("an access key of AWS", r"\b(?:AKIA|ASIA)(?![A-Z0-9]{9}EXAMPLE\b)[A-Z0-9]{16}\b"),
    ("a token of Slack", r"\bxox[abeprs]-[\w-]{10,}"),
    ("a key of Google", r"\bAIza[\w-]{30,}"),
    ("an access token of Google", r"\bya29\.[\w-]{20,}"),
    ("a JSON Web Token", r"\beyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10,}"),
    ("a token of npm", r"\bnpm_[A-Za-z0-9]{30,}"),
    ("a token of PyPI", r"\bpypi-AgE[\w-]{30,}"),
    ("a token of Docker Hub", r"\bdckr_pat_[\w-]{20,}"),
    ("a key of Azure Storage", r"\bAccountKey=[A-Za-z0-9+/]{40,}={0,2}"),
)


class Token(NamedTuple):
    """A private key or a token in a text."""

    kind: str
    """What it is, with its article: "a token of GitHub"."""
    start: int
    end: int
    fingerprint: str


def is_marked(text: str) -> bool:
    """Whether a text may hold a private key or token: it has a part that all of one form have."""
    for mark in _MARKS:  # noqa: SIM110  # any() takes three times as long
        if mark in text:
            return True
    return False


def find(text: str) -> Iterator[Token]:
    """Every private key and token in the text, in its order."""
    if not is_marked(text):
        return
    for match in _pattern().finditer(text):
        kind = _FORMS[int(str(match.lastgroup)[1:])][0]
        yield Token(kind, match.start(), match.end(), fingerprint(match[0]))


def fingerprint(text: str) -> str:
    """The first 16 hexadecimal digits of the SHA-256 of a text, by which a project can name what is not a secret."""
    return sha256_hex(text.encode(errors="replace").decode())[:16]


def concealed(text: str) -> str:
    """The text with an asterisk for each character of a key or token; line breaks stay."""
    parts, position = [], 0
    for token in find(text):
        hidden = "\n".join("*" * len(line) for line in text[token.start : token.end].split("\n"))
        parts += [text[position : token.start], hidden]
        position = token.end
    return "".join(parts) + text[position:] if parts else text


def _pattern() -> re.Pattern[str]:
    # Compiled where a mark was seen: re keeps it.
    return regex.compile("|".join(f"(?P<k{number}>{form})" for number, (_, form) in enumerate(_FORMS)), regex.ASCII)
