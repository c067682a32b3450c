"""A ValidatingAdmissionPolicy -> what the server requires of it beyond the types of its fields and its expressions.

Mirrors kubernetes 1.36 `pkg/apis/admissionregistration/validation`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tjgen.cluster.policies.policy import PolicyProblem
from tjgen.trees.fields.path import FieldPath, Tree, get
from tjgen.trees.typing import Any

_OPERATIONS = ("*", "CONNECT", "CREATE", "DELETE", "UPDATE")
_OPERATORS = ("In", "NotIn", "Exists", "DoesNotExist")


def structure_problems(tree: Tree) -> Iterator[PolicyProblem]:
    """What the server requires of a policy beyond its types (kubernetes 1.36 `pkg/apis/admissionregistration/validation`)."""
    spec = tree.get("spec") or {}
    if not spec.get("validations") and not spec.get("auditAnnotations"):
        yield PolicyProblem(("spec",), "validations or auditAnnotations is required")
    if not get(spec, ("matchConstraints", "resourceRules"), None):
        yield PolicyProblem(("spec",), "matchConstraints.resourceRules is required")
    for position, one in enumerate(spec.get("validations") or ()):
        path: FieldPath = ("spec", "validations", position)
        message, reason = one.get("message"), one.get("reason")
        if message is not None and (not message.strip() or "\n" in message.strip()):
            yield PolicyProblem((*path, "message"), "the message is one line of text")
        if reason not in (None, "Forbidden", "Invalid", "RequestEntityTooLarge"):
            yield PolicyProblem(
                (*path, "reason"), f'the reason "{reason}" is not one of Forbidden, Invalid, RequestEntityTooLarge'
            )
    if spec.get("failurePolicy") not in (None, "Fail", "Ignore"):
        yield PolicyProblem(
            ("spec", "failurePolicy"), f'failurePolicy is "{spec["failurePolicy"]}", which is neither Fail nor Ignore'
        )
    kind = spec.get("paramKind")
    if kind is not None and not (kind.get("apiVersion") and kind.get("kind")):
        yield PolicyProblem(("spec", "paramKind"), "paramKind requires apiVersion and kind")
    yield from _match(spec.get("matchConstraints") or {}, ("spec", "matchConstraints"))
    names: set[str] = set()
    for position, one in enumerate(spec.get("matchConditions") or ()):
        path = ("spec", "matchConditions", position)
        name = str(one.get("name") or "")
        if not name:
            yield PolicyProblem(path, "a match condition requires a name")
        elif name in names:
            yield PolicyProblem((*path, "name"), f'two match conditions have the name "{name}"')
        names.add(name)
    for position, one in enumerate(spec.get("variables") or ()):
        name = str(one.get("name") or "")
        if not name.isascii() or not name.isidentifier():
            yield PolicyProblem(("spec", "variables", position, "name"), f'"{name}" is not a valid CEL identifier')


def _match(constraints: Mapping[str, Any], path: FieldPath) -> Iterator[PolicyProblem]:
    """`validateMatchResources`."""
    if constraints.get("matchPolicy") not in (None, "Exact", "Equivalent"):
        message = f'matchPolicy is "{constraints["matchPolicy"]}", which is neither Exact nor Equivalent'
        yield PolicyProblem((*path, "matchPolicy"), message)
    for field in ("namespaceSelector", "objectSelector"):
        expressions = (constraints.get(field) or {}).get("matchExpressions") or ()
        for position, one in enumerate(expressions):
            if one.get("operator") not in _OPERATORS:
                at = (*path, field, "matchExpressions", position, "operator")
                yield PolicyProblem(at, f'"{one.get("operator")}" is not a valid selector operator: use {", ".join(_OPERATORS)}')
    for field in ("resourceRules", "excludeResourceRules"):
        for position, rule in enumerate(constraints.get(field) or ()):
            yield from _rule(rule, (*path, field, position))


def _rule(rule: Mapping[str, Any], path: FieldPath) -> Iterator[PolicyProblem]:
    """`validateRuleWithOperations`."""
    operations, resources = rule.get("operations") or (), rule.get("resources") or ()
    if not operations:
        yield PolicyProblem(path, "a rule requires operations")
    for position, one in enumerate(operations):
        if one not in _OPERATIONS:
            yield PolicyProblem((*path, "operations", position), f'"{one}" is not one of {", ".join(_OPERATIONS)}')
    if "*" in resources and any("/" not in one for one in resources if one != "*"):
        yield PolicyProblem((*path, "resources"), "next to '*', a rule can list only resources with subresources")
