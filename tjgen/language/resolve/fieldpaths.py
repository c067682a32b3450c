"""The text of a field path, as sweeps and `--set` write it -> the path in the experiment, if the language has it."""

from __future__ import annotations

from tjgen.language.spec import compact
from tjgen.language.spec.check import Schema
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import FieldPath, parse
from tjgen.trees.k8s.nearest import nearest

_FIXED: tuple[FieldPath, ...] = (("metadata", "name"), ("spec", "sweep"), ("spec", "tasks"), ("spec", "naming"))
"""Fields that determine the runs: a run cannot set them."""


def field_path(text: str) -> FieldPath | Diagnostic:
    """The path that `text` means, below `spec` unless it begins with `spec` or `metadata`; TJ221 or TJ222 if there is none."""
    try:
        steps = parse(text)
    except ValueError:
        return _no_path(text, "write it like env.LR or volumes.data.readOnly")
    if not steps or any(step.__class__ is not str for step in steps):
        return _no_path(text, "name a field, not an element of a list")
    path = steps if steps[0] in ("metadata", "spec") else ("spec", *steps)
    if any(path[: len(fixed)] == fixed for fixed in _FIXED):
        return Diagnostic("TJ222", f'"{text}" cannot be set here, because it defines the runs')
    return _unknown(text, path) or path


def _unknown(text: str, path: FieldPath) -> Diagnostic | None:
    schema: Schema = compact.EXPERIMENT
    for step in path:
        if "x-kubernetes-preserve-unknown-fields" in schema or not schema:
            return None
        properties = schema.get("properties", {})
        others = schema.get("additionalProperties")
        if step in properties:
            schema = properties[step]
        elif isinstance(others, dict):
            schema = others
        else:
            return _no_field(text, str(step), list(properties))
    return None


def _no_field(text: str, step: str, known: list[str]) -> Diagnostic:
    near = nearest(step, known)
    if near is not None:
        hint = f'did you mean "{near}"?'
    elif step == text or text.startswith(("args.", "script.")):
        variable = step.strip("-").replace("-", "_").upper()
        hint = f"for a parameter of the program, write env.{variable}, and refer to it as $({variable}) in script or args"
    else:
        hint = f"use one of {', '.join(known)}" if known else ""
    return Diagnostic("TJ222", f'"{text}" is not a field of an experiment: "{step}" does not exist', hint=hint or None)


def _no_path(text: str, hint: str) -> Diagnostic:
    return Diagnostic("TJ221", f'"{text}" is not a field path', hint=hint)
