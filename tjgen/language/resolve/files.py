"""Files, folders and patterns, as a project names them -> the YAML files that they mean."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from tjgen.language.resolve import skipped
from tjgen.trees.diagnostics.model import Diagnostic, has_errors
from tjgen.trees.fields.path import FieldPath
from tjgen.trees.files.sandbox import Sandbox
from tjgen.trees.files.search import below, is_pattern, matching
from tjgen.trees.source.document import Document


def named(sandbox: Sandbox, directory: str, entry: str) -> tuple[list[str], list[Diagnostic]]:
    """The files that `entry` means, relative to `directory` unless it is absolute; sorted, empty if there are none.

    A folder means all YAML files in it and below; hidden files and folders are only taken by their name. With them, the errors
    for what was not searched (TJ029, TJ033 to TJ035).
    """
    path = os.path.normpath(os.path.join(directory, entry))
    if os.path.isdir(path):
        paths = list(below(sandbox, path, is_yaml))
    elif os.path.lexists(path):
        return [path], []
    elif is_pattern(entry):
        paths = list(matching(sandbox, directory, entry))
    else:
        return [], []
    files = [os.path.normpath(one) for one in paths if not isinstance(one, Diagnostic)]
    return sorted(set(files)), [one for one in paths if isinstance(one, Diagnostic)]


def with_skipped(
    sandbox: Sandbox, directory: str, entry: str, mark: bytes = skipped.OF_TJGEN
) -> tuple[list[str], list[Diagnostic]]:
    """The same, and TJ696 for what is not read of a folder although it contains `mark`, or is a submodule without files."""
    path = os.path.normpath(os.path.join(directory, entry))
    if not os.path.isdir(path):
        return named(sandbox, directory, entry)
    known: set[str] = set()
    diagnostics: list[Diagnostic] = []
    empty: list[str] = []
    for one in below(sandbox, path, skipped.is_similar, lambda folder: empty.append(os.path.normpath(folder))):
        if isinstance(one, Diagnostic):
            diagnostics.append(one)
        else:
            known.add(os.path.normpath(one))
    files = sorted(filter(is_yaml, known))
    diagnostics += skipped.files(sandbox, sorted(known.difference(files)), mark)
    return files, [*diagnostics, *skipped.submodules(empty)]


def platform_files(
    sandbox: Sandbox, document: Document, field: str, entries: Sequence[str], code: str
) -> Iterator[tuple[str, bytes] | Diagnostic]:
    """Yield the path and the content of each file that `field` of a Platform lists.

    Paths are relative to the folder of the Platform. An entry without files is an error with `code`.
    A file that cannot be read is an error, too.
    """
    folder = os.path.dirname(document.file)
    for position, entry in enumerate(entries):
        path: FieldPath = ("spec", field, position)
        files, problems = with_skipped(sandbox, folder, entry, skipped.OF_KUBERNETES)
        yield from (one._replace(span=one.span or document.locate(path)) for one in problems)
        if not files and not has_errors(problems):
            hint = f"correct the path, which is relative to {folder or 'the folder of the Platform'}"
            message = f"{entry} does not exist, or contains no YAML file"
            yield Diagnostic(code, message, path=path, span=document.locate(path), hint=hint)
        for file in files:
            content = sandbox.content(file)
            yield content if isinstance(content, Diagnostic) else (file, content)


def is_yaml(name: str) -> bool:
    """Whether a file of a folder is read, by its name."""
    return name.endswith(skipped.SUFFIXES)
