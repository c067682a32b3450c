"""The kinds of policies, and the engines that convert their own: group and kind -> the engine, loaded when there is a policy.

To add an engine, write its module and add one line here. Tests compare the table with the modules of this package.
"""

from __future__ import annotations

from tjgen.trees.fields.path import Tree
from tjgen.trees.typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from tjgen.cluster.policies.conversion import PolicyEngine

API_VERSION = "admissionregistration.k8s.io/v1"
POLICY, BINDING = "ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding"
ENGINES: dict[tuple[str, str], str] = {("policies.kyverno.io", "ValidatingPolicy"): "kyverno"}
"""Group and kind of the policies of an engine besides the API server -> its module of this package."""
POLICIES = (POLICY, *[kind for _, kind in ENGINES])
"""The names of all kinds of policies."""


def is_policy(tree: Tree) -> bool:
    """Whether an object is a policy or a binding of Kubernetes itself."""
    return tree.__class__ is dict and tree.get("apiVersion") == API_VERSION and tree.get("kind") in (POLICY, BINDING)


def engine_of(tree: Tree) -> PolicyEngine | None:
    """The engine whose policy an object is; None for other objects, and for policies of Kubernetes itself."""
    if tree.__class__ is not dict:
        return None
    module = ENGINES.get((str(tree.get("apiVersion")).rpartition("/")[0], str(tree.get("kind"))))
    if module is None:
        return None
    return cast("PolicyEngine", __import__(f"tjgen.cluster.policies.{module}", fromlist=["ENGINE"]).ENGINE)
