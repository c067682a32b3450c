"""How a project inherits each setting of its workspace: one table, which the merge and the reference page read."""

from __future__ import annotations

from collections.abc import Mapping

from tjgen.trees.fields.path import FieldPath

OWN = "own"
DEFAULT = "default"
FIXED = "fixed"
RESERVED = "reserved"
STRICTER = "stricter"
LEAST = "least"
ADDED = "added"
OWNED = "owned"
KEYS = "keys"
SELECTED = "selected"
GRANTED = "granted"
BOTH = "both"

MEANINGS: Mapping[str, str] = {
    OWN: "Not inherited.",
    DEFAULT: "The value of the project takes precedence.",
    FIXED: "If the workspace sets it, a project cannot set another value.",
    RESERVED: "Only the workspace can set it.",
    STRICTER: "A project can only set a stricter value.",
    LEAST: "A project can only set a lower value.",
    ADDED: "Those of the workspace come first, then those of the project.",
    OWNED: "If the workspace lists any, a project can only list the same files. It then owns them: it builds their objects.",
    KEYS: "A project can add entries. It cannot change those of the workspace.",
    SELECTED: "If the workspace has any, a project can only list some of them. It then has only these.",
    GRANTED: "A project can only list what the workspace lists.",
    BOTH: "Both apply.",
}
"""Each way of inheriting, as the reference page describes it."""

ENVIRONMENT = "environments.*"
"""The prefix of the fields of an environment."""

WAYS: Mapping[str, str] = {
    "projects": OWN,
    "codeowners": OWN,
    "experiments": OWN,
    "slicers": OWN,
    "gitops.path": OWN,
    "schemas": DEFAULT,
    "schedule": DEFAULT,
    "output": DEFAULT,
    "history": DEFAULT,
    "gitops.applicationSet": DEFAULT,
    "gitops.bootstrap": DEFAULT,
    "gitops.health": DEFAULT,
    "environments.*.namespace": DEFAULT,
    "environments.*.onSupersede": DEFAULT,
    "trainer": FIXED,
    "gitops": FIXED,
    "gitops.tool": FIXED,
    "gitops.dependsOn": FIXED,
    "policy": FIXED,
    "environments.*": FIXED,
    "environments.*.cluster": FIXED,
    "environments.*.platform": FIXED,
    "environments.*.trainer": FIXED,
    "gitops.repository": RESERVED,
    "gitops.revision": RESERVED,
    "gitops.namespace": RESERVED,
    "gitops.project": RESERVED,
    "gitops.appProject": RESERVED,
    "gitops.serviceAccountName": RESERVED,
    "gitops.platformServiceAccountName": RESERVED,
    "gitops.kubeConfig": RESERVED,
    "gitops.sourceRef": RESERVED,
    "gitops.secretRef": RESERVED,
    "gitops.provider": RESERVED,
    "environments.*.gitops": RESERVED,
    "gitops.removal": STRICTER,
    "environments.*.runs": STRICTER,
    "policy.strict": STRICTER,
    "policy.severity": STRICTER,
    "budgets": LEAST,
    "overlays": ADDED,
    "catalogs": ADDED,
    "environments.*.overlays": ADDED,
    "policy.demand": ADDED,
    "platforms": OWNED,
    "labels": KEYS,
    "environments.*.labels": KEYS,
    "lint": KEYS,
    "environments": SELECTED,
    "readable": GRANTED,
    "policy.allow": GRANTED,
    "policy.harmless": GRANTED,
    "requires": BOTH,
}
"""Field of `spec` -> how it is inherited. A field without an entry is inherited as the nearest field that contains it."""

RANKS: Mapping[str, tuple[object, ...]] = {
    "gitops.removal": ("sync", "confirm"),
    "environments.*.runs": ("all", "promoted"),
    "policy.strict": (False, True),
    "policy.severity": ("ignore", "info", "warning", "error"),
}
"""Field that can only become stricter -> its values, from the least strict one."""

PATHS = ("overlays", "catalogs", "platforms", "readable", "schemas", "environments.*.overlays")
"""Fields with paths that are relative to the file that sets them."""


def pattern_of(path: FieldPath) -> str:
    """The key of a field of `spec` in the tables: `environments.prod.labels` is `environments.*.labels`."""
    steps = [str(step) for step in path]
    if steps[0] == "environments" and len(steps) > 1:
        steps[1] = "*"
    return ".".join(steps)


def way_of(path: FieldPath) -> str:
    """How a field of `spec` is inherited."""
    pattern = pattern_of(path)
    while pattern and pattern not in WAYS:
        pattern = pattern.rpartition(".")[0]
    return WAYS[pattern]


def ranks_of(path: FieldPath) -> tuple[object, ...]:
    """The values of a field that can only become stricter, from the least strict one."""
    pattern = pattern_of(path)
    return RANKS[pattern] if pattern in RANKS else RANKS[pattern.rpartition(".")[0]]
