"""The configuration of a function -> its settings, or the unsupported fields (TJ762)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tjgen.tools.hosts.items import API, is_source
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import Tree

FUNCTION = "Function"
"""The kind of a configuration that is for tjgen alone."""

_SHAPES: dict[str, type] = {
    "experiments": list,
    "environment": str,
    "set": dict,
    "trainer": str,
    "namespace": str,
    "check": bool,
    "strict": bool,
}
"""The fields in the spec of a configuration of kind Function, and in the data of a ConfigMap as text."""
_WORDS: dict[type, str] = {list: "list of files", str: "text", dict: "mapping of fields", bool: "true or false"}


def settings_of(tree: Tree) -> tuple[dict[str, Tree], list[Diagnostic]]:
    """Return the settings of a configuration; TJ762 for unsupported fields."""
    if tree is None or is_source(tree):
        return {}, []
    kind = tree.get("kind") if tree.__class__ is dict else None
    if kind == FUNCTION and tree.get("apiVersion") == API:
        settings = tree.get("spec") or {}
    elif kind == "ConfigMap":
        settings, problems = _of_text(tree.get("data") or {})
        if problems:
            return {}, problems
    else:
        message = f"functionConfig is of kind {kind}"
        return {}, [_wrong(message, f"use an Experiment or a {FUNCTION} of {API}, or a ConfigMap")]
    if settings.__class__ is not dict:
        return {}, [_wrong("spec of functionConfig is not a mapping", "see docs/how-to/kustomize.md")]
    return settings, list(_misfits(settings))


def _misfits(settings: Mapping[str, Tree]) -> Iterator[Diagnostic]:
    for key, value in settings.items():
        shape = _SHAPES.get(key)
        if shape is None:
            yield _wrong(f"functionConfig has the unknown field {key}", f"use {', '.join(_SHAPES)}")
        elif value.__class__ is not shape or (isinstance(value, list) and not all(one.__class__ is str for one in value)):
            yield _wrong(f"{key} of functionConfig is {value!r}", f"give a {_WORDS[shape]}")


def _of_text(data: Mapping[str, str]) -> tuple[dict[str, Tree], list[Diagnostic]]:
    """The data of a ConfigMap, which holds text alone: a line for each entry of a list or mapping."""
    settings: dict[str, Tree] = {}
    problems = []
    for key, text in data.items():
        shape = _SHAPES.get(key)
        lines = [line.strip() for line in str(text).splitlines() if line.strip()]
        if shape is list:
            settings[key] = lines
        elif shape is dict:
            settings[key] = {path.strip(): value.strip() for path, _, value in (line.partition("=") for line in lines)}
        elif shape is bool and str(text) in ("true", "false"):
            settings[key] = str(text) == "true"
        elif shape is bool:
            problems.append(_wrong(f"{key} of functionConfig is {text!r}", "give true or false"))
        else:
            settings[key] = str(text)
    return settings, problems


def _wrong(message: str, hint: str) -> Diagnostic:
    return Diagnostic("TJ762", message, hint=hint)
