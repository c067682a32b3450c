"""ConfigMaps, Secrets and Namespaces -> what the API server has against them.

Mirrors kubernetes 1.36 `pkg/apis/core/validation` (ValidateConfigMap, ValidateSecret, ValidateNamespace).
"""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster.validate.fault import Fault
from tjgen.cluster.validate.metadata import finalizer_faults
from tjgen.cluster.validate.place import Place
from tjgen.trees.k8s import syntax
from tjgen.trees.typing import Any

_LARGEST = 1024 * 1024
_ACCOUNT = "kubernetes.io/service-account.name"
_HIDDEN = "<secret contents redacted>"
_DOCKER = {"kubernetes.io/dockercfg": ".dockercfg", "kubernetes.io/dockerconfigjson": ".dockerconfigjson"}


def config_map(tree: dict[str, Any]) -> Iterator[Fault]:
    """`ValidateConfigMap`, metadata left out."""
    texts, binaries = tree.get("data", {}), tree.get("binaryData", {})
    for side, given in (("data", texts), ("binaryData", binaries)):
        for key in given:
            field = Place(side, (side,)).key(key)
            for message in syntax.config_key(key):
                yield field.invalid(key, message)
            if side == "data" and key in binaries:
                yield field.invalid(key, "duplicate of key present in binaryData")
    size = sum(_size(text) for text in texts.values()) + sum(len(_content(value)) for value in binaries.values())
    if size > _LARGEST:
        yield Place("[]", ("data",)).too_long(_LARGEST)  # upstream gives an empty path


def secret(tree: dict[str, Any]) -> Iterator[Fault]:
    """`ValidateSecret` without metadata except an annotation."""
    data: dict[str, bytes] = {key: _content(value) for key, value in tree.get("data", {}).items()}
    data |= {key: text.encode() for key, text in tree.get("stringData", {}).items()}
    at, kind = Place("data", ("data",)), tree.get("type", "")
    for key in data:
        place = Place(f"data[{key}]", ("stringData" if key in tree.get("stringData", {}) else "data", key))
        for message in syntax.config_key(key):
            yield place.invalid(key, message)
    if sum(map(len, data.values())) > _LARGEST:
        yield at.too_long(_LARGEST)
    if kind == "kubernetes.io/service-account-token":
        if not tree.get("metadata", {}).get("annotations", {}).get(_ACCOUNT):
            yield Place().child("metadata", "annotations").key(_ACCOUNT).required()
    elif kind in _DOCKER:
        yield from _docker(data.get(_DOCKER[kind]), at.key(_DOCKER[kind]))
    elif kind == "kubernetes.io/basic-auth":
        if "username" not in data and "password" not in data:
            yield at.key("username").required()
            yield at.key("password").required()
    elif kind == "kubernetes.io/ssh-auth":
        if not data.get("ssh-privatekey"):
            yield at.key("ssh-privatekey").required()
    elif kind == "kubernetes.io/tls":
        for key in ("tls.crt", "tls.key"):
            if key not in data:
                yield at.key(key).required()


def _docker(content: bytes | None, at: Place) -> Iterator[Fault]:
    if content is None:
        yield at.required()
        return
    from tjgen.cluster.validate.builtin.gojson import json_problem  # secrets of registries are few

    problem = json_problem(content.decode(errors="replace"), dict, "map[string]interface {}")
    if problem:
        yield at.invalid(_HIDDEN, problem)


def _content(value: Any) -> bytes:
    """The bytes of a value, which is base64 or, rarely, a list of them."""
    from binascii import a2b_base64  # few manifests have binary data

    return bytes(item or 0 for item in value) if isinstance(value, list) else a2b_base64(value)


def _size(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode())


def namespace(tree: dict[str, Any]) -> Iterator[Fault]:
    """`ValidateNamespace`, metadata left out."""
    at = Place().child("spec", "finalizers")
    for position, finalizer in enumerate(tree.get("spec", {}).get("finalizers", ())):
        yield from finalizer_faults(finalizer, at.seen_at(position))
