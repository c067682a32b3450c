"""Admission policies of Kubernetes that tests write into files."""

from __future__ import annotations

import json

_API_VERSION = "admissionregistration.k8s.io/v1"


def binding(name: str, action: str = "Deny") -> str:
    """A YAML document: the binding of a policy, which has the same name."""
    return (
        f"---\napiVersion: {_API_VERSION}\nkind: ValidatingAdmissionPolicyBinding\nmetadata: {{name: {name}}}\n"
        f"spec: {{policyName: {name}, validationActions: [{action}]}}\n"
    )


def policy(
    expression: str,
    *,
    name: str = "p",
    resources: tuple[str, ...] = ("pods",),
    groups: tuple[str, ...] = ("",),
    operation: str = "CREATE",
    message: str = "",
    fields: str = "",
) -> str:
    """A YAML document: a policy with one validation for resources of any version; `fields`: more lines of its spec."""
    rule = {"apiGroups": groups, "apiVersions": ["*"], "operations": [operation], "resources": resources}
    validation = {"expression": expression} | ({"message": message} if message else {})
    return (
        f"apiVersion: {_API_VERSION}\nkind: ValidatingAdmissionPolicy\nmetadata: {{name: {name}}}\nspec:\n"
        f"  matchConstraints:\n    resourceRules:\n    - {json.dumps(rule)}\n{fields}"
        f"  validations:\n  - {json.dumps(validation)}\n"
    )
