"""The models, the compact schema and the JSON Schema accept and refuse the same trees."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from pydantic import ValidationError

from tests.language.spec.trees import fitting, nearly_fitting
from tjgen.language.spec import compact, forms, objects
from tjgen.language.spec.check import check
from tjgen.language.spec.jsonschema import KINDS, json_schema
from tjgen.language.spec.models.experiment import Experiment
from tjgen.language.spec.models.platform import Platform
from tjgen.language.spec.models.project import Project
from tjgen.trees.k8s.quantity import parse

MODELS = {"experiment": Experiment, "platform": Platform, "project": Project}
SCHEMAS = {"experiment": compact.EXPERIMENT, "overlay": compact.OVERLAY, "platform": compact.PLATFORM, "project": compact.PROJECT}
FORMS = {
    "experiment": compact.EXPERIMENT_FORM,
    "overlay": compact.OVERLAY_FORM,
    "platform": compact.PLATFORM_FORM,
    "project": compact.PROJECT_FORM,
}
OBJECTS = {"experiment": objects.Experiment, "overlay": objects.Overlay, "platform": objects.Platform, "project": objects.Project}

many = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
VALIDATORS = {kind: Draft202012Validator(json_schema(kind)) for kind in KINDS}


def accepts(model: Any, tree: Any) -> bool:
    try:
        model.model_validate(tree)
    except ValidationError:
        return False
    return True


@pytest.mark.parametrize("kind", MODELS)
@many
@given(data=st.data())
def test_model_and_schema_agree(kind: str, data: st.DataObject) -> None:
    tree = data.draw(st.one_of(fitting(SCHEMAS[kind], partial=False), nearly_fitting(SCHEMAS[kind], partial=False)))
    assert accepts(MODELS[kind], tree) == (check(tree, SCHEMAS[kind]) == [])


@pytest.mark.parametrize("kind", SCHEMAS)
@many
@given(data=st.data())
def test_json_schema_and_schema_agree(kind: str, data: st.DataObject) -> None:
    tree = data.draw(
        st.one_of(fitting(SCHEMAS[kind]), nearly_fitting(SCHEMAS[kind])).filter(lambda tree: not has_whole_float(tree))
    )
    assert VALIDATORS[kind].is_valid(tree) == (check(tree, SCHEMAS[kind]) == [])


def has_whole_float(tree: Any) -> bool:
    """JSON has one kind of number: to it, 2.0 is a whole number and 2**70 is as good as any."""
    if isinstance(tree, dict):
        return any(map(has_whole_float, tree.values()))
    if isinstance(tree, list):
        return any(map(has_whole_float, tree))
    return isinstance(tree, float) and tree == int(tree)


@pytest.mark.parametrize("kind", SCHEMAS)
@many
@given(data=st.data())
def test_what_fits_still_fits_in_long_form_and_fills_an_object(kind: str, data: st.DataObject) -> None:
    tree = data.draw(fitting(SCHEMAS[kind]))
    long = forms.long_form(tree, FORMS[kind])
    assert check(long, SCHEMAS[kind]) == []
    assert forms.long_form(long, FORMS[kind]) is long
    OBJECTS[kind](long)


@settings(max_examples=300, deadline=None)
@given(text=st.from_regex(compact.QUANTITY["pattern"].replace("$", r"\Z"), fullmatch=True))
def test_every_quantity_of_the_language_is_read(text: str) -> None:
    assume(len(text) <= compact.QUANTITY["maxLength"])
    assert parse(text).nanos >= 0


def test_the_widest_exponents_of_quantities() -> None:
    assert check("1E999", compact.QUANTITY) == []
    assert [finding.code for finding in check("0E1000", compact.QUANTITY)] == ["TJ105"]
