"""The text of a CEL expression -> its syntax tree, as nested tuples.

The core language: literals, lists, maps, fields, indexes, calls, operators. Not byte strings, message literals and
optionals, which no rule of a known schema uses: they raise SyntaxError rather than being read as something else.
"""

from __future__ import annotations

import re
from typing import Any, TypeAlias

Node: TypeAlias = tuple[Any, ...]
"""("literal", value), ("name", name), ("field", node, name), ("index", node, node), ("call", name, target or None, nodes),
("list", nodes), ("map", pairs), ("not", node), ("minus", node), ("binary", operator, node, node) or ("if", node, node, node).
"""

_TOKEN = re.compile(
    r"""(?:\s|//[^\n]*)*(?:
      (?P<float>\d+\.\d+(?:[eE][-+]?\d+)?|\d+[eE][-+]?\d+|\.\d+(?:[eE][-+]?\d+)?)
    | (?P<integer>0[xX][0-9a-fA-F]+|\d+)(?![uU\w.])
    | (?P<text>(?P<raw>[rR]?)(?:'''(?P<triple_single>(?:\\.|[^\\])*?)'''|\"\"\"(?P<triple_double>(?:\\.|[^\\])*?)\"\"\"
                |'(?P<single>(?:\\.|[^'\\\n])*)'|"(?P<double>(?:\\.|[^"\\\n])*)"))
    | (?P<name>[A-Za-z_]\w*)(?!['"])
    | (?P<operator>&&|\|\||==|!=|<=|>=|[-+*/%!<>?:.,()\[\]{}])
    | (?P<end>\Z))""",
    re.VERBOSE | re.ASCII | re.DOTALL,
)
_RAW = re.compile(
    r"""(?P<quote>'''|\"\"\"|'|")(?P<inner>.*)(?P=quote)\Z""",
    re.DOTALL,
)
_ESCAPE = re.compile(r"\\(?:[xX]([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-3][0-7]{2})|(.))", re.DOTALL)
_ESCAPED = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"} | {c: c for c in "\\?\"'`"}
_LEVELS = (("||",), ("&&",), ("==", "!=", "<", "<=", ">", ">=", "in"), ("+", "-"), ("*", "/", "%"))
_WORDS = {"true": True, "false": False, "null": None}
_DEEPEST = 100


def parse(text: str) -> Node:
    """The syntax tree of `text`; raises SyntaxError where it is no expression that is understood here."""
    reader = _Reader(text)
    node = reader.expression()
    reader.expect("end", "")
    return node


class _Reader:
    """Tokens of one expression and how far they have been read."""

    __slots__ = ("depth", "position", "text", "token")

    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0
        self.depth = 0
        self.token = ("", "")
        self.advance()

    def advance(self) -> tuple[str, str]:
        before = self.token
        match = _TOKEN.match(self.text, self.position)
        if match is None:
            raise SyntaxError(
                f"not understood at character {self.position + 1}: {self.text[self.position : self.position + 10]!r}"
            )
        kind = next(name for name in ("float", "integer", "text", "name", "operator", "end") if match[name] is not None)
        self.token = (kind, match[kind])
        self.position = match.end()
        return before

    def take(self, operator: str) -> bool:
        if self.token == ("operator", operator):
            self.advance()
            return True
        return False

    def expect(self, kind: str, value: str) -> None:
        if self.token != (kind, value):
            raise SyntaxError(f"{value or 'the end'} is expected before character {self.position + 1}, not {self.token[1]!r}")
        if kind != "end":
            self.advance()

    def expression(self) -> Node:
        self.depth += 1
        if self.depth > _DEEPEST:
            raise SyntaxError("nested too deeply")
        node = self.binary(0)
        if self.take("?"):
            yes = self.binary(0)
            self.expect("operator", ":")
            node = ("if", node, yes, self.expression())
        self.depth -= 1
        return node

    def binary(self, level: int) -> Node:
        if level == len(_LEVELS):
            return self.unary()
        node = self.binary(level + 1)
        while self.token[1] in _LEVELS[level] and (self.token[0] == "operator" or self.token == ("name", "in")):
            operator = self.advance()[1]
            node = ("binary", operator, node, self.binary(level + 1))
        return node

    def unary(self) -> Node:
        if self.take("!"):
            return ("not", self.unary())
        if self.take("-"):
            return ("minus", self.unary())
        node = self.primary()
        while True:
            if self.take("."):
                kind, name = self.advance()
                if kind != "name":
                    raise SyntaxError(f"a field is expected, not {name!r}")
                node = ("call", name, node, self.items(")")) if self.take("(") else ("field", node, name)
            elif self.take("["):
                node = ("index", node, self.expression())
                self.expect("operator", "]")
            else:
                return node

    def primary(self) -> Node:
        kind, value = self.advance()
        if kind == "integer":
            return ("literal", int(value, 0) if value[:2] in ("0x", "0X") else int(value))
        if kind == "float":
            return ("literal", float(value))
        if kind == "text":
            return ("literal", _string(value))
        if kind == "name":
            if value in _WORDS:
                return ("literal", _WORDS[value])
            return ("call", value, None, self.items(")")) if self.take("(") else ("name", value)
        if value == "(":
            node = self.expression()
            self.expect("operator", ")")
            return node
        if value == "[":
            return ("list", self.items("]"))
        if value == "{":
            return ("map", self.pairs())
        raise SyntaxError(f"unexpected {value!r} before character {self.position + 1}" if value else "the expression ends early")

    def items(self, end: str) -> list[Node]:
        found: list[Node] = []
        while not self.take(end):
            found.append(self.expression())
            if not self.take(","):
                self.expect("operator", end)
                break
        return found

    def pairs(self) -> list[tuple[Node, Node]]:
        found: list[tuple[Node, Node]] = []
        while not self.take("}"):
            key = self.expression()
            self.expect("operator", ":")
            found.append((key, self.expression()))
            if not self.take(","):
                self.expect("operator", "}")
                break
        return found


def _string(token: str) -> str:
    raw = token[0] in "rR"
    match = _RAW.match(token, 1 if raw else 0)
    assert match is not None, "the tokeniser found a string"
    return match["inner"] if raw else _ESCAPE.sub(_unescaped, match["inner"])


def _unescaped(match: re.Match[str]) -> str:
    short, unicode, long, octal, letter = match.groups()
    if letter is not None:
        if letter not in _ESCAPED:
            raise SyntaxError(f"unknown escape \\{letter}")
        return _ESCAPED[letter]
    code = int(octal, 8) if octal else int(short or unicode or long, 16)
    if code > 0x10FFFF:
        raise SyntaxError(f"no such character: {code:x}")
    return chr(code)
