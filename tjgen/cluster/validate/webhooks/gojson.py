"""A tree and its Go type -> the text that Go writes into an error: JSON, with fields in the order of the struct."""

from __future__ import annotations

from tjgen.cluster.trainer.goread import package_of
from tjgen.cluster.trainer.release import Release
from tjgen.cluster.trainer.typed import NEWEST, Types
from tjgen.cluster.validate.wording import as_json, quote
from tjgen.trees.fields.path import Tree


def shown(tree: Tree, go_type: str, release: Release, written: Tree = None) -> str:
    """`tree` as a webhook of `release` writes a value of the Go type `go_type`, or of a list of them."""
    if not release.shows_values_as_json:
        return _go_syntax(tree if written is None else written, go_type, release.types)
    return go_json(tree, go_type.removeprefix("[]"), written, release.types)


def go_json(tree: Tree, name: str, written: Tree = None, types: Types = NEWEST) -> str:
    """`tree`, or each element of it, as encoding/json writes the Go type `name`.

    `written` is the same value as in the file: only there an empty list differs from an absent one.
    """
    if tree.__class__ is list:
        items = written if written.__class__ is list and len(written) == len(tree) else [None] * len(tree)
        return "[" + ",".join([go_json(item, name, before, types) for item, before in zip(tree, items, strict=True)]) + "]"
    if tree.__class__ is not dict or not name:
        return as_json(tree)
    before: dict[str, Tree] = written if written.__class__ is dict else {}
    parts = []
    struct = types.struct(name)
    for key in struct.fields.notations:
        if key in tree:
            field = struct.fields[key]
            parts.append(f'"{key}":{go_json(tree[key], field.struct if field is not None else "", before.get(key), types)}')
        elif key in struct.nulls:
            parts.append(f'"{key}":{"[]" if before.get(key) == [] else "null"}')
    return "{" + ",".join(parts) + "}"


# A tree and its Go type -> the value as Go's `%#v` writes it, which is how `field.Error` showed objects up to Kubernetes 0.32.
#
# Addresses appear as `<pointer>`, because they are unknown offline.

_NAMES = {
    "apiGroup": "APIGroup",
    "awsElasticBlockStore": "AWSElasticBlockStore",
    "cephfs": "CephFS",
    "csi": "CSI",
    "downwardAPI": "DownwardAPI",
    "fc": "FC",
    "gcePersistentDisk": "GCEPersistentDisk",
    "iscsi": "ISCSI",
    "nfs": "NFS",
    "rbd": "RBD",
    "storageos": "StorageOS",
}
"""Fields whose Go name is not just their name with a capital."""
_NAMED_STRINGS = {
    ("Toleration", "effect"): "v1.TaintEffect",
    ("Toleration", "operator"): "v1.TolerationOperator",
    ("VolumeMount", "mountPropagation"): "v1.MountPropagationMode",
    ("VolumeMount", "recursiveReadOnly"): "v1.RecursiveReadOnlyMode",
}
"""Strings that have a Go type of their own, which shows where a pointer leads to one."""


def _go_syntax(tree: Tree, go_type: str, types: Types) -> str:
    """`tree` as a value of the Go type `go_type`: `[]EnvVar`, `*string`, `RuntimeRef`."""
    if go_type[0] == "*":
        return f"(*{_qualified(go_type[1:])})({'nil' if tree is None else '<pointer>'})"
    if go_type.startswith("[]"):
        name = f"[]{_qualified(go_type[2:])}"
        return f"{name}(nil)" if tree is None else name + _braced([_go_syntax(item, go_type[2:], types) for item in _items(tree)])
    if go_type.startswith("map["):
        if tree.__class__ is not dict:
            return f"{go_type}(nil)"
        return go_type + _braced([f"{quote(key)}:{quote(str(value))}" for key, value in sorted(tree.items())])
    if go_type == "IntOrString":
        number, text = (tree, "") if tree.__class__ is int else (0, str(tree))
        return f"intstr.IntOrString{{Type:{int(not number and tree.__class__ is str)}, IntVal:{number}, StrVal:{quote(text)}}}"
    if go_type not in types:
        return _scalar(tree, go_type)
    return _struct(tree if tree.__class__ is dict else {}, go_type, types)


def _struct(tree: dict[str, Tree], name: str, types: Types) -> str:
    fields = []
    for key, go_type in types.fields(name):
        pointed = _NAMED_STRINGS.get((name, key))
        if pointed is not None and go_type[0] == "*":
            fields.append(f"{_go_name(key)}:(*{pointed})({'nil' if tree.get(key) is None else '<pointer>'})")
        else:
            fields.append(f"{_go_name(key)}:{_go_syntax(tree.get(key), go_type, types)}")
    if name == "Volume":
        fields = [fields[0], f"VolumeSource:v1.VolumeSource{_braced(fields[1:])}"]
    return f"{package_of(name)}.{name}{_braced(fields)}"


def _scalar(tree: Tree, go_type: str) -> str:
    if go_type == "string":
        return quote(str(tree or ""))
    if go_type == "bool":
        return "true" if tree else "false"
    return str(tree or 0)


def _items(tree: Tree) -> list[Tree]:
    return tree if tree.__class__ is list else []


def _braced(parts: list[str]) -> str:
    return "{" + ", ".join(parts) + "}"


def _go_name(key: str) -> str:
    return _NAMES.get(key) or key[0].upper() + key[1:]


def _qualified(name: str) -> str:
    return name if name[0].islower() or name.startswith(("[]", "map[")) else f"{package_of(name)}.{name}"
