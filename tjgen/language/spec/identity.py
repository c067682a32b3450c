"""What each field of an experiment means for the identity of a run.

Generated from tjgen/language/spec/models by `python -m tjgen.language.spec.generate`; not edited by hand. A rule is a tuple: what
the field means, its default, and the rules of the fields below it, under `*` those of every entry of a map or list. Fields that
count as they are written, without a default, have no rule.
"""

from __future__ import annotations

from tjgen.trees.fields.path import FieldPath
from tjgen.trees.typing import Any

COUNTS, AMOUNT, PRESENT, EXCLUDED = "counts", "amount", "present", "excluded"

Rule = tuple[str, Any, dict[str, Any]]
"""Meaning, default or None, and the rules of the fields below, by their keys."""

# fmt: off

SPEC: Rule = (
    "counts",
    None,
    {
        "environments": ("excluded", None, {}),
        "tasks": ("excluded", None, {}),
        "sweep": ("excluded", None, {}),
        "naming": ("excluded", None, {}),
        "state": ("excluded", None, {}),
        "onSupersede": ("excluded", None, {}),
        "sharedMemory": ("amount", None, {}),
        "rdma": ("counts", False, {}),
        "roles": (
            "counts",
            None,
            {
                "*": (
                    "counts",
                    None,
                    {
                        "gpu": (
                            "counts",
                            None,
                            {
                                "count": ("counts", 1, {}),
                                "requests": ("counts", False, {}),
                                "minMemory": ("amount", None, {}),
                                "share": ("counts", None, {"memory": ("amount", None, {})}),
                            },
                        ),
                        "initContainers": (
                            "counts",
                            None,
                            {
                                "*": (
                                    "present",
                                    None,
                                    {
                                        "mounts": (
                                            "counts",
                                            None,
                                            {"*": ("counts", None, {"readOnly": ("counts", False, {})})},
                                        ),
                                        "env": (
                                            "counts",
                                            None,
                                            {"*": ("counts", None, {"divisor": ("amount", None, {})})},
                                        ),
                                        "cpu": ("amount", None, {}),
                                        "memory": ("amount", None, {}),
                                        "ephemeralStorage": ("amount", None, {}),
                                        "resources": ("counts", None, {"*": ("amount", None, {})}),
                                        "ports": (
                                            "counts",
                                            None,
                                            {"*": ("counts", None, {"protocol": ("counts", "TCP", {})})},
                                        ),
                                    },
                                ),
                            },
                        ),
                        "sidecars": (
                            "counts",
                            None,
                            {
                                "*": (
                                    "present",
                                    None,
                                    {
                                        "native": ("counts", True, {}),
                                        "mounts": (
                                            "counts",
                                            None,
                                            {"*": ("counts", None, {"readOnly": ("counts", False, {})})},
                                        ),
                                        "env": (
                                            "counts",
                                            None,
                                            {"*": ("counts", None, {"divisor": ("amount", None, {})})},
                                        ),
                                        "cpu": ("amount", None, {}),
                                        "memory": ("amount", None, {}),
                                        "ephemeralStorage": ("amount", None, {}),
                                        "resources": ("counts", None, {"*": ("amount", None, {})}),
                                        "ports": (
                                            "counts",
                                            None,
                                            {"*": ("counts", None, {"protocol": ("counts", "TCP", {})})},
                                        ),
                                    },
                                ),
                            },
                        ),
                        "env": ("counts", None, {"*": ("counts", None, {"divisor": ("amount", None, {})})}),
                        "cpu": ("amount", None, {}),
                        "memory": ("amount", None, {}),
                        "ephemeralStorage": ("amount", None, {}),
                        "resources": ("counts", None, {"*": ("amount", None, {})}),
                        "ports": ("counts", None, {"*": ("counts", None, {"protocol": ("counts", "TCP", {})})}),
                    },
                ),
            },
        ),
        "volumes": (
            "counts",
            None,
            {
                "*": (
                    "counts",
                    None,
                    {
                        "pvc": (
                            "counts",
                            None,
                            {
                                "create": (
                                    "counts",
                                    None,
                                    {
                                        "size": ("excluded", None, {}),
                                        "storageClassName": ("excluded", None, {}),
                                        "accessModes": ("excluded", None, {}),
                                        "volumeMode": ("excluded", None, {}),
                                        "scope": ("counts", "family", {}),
                                        "keep": ("excluded", None, {}),
                                        "labels": ("excluded", None, {}),
                                        "annotations": ("excluded", None, {}),
                                    },
                                ),
                                "backup": ("excluded", None, {}),
                            },
                        ),
                        "ephemeral": ("counts", None, {"size": ("amount", None, {})}),
                        "emptyDir": ("counts", None, {"sizeLimit": ("amount", None, {})}),
                        "dataset": (
                            "counts",
                            None,
                            {
                                "create": (
                                    "counts",
                                    None,
                                    {
                                        "quota": ("excluded", None, {}),
                                        "medium": ("excluded", None, {}),
                                        "path": ("excluded", None, {}),
                                        "levels": ("excluded", None, {}),
                                        "replicas": ("excluded", None, {}),
                                        "scope": ("counts", "family", {}),
                                    },
                                ),
                            },
                        ),
                        "mounts": ("counts", None, {"*": ("present", None, {"readOnly": ("counts", False, {})})}),
                        "readOnly": ("counts", False, {}),
                        "shared": ("counts", False, {}),
                    },
                ),
            },
        ),
        "data": (
            "counts",
            None,
            {
                "sets": (
                    "counts",
                    None,
                    {
                        "*": (
                            "counts",
                            None,
                            {
                                "items": (
                                    "counts",
                                    None,
                                    {
                                        "list": (
                                            "counts",
                                            None,
                                            {"*": ("counts", None, {"size": ("amount", None, {})})},
                                        ),
                                    },
                                ),
                                "slices": (
                                    "present",
                                    None,
                                    {
                                        "by": ("counts", "contiguous", {}),
                                        "remainder": ("counts", "keep", {}),
                                        "over": ("counts", "nodes", {}),
                                        "within": ("counts", "nodes", {}),
                                        "workers": ("counts", 1, {}),
                                        "covering": ("counts", True, {}),
                                        "deliver": ("counts", "env", {}),
                                    },
                                ),
                                "shared": ("counts", False, {}),
                                "isolate": ("counts", False, {}),
                            },
                        ),
                    },
                ),
                "items": (
                    "counts",
                    None,
                    {"list": ("counts", None, {"*": ("counts", None, {"size": ("amount", None, {})})})},
                ),
                "slices": (
                    "present",
                    None,
                    {
                        "by": ("counts", "contiguous", {}),
                        "remainder": ("counts", "keep", {}),
                        "over": ("counts", "nodes", {}),
                        "within": ("counts", "nodes", {}),
                        "workers": ("counts", 1, {}),
                        "covering": ("counts", True, {}),
                        "deliver": ("counts", "env", {}),
                    },
                ),
                "shared": ("counts", False, {}),
                "isolate": ("counts", False, {}),
            },
        ),
        "code": (
            "counts",
            None,
            {
                "git": (
                    "counts",
                    None,
                    {"depth": ("counts", 1, {}), "submodules": ("counts", False, {}), "lfs": ("counts", False, {})},
                ),
                "build": (
                    "counts",
                    None,
                    {
                        "provided": ("excluded", None, {}),
                        "context": ("counts", "configMap", {}),
                        "builder": ("excluded", None, {}),
                        "cache": ("excluded", None, {}),
                        "secret": ("excluded", None, {}),
                        "deadline": ("excluded", None, {}),
                        "cpu": ("excluded", None, {}),
                        "memory": ("excluded", None, {}),
                    },
                ),
            },
        ),
        "checkpoints": (
            "counts",
            None,
            {
                "scope": ("counts", "run", {}),
                "name": ("counts", "step-", {}),
                "marker": ("counts", "_SUCCESS", {}),
                "files": ("excluded", None, {}),
                "mark": ("counts", "program", {}),
                "keep": ("excluded", None, {}),
                "keepRuns": ("excluded", None, {}),
                "index": ("excluded", None, {}),
                "resumeFrom": ("counts", None, {"mode": ("counts", "min", {})}),
                "expectedSize": ("excluded", None, {}),
                "backup": ("excluded", None, {}),
            },
        ),
        "prefetch": (
            "counts",
            None,
            {
                "sets": (
                    "counts",
                    None,
                    {
                        "*": (
                            "counts",
                            None,
                            {
                                "env": ("counts", None, {"*": ("counts", None, {"divisor": ("amount", None, {})})}),
                                "secret": ("excluded", None, {}),
                                "workers": ("excluded", None, {}),
                                "deadline": ("excluded", None, {}),
                                "nodes": ("excluded", None, {}),
                                "wait": ("counts", True, {}),
                                "waitTimeout": ("excluded", None, {}),
                                "priority": ("excluded", None, {}),
                            },
                        ),
                    },
                ),
                "cache": (
                    "counts",
                    None,
                    {
                        "memory": (
                            "present",
                            None,
                            {
                                "size": ("amount", "10Gi", {}),
                                "ttl": ("counts", "1h", {}),
                                "path": ("counts", "/cache/memory", {}),
                            },
                        ),
                        "ssd": (
                            "present",
                            None,
                            {"size": ("amount", "100Gi", {}), "path": ("counts", "/cache/ssd", {})},
                        ),
                    },
                ),
                "env": ("counts", None, {"*": ("counts", None, {"divisor": ("amount", None, {})})}),
                "secret": ("excluded", None, {}),
                "workers": ("excluded", None, {}),
                "deadline": ("excluded", None, {}),
                "nodes": ("excluded", None, {}),
                "wait": ("counts", True, {}),
                "waitTimeout": ("excluded", None, {}),
                "priority": ("excluded", None, {}),
            },
        ),
        "monitor": ("excluded", None, {}),
        "initializer": (
            "counts",
            None,
            {
                "dataset": (
                    "counts",
                    None,
                    {
                        "env": ("counts", None, {"*": ("counts", None, {"divisor": ("amount", None, {})})}),
                        "cpu": ("amount", None, {}),
                        "memory": ("amount", None, {}),
                    },
                ),
                "model": (
                    "counts",
                    None,
                    {
                        "env": ("counts", None, {"*": ("counts", None, {"divisor": ("amount", None, {})})}),
                        "cpu": ("amount", None, {}),
                        "memory": ("amount", None, {}),
                    },
                ),
            },
        ),
        "schedule": (
            "counts",
            None,
            {
                "minResources": ("counts", None, {"*": ("amount", None, {})}),
                "multiKueue": ("counts", False, {}),
                "networkTopology": ("present", None, {"mode": ("counts", "hard", {})}),
            },
        ),
        "attempt": ("counts", 1, {}),
        "target": ("counts", "trainjob", {}),
        "success": ("present", None, {"operator": ("counts", "All", {})}),
        "volcano": ("counts", None, {"plugins": ("counts", None, {"*": ("present", None, {})})}),
        "patches": ("counts", None, {"*": ("counts", None, {"force": ("counts", True, {})})}),
        "gpu": (
            "counts",
            None,
            {
                "count": ("counts", 1, {}),
                "requests": ("counts", False, {}),
                "minMemory": ("amount", None, {}),
                "share": ("counts", None, {"memory": ("amount", None, {})}),
            },
        ),
        "initContainers": (
            "counts",
            None,
            {
                "*": (
                    "present",
                    None,
                    {
                        "mounts": ("counts", None, {"*": ("counts", None, {"readOnly": ("counts", False, {})})}),
                        "env": ("counts", None, {"*": ("counts", None, {"divisor": ("amount", None, {})})}),
                        "cpu": ("amount", None, {}),
                        "memory": ("amount", None, {}),
                        "ephemeralStorage": ("amount", None, {}),
                        "resources": ("counts", None, {"*": ("amount", None, {})}),
                        "ports": ("counts", None, {"*": ("counts", None, {"protocol": ("counts", "TCP", {})})}),
                    },
                ),
            },
        ),
        "sidecars": (
            "counts",
            None,
            {
                "*": (
                    "present",
                    None,
                    {
                        "native": ("counts", True, {}),
                        "mounts": ("counts", None, {"*": ("counts", None, {"readOnly": ("counts", False, {})})}),
                        "env": ("counts", None, {"*": ("counts", None, {"divisor": ("amount", None, {})})}),
                        "cpu": ("amount", None, {}),
                        "memory": ("amount", None, {}),
                        "ephemeralStorage": ("amount", None, {}),
                        "resources": ("counts", None, {"*": ("amount", None, {})}),
                        "ports": ("counts", None, {"*": ("counts", None, {"protocol": ("counts", "TCP", {})})}),
                    },
                ),
            },
        ),
        "env": ("counts", None, {"*": ("counts", None, {"divisor": ("amount", None, {})})}),
        "cpu": ("amount", None, {}),
        "memory": ("amount", None, {}),
        "ephemeralStorage": ("amount", None, {}),
        "resources": ("counts", None, {"*": ("amount", None, {})}),
        "ports": ("counts", None, {"*": ("counts", None, {"protocol": ("counts", "TCP", {})})}),
    },
)
"""The rule of `spec`; nothing of `metadata` is part of the identity."""

SETTINGS: tuple[FieldPath, ...] = (
    ("metadata", "labels"),
    ("metadata", "annotations"),
    ("spec", "state"),
    ("spec", "monitor"),
    ("spec", "checkpoints", "files"),
    ("spec", "checkpoints", "keep"),
    ("spec", "checkpoints", "keepRuns"),
    ("spec", "checkpoints", "index"),
    ("spec", "checkpoints", "expectedSize"),
)
"""The fields whose changes reach runs that exist. Digests of settings depend on the order."""
