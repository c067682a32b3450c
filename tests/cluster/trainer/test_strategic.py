"""The order and the owners that a strategic merge leaves."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tjgen.cluster.trainer.strategic import MergeError, Merger, _PatchMerge
from tjgen.cluster.trainer.typed import NEWEST
from tjgen.trees.fields.path import FieldPath, Tree, render

POD = ("PodSpec", "PodSpecPatch")


def merged(tree: Tree, patch: Tree, types: tuple[str, str] = POD) -> tuple[Any, list[str]]:
    noted: list[str] = []

    def note(path: FieldPath, below: FieldPath, value: Tree) -> None:
        noted.append(f"{render(path)} <- {render(below)}")

    return Merger(NEWEST).merge(tree, patch, types, note, ()), noted


def volumes(*names: str) -> list[Any]:
    return [{"name": name, "emptyDir": {}} for name in names]


@pytest.mark.parametrize(
    ("before", "patch", "after"),
    [
        pytest.param("base two", "z two y", "z base two y", id="new ones before the rest, known ones in their place"),
        pytest.param("node side", "ghost", "ghost node side", id="a new one goes to the front"),
        pytest.param("i0", "i9 i0", "i9 i0", id="the patch's own order"),
        pytest.param("a b c", "c a", "b c a", id="the patch's order wins over the old one"),
        pytest.param("a b", "", "a b", id="an empty patch"),
    ],
)
def test_the_order_of_a_keyed_list(before: str, patch: str, after: str) -> None:
    tree, _ = merged({"volumes": volumes(*before.split())}, {"volumes": volumes(*patch.split())} if patch else {})
    assert [volume["name"] for volume in tree["volumes"]] == after.split()


def test_a_map_merges_key_by_key_and_says_so() -> None:
    tree, noted = merged({"nodeSelector": {"a": "1", "b": "2"}}, {"nodeSelector": {"b": "3", "c": "4"}})
    assert tree == {"nodeSelector": {"a": "1", "b": "3", "c": "4"}}
    assert noted == ["nodeSelector.b <- nodeSelector.b", "nodeSelector.c <- nodeSelector.c"]


def test_a_list_without_a_key_is_replaced() -> None:
    tree, _ = merged({"tolerations": [{"key": "a"}]}, {"tolerations": [{"key": "b"}]})
    assert tree == {"tolerations": [{"key": "b"}]}


def test_a_container_that_is_not_there_is_added_as_go_prints_it() -> None:
    tree, noted = merged({"containers": []}, {"containers": [{"name": "ghost"}]})
    assert tree == {"containers": [{"name": "ghost", "resources": {}}]}
    assert noted == ["containers[name=ghost] <- containers[name=ghost]"]


def test_a_volume_keeps_its_old_source() -> None:
    patch = {"volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "c"}}]}
    tree, _ = merged({"volumes": volumes("v")}, patch)
    assert tree["volumes"] == [{"name": "v", "emptyDir": {}, "persistentVolumeClaim": {"claimName": "c"}}]


def test_what_go_prints_as_null_removes() -> None:
    before = {"volumes": [{"name": "v", "projected": {"sources": [{"configMap": {}}], "defaultMode": 1}}]}
    tree, _ = merged(before, {"volumes": [{"name": "v", "projected": {"defaultMode": 2}}]})
    assert tree == {"volumes": [{"name": "v", "projected": {"defaultMode": 2}}]}


def test_finalizers_merge_as_a_set() -> None:
    types = ("ObjectMeta", "ObjectMeta")
    tree, _ = merged({"finalizers": ["a", "b"]}, {"finalizers": ["c", "b"]}, types)
    assert tree == {"finalizers": ["c", "a", "b"]}


def test_an_element_without_its_key_is_refused_in_upstreams_words() -> None:
    with pytest.raises(MergeError, match=r"map: map\[\] does not contain declared merge key: name"):
        merged({"imagePullSecrets": [{"name": "s"}]}, {"imagePullSecrets": [{}]})


def test_the_trees_that_went_in_are_not_written_into() -> None:
    before: Tree = {"volumes": volumes("a"), "nodeSelector": {"a": "1"}}
    patch: Tree = {"volumes": volumes("b"), "nodeSelector": {"b": "2"}}
    merged(before, patch)
    assert before == {"volumes": volumes("a"), "nodeSelector": {"a": "1"}}
    assert patch == {"volumes": volumes("b"), "nodeSelector": {"b": "2"}}


NAMES = st.sampled_from(["a", "b", "c", "d", ""])
PATCHES = st.lists(st.lists(NAMES, min_size=1, max_size=2), max_size=6)


@given(before=st.lists(NAMES, max_size=4), patches=PATCHES)
def test_a_series_of_patches_leaves_what_each_of_them_leaves_alone(before: list[str], patches: list[list[str]]) -> None:
    def series() -> tuple[Any, list[tuple[FieldPath, FieldPath, Tree]]]:
        tree: Any = {"volumes": volumes(*before)}
        noted: list[tuple[FieldPath, FieldPath, Tree]] = []
        merger = Merger(NEWEST)
        for number, names in enumerate(patches):
            patch = {"volumes": [{"name": name, "emptyDir": {"medium": str(number)}} for name in names]}
            tree = merger.merge(tree, patch, POD, lambda *value: noted.append(value), ())
        return tree, noted

    alone = series()
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(_PatchMerge, "_with_one", lambda *_: None)
        assert series() == alone
