"""A command line -> its words, as a shell splits them: `shlex.split`, in time that grows with the length alone.

`shlex` adds each character to the word by itself, which takes seconds for a word of some hundred kilobytes.
"""

from __future__ import annotations

import re

_PART = r"""(?xs)
    (?P<plain>[^ \t\r\n'"\\]+)
    | '(?P<single>[^']*)'
    | "(?P<double>[^"\\]*(?:\\.[^"\\]*)*)"
    | \\(?P<escaped>.)
    | (?P<space>[ \t\r\n]+)
"""


def split(line: str) -> list[str]:
    """The words of a line. Raises ValueError for a quotation mark without its partner, and for a backslash at the end."""
    words: list[str] = []
    word: list[str] | None = None
    position = 0
    pattern = re.compile(_PART)
    while position < len(line):
        part = pattern.match(line, position)
        if part is None:
            is_escape = line[position] != "'" and (len(line) - len(line.rstrip("\\"))) % 2
            raise ValueError("No escaped character" if is_escape else "No closing quotation")
        position = part.end()
        kind = part.lastgroup or ""
        if kind == "space":
            if word is not None:
                words.append("".join(word))
            word = None
            continue
        text = part[kind]
        word = [] if word is None else word
        # Between double quotation marks a backslash stands for itself, but before another one and before a mark.
        word.append(re.sub(r'\\(["\\])', r"\1", text) if kind == "double" else text)
    if word is not None:
        words.append("".join(word))
    return words
