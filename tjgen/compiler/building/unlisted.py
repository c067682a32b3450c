"""A folder of runtimes next to experiments -> how the project finds them, in words. `tjgen import` writes such folders."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from tjgen.compiler.building.run import Unit
from tjgen.language.catalog import problems
from tjgen.language.catalog.places import RuntimeSource
from tjgen.language.catalog.runtime import PROJECT
from tjgen.language.resolve.project import FILE, LoadedProject
from tjgen.trees.diagnostics.model import Diagnostic

CATALOG = "catalog"
"""The name of the folder: next to experiments, or to the folder of their namespace."""


def with_unlisted(unknown: Sequence[Diagnostic], name: str, unit: Unit, project: LoadedProject) -> list[Diagnostic]:
    """The diagnostics of a look-up; TJ251 for a runtime that is in a folder next to the experiment names this folder."""
    folder = next(_with_runtime(name, unit, project), None)
    if folder is None:
        return list(unknown)
    hint = f"{folder} contains it: {listing(folder, None if project.document is None else project.document.file)}"
    return [one._replace(hint=hint) if one.code == problems.UNKNOWN else one for one in unknown]


def _with_runtime(name: str, unit: Unit, project: LoadedProject) -> Iterator[str]:
    folder = os.path.dirname(unit.document.file) or "."
    for above in (folder, os.path.join(folder, "..")):
        place = os.path.normpath(os.path.join(above, CATALOG)).replace(os.sep, "/")
        files = RuntimeSource(place, place, PROJECT, project.sandbox).called(name, unit.namespace)
        if project.outside_catalogs([f"{place}/{file}" for file in files]):
            yield place


def listing(folder: str, project_file: str | None) -> str:
    """What a user writes for the project to find the runtimes of a folder; without a project, its whole file."""
    if project_file is not None:
        place = os.path.relpath(folder, os.path.dirname(project_file) or ".").replace(os.sep, "/")
        return f"add {place} to catalogs in {project_file}"
    is_below = not os.path.isabs(folder) and not os.path.normpath(folder).startswith("..")
    root = "" if is_below else os.path.dirname(os.path.normpath(folder))
    place = os.path.relpath(folder, root or ".").replace(os.sep, "/")
    tree = f"{{apiVersion: tjgen.dev/v1alpha1, kind: Project, spec: {{catalogs: [{place}]}}}}"
    return f"write {tree} to {os.path.join(root, FILE)}"
