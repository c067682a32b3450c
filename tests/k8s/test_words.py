"""A command line is split as `shlex.split` splits it."""

from __future__ import annotations

import shlex

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tjgen.k8s.words import split

SIGNS = st.text(alphabet="ab$#;\u00e9 \t\r\n\u00a0'\"\\")


def by_shlex(line: str) -> list[str] | None:
    try:
        return shlex.split(line)
    except ValueError:
        return None


@given(SIGNS)
@example("")
@example("train.py --name 'a b' --note \"it's \\\"x\\\" \\n\" ''")
@example("a\\")
@example('"a\\')
@example('"a\\"')
def test_any_line(line: str) -> None:
    expected = by_shlex(line)
    if expected is None:
        with pytest.raises(ValueError, match=r"no closing quotation mark|no escaped character"):
            split(line)
    else:
        assert split(line) == expected
