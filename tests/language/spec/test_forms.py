"""Short forms, long forms and the objects that they fill."""

from __future__ import annotations

from typing import Any

import pytest

from tjgen.language.spec.compact import EXPERIMENT_SPEC_FORM
from tjgen.language.spec.forms import long_form, text
from tjgen.language.spec.objects import ExperimentSpec

FORMS = {
    "a device": ({"gpu": "h100:8"}, {"gpu": {"class": "h100", "count": 8}}),
    "a device without a count": ({"gpu": "h100"}, {"gpu": {"class": "h100"}}),
    "a device that makes no sense": ({"gpu": "h100:many"}, {"gpu": "h100:many"}),
    "a device with too many parts": ({"gpu": "h100:8:1"}, {"gpu": "h100:8:1"}),
    "a count without a device": ({"gpu": ":8"}, {"gpu": ":8"}),
    "a number for a device": ({"gpu": 8}, {"gpu": {"count": 8}}),
    "a runtime": ({"runtime": "a"}, {"runtime": {"name": "a"}}),
    "an empty name": ({"runtime": ""}, {"runtime": ""}),
    "a claim": ({"volumes": {"d": {"pvc": "a"}}}, {"volumes": {"d": {"pvc": {"claimName": "a"}}}}),
    "a path": ({"volumes": {"d": {"hostPath": "/a"}}}, {"volumes": {"d": {"hostPath": {"path": "/a"}}}}),
    "variables": (
        {"env": {"A": True, "B": 5, "C": "x", "D": {"secret": "s"}}},
        {"env": {"A": {"value": "true"}, "B": {"value": "5"}, "C": {"value": "x"}, "D": {"secret": "s"}}},
    ),
    "a variable of a role": (
        {"roles": {"a": {"env": {"A": 1}, "gpu": "x:1"}}},
        {"roles": {"a": {"env": {"A": {"value": "1"}}, "gpu": {"class": "x", "count": 1}}}},
    ),
    "items": (
        {"data": {"items": {"list": ["a", {"path": "b", "size": 1}]}}},
        {"data": {"items": {"list": [{"path": "a"}, {"path": "b", "size": 1}]}}},
    ),
    "one pattern": ({"data": {"items": {"glob": "*"}}}, {"data": {"items": {"glob": ["*"]}}}),
    "null stays": ({"gpu": None, "env": {"A": None}}, {"gpu": None, "env": {"A": None}}),
    "a wrong kind of value stays": (
        {"env": [1], "volumes": 3, "data": {"items": "x"}},
        {"env": [1], "volumes": 3, "data": {"items": "x"}},
    ),
}


@pytest.mark.parametrize(("short", "long"), FORMS.values(), ids=FORMS)
def test_long_form(short: Any, long: Any) -> None:
    before = repr(short)
    assert long_form(short, EXPERIMENT_SPEC_FORM) == long
    assert repr(short) == before


def test_a_tree_without_short_forms_is_not_copied() -> None:
    tree = {"gpu": {"class": "a"}, "data": {"items": {"list": []}}, "nodes": 2}
    assert long_form(tree, EXPERIMENT_SPEC_FORM) is tree


@pytest.mark.parametrize(
    ("scalar", "wanted"),
    [
        (True, "true"),
        (False, "false"),
        (8, "8"),
        (0.1, "0.1"),
        ("x", "x"),
        ("", ""),
        (float("inf"), ".inf"),
        (float("nan"), ".nan"),
    ],
)
def test_text_of_a_scalar(scalar: Any, wanted: str) -> None:
    assert text(scalar) == wanted


def test_defaults_of_objects() -> None:
    spec = ExperimentSpec({"gpu": {"class": "h100"}, "data": {"volume": "d", "slices": {}}, "sweep": {}})
    assert (spec.naming, spec.attempt, spec.state, spec.target, spec.nodes) == ("hash", 1, "active", "trainjob", None)
    assert spec.gpu is not None and spec.gpu.count == 1
    assert spec.data is not None and spec.data.slices is not None
    assert (spec.data.slices.by, spec.data.slices.over, spec.data.slices.deliver) == ("contiguous", None, "env")
    assert spec.sweep is not None and spec.sweep.limit == 64
    assert (dict(spec.env), list(spec.command), spec.pod.host_network, spec.schedule.system) == ({}, [], None, None)
