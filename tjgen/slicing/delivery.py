"""A plan of slices -> the files of a ConfigMap: for each slice the paths of its items, one a line."""

from __future__ import annotations

from collections.abc import Mapping

from tjgen.diagnostics.model import Diagnostic
from tjgen.fields.path import FieldPath
from tjgen.slicing import problems
from tjgen.slicing.items import Items
from tjgen.slicing.proof import Plan

LIMIT = 1024 * 1024
"""Bytes of all keys and values of a ConfigMap. Upstream: core/validation `ValidateConfigMap`, `MaxSecretSize`."""


def manifests(plan: Plan, items: Items) -> dict[str, str]:
    """`slice-<index>.txt` -> the paths of the slice, each with its line end; an empty slice is an empty file."""
    paths = items.paths
    return {f"slice-{number}.txt": "".join([paths[index] + "\n" for index in part]) for number, part in enumerate(plan)}


def size(files: Mapping[str, str]) -> int:
    """The bytes that the API server counts."""
    return sum(len(name.encode()) + len(text.encode()) for name, text in files.items())


def too_large(files: Mapping[str, str], because: FieldPath) -> Diagnostic | None:
    """An error where the files do not fit into one ConfigMap."""
    bytes_ = size(files)
    if bytes_ <= LIMIT:
        return None
    return problems.error(
        problems.LARGE,
        f"the lists of the slices have {bytes_} bytes, and a ConfigMap holds {LIMIT}",
        path=because,
        hint="use folders or archives as items, or keep the lists on the volume",
    )
