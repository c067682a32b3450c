"""Trees are written in Kubernetes style, and no reader sees another value."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from tjgen.trees.fields.path import Tree
from tjgen.trees.source.reader import CORE, KUBERNETES, read
from tjgen.trees.source.writer import dump, dump_all

MANIFEST = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "a", "labels": {"app.kubernetes.io/name": "x", "version": "1.10"}, "annotations": {}},
    "spec": {
        "containers": [
            {
                "name": "main",
                "image": "registry/image:1.0@sha256:0a",
                "command": ["sh", "-c", "set -e\n\n  train --epochs=3\n"],
                "args": ["--flag", "-x", "a: b", "$(POD_NAME)", "{{ x }}", "it's", ""],
                "env": [{"name": "N", "value": "8"}, {"name": "FLAG", "value": "true"}, {"name": "EMPTY", "value": ""}],
                "ports": [{"containerPort": 29500}],
                "resources": {"limits": {"cpu": "500m", "memory": "64Gi"}},
            }
        ],
        "hostNetwork": False,
        "tolerations": [],
        "nested": [[1, [2.5, None]], [{"a": 1, "b": [2]}, []]],
    },
}
WRITTEN = """\
apiVersion: v1
kind: Pod
metadata:
  name: a
  labels:
    app.kubernetes.io/name: x
    version: "1.10"
  annotations: {}
spec:
  containers:
  - name: main
    image: registry/image:1.0@sha256:0a
    command:
    - sh
    - -c
    - |
      set -e

        train --epochs=3
    args:
    - --flag
    - -x
    - 'a: b'
    - $(POD_NAME)
    - '{{ x }}'
    - it's
    - ""
    env:
    - name: "N"
      value: "8"
    - name: FLAG
      value: "true"
    - name: EMPTY
      value: ""
    ports:
    - containerPort: 29500
    resources:
      limits:
        cpu: 500m
        memory: 64Gi
  hostNetwork: false
  tolerations: []
  nested:
  - - 1
    - - 2.5
      - null
  - - a: 1
      b:
      - 2
    - []
"""


def test_a_manifest() -> None:
    assert dump(MANIFEST) == WRITTEN


def test_several_documents() -> None:
    assert dump_all([{"a": 1}, [1], "x", {}]) == "a: 1\n---\n- 1\n---\nx\n---\n{}\n"
    assert dump_all([]) == ""


@pytest.mark.parametrize(
    ("text", "written"),
    [
        # what a reader of YAML 1.1 or 1.2 would take for something else stands in double quotes
        ("true", '"true"'),
        ("No", '"No"'),
        ("y", '"y"'),
        ("on", '"on"'),
        ("null", '"null"'),
        ("~", '"~"'),
        ("", '""'),
        ("8", '"8"'),
        ("-1", '"-1"'),
        ("+1", '"+1"'),
        ("0777", '"0777"'),
        ("0o17", '"0o17"'),
        ("0x1F", '"0x1F"'),
        ("0b1", '"0b1"'),
        ("1_000", '"1_000"'),
        ("0_x5", '"0_x5"'),
        ("1,000", '"1,000"'),
        ("1.5", '"1.5"'),
        ("1e3", '"1e3"'),
        (".5", '".5"'),
        ("1e400", '"1e400"'),
        (".inf", '".inf"'),
        (".NaN", '".NaN"'),
        ("12:30", '"12:30"'),
        ("12:30:45.5", '"12:30:45.5"'),
        ("2001-12-14", '"2001-12-14"'),
        ("2001-12-14T21:59:43Z", '"2001-12-14T21:59:43Z"'),
        ("<<", '"<<"'),
        ("=", '"="'),
        ("18446744073709551616", '"18446744073709551616"'),
        # what is no plain scalar stands in single quotes, unless it contains some
        ("a: b", "'a: b'"),
        ("a:", "'a:'"),
        ("a #b", "'a #b'"),
        ("#a", "'#a'"),
        ("- a", "'- a'"),
        ("-", "'-'"),
        ("? a", "'? a'"),
        (":", "':'"),
        ("*a", "'*a'"),
        ("&a", "'&a'"),
        ("!a", "'!a'"),
        ("%a", "'%a'"),
        ("@a", "'@a'"),
        ("`a`", "'`a`'"),
        ("[a]", "'[a]'"),
        ("{a}", "'{a}'"),
        ("|", "'|'"),
        ("> a", "'> a'"),
        ("---", "'---'"),
        ("--- a", "'--- a'"),
        ("...", "'...'"),
        (" a", "' a'"),
        ("a ", "'a '"),
        (",", "','"),
        ('"a"', "'\"a\"'"),
        ("'a'", "\"'a'\""),
        ("'a' \"b\"", "'''a'' \"b\"'"),
        ("a: \\d", "'a: \\d'"),
        # what cannot be seen is escaped
        ("a\tb", '"a\\tb"'),
        ("a\rb", '"a\\rb"'),
        ("\x00", '"\\x00"'),
        ("\x1b[0m", '"\\x1b[0m"'),
        ("a\u00a0b", '"a\\xa0b"'),
        ("\u2028", '"\\u2028"'),
        ("a\u202eb", '"a\\u202eb"'),
        ("\ufeff", '"\\ufeff"'),
        ("\x85", '"\\x85"'),
        ("\u200b", '"\\u200b"'),
        # all else stands as it is
        ("a b", "a b"),
        ("a-b", "a-b"),
        ("10m", "10m"),
        ("64Gi", "64Gi"),
        ("1.2.3", "1.2.3"),
        ("v1", "v1"),
        ("8080/TCP", "8080/TCP"),
        ("a:b", "a:b"),
        ("http://a/b?c=d&e#f", "http://a/b?c=d&e#f"),
        ("a#b", "a#b"),
        ("--x=y", "--x=y"),
        ("-x", "-x"),
        ("$(A)", "$(A)"),
        ("it's", "it's"),
        ("C:\\x", "C:\\x"),
        ("café", "café"),
        ("日本", "日本"),
        ("\U0001f600", "\U0001f600"),
        ("1st", "1st"),
        ("0xG", "0xG"),
        ("tRue", "tRue"),
        ("/a/b", "/a/b"),
        (".a", ".a"),
    ],
)
def test_quotes(text: str, written: str) -> None:
    assert dump(text) == written + "\n"
    assert dump({text: [text]}) == f"{written}:\n- {written}\n"


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("a\nb\n", "v: |\n  a\n  b\n"),
        ("a\nb", "v: |-\n  a\n  b\n"),
        ("a\nb\n\n\n", "v: |+\n  a\n  b\n\n\n"),
        ("a\n\n  b\n", "v: |\n  a\n\n    b\n"),
        ("\n\na\n", "v: |\n\n\n  a\n"),
        ("#!/bin/sh\n# x\n", "v: |\n  #!/bin/sh\n  # x\n"),
        ("a\t\n\tb\n", "v: |\n  a\t\n  \tb\n"),
        (" a\nb\n", 'v: " a\\nb\\n"\n'),
        ("\n", 'v: "\\n"\n'),
        ("\ta\n", 'v: "\\ta\\n"\n'),
        ("a\r\nb\n", 'v: "a\\r\\nb\\n"\n'),
        ("a\n\x1b\n", 'v: "a\\n\\x1b\\n"\n'),
        ("a\n\u2028\n", 'v: "a\\n\\u2028\\n"\n'),
    ],
)
def test_texts_of_several_lines(text: str, written: str) -> None:
    assert dump({"v": text}) == written


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (None, "null"),
        (True, "true"),
        (False, "false"),
        (0, "0"),
        (-5, "-5"),
        (2**70, str(2**70)),
        (1.5, "1.5"),
        (2.0, "2.0"),
        (1e-7, "1.0e-07"),
        (1e16, "1.0e+16"),
        (1.5e300, "1.5e+300"),
        (-0.0, "-0.0"),
        ({}, "{}"),
        ([], "[]"),
    ],
)
def test_other_values(value: Tree, written: str) -> None:
    assert dump(value) == written + "\n"
    assert dump({"a": value}) == f"a: {written}\n"
    assert dump([value]) == f"- {written}\n"


@pytest.mark.parametrize("value", [float("inf"), float("-inf"), float("nan")])
def test_what_json_cannot_hold_is_not_written(value: float) -> None:
    with pytest.raises(ValueError, match="JSON cannot hold"):
        dump({"a": [value]})


@pytest.mark.parametrize("value", [(1, 2), {1}, b"x", object()])
def test_what_is_no_tree_is_not_written(value: Any) -> None:
    with pytest.raises(TypeError, match="a tree holds no"):
        dump({"a": value})


def test_the_order_of_keys_is_the_tree_s() -> None:
    assert dump({"b": 1, "a": {"d": 2, "c": 3}}) == "b: 1\na:\n  d: 2\n  c: 3\n"


SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"]))
    | st.text("0123456789_+-.:eExXoObB, ", max_size=8)
    | st.text("ab\n\t :#-'\"|>\\", max_size=12)
    | st.sampled_from(["yes", "No", "~", "null", "<<", "=", "---", "a: b", "x" * 2000])
)
KEYS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12) | st.sampled_from(
    ["on", "1", "~", "<<", "", "x" * 1500, "a\nb"]
)
TREES = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4), max_leaves=12)


@given(TREES)
@settings(max_examples=300, deadline=None)
def test_what_is_written_reads_back(tree: Tree) -> None:
    text = dump(tree)
    for dialect in (CORE, KUBERNETES):
        (document,), diagnostics = read(text, "f.yaml", dialect)
        assert diagnostics == []
        assert document.value == tree
    assert dump(document.value if isinstance(tree, str) else tree) == text


@given(TREES)
@settings(max_examples=300, deadline=None)
def test_pyyaml_reads_the_same(tree: Tree) -> None:
    assert yaml.safe_load(dump(tree)) == tree


@given(st.lists(TREES, max_size=4))
@settings(max_examples=100, deadline=None)
def test_streams_read_back(trees: list[Tree]) -> None:
    documents, diagnostics = read(dump_all(trees), "f.yaml", KUBERNETES)
    assert diagnostics == []
    assert [document.value for document in documents] == trees


@given(st.binary() | st.text() | st.text("ab:-?[]{}&*!|>'\"%@\\# \n\t,~<1", max_size=40))
@settings(max_examples=500, deadline=None)
def test_reading_never_fails_in_another_way_than_by_diagnostics(text: str | bytes) -> None:
    for dialect in (CORE, KUBERNETES):
        documents, diagnostics = read(text, "f.yaml", dialect)
        assert all(diagnostic.span is not None and diagnostic.hint for diagnostic in diagnostics)
        for document in documents:
            assert document.locate(("a", 0, "b")) is not None
