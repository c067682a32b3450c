"""Policies with their bindings, and a request -> the decisions of an API server.

Mirrors k8s.io/apiserver 0.36 `pkg/admission/plugin/policy/validating`: dispatcher.go, validator.go, and `generic:CollectParams`.
Of audit annotations, only errors have an effect.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tjgen.cluster.policies.expressions import BUDGET, Expression, Lazy, deciding
from tjgen.cluster.policies.matching import NAME_LABEL, AdmissionRequest, KnownNamespace, is_uncertain, matches
from tjgen.cluster.policies.policy import CompiledPolicy
from tjgen.cluster.validate.builtin.selectors import matches as selects
from tjgen.cluster.validate.cel.compilation import VARIABLES
from tjgen.cluster.validate.cel.comprehensions import Scope
from tjgen.cluster.validate.cel.meter import EXHAUSTED, MOST_OF_CALL, MOST_OF_CONDITIONS, MOST_OF_OBJECT, Budget, BudgetError
from tjgen.cluster.validate.cel.values import CelError
from tjgen.trees.budgets import DEFAULT, Clock
from tjgen.trees.fields.path import FieldPath, Tree
from tjgen.trees.typing import Any, NamedTuple

_NO_PARAMS = "no params found for policy binding with `Deny` parameterNotFoundAction"
_CLUSTER_SCOPED = "cannot use namespaced paramRef in policy binding that matches cluster-scoped resources"
_FAILED = "failed to configure binding: "
DENY = "Deny"


class Binding(NamedTuple):
    """A binding of a policy."""

    name: str
    policy: str
    tree: Tree

    @property
    def actions(self) -> tuple[str, ...]:
        return tuple(self.tree["spec"].get("validationActions") or ())


class FailedValidation(NamedTuple):
    """A validation that a request fails."""

    policy: str
    binding: str
    message: str
    """As the server writes it."""
    actions: tuple[str, ...]
    reason: str
    validation: int | None
    """The position of the validation in the policy; None for an error before the validations."""
    path: FieldPath
    """The field of the object that decides; empty for the object as a whole."""


class Gap(NamedTuple):
    """An input of a matching policy that is available only in the cluster."""

    policy: str
    binding: str
    words: str


class ExpensivePolicy(NamedTuple):
    """A policy that costs more than half of what the server evaluates: for a larger object, it can fail."""

    policy: str
    binding: str
    cost: int
    most: int


class Policies(NamedTuple):
    """Policies, their bindings, and the objects that they read."""

    policies: tuple[CompiledPolicy, ...] = ()
    bindings: tuple[Binding, ...] = ()
    params: tuple[Tree, ...] = ()
    """Objects that can be parameters."""
    namespaces: Mapping[str, KnownNamespace] = {}
    defaults: Mapping[str, str] = {}
    """Labels of the namespaces that no file describes."""
    unscoped: frozenset[tuple[str, str]] = frozenset()
    """Kinds of parameters that are known to be in no namespace."""
    kinds: frozenset[tuple[str, str]] | None = None
    """The kinds of parameters of the cluster; None if they are not known."""
    seconds: int = DEFAULT.seconds
    """The time that all policies may take for one object."""

    def namespace_of(self, request: AdmissionRequest) -> KnownNamespace | None:
        """The namespace of the object of a request; None if it is in none."""
        if request.is_namespace:
            return KnownNamespace(request.new.tree, is_known=True)
        return self.namespace(request.namespace) if request.namespace else None

    def namespace(self, name: str) -> KnownNamespace:
        """The namespace of that name; if no file describes it, with the label of every namespace."""
        known = self.namespaces.get(name)
        if known is not None:
            return known
        metadata: dict[str, Any] = {"name": name, "labels": {NAME_LABEL: name}}
        metadata["labels"] |= self.defaults
        tree = {"metadata": metadata, "spec": {"finalizers": ["kubernetes"]}, "status": {"phase": "Active"}}
        return KnownNamespace(tree, is_known=False)


def decide(policies: Policies, request: AdmissionRequest) -> tuple[list[FailedValidation], list[Gap | ExpensivePolicy]]:
    """What policies have against a request, and what could not be evaluated, or may not be by the server.

    Raises CompileError (TJ217) if it takes too long: the server limits what each binding costs, but not their number.
    """
    clock = Clock(policies.seconds, "the evaluation of the policies about one object")
    decisions: list[FailedValidation] = []
    gaps: list[Gap | ExpensivePolicy] = []
    if request.is_exempt:
        return decisions, gaps
    namespace = policies.namespace_of(request)
    for policy in policies.policies:
        constraints = policy.tree["spec"].get("matchConstraints")
        is_unsure = is_uncertain(constraints, namespace)
        has_absent = policy.engine.absent is not None
        if not matches(constraints, request, None if is_unsure else namespace, has_absent=has_absent):
            continue
        for binding in policies.bindings:
            resources = binding.tree["spec"].get("matchResources")
            is_open = is_uncertain(resources, namespace)
            if binding.policy != policy.name or not matches(resources, request, None if is_open else namespace):
                continue
            if is_unsure or is_open:
                gaps.append(Gap(policy.name, binding.name, f"no file has the labels of namespace {request.namespace}"))
                continue
            for one in _of_binding(policies, policy, binding, request, namespace):
                clock.check()
                if isinstance(one, FailedValidation):
                    decisions.append(one)
                else:
                    gaps.append(one)
    return decisions, gaps


def _of_binding(
    policies: Policies, policy: CompiledPolicy, binding: Binding, request: AdmissionRequest, namespace: KnownNamespace | None
) -> Iterator[FailedValidation | Gap | ExpensivePolicy]:
    if not _is_kind_known(policies, policy):
        yield Gap(policy.name, binding.name, f"no file has a parameter of kind {' '.join(policy.param_kind or ())}")
        return
    try:
        params = list(_params(policies, policy, binding, request))
    except CelError as problem:
        if not policy.ignores_errors:
            # A problem of the configuration denies, regardless of the actions of the binding.
            yield FailedValidation(policy.name, binding.name, f"{_FAILED}{problem}", (DENY,), "Invalid", None, ())
        return
    for param in params:
        yield from _validated(policy, binding, request, _scope(request, param, namespace, policy.engine.absent))


def _params(policies: Policies, policy: CompiledPolicy, binding: Binding, request: AdmissionRequest) -> Iterator[Tree]:
    """The parameters; None for a policy without. Raises CelError for a wrong configuration."""
    kind, reference = policy.param_kind, binding.tree["spec"].get("paramRef")
    if kind is None or not reference:
        yield None
        return
    is_namespaced = kind not in policies.unscoped
    place = reference.get("namespace") or request.namespace
    if is_namespaced and not place:
        raise CelError(_CLUSTER_SCOPED)
    params = [
        tree
        for tree in policies.params
        if (tree.get("apiVersion"), tree.get("kind")) == kind
        and (not is_namespaced or tree["metadata"].get("namespace") == place)
        and _is_referenced(tree, reference)
    ]
    if not params and reference.get("parameterNotFoundAction") == DENY:
        raise CelError(_NO_PARAMS)
    yield from params


def _is_kind_known(policies: Policies, policy: CompiledPolicy) -> bool:
    return policy.param_kind is None or policies.kinds is None or policy.param_kind in policies.kinds


def _is_referenced(tree: Tree, reference: Tree) -> bool:
    if reference.get("name"):
        return bool(tree["metadata"].get("name") == reference["name"])
    return selects(reference.get("selector") or {}, tree["metadata"].get("labels") or {})


def _scope(request: AdmissionRequest, param: Tree, namespace: KnownNamespace | None, absent: Tree) -> Scope:
    new = request.new
    kind = {"group": new.group, "version": new.version, "kind": new.tree["kind"]}
    resource = {"group": new.group, "version": new.version, "resource": new.plural}
    return {
        "object": new.tree,
        "oldObject": request.old.tree if request.old is not None else absent,
        "request": {
            "kind": kind,
            "resource": resource,
            "requestKind": kind,
            "requestResource": resource,
            "name": request.name,
            **({"namespace": request.namespace} if request.namespace else {}),
            "operation": request.operation,
            "dryRun": request.is_dry,
        },
        "namespaceObject": None if request.is_namespace or namespace is None else namespace.tree,
        "params": param,
    }


def _metered(policy: CompiledPolicy, scope: Scope, most: int) -> Scope:
    """The scope of expressions that share a budget, and the values of variables."""
    metered = {**scope, BUDGET: Budget(most)}
    metered[VARIABLES] = Lazy(policy.variables, metered, are_named=policy.engine.names_variables)
    return metered


def _validated(
    policy: CompiledPolicy, binding: Binding, request: AdmissionRequest, scope: Scope
) -> Iterator[FailedValidation | Gap | ExpensivePolicy]:
    budgets = MOST_OF_CONDITIONS, MOST_OF_OBJECT, MOST_OF_OBJECT
    conditions, validations, annotations = (_metered(policy, scope, most) for most in budgets)
    try:
        problem, is_met = _conditions(policy, conditions)
        if problem is not None and not policy.ignores_errors:
            path = deciding(problem[0], conditions, policy.variables, request.new.tree)
            yield FailedValidation(policy.name, binding.name, problem[1], binding.actions, "Invalid", None, path)
        if problem is not None or not is_met:
            return
        unknown = next((condition.unknown for _, condition in policy.conditions if condition.unknown), "")
        if unknown:
            yield Gap(policy.name, binding.name, f"a match condition reads {unknown}")
            return
        # If the budget does not suffice, no result counts.
        yield from [*_validations(policy, binding, request, validations), *_annotations(policy, binding, annotations)]
    except BudgetError:
        if not policy.ignores_errors:
            yield FailedValidation(policy.name, binding.name, EXHAUSTED, binding.actions, "Invalid", None, ())
        return
    budget = validations[BUDGET]
    for cost, most in ((budget.highest, MOST_OF_CALL), (budget.cost, MOST_OF_OBJECT)):
        if most // 2 < cost <= most:
            yield ExpensivePolicy(policy.name, binding.name, cost, most)


def _validations(
    policy: CompiledPolicy, binding: Binding, request: AdmissionRequest, scope: Scope
) -> Iterator[FailedValidation | Gap]:
    engine = policy.engine
    ignores_errors = policy.ignores_errors and engine.ignores_validations
    for position, validation in enumerate(policy.validations):
        if validation.expression.unknown:
            yield Gap(policy.name, binding.name, f"validation {position + 1} reads {validation.expression.unknown}")
            continue
        try:
            is_good = validation.expression.evaluate(scope) is True
            message, reason = "", validation.reason
        except CelError as error:
            if ignores_errors:
                continue
            is_good, reason = False, "Invalid"
            message = engine.error(validation.expression, error)
        if not is_good:
            path = deciding(validation.expression, scope, policy.variables, request.new.tree)
            message = message or engine.message(validation.expression, validation.message, validation.worded, scope)
            yield FailedValidation(policy.name, binding.name, message, binding.actions, reason, position, path)


def _annotations(policy: CompiledPolicy, binding: Binding, scope: Scope) -> Iterator[FailedValidation]:
    engine = policy.engine
    ignores_errors = policy.ignores_errors and engine.ignores_validations
    keys = [str(one.get("key")) for one in policy.tree["spec"].get("auditAnnotations") or ()]
    for key, annotation in zip(keys, policy.annotations, strict=True) if not ignores_errors else ():
        try:
            annotation.evaluate(scope) if not annotation.unknown else None
        except CelError as error:
            message = engine.error_of_annotation(key, annotation, error)
            yield FailedValidation(policy.name, binding.name, message, (DENY,), "Invalid", None, ())


def _conditions(policy: CompiledPolicy, scope: Scope) -> tuple[tuple[Expression, str] | None, bool]:
    """The errors of conditions, if any counts, and whether the conditions are met."""
    problems: list[tuple[Expression, CelError]] = []
    for _, condition in policy.conditions:
        if condition.unknown:
            continue
        try:
            if condition.evaluate(scope) is False:
                return None, False
        except CelError as error:
            problems.append((condition, error))
    return (problems[0][0], policy.engine.errors_of_conditions(problems)) if problems else None, not problems


def first_denial(decisions: Sequence[FailedValidation]) -> FailedValidation | None:
    """The decision whose message the server sends."""
    return next((one for one in decisions if DENY in one.actions), None)
