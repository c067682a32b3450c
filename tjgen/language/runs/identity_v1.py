"""The first rules of the identity: which fields of an experiment count, as tables that never change.

A run that has such a digest in a lock keeps its name. New fields of the language need no entry here.
"""

from __future__ import annotations

from tjgen.language.spec.identity import AMOUNT, COUNTS, EXCLUDED, PRESENT, Rule
from tjgen.trees.fields.path import Tree

_Pattern = tuple[str, ...]
_ANY = "*"

_EXCLUDED: tuple[_Pattern, ...] = (
    # Which runs there are, their names, and whether they run now.
    ("naming",),
    ("state",),
    ("sweep",),
    ("tasks",),
    # Objects next to the runs.
    ("history",),
    ("monitor",),
    ("checkpoints", "keep"),
    ("checkpoints", "expectedSize"),
    ("checkpoints", "backup"),
    # How much data is fetched at a time, and with which credentials.
    ("prefetch", "workers"),
    ("prefetch", "secret"),
    # Properties of a claim. Its scope decides its name, which reaches the pods.
    ("volumes", _ANY, "pvc", "create", "size"),
    ("volumes", _ANY, "pvc", "create", "storageClassName"),
    ("volumes", _ANY, "pvc", "create", "accessModes"),
    ("volumes", _ANY, "pvc", "create", "volumeMode"),
    ("volumes", _ANY, "pvc", "create", "labels"),
    ("volumes", _ANY, "pvc", "create", "annotations"),
    ("volumes", _ANY, "pvc", "create", "keep"),
    # How an image is built and pushed; its content decides its tag.
    ("code", "build", "builder"),
    ("code", "build", "cache"),
    ("code", "build", "secret"),
    ("code", "build", "provided"),
    ("code", "build", "cpu"),
    ("code", "build", "memory"),
    # How data is cached.
    *[("volumes", _ANY, "dataset", "create", field) for field in ("quota", "medium", "path", "replicas")],
)
"""Paths below `spec` that are not part of the identity."""

_AMOUNTS: tuple[_Pattern, ...] = (
    *[(*place, field) for place in ((), ("roles", _ANY)) for field in ("cpu", "memory", "ephemeralStorage")],
    ("resources", _ANY),
    ("roles", _ANY, "resources", _ANY),
    ("sharedMemory",),
    ("schedule", "minResources", _ANY),
    *[(*place, "gpu", *field) for place in ((), ("roles", _ANY)) for field in (("share", "memory"), ("minMemory",))],
    ("volumes", _ANY, "ephemeral", "size"),
    ("volumes", _ANY, "emptyDir", "sizeLimit"),
    ("data", "items", "list", _ANY, "size"),
    ("env", _ANY, "divisor"),
    ("roles", _ANY, "env", _ANY, "divisor"),
    ("initializer", _ANY, "env", _ANY, "divisor"),
    ("initializer", _ANY, "cpu"),
    ("initializer", _ANY, "memory"),
    ("prefetch", "cache", _ANY, "size"),
    ("prefetch", "env", _ANY, "divisor"),
)
"""Quantities: `8`, `8.0` and `8000m` are one amount."""

_DEFAULTS: tuple[tuple[_Pattern, Tree], ...] = (
    (("attempt",), 1),
    (("target",), "trainjob"),
    (("rdma",), False),
    (("gpu", "count"), 1),
    (("roles", _ANY, "gpu", "count"), 1),
    (("volumes", _ANY, "readOnly"), False),
    (("volumes", _ANY, "shared"), False),
    (("volumes", _ANY, "mounts", _ANY, "readOnly"), False),
    (("volumes", _ANY, "pvc", "create", "scope"), "family"),
    (("volumes", _ANY, "dataset", "create", "scope"), "family"),
    (("data", "slices", "by"), "contiguous"),
    (("data", "slices", "over"), "nodes"),
    (("data", "slices", "remainder"), "keep"),
    (("data", "slices", "deliver"), "env"),
    (("data", "slices", "within"), "nodes"),
    (("data", "slices", "workers"), 1),
    (("data", "slices", "covering"), True),
    (("data", "shared"), False),
    (("schedule", "networkTopology", "mode"), "hard"),
    (("schedule", "multiKueue"), False),
    (("prefetch", "wait"), True),
    (("checkpoints", "scope"), "run"),
    (("checkpoints", "name"), "step-"),
    (("checkpoints", "marker"), "_SUCCESS"),
    (("code", "git", "depth"), 1),
    (("code", "git", "submodules"), False),
    (("code", "build", "context"), "configMap"),
)
"""Values that mean the same as their absence."""

_PRESENT: tuple[_Pattern, ...] = (
    ("volumes", _ANY, "mounts", _ANY),
    ("prefetch", "cache", _ANY),
    ("volcano", "plugins", _ANY),
)
"""Maps that differ from none even if they are empty."""


def rules_of(*groups: tuple[str, Tree, tuple[_Pattern, ...]]) -> Rule:
    """The rule of `spec` with the meaning and the default of each group at the places of its patterns."""
    root: Rule = (COUNTS, None, {})
    for part, default, patterns in groups:
        for pattern in patterns:
            root = _with(root, pattern, part, default)
    return root


def _with(rule: Rule, pattern: _Pattern, part: str, default: Tree) -> Rule:
    """The rule with the meaning of the place at `pattern` below it."""
    if not pattern:
        return part, default, rule[2]
    inner = rule[2].get(pattern[0], (COUNTS, None, {}))
    return rule[0], rule[1], {**rule[2], pattern[0]: _with(inner, pattern[1:], part, default)}


SPEC: Rule = rules_of(
    (EXCLUDED, None, _EXCLUDED),
    (AMOUNT, None, _AMOUNTS),
    (PRESENT, None, _PRESENT),
    *[(COUNTS, value, (pattern,)) for pattern, value in _DEFAULTS],
)
"""The rule of `spec`."""
