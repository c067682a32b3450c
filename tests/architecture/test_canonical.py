"""The canonical text of values, and its digest, against the standard library."""

from __future__ import annotations

import hashlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tjgen.trees.canonical import json_text, sha256_hex
from tjgen.trees.typing import Any

LEAVES = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
VALUES = st.recursive(LEAVES, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=20)


@given(VALUES, st.booleans())
def test_the_text_is_what_json_writes(value: Any, ascii_only: bool) -> None:
    expected = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=ascii_only, allow_nan=False)
    assert json_text(value, ascii_only=ascii_only) == expected


@given(st.text(st.characters(codec="utf-8")))
def test_the_digest_is_sha_256(text: str) -> None:
    for one in (text, text * 2_000):
        assert sha256_hex(one) == hashlib.sha256(one.encode()).hexdigest()


@pytest.mark.parametrize("value", [float("nan"), float("inf"), [float("-inf")]])
def test_a_number_that_json_has_not_is_refused(value: Any) -> None:
    with pytest.raises(ValueError, match="JSON"):
        json_text(value)


def test_a_value_that_json_has_not_is_refused() -> None:
    with pytest.raises(TypeError, match="JSON has no set"):
        json_text({"a": set()})


def test_a_name_never_changes() -> None:
    assert json_text({"b": [1, "é"], "a": None}) == '{"a":null,"b":[1,"\\u00e9"]}'
    assert sha256_hex("tjgen")[:16] == "c729634ffae19dd6"
