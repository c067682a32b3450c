"""A command line -> its words, as a shell splits them: `shlex.split`, in time that grows with the length alone.

`shlex` adds each character to the word by itself, which takes seconds for a word of some hundred kilobytes.
"""

from __future__ import annotations

from tjgen.trees import regex

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
    pattern = regex.compile(_PART)
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
        # Between double quotation marks a backslash is literal, but before another one and before a mark.
        word.append(regex.sub(r'\\(["\\])', lambda match: match[1], text) if kind == "double" else text)
    if word is not None:
        words.append("".join(word))
    return words


def unquoted(line: str) -> str:
    """The line with a letter for each character that quotation marks or a backslash protect."""
    pattern, position, shown = regex.compile(_PART), 0, []
    while position < len(line) and (part := pattern.match(line, position)) is not None:
        shown.append(part[0] if part.lastgroup in ("plain", "space") else "x" * len(part[0]))
        position = part.end()
    return "".join(shown)


_SHELL = regex.compile(r"\$(?:[A-Za-z_0-9?@*#!$-]|\{[^}]*\}?|\((?![A-Za-z_][-.A-Za-z0-9_]*\))[^)]*\)?)[A-Za-z0-9_]*|`")
_OPERATOR = regex.compile(r"\|\||&&|[|&;<>]|(?:\A|(?<=\s))#")
_ASSIGNED = regex.compile(r"[A-Za-z_][A-Za-z0-9_]*=\S*")


def shell_syntax(line: str) -> str | None:
    """Return the first part of a line that only a shell supports: an assignment, an operator, or else a variable.

    `$(NAME)` is a reference that Kubernetes replaces. What single quotation marks or a backslash protect is plain text.
    """
    assigned = _ASSIGNED.match(line.lstrip())
    if assigned is not None:
        return assigned[0]
    # Protected text becomes a letter for each character, so that nothing of it is found.
    position, pattern, shown, variable = 0, regex.compile(_PART), [], None
    while position < len(line) and (part := pattern.match(line, position)) is not None:
        kind = part.lastgroup or ""
        text = regex.sub(r"\\.", "xx", part[0]) if kind == "double" else part[0]
        shown.append("x" * len(text) if kind in ("single", "escaped") else text)
        match = _SHELL.search(shown[-1])
        if match is not None:
            variable = variable or match[0]
            shown[-1] = _SHELL.sub(lambda one: "x" * len(one[0]), shown[-1])
        if kind == "double":
            shown[-1] = "x" * len(text)
        position = part.end()
    operator = _OPERATOR.search("".join(shown))
    return operator[0] if operator is not None else variable
