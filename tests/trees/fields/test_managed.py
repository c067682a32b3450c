"""Managed trees: merging, owners, tombstones, and that inputs stay as they are."""

from __future__ import annotations

import copy

from hypothesis import given
from hypothesis import strategies as st

from tjgen.trees.fields.managed import ListKeys, Managed, Origin, graft
from tjgen.trees.fields.path import MISSING, get, named
from tjgen.trees.fields.writer import Writer, apply, apply_all
from tjgen.trees.manifests.leaves import leaves

RUNTIME = Origin("runtime", "runtime", ("spec",), True)
USER = Origin("experiment", "experiment", ("spec", "image"))
PASS = Origin("pass:volumes", "experiment", ("spec", "volumes"))
KEYS: ListKeys = {"containers": ("name",), "env": ("name",)}
BASE = {"containers": [{"name": "node", "image": "a", "env": [{"name": "A", "value": "1"}]}], "labels": {"x": "1"}}

SCALARS = st.none() | st.integers(0, 3) | st.sampled_from(["a", "b"])
TREES = st.dictionaries(
    st.sampled_from(["p", "q", "r"]),
    st.recursive(SCALARS, lambda inner: st.dictionaries(st.sampled_from(["p", "q"]), inner, max_size=2), max_leaves=4),
    max_size=3,
)


def test_keyed_lists_merge_by_key_and_new_elements_come_last() -> None:
    merged = apply(graft(BASE, RUNTIME), {"containers": [{"name": "side"}, {"name": "node", "image": "b"}]}, USER, keys=KEYS)
    assert [container["name"] for container in merged.value["containers"]] == ["node", "side"]
    assert merged.value["containers"][0]["image"] == "b"
    assert merged.origins(("containers", named("side"), "name")) == (USER,)


def test_a_deeper_path_is_answered_by_its_nearest_recorded_ancestor() -> None:
    path = ("containers", named("node"), "env", named("A"), "value")
    assert graft(BASE, RUNTIME).origins(path) == (RUNTIME._replace(because=("spec", *path)),)


def test_an_equal_value_adds_a_co_owner() -> None:
    merged = apply(graft(BASE, RUNTIME), {"labels": {"x": "1"}}, USER, keys=KEYS)
    assert [origin.manager for origin in merged.origins(("labels", "x"))] == ["runtime", "experiment"]


def test_a_removal_leaves_a_tombstone() -> None:
    merged = apply(graft(BASE, RUNTIME), {"labels": {"x": None}}, USER, keys=KEYS)
    assert get(merged.value, ("labels", "x")) is MISSING
    assert merged.origins(("labels", "x")) == (USER,)


def test_a_guarded_value_is_kept_and_the_conflict_names_both() -> None:
    said = apply(graft(BASE, RUNTIME), {"labels": {"x": "2"}}, USER, keys=KEYS)
    writer = Writer(said, keys=KEYS, guarded=frozenset(["experiment"]))
    writer.put(("labels", "x"), "3", PASS)
    writer.put(("labels", "y"), "4", PASS)
    assert writer.done().value["labels"] == {"x": "2", "y": "4"}
    assert [(conflict.before, conflict.after) for conflict in writer.conflicts] == [(USER, PASS)]


def test_put_grows_what_is_missing_on_the_way() -> None:
    writer = Writer(Managed({}, {}), keys=KEYS)
    writer.put(("containers", named("node"), "resources", "limits", "cpu"), "1", USER)
    assert writer.done().value == {"containers": [{"name": "node", "resources": {"limits": {"cpu": "1"}}}]}


@given(TREES, TREES)
def test_inputs_stay_as_they_are(base: dict[str, object], patch: dict[str, object]) -> None:
    before = copy.deepcopy((base, patch))
    apply(graft(base, RUNTIME), patch, USER, keys=KEYS)
    assert (base, patch) == before


@given(TREES, TREES)
def test_applying_twice_is_applying_once(base: dict[str, object], patch: dict[str, object]) -> None:
    once = apply(graft(base, RUNTIME), patch, USER, keys=KEYS)
    twice = apply(once, patch, USER, keys=KEYS)
    assert twice.value == once.value
    for path, _ in leaves(twice.value):
        assert twice.origins(path) == once.origins(path)


@given(TREES, TREES, TREES)
def test_several_patches_at_once_are_the_same_as_one_by_one(base: object, first: object, second: object) -> None:
    both = apply_all(graft(base, RUNTIME), [(first, USER), (second, PASS)], keys=KEYS)
    one_by_one = apply(apply(graft(base, RUNTIME), first, USER, keys=KEYS), second, PASS, keys=KEYS)
    assert (both.value, both.owners) == (one_by_one.value, one_by_one.owners)


def test_a_merge_of_something_copied_remembers_the_place_of_each_part() -> None:
    base = Managed({"metadata": {"name": "x"}}, {(): (Origin("base", "runtime", (), True),)})
    copied = Origin("patches", "experiment", ("spec", "merge"), True)
    result = apply(base, {"metadata": {"annotations": {"keep": "true"}, "name": "x"}}, copied, keys={})
    keep = result.origins(("metadata", "annotations", "keep"))
    assert [origin.because for origin in keep] == [("spec", "merge", "metadata", "annotations", "keep")]
    assert [origin.because for origin in result.origins(("metadata", "name"))] == [
        ("metadata", "name"),
        ("spec", "merge", "metadata", "name"),
    ]
