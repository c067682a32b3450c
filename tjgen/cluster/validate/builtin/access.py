"""Roles and their bindings -> what the API server has against them.

Mirrors kubernetes 1.36 `pkg/apis/rbac/validation`, after the defaults of `pkg/apis/rbac/v1`.
"""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster.validate.builtin.selectors import label_selector
from tjgen.cluster.validate.fault import Fault
from tjgen.cluster.validate.place import Place
from tjgen.trees.k8s import syntax
from tjgen.trees.typing import Any

_GROUP = "rbac.authorization.k8s.io"
_SUBJECTS = ("ServiceAccount", "User", "Group")
_NO_SELECTOR = "at least one clusterRoleSelector required if aggregationRule is non-nil"


def role(tree: dict[str, Any]) -> Iterator[Fault]:
    """`ValidateRole`, metadata left out."""
    yield from _rules(tree, namespaced=True)


def cluster_role(tree: dict[str, Any]) -> Iterator[Fault]:
    """`ValidateClusterRole`, metadata left out."""
    yield from _rules(tree, namespaced=False)
    if "aggregationRule" not in tree:
        return
    selectors = tree["aggregationRule"].get("clusterRoleSelectors", ())
    at = Place().child("aggregationRule", "clusterRoleSelectors")
    if not selectors:
        yield at.required(_NO_SELECTOR)
    for position, selector in enumerate(selectors):
        wrong = [*label_selector(selector, at.item(position))]
        yield from wrong
        if wrong:
            yield at.item(position).invalid(None, "invalid label selector.")._replace(echo=True)


def _rules(tree: dict[str, Any], *, namespaced: bool) -> Iterator[Fault]:
    """`ValidatePolicyRule`."""
    for position, rule in enumerate(tree.get("rules", ())):
        at = Place().child("rules").item(position)
        if not rule.get("verbs"):
            yield at.child("verbs").required("verbs must contain at least one value")
        addresses = rule.get("nonResourceURLs")
        if addresses:
            field = at.child("nonResourceURLs")
            if namespaced:
                yield field.invalid(addresses, "namespaced rules cannot apply to non-resource URLs")
            if rule.get("apiGroups") or rule.get("resources") or rule.get("resourceNames"):
                yield field.invalid(addresses, "rules cannot apply to both regular resources and non-resource URLs")
            continue
        if not rule.get("apiGroups"):
            yield at.child("apiGroups").required("resource rules must supply at least one api group")
        if not rule.get("resources"):
            yield at.child("resources").required("resource rules must supply at least one resource")


def role_binding(tree: dict[str, Any]) -> Iterator[Fault]:
    """`ValidateRoleBinding`, metadata left out."""
    yield from _binding(tree, ("Role", "ClusterRole"), namespaced=True)


def cluster_role_binding(tree: dict[str, Any]) -> Iterator[Fault]:
    """`ValidateClusterRoleBinding`, metadata left out."""
    yield from _binding(tree, ("ClusterRole",), namespaced=False)


def _binding(tree: dict[str, Any], kinds: tuple[str, ...], *, namespaced: bool) -> Iterator[Fault]:
    reference, at = tree.get("roleRef", {}), Place("roleRef", ("roleRef",))
    group, kind, name = reference.get("apiGroup") or _GROUP, reference.get("kind", ""), reference.get("name", "")
    if group != _GROUP:
        yield at.child("apiGroup").not_supported(group, (_GROUP,))
    if kind not in kinds:
        yield at.child("kind").not_supported(kind, kinds)
    if not name:
        yield at.child("name").required()
    for message in syntax.path_segment(name):
        yield at.child("name").invalid(name, message)
    for position, subject in enumerate(tree.get("subjects", ())):
        yield from _subject(subject, Place("subjects", ("subjects",)).item(position), namespaced=namespaced)


def _subject(subject: dict[str, Any], at: Place, *, namespaced: bool) -> Iterator[Fault]:
    """`ValidateRoleBindingSubject`."""
    kind, name, group = subject.get("kind", ""), subject.get("name", ""), subject.get("apiGroup", "")
    if not name:
        yield at.child("name").required()
    if kind not in _SUBJECTS:
        yield at.child("kind").not_supported(kind, _SUBJECTS)
    elif kind != "ServiceAccount":
        if group and group != _GROUP:
            yield at.child("apiGroup").not_supported(group, (_GROUP,))
    else:
        for message in syntax.dns1123_subdomain(name) if name else ():
            yield at.child("name").invalid(name, message)
        if group:
            yield at.child("apiGroup").not_supported(group, ("",))
        if not namespaced and not subject.get("namespace"):
            yield at.child("namespace").required()
