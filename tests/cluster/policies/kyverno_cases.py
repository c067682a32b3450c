"""The cases that are evaluated by the engine of Kyverno: the policies of the scenarios as ValidatingPolicies, and objects."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from tests.cluster.policies import scenarios
from tests.cluster.policies.scenarios import Request, Scenario, Tree

OBJECTS_EACH = 3
"""How many objects an expression is evaluated on."""


class Case(NamedTuple):
    """A policy, and a request that it judges."""

    name: str
    policy: Tree
    request: Request
    namespace: Tree


def cases(valid: list[str]) -> Iterator[Case]:
    """All cases, in order. `valid`: the expressions that the API server accepts in a policy."""
    objects = scenarios.OBJECTS
    for number, text in enumerate(valid):
        policy = scenarios.policy("expression", [{"expression": text}])
        namespace = _namespace("expressions-00", {"scenario": "expression", "tier": "gold"})
        for step in range(OBJECTS_EACH):
            chosen = objects[(number + step * 3) % len(objects)]
            yield Case(f"expression-{number:03}-{step}", _converted(policy, ["Deny"]), Request(chosen), namespace)
    for one in scenarios.scenarios([]):
        yield from _of_scenario(one)


def _of_scenario(one: Scenario) -> Iterator[Case]:
    """The cases of a scenario with one policy, and a binding that only binds it."""
    policies = [tree for tree in one.objects if tree["kind"] == "ValidatingAdmissionPolicy"]
    bindings = [tree for tree in one.objects if tree["kind"] == "ValidatingAdmissionPolicyBinding"]
    if len(policies) != 1 or len(bindings) != 1 or "paramKind" in policies[0]["spec"]:
        return
    if {"paramRef", "matchResources"} & set(bindings[0]["spec"]):
        return
    policy = _converted(policies[0], bindings[0]["spec"]["validationActions"])
    for number, request in enumerate(one.requests):
        yield Case(f"{one.name}-{number}", policy, request, _namespace(one.name, one.labels))


def _converted(policy: Tree, actions: list[str]) -> Tree:
    spec: Any = {**policy["spec"], "validationActions": actions}
    return {
        "apiVersion": "policies.kyverno.io/v1",
        "kind": "ValidatingPolicy",
        "metadata": policy["metadata"],
        "spec": spec,
    }


def _namespace(name: str, labels: dict[str, str]) -> Tree:
    return {
        "apiVersion": "v1",
        "kind": "Namespace",
        "metadata": {
            "name": name,
            "labels": {"kubernetes.io/metadata.name": name, **labels},
            "annotations": scenarios.ANNOTATIONS,
        },
        "spec": {"finalizers": ["kubernetes"]},
        "status": {"phase": "Active"},
    }
