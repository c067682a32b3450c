"""A pattern in Go's syntax -> the states that a text goes through, in time that grows with the text alone.

A program of steps (Thompson's construction) runs for all its threads at once. What threads become at a character is computed once
and then looked up (a lazy deterministic automaton), so a text costs one look-up for each character. Of several matches the
leftmost counts, and of those the one that a backtracking search finds first, as in Go 1.26 `regexp`.
"""

from __future__ import annotations

from collections.abc import Generator

from tjgen.cluster.schema import pattern_escapes
from tjgen.cluster.schema.pattern_escapes import PatternError
from tjgen.cluster.schema.pattern_sets import EVERY, NO_NEWLINE, single
from tjgen.trees.typing import Any, NamedTuple, TypeAlias

_SET, _ASSERT, _SPLIT, _MATCH = range(4)
_AT_EDGE, _NEWLINE, _LETTER, _OTHER = range(4)
"""What is next to a position of a text: its start or end, or a kind of character."""
_WORD = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")
_MOST_STEPS = 20_000
_MOST_MOVES = 20_000
"""Moves that are kept: those of more characters are computed again."""
_MOST_WORK = 2_000_000
"""Steps of all threads in one text. Texts and patterns that people write are far below."""

Match = tuple[int, int]
_Step = tuple[int, Any, int, int]
"""What it does, its character set or assertion, the next step, and the one after a choice that counts less."""
_Thread = tuple[int, int]
"""Its next step, and its place in the state before; -1 for one that begins here."""


class _Key(NamedTuple):
    threads: tuple[int, ...]
    before: int
    begins: bool
    """Whether a match can begin here."""


class _State(dict[str, Any]):
    """Threads between two characters, and the next state by the character."""

    __slots__ = ("end", "key", "machine", "moves")

    def __init__(self, machine: Machine, key: _Key) -> None:
        super().__init__()
        self.machine = machine
        self.key = key
        self.moves: dict[str, tuple[tuple[int, ...], int | None]] = {}
        """By character: the place of each next thread in this state, and that of the thread that matches here, if one does."""
        self.end: tuple[int | None] | None = None
        """The thread that matches if the text ends here, once it is known."""

    def __missing__(self, character: str) -> _State:
        state, origins, matched = self.machine.moved(self.key, character)
        self.moves[character] = (origins, matched)
        self[character] = state
        return state


class Machine:
    """The automaton of one pattern. `is_ordered`: it finds places of matches; otherwise it only finds whether there is one."""

    def __init__(self, pattern: str, *, is_ordered: bool = False) -> None:
        self.pattern = pattern
        self.steps, self.first = _program(_parse(pattern), pattern)
        self.is_ordered = is_ordered
        kinds = {step[1] for step in self.steps if step[0] == _ASSERT}
        self.sees_lines, self.sees_words = bool(kinds & {_LINE_START, _LINE_END}), bool(kinds & {WORD, _NO_WORD})
        self.work = 0
        self.states: dict[_Key, _State] = {}
        self.moves = 0
        self.matching = _State(self, _Key((), _AT_EDGE, begins=False))
        """The state of a text that matches, if places of matches do not count."""

    def matches(self, text: str) -> bool:
        """Whether the pattern occurs in the text; raises PatternError for a text that takes too long."""
        self.work = 0
        state, matching = self.state(_Key((), _AT_EDGE, begins=True)), self.matching
        for character in text:
            state = state[character]
            if state is matching:
                return True
        return self.at_end(state) is not None

    def find(self, text: str, position: int = 0) -> Match | None:
        """The first match from a position on: its start and its end."""
        self.work = 0
        state = self.state(_Key((), self.kind(text[position - 1]) if position else _AT_EDGE, begins=True))
        begins: list[int] = []
        match: Match | None = None
        for place in range(position, len(text)):
            character = text[place]
            following = state[character]
            origins, matched = state.moves[character]
            if matched is not None:
                match = (begins[matched] if matched >= 0 else place, place)
            begins = [begins[origin] if origin >= 0 else place for origin in origins]
            if not (origins or following.key.begins):
                return match
            state = following
        matched = self.at_end(state)
        if matched is not None:
            match = (begins[matched] if matched >= 0 else len(text), len(text))
        return match

    def kind(self, character: str) -> int:
        """What a character is to the assertions of the pattern."""
        if self.sees_lines and character == "\n":
            return _NEWLINE
        return _LETTER if self.sees_words and character in _WORD else _OTHER

    def state(self, key: _Key) -> _State:
        known = self.states.get(key)
        if known is None:
            known = self.states[key] = _State(self, key)
        return known

    def moved(self, key: _Key, character: str) -> tuple[_State, tuple[int, ...], int | None]:
        """The state after a character, where its threads come from, and the thread that matches before the character."""
        self.moves += 1
        if self.moves > _MOST_MOVES:
            self.moves = 0
            self.states = {}
        kind = self.kind(character)
        threads: list[int] = []
        origins: list[int] = []
        known: set[int] = set()
        matched = None
        for step, origin in self.reached(key, kind):
            what, value, following, _ = self.steps[step]
            if what == _MATCH:
                matched = origin
                break  # threads after it count less
            if following not in known and value.has(character):
                known.add(following)
                threads.append(following)
                origins.append(origin)
        if matched is not None and not self.is_ordered:
            return self.matching, (), matched
        begins = key.begins and matched is None
        after = tuple(threads) if self.is_ordered else tuple(sorted(threads))
        return self.state(_Key(after, kind, begins)), tuple(origins), matched

    def at_end(self, state: _State) -> int | None:
        """The thread that matches if the text ends here; None if there is none."""
        if state.end is None:
            matches = (origin for step, origin in self.reached(state.key, _AT_EDGE) if self.steps[step][0] == _MATCH)
            state.end = (next(matches, None),)
        return state.end[0]

    def reached(self, key: _Key, after: int) -> list[_Thread]:
        """The steps that read a character or match, which threads reach between two characters; the first counts most."""
        stack = [(step, origin) for origin, step in enumerate(key.threads)]
        if key.begins:
            stack.append((self.first, -1))
        stack.reverse()
        known: set[int] = set()
        reached: list[_Thread] = []
        while stack:
            step, origin = stack.pop()
            if step in known:
                continue
            known.add(step)
            what, value, following, other = self.steps[step]
            if what == _SPLIT:
                stack.append((other, origin))
                stack.append((following, origin))
            elif what == _ASSERT:
                if _holds(value, key.before, after):
                    stack.append((following, origin))
            else:
                reached.append((step, origin))
        self.work += len(known)
        if self.work > _MOST_WORK:
            raise PatternError(f"pattern takes more than {_MOST_WORK:,} steps for one text: `{self.pattern}`")
        return reached


def _holds(assertion: str, before: int, after: int) -> bool:
    if assertion == _START:
        return before == _AT_EDGE
    if assertion == _END:
        return after == _AT_EDGE
    if assertion == _LINE_START:
        return before in (_AT_EDGE, _NEWLINE)
    if assertion == _LINE_END:
        return after in (_AT_EDGE, _NEWLINE)
    return ((before == _LETTER) is not (after == _LETTER)) is (assertion == WORD)


class _Steps:
    """The steps of a program, of which each names the next ones."""

    def __init__(self, pattern: str) -> None:
        self.all: list[_Step] = [(_MATCH, None, 0, 0)]
        self.pattern = pattern

    def add(self, what: int, value: Any, following: int, other: int = 0) -> int:
        if len(self.all) >= _MOST_STEPS:
            raise PatternError(f"expression too large: more than {_MOST_STEPS:,} steps: `{self.pattern}`")
        self.all.append((what, value, following, other))
        return len(self.all) - 1

    def choice(self, first: int, second: int, *, is_greedy: bool) -> int:
        return self.add(_SPLIT, None, first, second) if is_greedy else self.add(_SPLIT, None, second, first)

    def may_skip(self, first: int, last: int) -> bool:
        """Whether threads get from one step to another without a character."""
        stack, known = [first], {first}
        while stack:
            what, _, *next_steps = self.all[stack.pop()]
            for step in next_steps if what == _SPLIT else next_steps[:1] if what == _ASSERT else ():
                if step == last:
                    return True
                if step not in known:
                    known.add(step)
                    stack.append(step)
        return first == last


Node: TypeAlias = tuple[Any, ...]
"""("set", CharacterSet), ("assert", one of the assertions), ("all", nodes), ("one", nodes) or
("repeat", node, least, most or -1, is_greedy).
"""
_Compilation = Generator[tuple[Node, int], int, int]


def _program(tree: Node, pattern: str) -> tuple[list[_Step], int]:
    """The steps of a pattern, and the first of them. Raises PatternError for one with too many steps."""
    steps = _Steps(pattern)
    # Trees are deeper than calls can be: each generator requests the nodes below its own.
    stack = [_compiled(tree, 0, steps)]
    first: int | None = None
    while True:
        try:
            below, following = stack[-1].send(first) if first is not None else next(stack[-1])
        except StopIteration as result:
            stack.pop()
            first = result.value
            if not stack:
                return steps.all, result.value
        else:
            stack.append(_compiled(below, following, steps))
            first = None


def _compiled(node: Node, following: int, steps: _Steps) -> _Compilation:
    """Add the steps of a node, after which `following` comes; return the first of them."""
    kind = node[0]
    if kind == "set":
        return steps.add(_SET, node[1], following)
    if kind == "assert":
        return steps.add(_ASSERT, node[1], following)
    if kind == "all":
        for below in reversed(node[1]):
            following = yield below, following
        return following
    if kind == "one":
        branches = []
        for below in node[1]:
            branches.append((yield below, following))
        first = branches.pop()
        while branches:
            first = steps.choice(branches.pop(), first, is_greedy=True)
        return first
    return (yield from _repeated(node, following, steps))


def _repeated(node: Node, following: int, steps: _Steps) -> _Compilation:
    _, below, least, most, is_greedy = node
    first = following
    if most < 0:
        again = steps.add(_SPLIT, None, 0)
        body = yield below, again
        steps.all[again] = (_SPLIT, None, *((body, following) if is_greedy else (following, body)))
        # Without a character, the body ends the repetition (`compiler.star`).
        is_apart = least == 0 and steps.may_skip(body, again)
        first = steps.choice(body, following, is_greedy=is_greedy) if is_apart else body if least else again
        least = max(least - 1, 0)
    for _ in range(most - least if most >= 0 else 0):
        body = yield below, first
        first = steps.choice(body, following, is_greedy=is_greedy)
    for _ in range(least):
        first = yield below, first
    return first


# A pattern in Go's syntax -> its syntax tree.
#
# Mirrors Go 1.26 `regexp/syntax:Parse` with the flags of `regexp.Compile`, its words and its limits. Trees are built from the
# inside out without recursion.

_START, _END, _LINE_START, _LINE_END, WORD, _NO_WORD = "start", "end", "line start", "line end", "word", "no word"
_EMPTY: Node = ("all", ())
_MOST_REPEATED = 1000
_DEEPEST = 1000
_ASSERTIONS = {"A": _START, "z": _END, "b": WORD, "B": _NO_WORD}
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


def _parse(pattern: str) -> Node:
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
            self.take("assert", _LINE_START if "m" in self.flags else _START)
        elif character == "$":
            self.take("assert", _LINE_END if "m" in self.flags else _END)
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
