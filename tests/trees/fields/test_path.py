"""Field paths: spelling, reading back, and what they find."""

from __future__ import annotations

import pytest

from tjgen.trees.fields.path import MISSING, FieldPath, get, named, parse, pointer, render, selector, with_value, without

TREE = {"jobs": [{"name": "a", "n": 1}, {"name": "b", "ports": [{"p": 80, "q": "TCP"}]}], "x.y/z": {"deep": None}}


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ((), ""),
        (("spec", "jobs", named("a"), "env", 2), "spec.jobs[name=a].env[2]"),
        (("metadata", "labels", "a.b/c"), 'metadata.labels["a.b/c"]'),
        (("ports", selector(containerPort="80", protocol="TCP")), "ports[containerPort=80,protocol=TCP]"),
    ],
)
def test_what_is_rendered_is_read_back(path: FieldPath, text: str) -> None:
    assert render(path) == text
    assert parse(text) == path


def test_a_path_that_makes_no_sense_is_refused_with_its_place() -> None:
    with pytest.raises(ValueError, match="character 5"):
        parse("spec[")


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("jobs", named("b"), "ports", 0, "p"), 80),
        (("jobs", 0, "n"), 1),
        (("x.y/z", "deep"), None),
        (("jobs", named("c")), MISSING),
        (("jobs", 7), MISSING),
        (("jobs", "a"), MISSING),
        (("x.y/z", 0), MISSING),
        (("x.y/z", named("deep")), MISSING),
    ],
)
def test_get_answers_with_the_value_or_missing(path: FieldPath, value: object) -> None:
    assert get(TREE, path) is value or get(TREE, path) == value


def test_a_pointer_has_indexes_for_selectors_and_escapes() -> None:
    assert pointer(TREE, ("jobs", named("b"), "ports", selector(p=80), "q")) == "/jobs/1/ports/0/q"
    assert pointer(TREE, ("x.y/z", "deep")) == "/x.y~1z/deep"


def test_with_value_copies_only_the_way_to_the_path() -> None:
    changed = with_value(TREE, ("jobs", 1, "ports", 0, "p"), 81)
    assert changed["jobs"][1] == {"name": "b", "ports": [{"p": 81, "q": "TCP"}]}
    assert get(changed, ("jobs", 0)) is get(TREE, ("jobs", 0))
    assert get(TREE, ("jobs", 1, "ports", 0, "p")) == 80


def test_with_value_adds_missing_and_null_mappings() -> None:
    assert with_value({"spec": None}, ("spec", "pod", "dns"), "Default") == {"spec": {"pod": {"dns": "Default"}}}


def test_without_removes_one_entry_and_returns_the_same_tree_if_it_is_missing() -> None:
    assert without(TREE, ("jobs", 0, "n"))["jobs"][0] == {"name": "a"}
    assert without(TREE, ("jobs", 0, "missing")) is TREE
    assert without(TREE, ("jobs", 7, "n")) is TREE
