"""Bytes of a file and a source of random numbers -> the bytes with changes that know lines and encodings, but not YAML."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

SNIPPETS = (
    b"\x00", b"\t", b"\r", b"\r\n", b"\xef\xbb\xbf", b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xe2\x80\xa8", b"\xc2\x85",
    b"\x1b[31m", b"\x7f", b"---\n", b"...\n", b"--- |\n", b"%YAML 1.1\n---\n", b"%YAML 9.9\n---\n", b"%TAG ! x\n---\n",
    b"%X\n", b"# x\n", b"&a ", b"*a ", b"!!str ", b"!x ", b"<<: *a\n", b"? ", b": ", b"- ", b"| ", b">-\n", b"'", b'"', b"{",
    b"}", b"[", b"]", b",", b"@", b"`", b"\\", b"\xf0\x9f\x98\x80", b"a: &a [*a]\n", b"\n\n\n", b"tjgen: ", b"x" * 2000,
    b"{{ .Values.x }}", b"tjgen:ignore", b"# tjgen: ignore TJ601\n", b"---", b"0" * 5000, b"- - - - - - ", b"[" * 200,
    b"{a: " * 200,
)  # fmt: skip


def mutated(random: Random, content: bytes) -> bytes:
    """The bytes with one to four changes."""
    for _ in range(min(4, 1 + int(random.expovariate(1.0)))):
        content = random.choice(_CHANGES)(random, content)
    return content


def _inserted(random: Random, content: bytes) -> bytes:
    at = random.randrange(len(content) + 1)
    return content[:at] + random.choice(SNIPPETS) + content[at:]


def _inserted_line(random: Random, content: bytes) -> bytes:
    lines = content.splitlines(keepends=True)
    lines.insert(random.randrange(len(lines) + 1), random.choice(SNIPPETS))
    return b"".join(lines)


def _cut(random: Random, content: bytes) -> bytes:
    return content[: random.randrange(len(content) + 1)]


def _removed(random: Random, content: bytes) -> bytes:
    at = random.randrange(len(content) + 1)
    return content[:at] + content[at + random.choice((1, 2, 5, 40)) :]


def _flipped(random: Random, content: bytes) -> bytes:
    if not content:
        return b"\xff"
    at = random.randrange(len(content))
    return content[:at] + bytes([random.randrange(256)]) + content[at + 1 :]


def _indented(random: Random, content: bytes) -> bytes:
    """The whole text, or one document of it, indented."""
    margin = random.choice((b" ", b"  ", b"      ", b"\t"))
    if random.random() < 0.7:
        return b"".join(margin + line for line in content.splitlines(keepends=True))
    return content.replace(b"\n---\n", b"\n---\n" + margin, 1)


def _line_moved(random: Random, content: bytes) -> bytes:
    """One line with another indentation, twice, or gone."""
    lines = content.splitlines(keepends=True)
    if not lines:
        return b"- "
    at = random.randrange(len(lines))
    kind = random.randrange(4)
    if kind == 0:
        lines[at] = b" " * random.choice((1, 2, 4)) + lines[at]
    elif kind == 1:
        lines[at] = lines[at].lstrip()
    elif kind == 2:
        lines.insert(at, lines[at])
    else:
        lines.insert(random.randrange(len(lines)), lines.pop(at))
    return b"".join(lines)


def _recoded(random: Random, content: bytes) -> bytes:
    text = content.decode("utf-8", "replace")
    encoding = random.choice(("utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-8-sig", "latin-1", "cp037"))
    return text.encode(encoding, "replace")


def _ended(random: Random, content: bytes) -> bytes:
    return content.replace(b"\n", random.choice((b"\r\n", b"\r", b"\n\n", b" \n", b"\x0b", b"\xe2\x80\xa8", b"")))


def _repeated(random: Random, content: bytes) -> bytes:
    """The text, or a line of it, many times."""
    if random.random() < 0.5:
        return (content + b"---\n") * random.choice((2, 3, 8))
    lines = content.splitlines(keepends=True) or [b"a\n"]
    at = random.randrange(len(lines))
    return b"".join([*lines[:at], lines[at] * random.choice((10, 300)), *lines[at:]])


def _token(random: Random, content: bytes) -> bytes:
    """A word of the text in place of another."""
    words = content.split()
    if len(words) < 2:
        return b""
    return content.replace(random.choice(words), random.choice((*words[:50], *SNIPPETS)), 1)


def _nothing(random: Random, content: bytes) -> bytes:
    return random.choice(
        (
            b"",
            b"\n",
            b"---\n",
            b"# x\n",
            b"null\n",
            b"[]",
            b"{}",
            b'""',
            b"\x00",
            b"\xff\xfe",
            b"\xef\xbb\xbf",
            b"a",
            b"- a",
            b"a: b: c",
        )
    )


_Change = Callable[[Random, bytes], bytes]
_CHANGES: tuple[_Change, ...] = (
    _inserted, _inserted, _inserted_line, _cut, _removed, _removed, _flipped, _indented, _indented, _line_moved, _line_moved,
    _recoded, _ended, _repeated, _token, _token, _nothing,
)  # fmt: skip
