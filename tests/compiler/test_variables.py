"""The order of environment variables."""

from __future__ import annotations

import pytest

from tjgen.compiler.variables import by_reference
from tjgen.language.spec.objects import EnvVar


def order(**values: str) -> list[str]:
    return by_reference({name: EnvVar({"value": value}) for name, value in values.items()})


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        pytest.param({"A": "1", "B": "2"}, ["A", "B"], id="independent ones stay in order"),
        pytest.param({"A": "$(B)/x", "B": "2"}, ["B", "A"], id="what is referred to stands before"),
        pytest.param({"A": "$(B)", "B": "$(C)", "C": "3"}, ["C", "B", "A"], id="over several steps"),
        pytest.param({"A": "$(PATH)", "B": "2"}, ["A", "B"], id="a variable of the image is nobody's here"),
        pytest.param({"A": "$(B)", "B": "$(A)"}, ["B", "A"], id="a circle ends"),
        pytest.param({"A": "$(A)"}, ["A"], id="a variable may speak of itself"),
    ],
)
def test_a_variable_stands_behind_those_that_it_refers_to(values: dict[str, str], expected: list[str]) -> None:
    assert order(**values) == expected


def test_a_long_chain_is_no_trouble() -> None:
    values = {f"V{number}": f"$(V{number + 1})" for number in range(5000)}
    assert order(**values)[0] == "V4999"
