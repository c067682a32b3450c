"""Keys of maps in one order."""

from __future__ import annotations

from tjgen.trees.fields.order import ordered
from tjgen.trees.fields.path import Tree


def keys(tree: Tree) -> list[str]:
    return list(tree)


def test_what_names_a_thing_stands_first() -> None:
    assert keys(ordered({"spec": 1, "kind": 2, "data": 3, "metadata": 4, "apiVersion": 5})) == [
        "apiVersion",
        "kind",
        "metadata",
        "data",
        "spec",
    ]
    assert keys(ordered([{"value": 1, "name": 2}])[0]) == ["name", "value"]


def test_lists_keep_their_order() -> None:
    assert ordered({"a": [3, 1, {"z": 1, "b": 2}]}) == {"a": [3, 1, {"z": 1, "b": 2}]}
    assert keys(ordered({"a": [3, 1, {"z": 1, "b": 2}]})["a"][2]) == ["b", "z"]


def test_a_tree_in_order_is_shared() -> None:
    tree = {"name": "x", "b": [{"name": "y"}], "c": {}}
    assert ordered(tree) is tree


def test_the_tree_that_was_given_stays_as_it_is() -> None:
    tree = {"b": 1, "a": {"d": 1, "c": 2}}
    ordered(tree)
    assert keys(tree) == ["b", "a"]
    assert keys(tree["a"]) == ["d", "c"]
