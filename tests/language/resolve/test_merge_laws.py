"""Laws of merging, on experiments and overlays that hypothesis makes."""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.language.spec.trees import fitting
from tjgen.language.resolve.layers import EMPTY, Layer, merged, part, present
from tjgen.language.resolve.rules import check_rules
from tjgen.language.spec import compact
from tjgen.language.spec.forms import long_form
from tjgen.trees.fields.managed import Managed
from tjgen.trees.fields.path import get
from tjgen.trees.manifests.leaves import leaves

# A task is a part of an experiment again: it merges as the experiment does, and twice as much takes twice as long.
SPEC = {
    **compact.EXPERIMENT_SPEC,
    "properties": {key: value for key, value in compact.EXPERIMENT_SPEC["properties"].items() if key != "tasks"},
}
TREES = st.one_of(
    fitting(SPEC),
    st.fixed_dictionaries(
        {},
        optional={
            "env": fitting(compact.EXPERIMENT_SPEC["properties"]["env"]),
            "volumes": fitting(compact.EXPERIMENT_SPEC["properties"]["volumes"]),
        },
    ),
)
OVERLAYS = st.builds(
    lambda tree, gone: {**tree, **dict.fromkeys(gone)},
    TREES,
    st.lists(st.sampled_from(["gpu", "env", "volumes", "nodes"]), max_size=1),
)
some = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])


def is_telling(tree: Any) -> bool:
    """Whether no place of the tree has two alternatives at once, and no map is empty.

    An empty map claims nothing, so it makes a difference whether it comes before or after a removal.
    """
    spec = present(long_form(tree, compact.EXPERIMENT_SPEC_FORM), compact.EXPERIMENT_SPEC_FORM)
    return "{}" not in repr(tree) and all(diagnostic.code != "TJ121" for diagnostic in check_rules({"spec": spec}))


def layer(name: str, tree: Any, rank: str = "") -> Layer:
    return Layer(name, f"file:{name}", (part(("spec",), tree, ("said",)),), rank)


def over(base: Managed, *layers: Layer) -> Managed:
    return merged(base, layers)[0]


@some
@given(TREES)
def test_over_nothing_a_tree_is_itself(tree: Any) -> None:
    assert over(EMPTY, layer("a", tree)).value == {
        "spec": present(long_form(tree, compact.EXPERIMENT_SPEC_FORM), compact.EXPERIMENT_SPEC_FORM)
    }


@some
@given(TREES, OVERLAYS)
def test_twice_is_once(tree: Any, overlay: Any) -> None:
    once = over(EMPTY, layer("a", tree), layer("b", overlay))
    assert over(once, layer("b", overlay)).value == once.value


@some
@given(TREES)
def test_an_empty_overlay_changes_nothing(tree: Any) -> None:
    alone = over(EMPTY, layer("a", tree))
    with_empty = over(alone, layer("b", {}))
    assert (with_empty.value, with_empty.owners) == (alone.value, alone.owners)


@some
@given(TREES, OVERLAYS)
def test_every_leaf_stands_where_its_last_origin_says(tree: Any, overlay: Any) -> None:
    said = {
        "a": {"said": long_form(tree, compact.EXPERIMENT_SPEC_FORM)},
        "b": {"said": long_form(overlay, compact.EXPERIMENT_SPEC_FORM)},
    }
    found = over(EMPTY, layer("a", tree), layer("b", overlay))
    for path, value in leaves(found.value):
        if path == ("spec",):
            continue
        origin = found.origins(path)[-1]
        there = get(said[origin.manager], origin.because, None)
        assert there == value or (value == {} and present(there, compact.EXPERIMENT_SPEC_FORM) == {})


@some
@given(TREES, OVERLAYS.filter(is_telling), OVERLAYS.filter(is_telling))
def test_equals_that_do_not_contradict_each_other_may_change_places(tree: Any, one: Any, two: Any) -> None:
    base = over(EMPTY, layer("a", tree))
    forth, faults = merged(base, [layer("b", one, "env"), layer("c", two, "env")])
    back, others = merged(base, [layer("c", two, "env"), layer("b", one, "env")])
    assert bool(faults) == bool(others)
    if not faults:
        assert forth.value == back.value
