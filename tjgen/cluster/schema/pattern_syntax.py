"""A pattern in Go's syntax -> its syntax tree.

Mirrors Go 1.26 `regexp/syntax:Parse` with the flags of `regexp.Compile`, its words and its limits.
Trees are built from the inside out without recursion.
"""

from __future__ import annotations

from tjgen.cluster.schema import pattern_escapes
from tjgen.cluster.schema.pattern_escapes import PatternError
from tjgen.cluster.schema.pattern_sets import EVERY, NO_NEWLINE, single
from tjgen.trees.typing import Any, NamedTuple, TypeAlias

Node: TypeAlias = tuple[Any, ...]
"""("set", CharacterSet), ("assert", one of the assertions), ("all", nodes), ("one", nodes) or
("repeat", node, least, most or -1, is_greedy).
"""
START, END, LINE_START, LINE_END, WORD, NO_WORD = "start", "end", "line start", "line end", "word", "no word"
_EMPTY: Node = ("all", ())
_MOST_REPEATED = 1000
_DEEPEST = 1000
_ASSERTIONS = {"A": START, "z": END, "b": WORD, "B": NO_WORD}
_NAME = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")


class _Piece(NamedTuple):
    """A node, its levels, and the repetitions of one character that its counts cause together (`repeatIsValid`)."""

    node: Node
    depth: int = 1
    repetitions: int = 1


class _OpenGroup(NamedTuple):
    """The part of a group that has been read."""

    flags: frozenset[str]
    """Those of what follows the group."""
    branches: list[_Piece]
    items: list[_Piece]


def parse(pattern: str) -> Node:
    """The syntax tree; raises PatternError."""
    return _Parser(pattern).parsed()


class _Parser:
    """The text, the position in it, and the groups around the position."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0
        self.flags: frozenset[str] = frozenset()
        self.groups: list[_OpenGroup] = []
        self.branches: list[_Piece] = []
        self.items: list[_Piece] = []

    def parsed(self) -> Node:
        text = self.text
        repeated_from = repeated_to = -1  # the last repetition: another one cannot follow it directly
        while self.position < len(text):
            character = text[self.position]
            if character in "*+?{":
                start = self.position
                bounds = self.bounds()
                if bounds is None:
                    self.literal("{")
                    continue
                self.repeat(bounds, start)
                if repeated_to == start:
                    raise PatternError(f"invalid nested repetition operator: `{text[repeated_from : self.position]}`")
                repeated_from, repeated_to = start, self.position
            elif character == "(":
                self.open()
            elif character == ")":
                self.close()
            elif character == "|":
                self.branches.append(_joined(self.items))
                self.items = []
                self.position += 1
            else:
                self.item(character)
        if self.groups:
            raise PatternError(f"missing closing ): `{text}`")
        return self.closed().node

    def item(self, character: str) -> None:
        """What neither groups nor repeats."""
        if character == "[":
            characters, end = pattern_escapes.character_class(self.text, self.position, is_folded="i" in self.flags)
            self.take("set", characters, end - self.position)
        elif character == ".":
            self.take("set", EVERY if "s" in self.flags else NO_NEWLINE)
        elif character == "^":
            self.take("assert", LINE_START if "m" in self.flags else START)
        elif character == "$":
            self.take("assert", LINE_END if "m" in self.flags else END)
        elif character == "\\":
            self.escape()
        else:
            self.literal(character)

    def take(self, kind: str, value: Any, length: int = 1) -> None:
        self.items.append(_Piece((kind, value)))
        self.position += length

    def literal(self, character: str) -> None:
        self.take("set", single(character, is_folded="i" in self.flags))

    def closed(self) -> _Piece:
        """What has been read of the group."""
        piece = _joined(self.items)
        piece = _joined([*self.branches, piece], "one") if self.branches else piece
        if piece.depth > _DEEPEST:
            raise PatternError(f"expression nests too deeply: `{self.text}`")
        return piece

    def open(self) -> None:
        text, start = self.text, self.position
        outer = self.flags
        if text.startswith("(?", start):
            if text.startswith("(?<", start) or (text.startswith("(?P<", start) and len(text) > start + 4):
                self.name(start)
            elif not self.set_flags(start):
                return
        else:
            self.position += 1
        self.groups.append(_OpenGroup(outer, self.branches, self.items))
        self.branches, self.items = [], []

    def name(self, start: int) -> None:
        begin = self.text.index("<", start) + 1
        end = self.text.find(">", begin)
        name = self.text[begin:end] if end >= 0 else ""
        if not name or not _NAME.issuperset(name):
            raise PatternError(f"invalid named capture: `{self.text[start : end + 1] if end >= 0 else self.text[start:]}`")
        self.position = end + 1

    def set_flags(self, start: int) -> bool:
        """Read `(?flags)` or `(?flags:`; return whether a group follows."""
        flags, is_on, has_any = set(self.flags), True, False
        for position in range(start + 2, len(self.text)):
            character = self.text[position]
            if character in "imsU":
                flags.add(character) if is_on else flags.discard(character)
                has_any = True
            elif character == "-" and is_on:
                is_on, has_any = False, False
            elif character in ":)" and (is_on or has_any):
                self.flags, self.position = frozenset(flags), position + 1
                return character == ":"
            else:
                raise PatternError(f"invalid or unsupported Perl syntax: `{self.text[start : position + 1]}`")
        raise PatternError(f"invalid or unsupported Perl syntax: `{self.text[start:]}`")

    def close(self) -> None:
        if not self.groups:
            raise PatternError(f"unexpected ): `{self.text}`")
        piece = self.closed()
        self.flags, self.branches, self.items = self.groups.pop()
        self.items.append(piece._replace(depth=piece.depth + 1))
        self.position += 1

    def bounds(self) -> tuple[int, int] | None:
        """The least and the most repetitions, -1 without a limit; None if a brace is only a brace."""
        character = self.text[self.position]
        if character != "{":
            self.position += 1
            return {"*": (0, -1), "+": (1, -1), "?": (0, 1)}[character]
        end = self.text.find("}", self.position)
        least, comma, most = self.text[self.position + 1 : max(end, 0)].partition(",")
        if end < 0 or not _is_count(least) or (comma and most and not _is_count(most)):
            return None
        bounds = (int(least), int(most) if most else -1 if comma else int(least))
        if max(bounds) > _MOST_REPEATED or (bounds[1] >= 0 and bounds[0] > bounds[1]):
            raise PatternError(f"invalid repeat count: `{self.text[self.position : end + 1]}`")
        self.position = end + 1
        return bounds

    def repeat(self, bounds: tuple[int, int], start: int) -> None:
        is_lazy = self.text.startswith("?", self.position)
        self.position += is_lazy
        written = self.text[start : self.position]
        if not self.items:
            raise PatternError(f"missing argument to repetition operator: `{written}`")
        piece = self.items.pop()
        node = ("repeat", piece.node, *bounds, is_lazy is ("U" in self.flags))
        repetitions = piece.repetitions
        if max(bounds) != 1 and written[0] == "{":
            repetitions *= bounds[1] if bounds[1] >= 0 else bounds[0]
        if repetitions > _MOST_REPEATED:
            raise PatternError(f"invalid repeat count: `{written}`")
        self.items.append(_Piece(node, piece.depth + 1, repetitions))

    def escape(self) -> None:
        following = self.text[self.position + 1 : self.position + 2]
        if following in _ASSERTIONS:
            self.take("assert", _ASSERTIONS[following], 2)
        elif following == "Q":
            end = self.text.find("\\E", self.position + 2)
            quoted = self.text[self.position + 2 : end if end >= 0 else None]
            for character in quoted:
                self.literal(character)
            self.position = len(self.text) if end < 0 else end + 2
        else:
            characters, end = pattern_escapes.escape(self.text, self.position, is_folded="i" in self.flags)
            self.take("set", characters, end - self.position)


def _is_count(text: str) -> bool:
    return text.isascii() and text.isdigit() and (text == "0" or text[0] != "0")


def _joined(pieces: list[_Piece], kind: str = "all") -> _Piece:
    if not pieces:
        return _Piece(_EMPTY)
    if len(pieces) == 1:
        return pieces[0]
    nodes = tuple([piece.node for piece in pieces])
    return _Piece((kind, nodes), 1 + max(piece.depth for piece in pieces), max(piece.repetitions for piece in pieces))
