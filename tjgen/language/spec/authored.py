"""Models that a Python program creates -> trees, and documents whose places are those of the program."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import isfinite

from tjgen.language.spec.calls import Call, caller, text
from tjgen.language.spec.levels import owners_of_others
from tjgen.language.spec.models.shape import Shape
from tjgen.trees.diagnostics.model import Diagnostic, Span
from tjgen.trees.fields.path import FieldPath, Tree
from tjgen.trees.source.document import Document
from tjgen.trees.source.writer import dump_all
from tjgen.trees.typing import Any, NamedTuple

_DEEPEST = 100
_SCALARS: dict[type[Any], Callable[[Any], Any]] = {str: str.__str__, int: int, float: float}
"""Type -> what makes a plain value of a value of a subtype, such as a member of an enumeration."""


class Authored(NamedTuple):
    """A document of a Python program: a model, or a mapping."""

    value: Shape | Mapping[str, Any]
    call: Call
    """The call that created the model, or that received the mapping."""

    def tree(self) -> tuple[Tree, list[Diagnostic]]:
        """The document as a tree, in the order of the fields of its models; TJ765 for values that YAML cannot hold."""
        problems: list[Diagnostic] = []
        return self._tree(self.value, (), problems), problems

    def locate(self, path: FieldPath, *, key: bool = False) -> Span:
        """The place of the value at `path`, or of its name; of the nearest value around it, if it is written nowhere."""
        place = self.call
        value: object = self.value
        node: ast.expr | None = place.node
        last: tuple[Call, ast.expr | None, ast.keyword | None] = (place, node, None)
        for step in path:
            inner, node, word = _below(value, node, step)
            if inner is _MISSING:
                break
            value = inner
            own = value.call if isinstance(value, Shape) else None
            if own is not None:
                place, node = own, own.node
            if node is not None or own is not None:
                last = place, node, word
        place, node, word = last
        if key and word is not None and word.arg is not None:
            return place.span(word, length=len(word.arg.encode()))
        return place.span(node)

    def _tree(self, value: object, path: FieldPath, problems: list[Diagnostic]) -> Tree:
        if len(path) > _DEEPEST:
            problems.append(self._refused(path, f"the value is nested more than {_DEEPEST} levels deep", "use fewer levels"))
            return None
        if isinstance(value, Shape):
            problems += [self._misplaced(path, name, model) for name, model in owners_of_others(value)]
            return {name: self._tree(part, (*path, name), problems) for name, part in _given(value).items() if part is not None}
        if isinstance(value, Mapping):
            wrong = next((key for key in value if not isinstance(key, str)), None)
            if wrong is not None:
                hint = "write the key as a string"
                problems.append(self._refused(path, f"the key {wrong!r} is a {type(wrong).__name__}, but must be a string", hint))
                return None
            return {str.__str__(key): self._tree(part, (*path, key), problems) for key, part in value.items()}
        if isinstance(value, (list, tuple)):
            return [self._tree(part, (*path, index), problems) for index, part in enumerate(value)]
        if value is None or isinstance(value, bool):
            return value
        plain = next((make(value) for kind, make in _SCALARS.items() if isinstance(value, kind)), None)
        if plain is None or not _is_text(plain) or (plain.__class__ is float and not isfinite(plain)):
            message = f"the value {value!r} is a {type(value).__name__}, which YAML cannot represent"
            hint = "convert it to a string, a finite number, a boolean, a list or a dict"
            problems.append(self._refused(path, message, hint))
            return None
        return plain

    def _misplaced(self, path: FieldPath, name: str, owner: tuple[str, str]) -> Diagnostic:
        field, model = owner
        span = self.locate((*path, name), key=True)
        hint = f"write {field}={model}({name}=...)"
        return Diagnostic("TJ101", f'unknown field "{name}"', path=(*path, name), span=span, hint=hint)

    def _refused(self, path: FieldPath, message: str, hint: str) -> Diagnostic:
        return Diagnostic("TJ765", message, path=path, span=self.locate(path), hint=hint)


class AuthoredProgram(NamedTuple):
    """The documents of one Python file, and their text as a file of YAML."""

    documents: tuple[Authored, ...]
    content: bytes

    def located(self, document: Document) -> Document:
        """A document that was read from the text, with the places of the program."""
        return _Located(document, self.documents[document.index])

    def placed(self, diagnostic: Diagnostic, documents: Sequence[Document]) -> Diagnostic:
        """A diagnostic about the text, at the call that created the document with that text."""
        before = [
            one for one in documents if diagnostic.span is None or one.source.span(*one.extent).line <= diagnostic.span.line
        ]
        return diagnostic._replace(span=self.documents[before[-1].index if before else 0].locate(()), related=())


class _Located(Document):
    """A document that was read from generated text, and is written in a Python program."""

    __slots__ = ("_authored",)

    def __init__(self, document: Document, authored: Authored) -> None:
        start, end = document.extent
        super().__init__(document.value, document.source, document.dialect, index=document.index, start=start, end=end)
        self._authored = authored

    def locate(self, path: FieldPath, *, key: bool = False) -> Span | None:
        """The place of the value at `path` in the program, or of its name."""
        return self._authored.locate(path, key=key)


def authored_by(documents: Sequence[Shape | Mapping[str, Any]]) -> tuple[Authored, ...]:
    """The documents, each with the call that created it; mappings with the call of tjgen. Raises TypeError for anything else."""
    wanted = "documents must be a list of experiments and mappings"
    # A model and a mapping can be iterated, too: over their fields.
    if isinstance(documents, (Shape, Mapping, str)) or not isinstance(documents, Iterable):
        raise TypeError(f"{wanted}, but is of type {type(documents).__name__}; write documents=[...]")
    documents = tuple(documents)
    wrong = [one for one in documents if not isinstance(one, (Shape, Mapping))]
    if wrong:
        raise TypeError(f"{wanted}, but one is of type {type(wrong[0]).__name__}; for files, write paths=[...]")
    call_site = caller(lambda module: module == "tjgen" or module.startswith("tjgen."))
    return tuple([Authored(one, one.call if isinstance(one, Shape) and one.call else call_site) for one in documents])


def programs(documents: Sequence[Authored]) -> tuple[dict[str, AuthoredProgram], list[Diagnostic]]:
    """The documents by the file that creates them, as people call it; TJ765 for values that YAML cannot hold."""
    diagnostics: list[Diagnostic] = []
    trees: dict[str, list[tuple[Authored, Tree]]] = {}
    for one in documents:
        tree, problems = one.tree()
        diagnostics += problems
        trees.setdefault(one.call.shown, []).append((one, tree))
    return {
        file: AuthoredProgram(tuple([one for one, _ in pairs]), dump_all([tree for _, tree in pairs]).encode())
        for file, pairs in trees.items()
    }, diagnostics


def text_of(file: str, documents: Sequence[Authored]) -> str | None:
    """The text of a Python file among those of `documents`, by the name that people see; None for other files."""
    return next((text(one.call.file) for one in documents if one.call.shown == file), None)


def _is_text(value: object) -> bool:
    """Whether a value is not a string, or a string without halves of characters."""
    return not isinstance(value, str) or not any("\ud800" <= sign <= "\udfff" for sign in value)


_MISSING = object()


def _given(model: Shape) -> dict[str, object]:
    """The fields that were given to a model, by their names in YAML; fields that it does not have keep their names."""
    fields = type(model).model_fields
    return {
        (fields[name].serialization_alias or name) if name in fields else name: value
        for name, value in model.__dict__.items()
        if name in model.model_fields_set or name in model.implied
    }


def _below(value: object, node: ast.expr | None, step: object) -> tuple[object, ast.expr | None, ast.keyword | None]:
    """The value at one step below `value`, the expression that gives it, and the keyword in front of the expression."""
    if isinstance(value, (list, tuple)):
        if not isinstance(step, int) or not 0 <= step < len(value):
            return _MISSING, None, None
        listed = node.elts if isinstance(node, (ast.List, ast.Tuple)) else []
        is_plain = len(listed) == len(value) and not any(isinstance(one, ast.Starred) for one in listed)
        return value[step], listed[step] if is_plain else None, None
    given = _given(value) if isinstance(value, Shape) else value
    if not isinstance(given, Mapping) or step not in given:
        return _MISSING, None, None
    names = {step}
    if isinstance(value, Shape):
        names |= {name for name, field in type(value).model_fields.items() if field.serialization_alias == step}
    if isinstance(node, ast.Call):
        word = next((one for one in node.keywords if one.arg in names), None)
        return given[step], word.value if word is not None else None, word
    if isinstance(node, ast.Dict):
        pairs = zip(node.keys, node.values, strict=True)
        value_node = next((part for key, part in pairs if isinstance(key, ast.Constant) and key.value == step), None)
        return given[step], value_node, None
    return given[step], None, None
