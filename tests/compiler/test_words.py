"""A command line is split as `shlex.split` splits it."""

from __future__ import annotations

import shlex
from collections.abc import Callable

from hypothesis import example, given
from hypothesis import strategies as st

from tjgen.compiler.words import split

SIGNS = st.text(alphabet="ab$#;\u00e9 \t\r\n\u00a0'\"\\")


def answer(of: Callable[[str], list[str]], line: str) -> list[str] | str:
    try:
        return of(line)
    except ValueError as error:
        return str(error)


@given(SIGNS)
@example("")
@example("train.py --name 'a b' --note \"it's \\\"x\\\" \\n\" ''")
@example("a\\")
@example('"a\\')
@example('"a\\"')
def test_any_line(line: str) -> None:
    assert answer(split, line) == answer(shlex.split, line)
