"""The JSON of a stamp equals that of its tree, for any texts."""

from __future__ import annotations

import pytest

from tjgen.trees.canonical import json_text
from tjgen.trees.fields.json_stamp import StampedJson
from tjgen.trees.fields.path import Tree
from tjgen.trees.fields.stamp import Marks, stamped

MARKS = ["mq0001z", "700021", "700031"]
TREES: list[Tree] = [
    {"name": "mq0001z", "args": ["--seed 700021", 700021, "700031"], "amount": {"nanos": 700031}, "z": None, "a": True},
    {"b": "mq0001z-mq0001z", "a": ["700021.700031", {"mq": 1.5}], "c": "mqleaf0z"},
    {"b": 1, "mq0001z": "700021", "c": 700031},
    {"b": 1, "a": "nothing"},
]


@pytest.mark.parametrize("tree", TREES)
@pytest.mark.parametrize("texts", [["zebra", "7", "12"], ['say "no"\\', "1", "0"], ["ä\n\x7f", "5", "99999999999999999999"]])
def test_json_of_a_stamp_is_that_of_its_tree(tree: Tree, texts: list[str]) -> None:
    stamp = Marks(MARKS, integers=True).stamp(tree)
    assert StampedJson(stamp).of(texts) == json_text(stamped(stamp, texts))


def test_keys_are_in_order_after_their_texts_replace_the_marks() -> None:
    stamp = Marks(["mq0001z"]).stamp({"n": 1, "mq0001z": 2})
    assert StampedJson(stamp).of(["a"]) == '{"a":2,"n":1}'
    assert StampedJson(stamp).of(["z"]) == '{"n":1,"z":2}'
