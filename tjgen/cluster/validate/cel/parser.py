"""The text of a CEL expression -> its syntax tree, as nested tuples.

The whole language but message literals, which no rule of a known schema uses: they raise SyntaxError rather than being read as
something else.
"""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster.validate.cel.syntax import Node, call_nested, depth
from tjgen.cluster.validate.cel.types import Unsigned

_ESCAPED = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"} | {c: c for c in "\\?\"'`"}
_CODES = {"x": (2, 16), "X": (2, 16), "u": (4, 16), "U": (8, 16)}
_LEVELS = (("||",), ("&&",), ("==", "!=", "<", "<=", ">", ">=", "in"), ("+", "-"), ("*", "/", "%"))
_BINDING = {operator: level for level, operators in enumerate(_LEVELS) for operator in operators}
"""How closely an operator binds its operands."""
_WORDS = {"true": True, "false": False, "null": None}
_OPENING = "([{?:"
_DEEPEST = 250
_LONGEST = 100_000


def parse(text: str) -> Node:
    """The syntax tree of `text`; raises SyntaxError where it is not an expression that is understood here.

    Its limits are those of cel-go, in its words (`parser/parser.go:recursionListener` and `checkAndIncrementRecursionDepth`).
    """
    if len(text) > _LONGEST:
        raise SyntaxError(f"expression code point size exceeds limit: size: {len(text)}, limit {_LONGEST}")
    reader = _Reader(text)
    node: Node = call_nested(min(sum(map(text.count, _OPENING)), _DEEPEST), reader.expression)
    reader.expect("")
    if depth(node, _is_counted) > _DEEPEST:
        raise SyntaxError("max recursion depth exceeded")
    return node


def _is_counted(node: Node) -> bool:
    return node[0] in ("field", "index", "optional", "binary", "if") or (node[0] == "call" and node[2] is not None)


class _Reader:
    """The tokens of one expression, and the one that is next."""

    __slots__ = ("depth", "kind", "rest", "spelling", "start")

    def __init__(self, text: str) -> None:
        self.rest = iter(_tokens(text))
        self.depth = 0
        self.kind, self.spelling, self.start = next(self.rest)

    def advance(self) -> Token:
        before = (self.kind, self.spelling, self.start)
        if self.kind != _END:
            self.kind, self.spelling, self.start = next(self.rest)
        return before

    def take(self, operator: str) -> bool:
        if self.kind == _OPERATOR and self.spelling == operator:
            self.advance()
            return True
        return False

    def expect(self, operator: str) -> None:
        if self.kind != (_OPERATOR if operator else _END) or self.spelling != operator:
            token = self.spelling or "the end"
            raise SyntaxError(f"{operator or 'the end'} is expected at character {self.start + 1}, not {token}")
        self.advance()

    def expression(self) -> Node:
        self.depth += 1
        if self.depth > _DEEPEST:
            raise SyntaxError(f"expression recursion limit exceeded: {_DEEPEST}")
        node = self.binary(0)
        if self.take("?"):
            yes = self.binary(0)
            self.expect(":")
            node = ("if", node, yes, self.expression())
        self.depth -= 1
        return node

    def binary(self, lowest: int) -> Node:
        node = self.unary()
        while self.kind in (_OPERATOR, _NAME) and _BINDING.get(self.spelling, -1) >= lowest:
            operator = self.spelling
            if operator in ("||", "&&"):
                node = self.logic(operator, node)
            else:
                self.advance()
                node = ("binary", operator, node, self.binary(_BINDING[operator] + 1))
        return node

    def logic(self, operator: str, first: Node) -> Node:
        terms = [first]
        while self.take(operator):
            terms.append(self.binary(_BINDING[operator] + 1))
        return ("logic", operator, terms)

    def unary(self) -> Node:
        signs: list[str] = []
        while self.kind == _OPERATOR and self.spelling in ("!", "-"):
            sign = "not" if self.advance()[1] == "!" else "minus"
            # Two equal signs have no effect in front of any value (`VisitLogicalNot`, `VisitNegate`).
            if signs and signs[-1] == sign:
                signs.pop()
            else:
                signs.append(sign)
        if signs and signs[-1] == "minus" and self.kind == _NUMBER and self.spelling[-1] not in "uU":
            signs.pop()
            self.spelling = f"-{self.spelling}"
        node = self.postfix()
        for sign in reversed(signs):
            node = (sign, node)
        return node

    def postfix(self) -> Node:
        node = self.primary()
        while True:
            if self.take("."):
                is_optional = self.take("?")
                kind, name, start = self.advance()
                if kind != _NAME:
                    raise SyntaxError(f"a field is expected at character {start + 1}")
                if is_optional:
                    node = ("optional", node, ("literal", name))
                    continue
                node = ("call", name, node, self.items(")")) if self.take("(") else ("field", node, name)
            elif self.take("["):
                node = ("optional" if self.take("?") else "index", node, self.expression())
                self.expect("]")
            else:
                return node

    def primary(self) -> Node:
        kind, spelling, start = self.advance()
        if kind == _NUMBER:
            return ("literal", _number(spelling))
        if kind == _TEXT:
            return ("literal", _string(spelling))
        if kind == _NAME:
            if spelling in _WORDS:
                return ("literal", _WORDS[spelling])
            return ("call", spelling, None, self.items(")")) if self.take("(") else ("name", spelling)
        if spelling == "(":
            node = self.expression()
            self.expect(")")
            return node
        if spelling == "[":
            return ("list", self.items("]"))
        if spelling == "{":
            return ("map", self.pairs())
        raise SyntaxError(f"a value is expected at character {start + 1}, not {spelling or 'the end'}")

    def items(self, end: str) -> list[Node]:
        expressions: list[Node] = []
        while not self.take(end):
            expressions.append(("maybe", self.expression()) if end == "]" and self.take("?") else self.expression())
            if not self.take(","):
                self.expect(end)
                break
        return expressions

    def pairs(self) -> list[tuple[Node, Node]]:
        pairs: list[tuple[Node, Node]] = []
        while not self.take("}"):
            is_optional = self.take("?")
            key = self.expression()
            self.expect(":")
            value = self.expression()
            pairs.append((key, ("maybe", value) if is_optional else value))
            if not self.take(","):
                self.expect("}")
                break
        return pairs


_BYTE_ESCAPES = "xX0123"
"""Escapes that are one byte in a literal of bytes, and one character in a string."""


def _number(spelling: str) -> int | float:
    try:
        if spelling[-1] in "uU":
            return Unsigned(int(spelling[:-1], 16 if spelling[:2] in ("0x", "0X") else 10))
        if spelling.lstrip("-")[:2] in ("0x", "0X"):
            return _whole(spelling, 16)
        return float(spelling) if set(spelling) & set(".eE") else _whole(spelling, 10)
    except ValueError:
        raise SyntaxError(f"no number: {spelling}") from None


def _whole(spelling: str, base: int) -> int:
    number = int(spelling, base)
    if not -(2**63) <= number < 2**63:
        raise SyntaxError("invalid int literal")
    return number


def _string(token: str) -> str | bytes:
    body = token.lstrip("rRbB")
    prefix = token[: len(token) - len(body)].lower()
    is_bytes = "b" in prefix
    text = _text(body, is_raw="r" in prefix, is_bytes=is_bytes)
    return text.encode(errors="surrogateescape") if is_bytes else text


def _text(body: str, *, is_raw: bool, is_bytes: bool) -> str:
    quotes = 3 if body[:3] in ("'''", '"""') and len(body) >= 6 else 1
    body = body[quotes:-quotes]
    if is_raw or "\\" not in body:
        return body
    out: list[str] = []
    position = 0
    while position < len(body):
        if body[position] != "\\":
            out.append(body[position])
            position += 1
            continue
        is_byte = is_bytes and body[position + 1] in _BYTE_ESCAPES
        character, position = _escape(body, position + 1)
        # A surrogate is written as the byte that it escapes.
        out.append(chr(0xDC00 + ord(character)) if is_byte and ord(character) > 127 else character)
    return "".join(out)


def _escape(body: str, position: int) -> tuple[str, int]:
    """Return the character of the escape at `position` (after the backslash), and the position after it."""
    letter = body[position]
    if letter in _ESCAPED:
        return _ESCAPED[letter], position + 1
    if letter in _CODES:
        position, (width, base) = position + 1, _CODES[letter]
    elif letter in "0123":
        width, base = 3, 8
    else:
        raise SyntaxError(f"unknown escape \\{letter}")
    digits = body[position : position + width]
    try:
        return chr(int(digits, base)), position + width
    except (ValueError, OverflowError):
        raise SyntaxError(f"no character has the code {digits}") from None


# The text of a CEL expression -> its tokens. Written out by hand: as one pattern it takes longer to compile than all rules.

_NAME = "name"
_NUMBER = "number"
_TEXT = "text"
_OPERATOR = "operator"
_END = "end"

Token = tuple[str, str, int]
"""Kind, spelling and the position of the first character."""

_DIGITS = frozenset("0123456789")
_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_")
_WORD = _LETTERS | _DIGITS
_SPACE = frozenset(" \t\n\r\f\v")
_PREFIXES = frozenset("rRbB")
_PAIRS = ("&&", "||", "==", "!=", "<=", ">=")
_SINGLE = frozenset("-+*/%!<>?:.,()[]{}")
_QUOTES = ("'''", '"""', "'", '"')


def _tokens(text: str) -> Iterator[Token]:
    """The tokens of `text` and one for its end; raises SyntaxError at what is none."""
    position = 0
    while True:
        position = _after_space(text, position)
        if position == len(text):
            yield _END, "", position
            return
        first = text[position]
        following = text[position + 1 : position + 2]
        if first in "'\"" or _prefix_end(text, position) > position:
            kind, end = _TEXT, _text_end(text, position)
        elif first in _LETTERS:
            kind, end = _NAME, _while_in(_WORD, text, position)
        elif first in _DIGITS or (first == "." and following in _DIGITS):
            kind, end = _NUMBER, _number_end(text, position)
        elif text[position : position + 2] in _PAIRS:
            kind, end = _OPERATOR, position + 2
        elif first in _SINGLE:
            kind, end = _OPERATOR, position + 1
        else:
            raise SyntaxError(f"unexpected character {first!r} at position {position + 1}")
        yield kind, text[position:end], position
        position = end


def _after_space(text: str, position: int) -> int:
    while True:
        position = _while_in(_SPACE, text, position)
        if not text.startswith("//", position):
            return position
        line_end = text.find("\n", position)
        position = len(text) if line_end < 0 else line_end


def _while_in(characters: frozenset[str], text: str, position: int) -> int:
    while position < len(text) and text[position] in characters:
        position += 1
    return position


def _number_end(text: str, start: int) -> int:
    if text[start : start + 2] in ("0x", "0X"):
        end = _while_in(_WORD, text, start)
    else:
        end = _while_in(_DIGITS, text, start)
        if text[end : end + 1] == "." and text[end + 1 : end + 2] in _DIGITS:
            end = _while_in(_DIGITS, text, end + 1)
        if text[end : end + 1] in ("e", "E"):
            end = _while_in(_DIGITS, text, end + 2 if text[end + 1 : end + 2] in ("+", "-") else end + 1)
    if text[end : end + 1] in ("u", "U"):
        end += 1
    if text[end : end + 1] in _LETTERS:
        raise SyntaxError(f"the end is expected at character {end + 1}, not {text[end]}")
    return end


def _prefix_end(text: str, start: int) -> int:
    """The end of the letters before a quote: r for a raw string, b for bytes. `start` if there are none."""
    end = _while_in(_PREFIXES, text, start)
    return end if end - start <= len("br") and text[end : end + 1] in ("'", '"') and text[end : end + 1] else start


def _text_end(text: str, start: int) -> int:
    position = _prefix_end(text, start)
    quote = next(quote for quote in _QUOTES if text.startswith(quote, position))
    position += len(quote)
    while not text.startswith(quote, position):
        if position >= len(text) or (len(quote) == 1 and text[position] == "\n"):
            raise SyntaxError(f"a string is not closed: {text[start : start + 10]}")
        position += 2 if text[position] == "\\" else 1
    return position + len(quote)
