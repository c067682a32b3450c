"""Policies and bindings that the API server refuses when they are created, and some that it accepts."""

from __future__ import annotations

from typing import Any

from tests.cluster.policies.scenarios import API, binding, policy, rule

TRUE = {"expression": "true"}


def _spec(**spec: Any) -> dict[str, Any]:
    return {"apiVersion": API, "kind": "ValidatingAdmissionPolicy", "metadata": {"name": "x"}, "spec": spec}


def _with(expression: str) -> dict[str, Any]:
    return policy("x", [{"expression": expression}])


CONSTRAINTS = {"resourceRules": [rule("", ["pods"])]}
POLICIES: dict[str, dict[str, Any]] = {
    "no-validations": _spec(matchConstraints=CONSTRAINTS),
    "no-constraints": _spec(validations=[TRUE]),
    "no-rules": _spec(matchConstraints={}, validations=[TRUE]),
    "empty-expression": _with("  "),
    "syntax": _with("object.metadata.name =="),
    "syntax-quote": _with("object.metadata.name == 'x"),
    "undeclared": _with("objects.metadata.name == 'x'"),
    "undeclared-function": _with("nope(object)"),
    "undeclared-method": _with("object.metadata.nope()"),
    "params-without-kind": _with("params.data.a == 'x'"),
    "undeclared-variable": _with("variables.missing"),
    "undefined-request-field": _with("request.uid == 'x'"),
    "undefined-namespace-field": _with("namespaceObject.metadata.uid == 'x'"),
    "number": _with("1 + 1"),
    "text": _with("'a'"),
    "text-and-number": _with("'a' + 1 == 'a1'"),
    "comparison": _with("'a' < 1"),
    "has-of-a-name": _with("has(object)"),
    "all-of-a-number": _with("[1].all(1, true)"),
    "duration": _with("duration('1x') == duration('1s')"),
    "pattern": _with("object.metadata.name.matches('(')"),
    "mixed-list": _with("[1, 'a'].size() == 2"),
    "message-number": policy("x", [{"expression": "true", "messageExpression": "1"}]),
    "message-undeclared": policy("x", [{"expression": "true", "messageExpression": "nope"}]),
    "message-newline": policy("x", [{"expression": "true", "message": "a\nb"}]),
    "message-blank": policy("x", [{"expression": "true", "message": "   "}]),
    "expression-newline-without-message": policy("x", [{"expression": "true &&\nfalse"}]),
    "reason": policy("x", [{"expression": "true", "reason": "Conflict"}]),
    "failure-policy": policy("x", [TRUE], failurePolicy="Sometimes"),
    "variable-name": policy("x", [TRUE], variables=[{"name": "a-b", "expression": "1"}]),
    "variable-twice": policy("x", [TRUE], variables=[{"name": "a", "expression": "1"}, {"name": "a", "expression": "1"}]),
    "variable-order": policy(
        "x", [TRUE], variables=[{"name": "a", "expression": "variables.b"}, {"name": "b", "expression": "1"}]
    ),
    "variable-error": policy("x", [TRUE], variables=[{"name": "a", "expression": "nope"}]),
    "variable-type": policy("x", [{"expression": "variables.a == 'b'"}], variables=[{"name": "a", "expression": "1"}]),
    "variable-good": policy("x", [{"expression": "variables.a == 1"}], variables=[{"name": "a", "expression": "1"}]),
    "condition-name": policy("x", [TRUE], matchConditions=[{"name": "", "expression": "true"}]),
    "condition-twice": policy("x", [TRUE], matchConditions=[{"name": "a", "expression": "true"}] * 2),
    "condition-number": policy("x", [TRUE], matchConditions=[{"name": "a", "expression": "1"}]),
    "param-kind-empty": policy("x", [TRUE], paramKind={"apiVersion": "v1"}),
    "operations": policy("x", [TRUE], match={"resourceRules": [rule("", ["pods"], operations=["MAKE"])]}),
    "no-operations": policy("x", [TRUE], match={"resourceRules": [rule("", ["pods"], operations=[])]}),
    "resources-twice": policy("x", [TRUE], match={"resourceRules": [rule("", ["*", "pods"])]}),
    "selector": policy("x", [TRUE], match={"objectSelector": {"matchExpressions": [{"key": "a", "operator": "Is"}]}}),
    "match-policy": policy("x", [TRUE], match={"matchPolicy": "Some"}),
    "name": {**policy("x", [TRUE]), "metadata": {"name": "A_b"}},
    "good": policy("x", [TRUE]),
    "binding-without-actions": binding("x", actions=()),
    "binding-deny-and-warn": binding("x", actions=("Deny", "Warn")),
    "binding-action-twice": binding("x", actions=("Deny", "Deny")),
    "binding-unknown-action": binding("x", actions=("Refuse",)),
    "binding-without-policy": binding("x", of=""),
    "binding-param-name-and-selector": binding("x", paramRef={"name": "a", "selector": {}, "parameterNotFoundAction": "Deny"}),
    "binding-param-without-action": binding("x", paramRef={"name": "a"}),
    "binding-param-unknown-action": binding("x", paramRef={"name": "a", "parameterNotFoundAction": "Skip"}),
    "binding-param-nothing": binding("x", paramRef={"parameterNotFoundAction": "Deny"}),
    "binding-good": binding("x"),
}
