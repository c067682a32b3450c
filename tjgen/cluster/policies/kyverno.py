"""A ValidatingPolicy of Kyverno -> the ValidatingAdmissionPolicy and binding with the same effect, and what has no such form.

Mirrors Kyverno v1.19 `pkg/cel/policies/vpol`: compiler/policy.go and engine/engine.go. Kyverno stops at the
first validation that fails; here all are reported.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tjgen.cluster.policies.conversion import Converted, PolicyEngine
from tjgen.cluster.policies.engines import Engine
from tjgen.cluster.policies.evaluation import DENY, Binding
from tjgen.cluster.policies.expressions import Expression
from tjgen.cluster.policies.policy import PolicyProblem, compile_policy
from tjgen.cluster.validate.cel.comprehensions import Scope
from tjgen.cluster.validate.cel.values import CelError
from tjgen.trees.fields.path import FieldPath, Tree, get
from tjgen.trees.typing import Any

_SHARED = ("matchConstraints", "matchConditions", "variables", "validations", "auditAnnotations", "failurePolicy")
"""Fields that both kinds of policies have, with the same types."""
_VALIDATIONS: FieldPath = ("spec", "validations")
_EVALUATION: FieldPath = ("spec", "evaluation")


class _Kyverno(Engine):
    """The webhook of Kyverno."""

    absent: Any = {}  # noqa: RUF012  # a value
    ignores_validations = False
    names_variables = False

    def error(self, expression: Expression, error: CelError) -> str:
        return f"error: {error}"

    def errors_of_conditions(self, problems: Sequence[tuple[Expression, CelError]]) -> str:
        return f"failed to load context: {'; '.join(str(error) for _, error in problems)}"

    def error_of_annotation(self, key: str, expression: Expression, error: CelError) -> str:
        return f"failed to load context: failed to evaluate auditAnnotation '{key}': {error}"

    def message(self, expression: Expression, message: str, worded: Expression | None, scope: Scope) -> str:
        if worded is None or worded.unknown:
            return message
        try:
            return str(worded.evaluate(scope)).strip()
        except CelError as error:
            return f"failed to evaluate message expression: {error}"


_WEBHOOK = _Kyverno()


def converted(tree: Tree) -> Converted:
    """The policy and its binding. A validation that uses functions of Kyverno is omitted; elsewhere, they omit the policy."""
    spec = tree.get("spec") or {}
    # A ValidatingAdmissionPolicy cannot have a space in its name.
    name = f"{get(tree, ('metadata', 'name'), '')} of Kyverno"
    actions = spec.get("validationActions") or [DENY]
    binding = Binding("", name, {"spec": {"policyName": name, "validationActions": actions}})
    omitted = list(_disabled(spec))
    own = {field: spec[field] for field in _SHARED if field in spec}
    own["validations"] = [_with_message(one, number) for number, one in enumerate(spec.get("validations") or ())]
    policy, problems = compile_policy({"metadata": {"name": name}, "spec": own})
    wrong = {problem.path[2] for problem in problems if problem.path[:2] == _VALIDATIONS}
    omitted += [problem._replace(message=f"it may use functions of Kyverno ({problem.message})") for problem in problems]
    if omitted and (len(wrong) < len(omitted) or len(wrong) == len(policy.validations)):
        return Converted(None, binding, omitted)
    always = Expression("true", has_params=False, variables={})
    validations = [one._replace(expression=always) if number in wrong else one for number, one in enumerate(policy.validations)]
    return Converted(policy._replace(validations=tuple(validations), engine=_WEBHOOK), binding, omitted)


ENGINE = PolicyEngine("Kyverno", "kyverno apply", converted)


def _disabled(spec: Tree) -> Iterator[PolicyProblem]:
    """Policies that Kyverno does not evaluate on admission of Kubernetes objects."""
    if get(spec, ("evaluation", "mode"), "Kubernetes") == "JSON":
        yield PolicyProblem((*_EVALUATION, "mode"), "it is for JSON documents, not for Kubernetes objects")
    if get(spec, ("evaluation", "admission", "enabled"), True) is False:
        yield PolicyProblem((*_EVALUATION, "admission", "enabled"), "Kyverno does not evaluate it on admission")


def _with_message(validation: Tree, number: int) -> Tree:
    return {**validation, "message": validation.get("message") or f"CEL expression validation failed at index {number}"}
