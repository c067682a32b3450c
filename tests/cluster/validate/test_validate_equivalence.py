"""Objects with equal equivalence keys get equal verdicts, so one of them is judged for all."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from tests.cluster.validate import corpus
from tjgen.cluster.validate import admission, registry
from tjgen.cluster.validate.equivalence import equivalence_key
from tjgen.cluster.validate.judge import judge

NAME = re.compile(r"(?<![a-z0-9.-])[a-z][a-z0-9]*+(?=[a-z-]*[0-9])(?:-[a-z0-9]+)+(?![a-z0-9.-])")


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
        ({"labels": {"a.io/key": "a" * 40}}, {"labels": {"a.io/key": "0b" * 20}}, True),
        ({"labels": {"a.io/key": "a" * 40}}, {"labels": {"a.io/key": "a" * 41}}, False),
        ({"labels": {"a.io/key": "a" * 40}}, {"labels": {"a.io/key": "g" * 40}}, False),
        ({"labels": {"a.io/key": "a" * 40}}, {"labels": {"a.io/key": "1" * 40}}, False),
        ({"labels": {"a.io/key": "a" * 40}}, {"labels": {"a.io/key": "1e" + "1" * 38}}, False),
        ({"labels": {"a.io/a": "a" * 40, "a.io/b": "a" * 40}}, {"labels": {"a.io/a": "a" * 40, "a.io/b": "b" * 40}}, False),
        ({"subdomain": "a" * 40}, {"subdomain": "b" * 40}, False),
        ({"annotations": {"x": "a"}}, {"annotations": {"x": "b"}}, True),
        ({"annotations": {"x": "a"}}, {"annotations": {"x": "b" * 1000}}, False),
        ({"args": ["a", "b"]}, {"args": ["c", "d"]}, True),
        ({"args": ["a"]}, {"args": [1]}, False),
        ({"command": ["a"], "args": ["a"]}, {"command": ["b"], "args": ["b"]}, True),
        ({"command": ["tune", "run"], "args": ["a"]}, {"command": ["tune", "run"], "args": ["b"]}, False),
        ({"command": ["tune", "run"], "args": ["a"]}, {"command": ["tune", "cat"], "args": ["a"]}, False),
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
        ({"name": "run-1-data"}, {"name": "run-2-data"}, True),
        ({"name": "run1-data"}, {"name": "run2-data"}, False),
        ({"ownerReferences": [{"uid": "a", "kind": "Job"}]}, {"ownerReferences": [{"uid": "b", "kind": "Job"}]}, True),
        ({"ownerReferences": [{"uid": "a"}]}, {"ownerReferences": [{"uid": ""}]}, False),
        ({"uid": "a"}, {"uid": "b"}, False),
        ([{"name": "data-1"}, {"name": "data-1"}], [{"name": "data-1"}, {"name": "data-2"}], False),
        ({"runtimeRef": {"name": "torch-1"}}, {"runtimeRef": {"name": "torch-2"}}, False),
        ({"x": ["run-a1b2c3d4/x"]}, {"x": ["run-z1b2c3d4/x"]}, True),
        ({"activeDeadlineSeconds": 1}, {"activeDeadlineSeconds": 2**31 - 1}, True),
        ({"activeDeadlineSeconds": 1}, {"activeDeadlineSeconds": 2**31}, False),
        ({"activeDeadlineSeconds": 1}, {"activeDeadlineSeconds": 0}, False),
        ({"activeDeadlineSeconds": 1}, {"activeDeadlineSeconds": True}, False),
        ({"activeDeadlineSeconds": 1}, {"activeDeadlineSeconds": 1.0}, False),
        ({"activeDeadlineSeconds": 1}, {"activeDeadlineSeconds": "1"}, False),
        ({"terminationGracePeriodSeconds": 1, "sleep": {}}, {"terminationGracePeriodSeconds": 2, "sleep": {}}, False),
        ({"backoffLimit": 1}, {"backoffLimit": 2}, False),
    ],
)
def test_what_objects_may_differ_in(first: Any, second: Any, alike: bool) -> None:
    one = {"metadata": {"name": "run-a1b2c3d4"}, "spec": first}
    other = {"metadata": {"name": "run-z1b2c3d4"}, "spec": second}
    assert (equivalence_key(one) == equivalence_key(other)) == alike


@pytest.mark.parametrize("metadata", [None, [], {"name": ["a"]}, {"name": None}, "text"])
def test_objects_of_any_shape_have_one(metadata: Any) -> None:
    assert equivalence_key({"metadata": metadata})


def test_other_names_and_texts_change_no_verdict() -> None:
    """Names get another last digit, texts another end: what is alike is judged alike."""
    compared = 0
    for tree in _trees():
        other = _other(tree, "")
        if other == tree or equivalence_key(other) != equivalence_key(tree):
            continue
        compared += 1
        assert _verdict(other) == _verdict(tree)
    assert compared > 100


def test_other_digests_change_no_verdict() -> None:
    """The labels and annotations of objects get one digest or another."""
    compared = 0
    for tree in trees():
        metadata = tree.get("metadata")
        if not isinstance(metadata, dict):
            continue
        first, other = (
            {
                **tree,
                "metadata": metadata | {field: {"jobset.sigs.k8s.io/job-key": digest} for field in ("labels", "annotations")},
            }
            for digest in ("a" * 40, "0123456789abcdef" * 2 + "01234567")
        )
        compared += equivalence_key(first) == equivalence_key(other)
        assert equivalence_key(first) != equivalence_key(other) or _verdict(first) == _verdict(other)
    assert compared > 100


def test_other_seconds_change_no_verdict() -> None:
    """Deadlines and grace periods get other values: those with equal keys have equal verdicts."""
    compared = 0
    for number, case in enumerate(corpus.creates()):
        tree = case.get("manifest")
        for path in seconds(tree) if number % 13 == 0 else ():
            others = [changed(tree, path, lambda _, value=value: value) for value in SECONDS]  # type: ignore[misc]  # a number
            first, *equal = [other for other in others if equivalence_key(other) == equivalence_key(others[0])]
            compared += len(equal)
            assert [_verdict(other) for other in equal] == [_verdict(first)] * len(equal)
    assert compared > 50


def _trees() -> Iterator[dict[str, Any]]:
    for position, case in enumerate(corpus.creates()):
        if position % 7 == 0 and isinstance(case.get("manifest"), dict):
            yield case["manifest"]


def _verdict(tree: dict[str, Any]) -> tuple[Any, ...]:
    verdict = judge(tree)
    made = [] if verdict.stages else [(one.code, one.path) for one in registry.of_object(tree)]
    made += [] if verdict.stages else [("webhook", fault.path) for fault in admission.review(tree, context=[tree]).errors]
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


SECONDS = (1, 2, 30, 2**31 - 1, 2**31, 0, -1, True, 1.0, "1", None)
TEXTS = (
    "x",
    " x",
    "a-1",
    "run-a1b2c3d4",
    "$(A)",
    "$(POD_NAME)",
    "x" * 199,
    "x" * 300,
    "7Gi",
    "0",
    "A",
    "a.b/c",
    "node",
    "a:b@c",
    "\n",
)


@cache
def trees() -> list[dict[str, Any]]:
    """A sample of the corpus, every kind of it."""
    cases = (case.get("manifest") for number, case in enumerate(corpus.creates()) if number % 11 == 0)
    return [tree for tree in cases if isinstance(tree, dict) and len(repr(tree)) < 5000]


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path of every text."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in inner:
        yield from [(*path, key)] if isinstance(item, str) else places(item, (*path, key))


def seconds(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path of every number of seconds."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in inner:
        yield from [(*path, key)] if str(key).endswith("Seconds") else seconds(item, (*path, key))


def changed(value: Any, path: tuple[Any, ...], change: Callable[[str], str]) -> Any:
    """The tree with another text at `path`."""
    copy = dict(value) if isinstance(value, dict) else list(value)
    inner = value[path[0]]
    copy[path[0]] = changed(inner, path[1:], change) if len(path) > 1 else change(inner)
    return copy


def renamed(value: Any, change: Callable[[str], str]) -> Any:
    """The tree with every text changed, but for those that say what the object is."""
    if isinstance(value, dict):
        return {key: item if key in {"apiVersion", "kind"} else renamed(item, change) for key, item in value.items()}
    if isinstance(value, list):
        return [renamed(item, change) for item in value]
    return change(value) if isinstance(value, str) else value


CHANGES: st.SearchStrategy[Callable[[str], str]] = st.one_of(
    st.sampled_from(TEXTS).map(lambda text: lambda _: text),
    st.text(max_size=12).map(lambda text: lambda _: text),
    st.text(min_size=1, max_size=3).map(lambda text: lambda old: old + text),
    st.sampled_from("0123456789").map(lambda digit: lambda old: re.sub("[0-9]", digit, old)),
    st.sampled_from("abyz").map(lambda letter: lambda old: re.sub("^[a-z]", letter, old)),
    st.just(lambda old: NAME.sub(lambda found: found[0][::-1], old)),
)


@settings(max_examples=2000, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_equal_keys_mean_equal_verdicts(data: st.DataObject) -> None:
    """Changes that keep the key are made: of all texts at once, then of single ones."""
    tree = data.draw(st.sampled_from(trees()))
    key = equivalence_key(tree)
    other = renamed(tree, data.draw(CHANGES))
    if equivalence_key(other) != key:
        other = tree
    change = data.draw(CHANGES)
    for path in data.draw(st.lists(st.sampled_from([*places(tree)]), max_size=8, unique=True)):
        again = changed(other, path, change)
        other = again if equivalence_key(again) == key else other
    event("changed" if other != tree else "no change keeps the key")
    if other != tree:
        assert _verdict(other) == _verdict(tree)
