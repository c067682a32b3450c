"""Numbers that become the text of environment variables."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.language.resolve.texts import experiment, overlay, runs

SPELLINGS = [
    "1e-3",
    "0.10",
    "1E5",
    ".5",
    "5.",
    "-0.5",
    "+0.5",
    "00.5",
    "0.1",
    "1e+30",
    "123456789.123456789",
    "1.0",
    "-1e-07",
    "90",
    "-0",
    "+5",
    "0x1F",
    "0o17",
]


@pytest.mark.parametrize("text", SPELLINGS)
def test_a_variable_is_the_text_that_is_written(text: str) -> None:
    (run,) = runs(
        experiment(f"runtime: a-1.5\nenv: {{A: {text}, B: {{value: {text}}}}}\nroles: {{launcher: {{env: {{A: {text}}}}}}}")
    ).runs
    spec = run.experiment.spec
    assert [spec.env["A"].value, spec.env["B"].value, spec.roles["launcher"].env["A"].value] == [text] * 3


@given(st.floats(allow_nan=False, allow_infinity=False), st.sampled_from(["{!r}", "{:e}", "{:.3f}", "{:g}", "{:.17g}", "{:+}"]))
def test_every_number_is_the_text_that_is_written(number: float, form: str) -> None:
    text = form.format(number)
    (run,) = runs(experiment(f"runtime: a\nenv:\n  A: {text}")).runs
    assert run.experiment.spec.env["A"].value == text


def test_truth_is_written_as_yaml_prints_it() -> None:
    (run,) = runs(experiment("runtime: a\nenv: {A: true, B: False}")).runs
    assert [variable.value for variable in run.experiment.spec.env.values()] == ["true", "false"]


def test_a_variable_of_an_overlay_and_one_by_alias() -> None:
    over = overlay("over", "experiment: {env: {B: 1e-4}}")
    (run,) = runs(experiment("runtime: a\nenv: {A: &lr 1e-3, C: *lr}"), over).runs
    assert {name: variable.value for name, variable in run.experiment.spec.env.items()} == {"A": "1e-3", "B": "1e-4", "C": "1e-3"}


def test_numbers_elsewhere_stay_numbers() -> None:
    (run,) = runs(experiment("runtime: a\ncpu: 1.50\nenv: {A: 1e-3}")).runs
    assert run.experiment.spec.cpu is not None and run.experiment.spec.cpu.limit == 1.5
