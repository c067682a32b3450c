"""Files of policies, bindings, parameters and Namespaces -> the policies of a cluster, and what is wrong with the files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from tjgen.cluster.policies.conversion import PolicyEngine
from tjgen.cluster.policies.evaluation import Binding, Policies
from tjgen.cluster.policies.matching import NAME_LABEL, KnownNamespace
from tjgen.cluster.policies.policy import CompiledPolicy, PolicyProblem, compile_policy
from tjgen.cluster.policies.stored import stored
from tjgen.cluster.policies.table import BINDING, POLICY, engine_of, is_policy
from tjgen.cluster.schema import store
from tjgen.cluster.trainer.placed import Placed
from tjgen.cluster.validate.check import manifests
from tjgen.cluster.validate.judge import judge
from tjgen.cluster.validate.report import diagnostics, subject_of
from tjgen.trees.budgets import DEFAULT, CommandBudgets
from tjgen.trees.diagnostics.model import Diagnostic, has_errors
from tjgen.trees.fields.path import FieldPath, Tree, get
from tjgen.trees.source import reader
from tjgen.trees.typing import Any

_COVERAGE = ("TJ520", "TJ521")
"""A kind that is only partly checked is not evidence about policies."""


def read(
    files: Iterable[tuple[str, bytes]],
    *,
    versions: Mapping[str, str] | None = None,
    budgets: CommandBudgets = DEFAULT,
) -> tuple[list[Placed], list[Diagnostic]]:
    """The objects of files, and what is wrong with them. A policy with an error is not among the objects."""
    objects: list[Placed] = []
    findings: list[Diagnostic] = []
    for file, content in files:
        documents, problems = reader.read(content, file, reader.KUBERNETES, budgets)
        findings += problems
        for document in documents:
            for tree, path in manifests(document.value):
                one = Placed(tree, document, path)
                verdict = judge(tree, versions=versions)
                wrong = [one.at(each) for each in diagnostics(tree, verdict) if each.code not in _COVERAGE]
                findings += wrong
                if tree.__class__ is dict and not has_errors(wrong):
                    objects.append(one)
    return objects, findings


def policies_of(
    objects: Sequence[Placed],
    *,
    namespaces: Mapping[str, Tree] | None = None,
    defaults: Mapping[str, str] | None = None,
    versions: Mapping[str, str] | None = None,
) -> tuple[Policies, list[Diagnostic]]:
    """The policies among objects, with the other objects as parameters and namespaces, and TJ553 and TJ555.

    `namespaces` are Namespaces that no file has, by name. `defaults` are labels of the namespaces that are described nowhere.
    """
    diagnostics: list[Diagnostic] = []
    policies: list[CompiledPolicy] = []
    bindings: list[Placed] = []
    converted: list[Binding] = []
    params: list[Tree] = []
    known = {name: _namespace(tree) for name, tree in (namespaces or {}).items()}
    names: set[str] = set()
    for one in objects:
        kind = one.tree.get("kind")
        engine = engine_of(one.tree)
        if engine is not None:
            each = engine.convert(_with_defaults(one.tree))
            converted.append(each.binding)
            policies += [each.policy] if each.policy is not None else []
            diagnostics += [one.at(_omitted(one.tree, engine, problem)) for problem in each.omitted]
        elif not is_policy(one.tree):
            stored_object = stored(one.tree, versions=versions)
            params.append(stored_object.tree if stored_object is not None else _with_namespace(one.tree))
            if (one.tree.get("apiVersion"), kind) == ("v1", "Namespace") and stored_object is not None:
                known[str(get(stored_object.tree, ("metadata", "name"), ""))] = _namespace(stored_object.tree)
        elif kind == BINDING:
            bindings.append(one)
        else:
            names.add(str(get(one.tree, ("metadata", "name"), "")))
            policy, problems = compile_policy(_with_defaults(one.tree))
            problems += _structure_problems(policy.tree)
            diagnostics += [one.at(_invalid(one.tree, problem)) for problem in problems]
            if not problems:
                policies.append(policy)
    diagnostics += [one.at(each) for one in bindings for each in _of_binding(_with_defaults(one.tree), names)]
    bound = {str(get(one.tree, ("spec", "policyName"), "")) for one in bindings}
    diagnostics += [
        one.at(_unbound(one.tree))
        for one in objects
        if is_policy(one.tree) and one.tree["kind"] == POLICY and get(one.tree, ("metadata", "name"), "") not in bound
    ]
    kinds = {(str(one.get("apiVersion")), str(one.get("kind"))) for one in params}
    known_kinds = {
        kind for policy in policies if (kind := policy.param_kind) and store.find(*kind, versions=versions) is not None
    }
    return (
        Policies(
            tuple(policies),
            (*(_binding(one.tree) for one in bindings), *converted),
            tuple(params),
            known,
            dict(defaults or {}),
            frozenset(_unscoped(known_kinds, versions)),
            frozenset(kinds | known_kinds),
        ),
        diagnostics,
    )


def _unscoped(kinds: Iterable[tuple[str, str]], versions: Mapping[str, str] | None) -> Iterator[tuple[str, str]]:
    for kind in kinds:
        schema = store.find(*kind, versions=versions)
        if schema is not None and schema["x-tjgen-resource"]["scope"] != "Namespaced":
            yield kind


def _namespace(tree: Tree) -> KnownNamespace:
    metadata = tree["metadata"]
    labels = {NAME_LABEL: metadata["name"], **(metadata.get("labels") or {})}
    own = {"spec": {"finalizers": ["kubernetes"]}, "status": {"phase": "Active"}}
    kept = {key: metadata[key] for key in ("name", "annotations") if key in metadata}
    return KnownNamespace({**own, "metadata": {**kept, "labels": labels}}, is_known=True)


def _with_namespace(tree: Tree) -> Tree:
    """A parameter of a kind without a schema: it is in a namespace if it names one."""
    return {**tree, "metadata": tree.get("metadata") or {}}


def _with_defaults(tree: Tree) -> Tree:
    """A policy or a binding as the server reads it: without nulls."""
    stored_object = stored(tree)
    return {"spec": {}, **(stored_object.tree if stored_object is not None else tree)}


def _binding(tree: Tree) -> Binding:
    return Binding(str(get(tree, ("metadata", "name"), "")), str(get(tree, ("spec", "policyName"), "")), _with_defaults(tree))


_ACTIONS = ("Audit", "Deny", "Warn")


def _of_binding(tree: Tree, policies: set[str]) -> Iterator[Diagnostic]:
    spec = tree.get("spec") or {}
    actions, name = spec.get("validationActions") or [], spec.get("policyName")
    wrong = [one for one in actions if one not in _ACTIONS]
    if not name:
        yield _invalid(tree, PolicyProblem(("spec",), "policyName is required"))
    elif name not in policies:
        message = f'no file has the policy "{name}", so this binding has no effect here'
        hint = "also pass the file of the policy, or correct policyName"
        yield Diagnostic("TJ555", message, subject_of(tree), ("spec", "policyName"), hint=hint)
    if not actions or wrong or len(set(actions)) < len(actions) or {"Deny", "Warn"} <= set(actions):
        message = "validationActions is a list of Audit with Deny or Warn, each once"
        yield _invalid(tree, PolicyProblem(("spec", "validationActions") if actions else ("spec",), message))
    reference = spec.get("paramRef")
    if reference is not None:
        if bool(reference.get("name")) == ("selector" in reference):
            yield _invalid(tree, PolicyProblem(("spec", "paramRef"), "paramRef requires either name or selector"))
        if reference.get("parameterNotFoundAction") not in ("Allow", "Deny"):
            yield _invalid(tree, PolicyProblem(("spec", "paramRef"), "paramRef requires parameterNotFoundAction: Allow or Deny"))


def _omitted(tree: Tree, engine: PolicyEngine, problem: PolicyProblem) -> Diagnostic:
    part = f"validation {int(str(problem.path[2])) + 1} of policy" if problem.path[:2] == ("spec", "validations") else "policy"
    message = f"{part} {get(tree, ('metadata', 'name'), '')} of {engine.title} is not evaluated: {problem.message}"
    hint = f"also check objects with the command of {engine.title}: {engine.command}"
    return Diagnostic("TJ570", message, subject_of(tree), problem.path, hint=hint)


def _invalid(tree: Tree, problem: PolicyProblem) -> Diagnostic:
    hint = "correct the policy: the API server refuses it as it is"
    return Diagnostic("TJ553", problem.message, subject_of(tree), problem.path, hint=hint)


def _unbound(tree: Tree) -> Diagnostic:
    message = f'no file has a binding of the policy "{get(tree, ("metadata", "name"), "")}", so the policy has no effect'
    hint = "add a ValidatingAdmissionPolicyBinding"
    return Diagnostic("TJ555", message, subject_of(tree), ("metadata", "name"), hint=hint)


# A ValidatingAdmissionPolicy -> what the server requires of it beyond the types of its fields and its expressions.
#
# Mirrors kubernetes 1.36 `pkg/apis/admissionregistration/validation`.

_OPERATIONS = ("*", "CONNECT", "CREATE", "DELETE", "UPDATE")
_OPERATORS = ("In", "NotIn", "Exists", "DoesNotExist")


def _structure_problems(tree: Tree) -> Iterator[PolicyProblem]:
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
