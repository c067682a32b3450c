"""What expressions cost, and the sizes at which they are refused, against recordings of a real API server."""

from __future__ import annotations

import json
import resource
from typing import Any

import pytest

from tests.cluster.policies.expenses import EXPRESSIONS, FAMILIES, Asked, asked
from tests.cluster.policies.record_costs import RECORDED
from tjgen.cluster.policies.expressions import BUDGET, Expression, Lazy
from tjgen.cluster.validate.cel.compilation import VARIABLES
from tjgen.cluster.validate.cel.meter import EXHAUSTED, Budget, BudgetError
from tjgen.cluster.validate.cel.values import CelError

SERVER: dict[str, Any] = json.loads(RECORDED.read_text(encoding="utf-8"))
REQUEST = {"name": "sample", "namespace": "ml", "operation": "CREATE"}


def evaluated(given: Asked) -> tuple[int, str]:
    """What the expressions cost, and the words of the first refusal."""
    variables: dict[str, Expression] = {}
    try:
        for number, text in enumerate(given["variables"]):
            variables[f"v{number}"] = Expression(text, has_params=False, variables=variables)
        expressions = [Expression(text, has_params=False, variables=variables) for text in given["expressions"]]
    except SyntaxError as problem:
        return 0, problem.msg
    budget = Budget()
    scope = {"object": given["object"], "oldObject": None, "request": REQUEST, "namespaceObject": None, BUDGET: budget}
    scope[VARIABLES] = Lazy(variables, scope)
    words = ""
    for expression in expressions:
        try:
            expression.evaluate(scope)
        except CelError as error:
            words = words or str(error)
        except BudgetError:
            return budget.cost, EXHAUSTED
    return budget.cost, words


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_an_expression_costs_what_the_server_charges(expression: str) -> None:
    assert evaluated(asked(expression)) == (SERVER["costs"][expression], "")


@pytest.mark.parametrize("family", FAMILIES)
def test_expressions_are_refused_from_the_size_at_which_the_server_refuses_them(family: str) -> None:
    accepted, words = SERVER["thresholds"][family]["accepted"], SERVER["thresholds"][family]["words"]
    assert evaluated(FAMILIES[family](accepted))[1] == ""
    refused = evaluated(FAMILIES[family](accepted + 1))[1]
    assert refused
    assert refused[-40:] in words


@pytest.mark.parametrize(
    ("expression", "variables"),
    [
        pytest.param("variables.v40.size() > 0", ("'x'", *(f"variables.v{i} + variables.v{i}" for i in range(40))), id="texts"),
        pytest.param("variables.v40.size() > 0", ("[1]", *(f"variables.v{i} + variables.v{i}" for i in range(40))), id="lists"),
        pytest.param(
            "variables.v40 == variables.v40", ("[1]", *(f"[variables.v{i}, variables.v{i}]" for i in range(40))), id="=="
        ),
        pytest.param("variables.v999 == variables.v999", ("[]", *(f"[variables.v{i}]" for i in range(999))), id="depth"),
        pytest.param(
            "variables.v21.replace('x', variables.v20) == ''",
            ("'x'", *(f"variables.v{i} + variables.v{i}" for i in range(21))),
            id="replace",
        ),
        pytest.param(
            "lists.range(900).map(x, variables.v20).join() == ''",
            ("'x'", *(f"variables.v{i} + variables.v{i}" for i in range(20))),
            id="join",
        ),
        pytest.param(
            "'%s'.format([lists.range(900).map(x, variables.v20)]) == ''",
            ("'x'", *(f"variables.v{i} + variables.v{i}" for i in range(20))),
            id="format",
        ),
        pytest.param("'%.999999999f'.format([1.0]) == ''", (), id="digits"),
        pytest.param("lists.range(900).map(x, variables.v0).flatten() == []", ("lists.range(90000)",), id="flatten"),
    ],
)
def test_values_do_not_fill_the_memory(expression: str, variables: tuple[str, ...]) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert evaluated(asked(expression, variables=variables))[1]
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 200 * 1024  # kibibytes


def test_variables_that_read_each_other_are_evaluated_one_after_the_other() -> None:
    chain = ("'x'", *(f"variables.v{number}" for number in range(1_500)))
    assert evaluated(asked("variables.v1500 == 'x'", variables=chain))[1] == ""
