"""Every operator, macro and function with arguments of every combination of types: a value, or an error of CEL."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import pytest

from tjgen.cluster.validate.cel import calls, compilation, library, optionals
from tjgen.cluster.validate.cel.comprehensions import Names
from tjgen.cluster.validate.cel.meter import METER, Meter
from tjgen.cluster.validate.cel.parser import parse
from tjgen.cluster.validate.cel.values import CelError, CostLimitError

LITERALS = (
    *("null", "true", "1", "-1", "9223372036854775807", "7u", "2.5", "-1e300", "double('NaN')", "double('Infinity')"),
    *("''", "'a1'", "'%s %d'", "b'x\\xff'", "[]", "[1, 'a', null]", "[[1]]", "['a']", "{}", "{'a': 1}", "{1: [2]}"),
    *("duration('1h')", "timestamp('2020-01-01T00:00:00Z')", "int", "quantity('1Gi')", "ip('1.2.3.4')", "ip('::1')"),
    *("cidr('10.0.0.0/8')", "url('http://a/b')", "semver('1.2.3')", "optional.none()", "optional.of(1)"),
)
NAMES = Names(frozenset("abcd"))
OPERATIONS = (
    *(f"a {operator} b" for operator in compilation._OPERATORS),
    *("a && b", "a || b", "!a", "-a", "a ? b : c", "a[b]", "a[?b]", "a.x", "a.?x", "has(a.x)"),
    *("[a, b]", "{a: b}", "{?a: b}", "[?a]", "a.or(b)", "a.orValue(b)"),
    *(f"a.{macro}(x, b)" for macro in ("all", "exists", "exists_one", "map", "filter", "sortBy", "optMap", "optFlatMap")),
    *("a.map(x, x)", "a.map(x, x, b)", "a.filter(x, x)", "a.sortBy(x, x)", "a.all(x, x)", "a.exists(i, x, x)"),
    *("a.transformList(i, x, b)", "a.transformMap(i, x, b)", "a.transformMapEntry(i, x, b)"),
    *("a.transformMapEntry(i, x, {x: i})", "a.transformMapEntry(i, x, {i: x})"),
)


def functions() -> Iterator[str]:
    """A call of each function and method."""
    for name, count in (*library._METHODS, *optionals.METHODS, *calls._FUNCTIONS):
        yield f"a.{name}({', '.join('bcd'[: count - 1])})"
    for name, count in (*library._GLOBALS, *library._NAMESPACED, *optionals.NAMESPACED):
        yield f"{name}({', '.join('abcd'[:count])})"


@pytest.mark.parametrize("expression", [*OPERATIONS, *functions()])
def test_a_step_gives_a_value_or_an_error_of_cel(expression: str) -> None:
    values = {literal: compilation.compiled(parse(literal), NAMES)({METER: Meter()}) for literal in LITERALS}
    step = compilation.compiled(parse(expression), NAMES)
    used = [name for name in "abcd" if name in expression.replace("has", "").replace("all", "") or name == "a"]
    few = LITERALS[:: (1, 1, 1, 3, 5)[len(used)]]
    outcomes = {"value": 0, "error": 0}
    for arguments in product(few, repeat=len(used)):
        scope = {name: values[argument] for name, argument in zip(used, arguments, strict=True)}
        try:
            step({**dict.fromkeys("abcd"), **scope, METER: Meter()})
            outcomes["value"] += 1
        except (CelError, CostLimitError):
            outcomes["error"] += 1
    assert outcomes["value"] + outcomes["error"] == len(few) ** len(used)
