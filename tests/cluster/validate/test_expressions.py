"""CEL expressions against the values and errors that an API server gave them.

`recorded.jsonl` has each expression with the detail of the error that the server reported for `object.yaml`: a rule formats the
expression as text, is never true, and has that text as its message. Never edit it; record it again with a definition for each
expression.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from tjgen.cluster.validate.cel.rules import faults

FOLDER = Path(__file__).parent / "expressions"
RECORDED = [json.loads(line) for line in (FOLDER / "recorded.jsonl").read_text(encoding="utf-8").splitlines()]
OBJECT: dict[str, Any] = yaml.safe_load((FOLDER / "object.yaml").read_text(encoding="utf-8"))
FORMATS = "a new object is read as JSON: formats, numbers and null have no types of their own"
WORDS = "only the words of the error differ"
DIFFERENT = {
    "dyn(1).distinct()": WORDS,
    "dyn(self.map)[1]": WORDS,
    "has(self.nothing)": FORMATS,
    "ip('10.0.0').family()": WORDS,
    "self.day": FORMATS,
    "self.float + self.whole": FORMATS,
    "self.nothing": FORMATS,
    "self.raw": FORMATS,
    "self.raw.size()": FORMATS,
    "self.span": FORMATS,
    "self.span > duration('1h')": FORMATS,
    "self.span.getMinutes()": FORMATS,
    "self.unique == ['y', 'x']": "a set is compared as a list if the rule has no old value",
    "self.when < timestamp('2027-01-01T00:00:00Z')": FORMATS,
    "self.when.getFullYear()": FORMATS,
    "string(self.raw)": FORMATS,
    "url('http://a b/').getHost()": WORDS,
    "url('http://host#x').getHost()": WORDS,
    "url('http://host:x/').getHost()": WORDS,
}
"""Expressions whose results differ from those of the server, with the reason."""


def detail(expression: str) -> str:
    """The detail of the fault of a rule that formats the expression."""
    text = f"'%s'.format([{expression}])"
    rule = {"rule": f"{text} == 'none'", "messageExpression": text}
    spec = {"type": "object", "properties": OBJECT["properties"], "x-kubernetes-validations": [rule]}
    schema = {"type": "object", "properties": {"spec": spec}}
    (fault,) = faults({"spec": OBJECT["spec"], "metadata": {"name": "a"}}, schema)
    return fault.detail


def without_signature(text: str) -> str:
    """The server adds the function and the types of its arguments to some errors."""
    return re.sub(r"'no such overload: [^']*'", "'no such overload'", text)


@pytest.mark.parametrize("case", RECORDED, ids=[case["expression"] for case in RECORDED])
def test_the_result_is_that_of_the_server(case: dict[str, str]) -> None:
    is_equal = detail(case["expression"]) == without_signature(case["detail"])
    assert is_equal is (case["expression"] not in DIFFERENT), (detail(case["expression"]), case["detail"])


def test_known_differences_are_recorded() -> None:
    assert DIFFERENT.keys() <= {case["expression"] for case in RECORDED}
