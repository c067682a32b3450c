"""Label and node selectors, and affinities -> the errors of the API server.

Mirrors k8s.io/apimachinery 0.36 `apis/meta/v1/validation:ValidateLabelSelector` and kubernetes 1.36
`pkg/apis/core/validation` (ValidateNodeSelector, validateAffinity).
"""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster.validate.fault import Fault
from tjgen.cluster.validate.metadata import labels
from tjgen.cluster.validate.place import Place
from tjgen.cluster.validate.wording import GoStruct
from tjgen.trees.k8s import syntax
from tjgen.trees.typing import Any

_NEEDS_VALUES = "must be specified when `operator` is 'In' or 'NotIn'"
_TAKES_NO_VALUES = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"
_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"


def label_name(name: str, at: Place) -> Iterator[Fault]:
    """`ValidateLabelName`."""
    for message in syntax.label_key(name):
        yield at.invalid(name, message)


def label_selector(selector: dict[str, Any] | None, at: Place, *, any_values: bool = False) -> Iterator[Fault]:
    """`ValidateLabelSelector`; with `any_values` those of expressions need not be label values."""
    if selector is None:
        return
    yield from labels(selector.get("matchLabels", {}), at.child("matchLabels"))
    for position, expression in enumerate(selector.get("matchExpressions", ())):
        element = at.child("matchExpressions").item(position)
        operator, values = expression.get("operator", ""), expression.get("values", ())
        if operator in ("In", "NotIn"):
            if not values:
                yield element.child("values").required(_NEEDS_VALUES)
        elif operator in ("Exists", "DoesNotExist"):
            if values:
                yield element.child("values").forbidden(_TAKES_NO_VALUES)
        else:
            yield element.child("operator").invalid(operator, "not a valid selector operator")
        yield from label_name(expression.get("key", ""), element.child("key"))
        if not any_values:
            yield from _label_values(values, element.child("values"))


def matches(selector: dict[str, Any] | None, given: dict[str, str]) -> bool:
    """Whether a selector without faults picks what is labelled so (`LabelSelectorAsSelector`)."""
    if selector is None:
        return False
    if any(given.get(key) != value for key, value in selector.get("matchLabels", {}).items()):
        return False
    return all(_expression_matches(expression, given) for expression in selector.get("matchExpressions", ()))


def shown_selector(selector: dict[str, Any]) -> GoStruct:
    """A LabelSelector as the server shows it."""
    shown = {name: selector[name] for name in ("matchLabels", "matchExpressions") if selector.get(name)}
    if "matchExpressions" in shown:
        shown["matchExpressions"] = [_shown_expression(expression) for expression in shown["matchExpressions"]]
    return GoStruct(shown)


def _shown_expression(expression: dict[str, Any]) -> GoStruct:
    always = {name: expression.get(name, "") for name in ("key", "operator")}
    return GoStruct(always | ({"values": expression["values"]} if expression.get("values") else {}))


def _expression_matches(expression: dict[str, Any], given: dict[str, str]) -> bool:
    value, operator = given.get(expression["key"]), expression["operator"]
    holds = value in expression["values"] if operator in ("In", "NotIn") else value is not None
    return holds is (operator in ("In", "Exists"))


def _label_values(values: Any, at: Place) -> Iterator[Fault]:
    for position, value in enumerate(values):
        for message in syntax.label_value(value):
            yield at.item(position).invalid(value, message)


def node_selector(selector: dict[str, Any], at: Place) -> Iterator[Fault]:
    """`ValidateNodeSelector`."""
    terms = selector.get("nodeSelectorTerms", ())
    if not terms:
        yield at.child("nodeSelectorTerms").required("must have at least one node selector term")
    for position, term in enumerate(terms):
        yield from _node_selector_term(term, at.child("nodeSelectorTerms").item(position), any_values=False)


def _node_selector_term(term: dict[str, Any], at: Place, *, any_values: bool) -> Iterator[Fault]:
    for position, requirement in enumerate(term.get("matchExpressions", ())):
        yield from _node_requirement(requirement, at.child("matchExpressions").item(position), any_values=any_values)
    for position, requirement in enumerate(term.get("matchFields", ())):
        yield from _node_field(requirement, at.child("matchFields").item(position))


def _node_requirement(requirement: dict[str, Any], at: Place, *, any_values: bool) -> Iterator[Fault]:
    operator, values = requirement.get("operator", ""), requirement.get("values", ())
    if operator in ("In", "NotIn"):
        if not values:
            yield at.child("values").required(_NEEDS_VALUES)
    elif operator in ("Exists", "DoesNotExist"):
        if values:
            yield at.child("values").forbidden(_TAKES_NO_VALUES)
    elif operator in ("Gt", "Lt"):
        if len(values) != 1:
            yield at.child("values").required("must be specified single value when `operator` is 'Lt' or 'Gt'")
    else:
        yield at.child("operator").invalid(operator, "not a valid selector operator")
    yield from label_name(requirement.get("key", ""), at.child("key"))
    if not any_values:
        yield from _label_values(values, at.child("values"))


def _node_field(requirement: dict[str, Any], at: Place) -> Iterator[Fault]:
    operator, values = requirement.get("operator", ""), requirement.get("values", ())
    if operator not in ("In", "NotIn"):
        yield at.child("operator").invalid(operator, "not a valid selector operator")
    elif len(values) != 1:
        yield at.child("values").required("must be only one value when `operator` is 'In' or 'NotIn' for node field selector")
    if requirement.get("key") != "metadata.name":
        yield at.child("key").invalid(requirement.get("key", ""), "not a valid field selector key")
        return
    for position, value in enumerate(values):
        for message in syntax.dns1123_subdomain(value):
            yield at.child("values").item(position).invalid(value, message)


def affinity(given: dict[str, Any], at: Place) -> Iterator[Fault]:
    """`validateAffinity`."""
    node = given.get("nodeAffinity")
    if node is not None:
        yield from _node_affinity(node, at.child("nodeAffinity"))
    for kind in ("podAffinity", "podAntiAffinity"):
        pod = given.get(kind, {})
        for position, term in enumerate(pod.get(_REQUIRED, ())):
            yield from _pod_affinity_term(term, at.child(kind, _REQUIRED).item(position))
        for position, weighted in enumerate(pod.get(_PREFERRED, ())):
            element = at.child(kind, _PREFERRED).item(position)
            yield from _weight(weighted, element)
            yield from _pod_affinity_term(weighted.get("podAffinityTerm", {}), element.child("podAffinityTerm"))


def _node_affinity(node: dict[str, Any], at: Place) -> Iterator[Fault]:
    if _REQUIRED in node:
        yield from node_selector(node[_REQUIRED], at.child(_REQUIRED))
    for position, term in enumerate(node.get(_PREFERRED, ())):
        element = at.child(_PREFERRED).item(position)
        yield from _weight(term, element)
        yield from _node_selector_term(term.get("preference", {}), element.child("preference"), any_values=True)


def _weight(term: dict[str, Any], at: Place) -> Iterator[Fault]:
    if not 1 <= term.get("weight", 0) <= 100:
        yield at.child("weight").invalid(term.get("weight", 0), "must be in the range 1-100")


def _pod_affinity_term(term: dict[str, Any], at: Place) -> Iterator[Fault]:
    yield from label_selector(term.get("labelSelector"), at.child("labelSelector"))
    yield from label_selector(term.get("namespaceSelector"), at.child("namespaceSelector"))
    for position, namespace in enumerate(term.get("namespaces", ())):
        for message in syntax.dns1123_label(namespace):
            field = Place(f"{at.field}.namespace", (*at.path, "namespaces", position))
            yield field.invalid(namespace, message)
    yield from match_label_keys(term, at)
    topology = term.get("topologyKey", "")
    if not topology:
        yield at.child("topologyKey").required("can not be empty")
    yield from label_name(topology, at.child("topologyKey"))


def match_label_keys(term: dict[str, Any], at: Place) -> Iterator[Fault]:
    """`ValidateMatchLabelKeysAndMismatchLabelKeys`."""
    selector = term.get("labelSelector")
    match, mismatch = term.get("matchLabelKeys", []), term.get("mismatchLabelKeys", [])
    for name, keys in (("matchLabelKeys", match), ("mismatchLabelKeys", mismatch)):
        if keys and selector is None:
            yield at.child(name).forbidden("must not be specified when labelSelector is not set")
            continue
        for position, key in enumerate(keys):
            yield from label_name(key, at.child(name).item(position))
    if selector is not None:
        places = {key: position for position, key in enumerate(match)}
        seen = set(selector.get("matchLabels", {}))
        for expression in selector.get("matchExpressions", ()):
            key = expression.get("key", "")
            if key in places and key in seen:
                field = Place(f"{at.field}[{places[key]}]", (*at.path, "matchLabelKeys", places[key]))
                yield field.invalid(key, "exists in both matchLabelKeys and labelSelector")
            seen.add(key)
    for position, key in enumerate(match):
        if key in mismatch:
            yield at.child("matchLabelKeys").item(position).invalid(key, "exists in both matchLabelKeys and mismatchLabelKeys")
