"""CEL: what expressions mean, what they refuse, and that every rule of the schemas is understood."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from tests.checkout import ROOT, list_entries
from tjgen.cluster.validate.cel.program import CelProgram, program
from tjgen.cluster.validate.cel.rules import faults
from tjgen.cluster.validate.cel.values import CelError

NO_OVERLOAD = "call arguments did not match a supported operator, function or macro signature"
SELF = {"a": {"b": "x"}, "n": 3, "list": ["p", "q"], "items": [{"k": 1}, {"k": 2, "deep": {"z": True}}], "empty": [], "f": 1.5}


@pytest.mark.parametrize(
    "rule",
    [
        "true",
        "!false",
        "1 + 2 * 3 == 7",
        "(1 + 2) * 3 == 9",
        "7 / -2 == -3 && 7 % -2 == 1 && -7 % 2 == -1",
        "1 < 2 && 2 <= 2 && 3 > 2.5 && 2 >= 2",
        "self.n == 3 ? true : self.missing",
        "has(self.a.b) && !has(self.a.c)",
        "self.a.b in ['w', 'x']",
        "'a' in self && !('z' in self)",
        "self.list[1] == 'q' && self['n'] == 3",
        "self.list + ['r'] == ['p', 'q', 'r']",
        "self.items.all(i, i.k > 0)",
        "self.items.exists(i, has(i.deep) && i.deep.z)",
        "self.items.exists_one(i, i.k == 1)",
        "self.items.filter(i, i.k == 2).size() == 1",
        "self.items.map(i, i.k + 1) == [2, 3]",
        "self.empty.all(i, false) && !self.empty.exists(i, true)",
        "self.all(key, size(key) > 0)",
        "size('äö') == 2 && 'äö'.size() == 2 && size(self.list) == 2",
        "'abc'.matches('^a.c$') && !'abc'.matches('^b')",
        "matches('abc', 'b')",
        "'abc'.startsWith('ab') && 'abc'.endsWith('bc') && 'abc'.contains('b')",
        "r'\\d' == '\\\\d' && '\\u00e4' == 'ä' && '\\x41\\101' == 'AA'",
        "'it\\'s' == \"it's\" && '''a'b''' == 'a\\'b'",
        "0x10 == 16 && 1e3 == 1000.0 && .5 < 1.0",
        "{'a': 1}['a'] == 1",
        "self.missing == 1 || true",
        "true || self.missing == 1",
        "!(self.missing == 1 && false)",
        "self.items.exists(i, i.deep.z) && !self.items.all(i, i.deep.z && i.k == 3)",
        "self.f == 1.5 && self.n == 3.0",
        "1 != true && 'a' != 1 && {'a': [1]} == {'a': [1]}",
        "1 == 1 // a comment",
    ],
)
def test_what_holds(rule: str) -> None:
    assert CelProgram(rule).holds(SELF) is True


@pytest.mark.parametrize(
    ("rule", "error"),
    [
        ("self.missing == 1", "no such key: missing"),
        ("has(self.missing.x)", "no such key: missing"),
        ("self.list[5] == 'x'", "index out of bounds: 5"),
        ("self.n > 'a'", "no such overload"),
        ("self.n + 1.5 == 4.5", "no such overload"),
        ("self.n", "no such overload"),
        ("!self.n", "no such overload"),
        ("self.n ? true : false", "no such overload"),
        ("self.n.all(i, true)", "got 'types.Int', expected iterable type"),
        ("size(self.n) == 1", "no such overload"),
        ("'a'.matches(1)", "no such overload"),
        ("true > 0", "no such overload"),
        ("self.missing == 1 && true", "no such key: missing"),
        ("false || self.missing == 1", "no such key: missing"),
        ("self.first == 1 && self.second == 1", "no such key: first"),
        ("self.items.all(i, i.deep.z)", "no such key: deep"),
        ("9223372036854775807 + 1 > 0", "integer overflow"),
        ("1 / 0 == 1", "division by zero"),
        ("1 % 0 == 1", "modulus by zero"),
        ("self.items.filter(i, i.deep.z).size() == 1", "no such key: deep"),
    ],
)
def test_what_cannot_be_told(rule: str, error: str) -> None:
    with pytest.raises(CelError, match=f"^{re.escape(error)}$"):
        CelProgram(rule).holds(SELF)


@pytest.mark.parametrize(
    "rule",
    [
        "",
        "1 +",
        "self.",
        "(1",
        "[1, 2",
        "'open",
        "other == 1",
        "f(1)",
        "1.unknown()",
        "self.x(",
        "1 == 1 1",
        "'\\q'",
    ],
)
def test_what_is_not_understood_is_refused_before_it_runs(rule: str) -> None:
    with pytest.raises(SyntaxError):
        CelProgram(rule)


def test_depth_is_limited() -> None:
    assert CelProgram("(" * 249 + "true" + ")" * 249).holds({})
    with pytest.raises(SyntaxError, match="expression recursion limit exceeded: 250"):
        CelProgram("(" * 250 + "true" + ")" * 250)


def test_escaped_names_are_the_properties_they_stand_for() -> None:
    assert CelProgram("self.a__dash__b == 1 && self.__namespace__ == 2").holds({"a-b": 1, "namespace": 2})


def test_a_transition_rule_is_one_that_names_the_old_value() -> None:
    assert program("self == oldSelf").is_transition
    assert not program("self == 'oldSelf'").is_transition


def rules(schema: Any) -> set[str]:
    if isinstance(schema, dict):
        own = {rule["rule"] for rule in schema["x-kubernetes-validations"]} if "x-kubernetes-validations" in schema else set()
        return own.union(*map(rules, schema.values()))
    return set().union(*map(rules, schema)) if isinstance(schema, list) else set()


def test_every_rule_of_the_schemas_is_understood() -> None:
    found = set()
    for file in list_entries(ROOT / "schemas", "*/*/*.json"):
        found |= rules(json.loads(file.read_text(encoding="utf-8")))
    assert len(found) > 40
    for rule in found:
        CelProgram(rule)


def ruled(rule: dict[str, Any], **schema: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {"f": {**schema, "x-kubernetes-validations": [rule]}}}


@pytest.mark.parametrize(
    ("value", "schema", "expected"),
    [
        pytest.param(
            "x",
            ruled({"rule": "self == 'y'", "message": "must be y"}, type="string"),
            ("FieldValueInvalid", "f", 'Invalid value: "x": must be y'),
            id="a scalar is shown",
        ),
        pytest.param(
            {},
            ruled({"rule": "has(self.z)", "message": "needs z"}, type="object"),
            ("FieldValueInvalid", "f", "Invalid value: needs z"),
            id="an object is not",
        ),
        pytest.param(
            [],
            ruled({"rule": "size(self) > 0"}, type="array"),
            ("FieldValueInvalid", "f", "Invalid value: failed rule: size(self) > 0"),
            id="no message",
        ),
        pytest.param(
            {},
            ruled({"rule": "self.z == 1", "message": "m"}, type="object"),
            ("FieldValueInvalid", "f", 'Invalid value: "object": no such key: z evaluating rule: m'),
            id="a missing key",
        ),
        pytest.param(
            "x",
            ruled({"rule": "self > 0", "message": "m"}, **{"x-kubernetes-int-or-string": True}),
            ("FieldValueInvalid", "f", f"Invalid value: \"\": 'no such overload': {NO_OVERLOAD} for rule: m"),
            id="a value of another type",
        ),
        pytest.param(
            1,
            ruled({"rule": "false", "message": "m", "reason": "FieldValueForbidden"}, type="integer"),
            ("FieldValueForbidden", "f", "Forbidden: m"),
            id="forbidden",
        ),
        pytest.param(
            1,
            ruled({"rule": "false", "message": "m", "reason": "FieldValueRequired"}, type="integer"),
            ("FieldValueRequired", "f", "Required value: m"),
            id="required",
        ),
        pytest.param(
            1,
            ruled({"rule": "false", "reason": "FieldValueDuplicate"}, type="integer"),
            ("FieldValueDuplicate", "f", "Duplicate value: 1"),
            id="duplicate",
        ),
    ],
)
def test_words(value: Any, schema: dict[str, Any], expected: tuple[str, str, str]) -> None:
    assert [fault[:3] for fault in faults({"f": value}, schema)] == [expected]


def test_rules_do_not_run_where_there_is_no_value_and_not_without_an_old_one() -> None:
    schema = ruled({"rule": "false", "message": "m"}, type="string")
    assert list(faults({}, schema)) == []
    assert list(faults({"f": None}, schema)) == []
    assert list(faults({"f": "x"}, ruled({"rule": "self == oldSelf"}, type="string"))) == []


def test_places_in_lists_and_maps() -> None:
    leaf = {"type": "integer", "x-kubernetes-validations": [{"rule": "self > 0", "message": "m"}]}
    schema = {"type": "object", "properties": {"m": {"type": "object", "additionalProperties": {"type": "array", "items": leaf}}}}
    assert [(fault.field, fault.path) for fault in faults({"m": {"k": [1, 0]}}, schema)] == [("m[k][1]", ("m", "k", 1))]


def test_a_rule_at_the_root_sees_the_name_and_no_other_metadata() -> None:
    schema = {
        "type": "object",
        "x-kubernetes-validations": [{"rule": "!has(self.metadata.labels) && self.metadata.name.startsWith('ab')"}],
    }
    assert list(faults({"metadata": {"name": "abc", "labels": {}}}, schema)) == []
    assert list(faults({"metadata": {"generateName": "ab-"}}, schema)) == []
    assert [fault.field for fault in faults({"metadata": {"name": "x"}}, schema)] == ["<nil>"]
