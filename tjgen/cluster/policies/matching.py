"""A request and the match rules of a policy or a binding -> whether they match.

Mirrors k8s.io/apiserver 0.36 `pkg/admission/plugin/policy/matching:Matcher.Matches`, and `predicates/rules`. The kinds that are
known here have one version each, so `matchPolicy: Equivalent` matches what `Exact` does.
"""

from __future__ import annotations

from collections.abc import Mapping

from tjgen.cluster.policies.stored import Stored
from tjgen.cluster.validate.builtin.selectors import matches as selects
from tjgen.trees.fields.path import Tree
from tjgen.trees.typing import NamedTuple

CREATE = "CREATE"
UPDATE = "UPDATE"
_EXEMPT = "admissionregistration.k8s.io"
NAME_LABEL = "kubernetes.io/metadata.name"


class AdmissionRequest(NamedTuple):
    """An object that is created, or replaces `old`."""

    new: Stored
    old: Stored | None = None
    is_dry: bool = False

    @property
    def operation(self) -> str:
        return CREATE if self.old is None else UPDATE

    @property
    def name(self) -> str:
        return str(self.new.tree["metadata"].get("name") or "")

    @property
    def namespace(self) -> str:
        """The namespace, which of a Namespace is itself; empty for other objects that are in none."""
        if self.is_namespace:
            return self.name
        return str(self.new.tree["metadata"].get("namespace") or "") if self.new.is_namespaced else ""

    @property
    def is_namespace(self) -> bool:
        return (self.new.group, self.new.plural) == ("", "namespaces")

    @property
    def is_exempt(self) -> bool:
        """Whether policies leave the object alone, since they could not be repaired otherwise."""
        return self.new.group == _EXEMPT


class KnownNamespace(NamedTuple):
    """A namespace as far as it is known."""

    tree: Tree
    is_known: bool

    @property
    def labels(self) -> Mapping[str, str]:
        return self.tree["metadata"].get("labels") or {}


def matches(rules: Tree, request: AdmissionRequest, namespace: KnownNamespace | None, *, has_absent: bool = False) -> bool:
    """Whether `matchConstraints` or `matchResources` match the request; `namespace` is None for objects that are in none.

    `has_absent`: whether the engine compares an old object that does not exist like one without labels.
    """
    rules = rules or {}
    if namespace is not None and not selects(rules.get("namespaceSelector") or {}, dict(namespace.labels)):
        return False
    sides = [side.tree["metadata"].get("labels") or {} for side in (request.new, request.old) if side is not None]
    if has_absent and request.old is None:
        sides.append({})
    if not any(selects(rules.get("objectSelector") or {}, labels) for labels in sides):
        return False
    if any(_is_of(rule, request) for rule in rules.get("excludeResourceRules") or ()):
        return False
    wanted = rules.get("resourceRules")
    return not wanted or any(_is_of(rule, request) for rule in wanted)


def is_uncertain(rules: Tree, namespace: KnownNamespace | None) -> bool:
    """Whether the namespace selector reads labels that are not known."""
    selector = (rules or {}).get("namespaceSelector") or {}
    read = {*(selector.get("matchLabels") or ()), *(one["key"] for one in selector.get("matchExpressions") or ())}
    return namespace is not None and not namespace.is_known and bool(read - {NAME_LABEL})


def _is_of(rule: Tree, request: AdmissionRequest) -> bool:
    new = request.new
    scope = rule.get("scope") or "*"
    is_in_none = request.is_namespace or not request.namespace
    if scope != "*" and (scope == "Cluster") != is_in_none:
        return False
    names = rule.get("resourceNames")
    return (
        _has(rule.get("operations"), request.operation)
        and _has(rule.get("apiGroups"), new.group)
        and _has(rule.get("apiVersions"), new.version)
        and any(_is_resource(one, new.plural) for one in rule.get("resources") or ())
        and (not names or request.name in names)
    )


def _has(options: Tree, value: str) -> bool:
    return any(option in ("*", value) for option in options or ())


def _is_resource(written: str, plural: str) -> bool:
    resource, _, part = written.partition("/")
    return resource in ("*", plural) and part in ("", "*")
