"""Devices as other tools write them (`8xA100`, `A100 x 8`, `{nvidia.com/gpu: 8}`) -> as `gpu` takes them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tjgen.language.spec.flow import flow
from tjgen.trees.fields.path import Tree
from tjgen.trees.k8s.nearest import nearest

_NAME = r"[A-Za-z][A-Za-z0-9._/-]*?"
_FORMS = (
    re.compile(rf"(?P<count>[1-9][0-9]{{0,5}})\s*[xX*,: ]\s*(?P<name>{_NAME})"),
    re.compile(rf"(?P<name>{_NAME})\s*[*,:= ]\s*(?P<count>[1-9][0-9]{{0,5}})"),
    re.compile(rf"(?P<name>{_NAME})\s*[xX]\s*(?P<count>[1-9][0-9]{{0,5}})"),
)
_COUNTED = re.compile(r"[1-9][0-9]{0,5}")
_VENDORS = {"nvidia.com/gpu": "nvidia", "amd.com/gpu": "amd"}
"""Resource -> the built-in class of all its devices."""
_CLASS_WORDS = ("type", "name", "model", "kind", "accelerator", "product", "device")
_COUNT_WORDS = ("num", "number", "amount", "n", "quantity", "gpus", "size", "replicas", "devices")


def request(text: str) -> str | None:
    """`class:count` for a text with a class and a count in another notation; None for other texts."""
    parts = parted(text)
    if parts is not None:
        domain, slash, name = parts[0].rpartition("/")
        return f"{domain.lower()}{slash}{name if slash else name.lower()}:{parts[1]}"
    return text if _COUNTED.fullmatch(text) else None


def parted(text: str) -> tuple[str, int] | None:
    """The class and the count in such a text."""
    for form in _FORMS:
        matched = form.fullmatch(text.strip())
        if matched is not None:
            return matched["name"], int(matched["count"])
    return None


def advice(wrong: Tree) -> str | None:
    """The hint for a value of `gpu` that is not valid."""
    if wrong.__class__ is list and all(one.__class__ in (str, int) for one in wrong):
        wrong = ",".join(map(str, wrong))
    if wrong.__class__ is not str:
        return None
    written = request(wrong)
    return f"write {written}" if written not in (None, wrong) else None


def of_entry(key: str, value: Tree, known: Sequence[str]) -> str:
    """The hint for an unknown field of `gpu`, which has the fields `known`."""
    word = key.replace("_", "").lower()
    if word in _CLASS_WORDS:
        return f"write class: {flow(value).lower()}"
    if word in _COUNT_WORDS:
        return f"write count: {flow(value)}"
    if word in ("memory", "minmem", "vram"):
        return f"write minMemory: {flow(value)}"
    near = nearest(key, known)
    if near is not None:
        return f'did you mean "{near}"?'
    if not _COUNTED.fullmatch(str(value)):
        return f"use one of {', '.join(known)}"
    name = _VENDORS.get(key, key if "/" in key else key.lower())
    return f"write gpu: {name}:{value}"
