"""Objects that are alike get the same verdict, so one of them is enough to look at."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from tests.cluster.validate import corpus
from tjgen.cluster.validate import admission, unmakeable
from tjgen.cluster.validate.judge import judge
from tjgen.cluster.validate.likeness import likeness

NAME = re.compile(r"(?<![a-z0-9.-])[a-z][a-z0-9]*(?:-[a-z0-9]+)*-[a-z0-9]*[0-9][a-z0-9]*(?![a-z0-9.-])")


@pytest.mark.parametrize(
    ("first", "second", "alike"),
    [
        ({"image": "a"}, {"image": "b"}, True),
        ({"image": "a"}, {"image": ""}, False),
        ({"image": "a"}, {"image": " a"}, False),
        ({"image": "a"}, {"image": 1}, False),
        ({"labels": {"x": "a"}}, {"labels": {"x": "b"}}, True),
        ({"labels": {"x": "a"}}, {"labels": {"x": "not good"}}, False),
        ({"labels": {"kueue.x-k8s.io/queue-name": "a"}}, {"labels": {"kueue.x-k8s.io/queue-name": "b"}}, False),
        ({"annotations": {"x": "a"}}, {"annotations": {"x": "b"}}, True),
        ({"annotations": {"x": "a"}}, {"annotations": {"x": "b" * 1000}}, False),
        ({"args": ["a", "b"]}, {"args": ["c", "d"]}, True),
        ({"args": ["a"]}, {"args": [1]}, False),
        ({"env": [{"name": "A", "value": "1"}]}, {"env": [{"name": "A", "value": "2"}]}, True),
        ({"env": [{"name": "A", "value": "1"}]}, {"env": [{"name": "B", "value": "1"}]}, False),
        ({"tolerations": [{"value": "a"}]}, {"tolerations": [{"value": "b"}]}, False),
        ({"resources": {"limits": {"cpu": 1}}}, {"resources": {"limits": {"cpu": 2}}}, False),
        ({"resources": {"requests": {"storage": "1Gi"}}}, {"resources": {"requests": {"storage": "2Gi"}}}, True),
        ({"resources": {"requests": {"storage": "1Gi"}}}, {"resources": {"requests": {"storage": "-2Gi"}}}, False),
        ({"resources": {"requests": {"storage": "1Gi"}}}, {"resources": {"requests": {"storage": "1Gi"}, "limits": {}}}, False),
        ({"resources": {"requests": "1Gi"}}, {"resources": {"requests": "2Gi"}}, False),
        ({"name": "data-1"}, {"name": "data-2"}, True),
        ({"name": "data-1"}, {"name": "data-10"}, False),
        ({"name": "data-1"}, {"name": "Data-1"}, False),
        ({"name": "data-1"}, {"name": "data"}, False),
        ([{"name": "data-1"}, {"name": "data-1"}], [{"name": "data-1"}, {"name": "data-2"}], False),
        ({"runtimeRef": {"name": "torch-1"}}, {"runtimeRef": {"name": "torch-2"}}, False),
        ({"x": ["run-a1b2c3d4/x"]}, {"x": ["run-z1b2c3d4/x"]}, True),
    ],
)
def test_what_objects_may_differ_in(first: Any, second: Any, alike: bool) -> None:
    one = {"metadata": {"name": "run-a1b2c3d4"}, "spec": first}
    other = {"metadata": {"name": "run-z1b2c3d4"}, "spec": second}
    assert (likeness(one) == likeness(other)) == alike


@pytest.mark.parametrize("metadata", [None, [], {"name": ["a"]}, {"name": None}, "text"])
def test_objects_of_any_shape_have_one(metadata: Any) -> None:
    assert likeness({"metadata": metadata})


def test_other_names_and_texts_change_no_verdict() -> None:
    """Names get another last digit, texts another end: what is alike is judged alike."""
    compared = 0
    for tree in _trees():
        other = _other(tree, "")
        if other == tree or likeness(other) != likeness(tree):
            continue
        compared += 1
        assert _verdict(other) == _verdict(tree)
    assert compared > 100


def _trees() -> Iterator[dict[str, Any]]:
    for position, case in enumerate(corpus.creates()):
        if position % 7 == 0 and isinstance(case.get("manifest"), dict):
            yield case["manifest"]


def _verdict(tree: dict[str, Any]) -> tuple[Any, ...]:
    verdict = judge(tree)
    made = [] if verdict.stages else [one.path for one in unmakeable.diagnostics(tree)]
    made += [] if verdict.stages else [fault.path for fault in admission.review(tree).errors]
    return [(stage.name, [(fault.type, fault.path) for fault in stage.errors]) for stage in verdict.stages], made


def _other(value: Any, key: str) -> Any:
    if isinstance(value, dict):
        return {one: item if one in {"apiVersion", "kind", "runtimeRef"} else _other(item, one) for one, item in value.items()}
    if isinstance(value, list):
        return [_other(item, key) for item in value]
    if isinstance(value, str):
        if key in {"image", "args", "command", "value", "claimName"} and value.strip() == value and value:
            return value + "x"
        return NAME.sub(lambda found: re.sub("[0-9]", lambda digit: str((int(digit[0]) + 1) % 10), found[0]), value)
    return value
