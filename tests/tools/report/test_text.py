"""Fields of an object as lines of YAML."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import yaml

from tests.checkout import ROOT
from tjgen.gitops.diff.side import no_attribution
from tjgen.tools.report.content import ReportField
from tjgen.tools.report.parts import part
from tjgen.tools.report.text import lines
from tjgen.trees.fields.path import parse


def text(*fields: tuple[str, Any]) -> str:
    return "".join(f"{line.text}\n" for line in lines([ReportField(parse(path), value, None) for path, value in fields]))


def test_maps_of_one_entry_stand_in_one_line() -> None:
    assert text(("spec.template.spec.nodes", 2)) == "spec.template.spec.nodes: 2\n"


def test_a_name_with_a_dot_is_no_path() -> None:
    assert text(('labels["a.b/c"]', "x")) == "labels:\n  a.b/c: x\n"


def test_elements_of_lists_begin_with_a_dash() -> None:
    found = text(("env[name=A].name", "A"), ("env[name=A].value", "1"), ("env[name=B].name", "B"), ("other", 1))
    assert found == 'env:\n- name: A\n  value: "1"\n- name: B\nother: 1\n'


def test_an_element_of_which_little_is_shown_says_which_it_is() -> None:
    assert text(("env[name=B].value", "2"), ("other", 1)) == 'env:\n- name: B\n  value: "2"\nother: 1\n'


def test_a_key_that_does_not_come_first_is_said_once() -> None:
    found = text(("mounts[mountPath=/a].name", "a"), ("mounts[mountPath=/a].mountPath", "/a"))
    assert found == "mounts:\n- name: a\n  mountPath: /a\n"


def test_lists_of_words_and_of_lists() -> None:
    assert text(("args[0]", "a"), ("args[1]", "b"), ("x[0][0]", 1), ("x[0][1]", 2)) == "args:\n- a\n- b\nx:\n- - 1\n  - 2\n"


def test_a_long_value_is_cut() -> None:
    assert text(("data", "x" * 1000)) == f"data: {'x' * 600}… (400 more characters)\n"


@pytest.mark.parametrize(
    "case", ["plain-two-nodes", "volcano-gang-with-new-claim", "devices-claimed", "torchtune", "slices-as-variables"]
)
def test_unfolded_it_is_the_object(case: str) -> None:
    for tree in yaml.safe_load_all((ROOT / f"tests/cases/{case}/expected/applied.yaml").read_text(encoding="utf-8")):
        fields = part(tree, "", no_attribution).fields
        shown = yaml.safe_load("".join(f"{line.text}\n" for line in lines(fields)))
        known = {key: value for key, value in tree.items() if key not in ("apiVersion", "kind")}
        known["metadata"] = {key: value for key, value in tree["metadata"].items() if key not in ("name", "namespace")}
        assert dict(_flat(shown)) == dict(_flat({key: value for key, value in known.items() if value}))


def _flat(tree: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """The leaves of a tree by their paths, in which steps and folded keys look alike."""
    if tree and isinstance(tree, dict):
        for key, value in tree.items():
            yield from _flat(value, f"{path}.{key}" if path else key)
    elif tree and isinstance(tree, list):
        for number, item in enumerate(tree):
            yield from _flat(item, f"{path}[{number}]")
    else:
        yield path, tree
