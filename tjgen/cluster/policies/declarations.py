"""The types, variables and functions that expressions of policies can use, as the API server declares them.

Mirrors k8s.io/apiserver 0.36 `pkg/admission/plugin/cel:BuildRequestType` and `BuildNamespaceType`, and the standard library of
github.com/google/cel-go. Objects and parameters are dynamic.
"""

from __future__ import annotations

from collections.abc import Mapping

from tjgen.cluster.validate.cel.types import Unsigned
from tjgen.trees.typing import Any

UNKNOWN = "?"
DYN = "dyn"
BOOL, INT, STRING, LIST, MAP, OPTIONAL = "bool", "int", "string", "list", "map", "optional_type"
DURATION, _TIMESTAMP = "google.protobuf.Duration", "google.protobuf.Timestamp"
NUMBERS = (INT, "uint", "double")
LITERALS: dict[type, str] = {
    bool: BOOL,
    int: INT,
    Unsigned: "uint",
    float: "double",
    str: STRING,
    bytes: "bytes",
    type(None): "null",
}
PLAIN = frozenset((BOOL, *NUMBERS, STRING, "bytes", LIST, MAP, DURATION, _TIMESTAMP))
"""Types that equal no other type. Null equals some of them."""
ORDERED = (BOOL, *NUMBERS, STRING, "bytes", DURATION, _TIMESTAMP)
SUMS: dict[str, tuple[tuple[str, str, str], ...]] = {
    "+": (
        *((one, one, one) for one in (*NUMBERS, STRING, "bytes", LIST, DURATION)),
        (_TIMESTAMP, DURATION, _TIMESTAMP),
        (DURATION, _TIMESTAMP, _TIMESTAMP),
    ),
    "-": (
        *((one, one, one) for one in (*NUMBERS, DURATION)),
        (_TIMESTAMP, DURATION, _TIMESTAMP),
        (_TIMESTAMP, _TIMESTAMP, DURATION),
    ),
    "*": tuple([(one, one, one) for one in NUMBERS]),
    "/": tuple([(one, one, one) for one in NUMBERS]),
    "%": tuple([(one, one, one) for one in NUMBERS[:2]]),
}
"""Operator -> the types of its operands and of its result."""
GVK = {"group": STRING, "version": STRING, "kind": STRING}
GVR = {"group": STRING, "version": STRING, "resource": STRING}
REQUEST: dict[str, Any] = {
    "kind": GVK,
    "resource": GVR,
    "requestKind": GVK,
    "requestResource": GVR,
    "subResource": STRING,
    "requestSubResource": STRING,
    "name": STRING,
    "namespace": STRING,
    "operation": STRING,
    "userInfo": {"username": STRING, "uid": STRING, "groups": LIST, "extra": MAP},
    "dryRun": BOOL,
    "options": DYN,
}
METADATA = {
    **dict.fromkeys(("name", "generateName", "namespace", "UID", "resourceVersion"), STRING),
    "labels": MAP,
    "annotations": MAP,
    "finalizers": LIST,
    "creationTimestamp": _TIMESTAMP,
    "deletionTimestamp": _TIMESTAMP,
    "deletionGracePeriodSeconds": INT,
    "generation": INT,
}
NAMESPACE = {"metadata": METADATA, "spec": {"finalizers": LIST}, "status": {"conditions": LIST, "phase": STRING}}
DECLARED: Mapping[str, Any] = {
    "object": DYN,
    "oldObject": DYN,
    "params": DYN,
    "request": REQUEST,
    "namespaceObject": NAMESPACE,
}
OF_STRINGS: dict[str, tuple[str, tuple[str, ...]]] = {
    **dict.fromkeys(("startsWith", "endsWith", "contains", "matches"), (BOOL, (STRING,))),
    **dict.fromkeys(("lowerAscii", "upperAscii", "trim"), (STRING, ())),
    **dict.fromkeys(("split",), (LIST, (STRING, INT))),
    **dict.fromkeys(("substring",), (STRING, (INT, INT))),
    "replace": (STRING, (STRING, STRING, INT)),
    "charAt": (STRING, (INT,)),
    "find": (STRING, (STRING,)),
    "findAll": (LIST, (STRING, INT)),
}
"""Method of strings -> the types of its result and of its arguments."""
RESULTS = {
    **dict.fromkeys(("has", "isQuantity", "isURL", "isIP", "isCIDR", "isSemver", "hasValue", "isSorted"), BOOL),
    **dict.fromkeys(("isInteger", "isGreaterThan", "isLessThan"), BOOL),
    **dict.fromkeys(("size", "sign", "asInteger", "compareTo"), INT),
    **dict.fromkeys(("filter", "transformList", "flatten", "distinct", "slice", "sort", "sortBy"), LIST),
    "transformMap": MAP,
    "transformMapEntry": MAP,
    "join": STRING,
    "asApproximateFloat": "double",
    "dyn": DYN,
    "int": INT,
    "uint": "uint",
    "double": "double",
    "string": STRING,
    "bool": BOOL,
    "bytes": "bytes",
    "type": "type",
    "duration": DURATION,
    "timestamp": _TIMESTAMP,
    "map": LIST,
}
LIBRARIES = ("sets", "math", "lists", "strings", "optional", "base64", "ip", "cidr", "format")
"""Names in front of functions."""
PREDICATES = ("all", "exists", "exists_one", "existsOne")
