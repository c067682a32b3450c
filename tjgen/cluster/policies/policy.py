"""A ValidatingAdmissionPolicy -> its compiled expressions, and what is wrong with them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tjgen.cluster.policies.declarations import BOOL, STRING
from tjgen.cluster.policies.engines import SERVER, Engine
from tjgen.cluster.policies.expressions import Expression
from tjgen.cluster.policies.inference import misfit
from tjgen.trees.fields.path import FieldPath, Tree, get
from tjgen.trees.typing import NamedTuple

_CONDITIONS: FieldPath = ("spec", "matchConditions")


class Validation(NamedTuple):
    """A rule of a policy."""

    expression: Expression
    message: str
    worded: Expression | None
    """The expression of the message."""
    reason: str


class CompiledPolicy(NamedTuple):
    """A policy that can be evaluated."""

    name: str
    tree: Tree
    ignores_errors: bool
    conditions: tuple[tuple[str, Expression], ...]
    variables: dict[str, Expression]
    validations: tuple[Validation, ...]
    annotations: tuple[Expression, ...]
    """The expressions of audit annotations: one that fails is an error of the policy."""
    engine: Engine = SERVER

    @property
    def param_kind(self) -> tuple[str, str] | None:
        """API version and kind of the parameters."""
        kind = self.tree["spec"].get("paramKind")
        return (kind.get("apiVersion"), kind.get("kind")) if kind else None


class PolicyProblem(NamedTuple):
    """What is wrong with a field of a policy or a binding."""

    path: FieldPath
    message: str


class _Compiler:
    """The expressions of one policy, compiled one after the other."""

    def __init__(self, *, has_params: bool) -> None:
        self.has_params = has_params
        self.variables: dict[str, Expression] = {}
        self.problems: list[PolicyProblem] = []

    def compiled(self, text: Tree, path: FieldPath, types: Sequence[str] = ()) -> Expression:
        """The expression; a result of another type than `types` is a problem. Without types, every type fits."""
        try:
            if text.__class__ is not str or not text.strip():
                raise SyntaxError("an expression is required")
            expression = Expression(text, has_params=self.has_params, variables=self.variables)
            wrong = misfit(expression.type, types) if types else ""
            if wrong:
                self.problems.append(PolicyProblem(path, f"the expression {wrong}"))
            return expression
        except SyntaxError as problem:
            self.problems.append(PolicyProblem(path, f"the expression does not compile: {problem.msg}"))
            return Expression("true", has_params=False, variables={})


def compile_policy(tree: Tree) -> tuple[CompiledPolicy, list[PolicyProblem]]:
    """The policy, whose structure the caller has checked, and the problems of its expressions."""
    spec = tree["spec"]
    compiler = _Compiler(has_params=bool(spec.get("paramKind")))
    for position, one in enumerate(spec.get("variables") or ()):
        path: FieldPath = ("spec", "variables", position)
        # A variable reads those before it.
        compiler.variables[one.get("name")] = compiler.compiled(one.get("expression"), (*path, "expression"))
    conditions = tuple(
        (
            str(one.get("name")),
            compiler.compiled(one.get("expression"), (*_CONDITIONS, position, "expression"), (BOOL,)),
        )
        for position, one in enumerate(spec.get("matchConditions") or ())
    )
    validations = tuple(_validations(spec, compiler))
    annotations = tuple(
        compiler.compiled(one.get("valueExpression"), ("spec", "auditAnnotations", position, "valueExpression"), (STRING, "null"))
        for position, one in enumerate(spec.get("auditAnnotations") or ())
    )
    name = str(get(tree, ("metadata", "name"), ""))
    ignores = spec.get("failurePolicy") == "Ignore"
    return CompiledPolicy(name, tree, ignores, conditions, compiler.variables, validations, annotations), compiler.problems


def _validations(spec: Tree, compiler: _Compiler) -> Iterator[Validation]:
    for position, one in enumerate(spec.get("validations") or ()):
        path: FieldPath = ("spec", "validations", position)
        worded = one.get("messageExpression")
        yield Validation(
            compiler.compiled(one.get("expression"), (*path, "expression"), (BOOL,)),
            str(one.get("message") or "").strip(),
            compiler.compiled(worded, (*path, "messageExpression"), (STRING,)) if worded else None,
            str(one.get("reason") or "Invalid"),
        )
