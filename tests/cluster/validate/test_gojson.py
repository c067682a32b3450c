"""Texts that are not JSON, and the words of Go's encoding/json: the same with every release of Python."""

from __future__ import annotations

import pytest

from tjgen.cluster.validate.builtin.gojson import json_problem


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[1,]", "invalid character ']' looking for beginning of value"),
        ("[1, ]", "invalid character ']' looking for beginning of value"),
        ('{"a": 1,}', "invalid character '}' looking for beginning of object key string"),
        ('{"a": 1\n,\n}', "invalid character '}' looking for beginning of object key string"),
        ('{"a" 1}', "invalid character '1' after object key"),
        ('{"a": 1', "unexpected end of JSON input"),
        ("[1,", "unexpected end of JSON input"),
    ],
)
def test_a_text_that_is_not_json(text: str, problem: str) -> None:
    assert json_problem(text, list, "[]string") == problem
