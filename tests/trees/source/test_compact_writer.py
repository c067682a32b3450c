"""Compact YAML: short mappings and lists are on one line, and every reader reads the tree that was written."""

from __future__ import annotations

import pytest
import yaml

from tjgen.trees.fields.path import Tree
from tjgen.trees.source.compact_writer import dump_compact
from tjgen.trees.source.reader import CORE, KUBERNETES, read

TREES: dict[str, Tree] = {
    "texts that end a flow": {"spec": {"a": ["x, y", "[z]", "{w}", "a: b", "#c", "no", "1.10", "", "- d", "a:"]}},
    "a text of several lines in a list": {"spec": {"command": ["sh", "-c", "a\nb\n"], "env": {"A": "1"}}},
    "a list of mappings with texts": {"spec": {"json": [{"op": "add", "value": {"a": "x\ny"}}, {"op": "remove", "path": "/a"}]}},
    "a long list": {"spec": {"args": [f"--argument-{number}=value" for number in range(20)]}},
    "a long mapping": {"spec": {"env": {f"VARIABLE_{number}": "value" for number in range(20)}}},
    "a long list of texts with signs": {
        "spec": {"args": ["a, b", "[c]", "{d}", "#e", "", "f: g", "no", "-"] * 8, "b": {"c": ["x" * 70] * 3}}
    },
    "nested lists": {"spec": {"a": [["x" * 60, "y" * 60], ["z\n"]]}},
    "empty values": {"spec": {"a": {}, "b": [], "c": None, "d": True, "e": 1.5, "f": {"g": {}}}},
    "keys that need quotes": {"spec": {"a": {"yes": 1, "x,y": 2, "{": 3, "": 4}}},
}


@pytest.mark.parametrize("tree", TREES.values(), ids=TREES)
def test_readers_read_what_was_written(tree: Tree) -> None:
    text = dump_compact(tree)
    assert yaml.safe_load(text) == tree
    for dialect in (CORE, KUBERNETES):
        documents, diagnostics = read(text.encode(), "a.yaml", dialect)
        assert diagnostics == []
        assert documents[0].value == tree


def test_short_values_are_on_one_line() -> None:
    tree = {"kind": "Experiment", "metadata": {"name": "a"}, "spec": {"nodes": 2, "roles": {"worker": {"replicas": 2}}}}
    assert dump_compact(tree) == "kind: Experiment\nmetadata: {name: a}\nspec:\n  nodes: 2\n  roles: {worker: {replicas: 2}}\n"


def test_a_value_that_is_too_long_is_on_several_lines() -> None:
    tree = {"spec": {"env": {"FIRST": "x" * 20, "SECOND": "y" * 20}}}
    assert dump_compact(tree, width=40) == f"spec:\n  env:\n    FIRST: {'x' * 20}\n    SECOND: {'y' * 20}\n"


def test_a_long_list_of_scalars_fills_lines() -> None:
    tree = {"spec": {"args": ["a" * 12, "b" * 12, "c" * 12, 4], "nodes": 2}}
    text = f"spec:\n  args: [{'a' * 12}, {'b' * 12},\n    {'c' * 12}, 4]\n  nodes: 2\n"
    assert dump_compact(tree, width=38) == text


def test_a_spec_is_on_one_line_only_with_scalars() -> None:
    assert dump_compact({"spec": {"runtime": "a", "naming": "fixed"}}) == "spec: {runtime: a, naming: fixed}\n"
    assert dump_compact({"spec": {"runtime": "a", "args": [1]}}) == "spec:\n  runtime: a\n  args: [1]\n"
