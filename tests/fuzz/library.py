"""Calls of the library that the fuzz program makes: a name and JSON text, or bytes -> the call, which must not raise."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from tjgen import api
from tjgen.cluster.registry.failure import RegistryError
from tjgen.cluster.registry.reference import Reference
from tjgen.language.slicing import braces
from tjgen.trees.diagnostics.model import CompileError
from tjgen.trees.fields import path as paths
from tjgen.trees.k8s import quantity
from tjgen.trees.source.document import Document
from tjgen.trees.source.reader import CORE, KUBERNETES, read
from tjgen.trees.source.writer import dump

Tree = Any


class UnreadableError(AssertionError):
    """What was written does not read back as the same."""


def _admit(content: bytes) -> None:
    given = json.loads(content)
    api.admit(given["document"], old=given.get("old"), context=given.get("context", ()), apply=given.get("apply", "client-side"))


def _expand(content: bytes) -> None:
    given = json.loads(content)
    try:
        api.expand(given["documents"], trainer=given.get("trainer", "2.3"), pods=given.get("pods", False))
    except CompileError as error:
        if not error.diagnostics:
            raise


def _build(content: bytes) -> None:
    given = json.loads(content)
    found = api.build(given.get("paths", ()), environments=given.get("environments", ()), set_values=given.get("set_values", ()))
    for manifest in found.manifests:
        manifest.origins(("spec",))


def _read(content: bytes) -> None:
    for dialect in (CORE, KUBERNETES):
        documents, problems = read(content, "input.yaml", dialect)
        for document in documents:
            document.locate(())
            for path in _some_paths(document.value):
                document.locate(path)
            if not problems:
                _same(document, dialect)


def _some_paths(value: Tree) -> list[paths.FieldPath]:
    """The way down along the last entries."""
    path: tuple[Any, ...] = ()
    found: list[paths.FieldPath] = []
    while isinstance(value, (dict, list)) and value and len(found) < 50:
        step: Any = list(value)[-1] if isinstance(value, dict) else len(value) - 1
        path, value = (*path, step), value[step]
        found.append(path)
    return found


def _same(document: Document, dialect: str) -> None:
    try:
        text = dump(document.value)
    except ValueError:
        return  # an infinite number, which is documented
    again, problems = read(text, "again.yaml", dialect)
    if [one.value for one in again] != [document.value] and document.value is not None:
        raise UnreadableError(f"{document.value!r:.200} is written as {text!r:.200}: {problems!r:.200}")


def _texts(content: bytes) -> None:
    """The parsers of small languages. Each may answer with ValueError."""
    for text in content.decode("utf-8", "surrogateescape").split("\n"):
        for parse in _PARSERS:
            try:
                parse(text)
            except (ValueError, CompileError, RegistryError) as error:
                if isinstance(error, UnicodeError):
                    raise


def _path(text: str) -> None:
    parsed = paths.parse(text)
    paths.get({"a": [1]}, parsed)
    paths.pointer({"a": [1]}, parsed)
    paths.render(parsed)


def _amount(text: str) -> None:
    amount = quantity.parse(text)
    str(quantity.add(amount, quantity.multiply(amount, 3)))
    quantity.canonical(text)


def _braces(text: str) -> None:
    pattern = braces.parse(text)
    if pattern.total:
        pattern.path(pattern.total - 1)


_PARSERS: tuple[Callable[[str], Any], ...] = (_path, _amount, _braces, Reference.of)

CALLS: dict[str, Callable[[bytes], None]] = {
    "admit": _admit,
    "expand": _expand,
    "build": _build,
    "read": _read,
    "texts": _texts,
}
