"""A document -> its value, with the numbers of environment variables as they are written.

`LR: 1e-3` is a number to YAML and a text to the program that reads it: the text is what its author
wrote, not the output of a float printer.
"""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.language.spec.compact import EXPERIMENT_SPEC_FORM
from tjgen.language.spec.forms import Form, form_at, text
from tjgen.trees import regex
from tjgen.trees.fields.path import FieldPath, Tree, get, parse
from tjgen.trees.source.document import Document
from tjgen.trees.typing import Any

_NUMBER = regex.compile(r"(?:[0-9]|[-+.][.0-9])[\w.+-]*")
"""Words that begin as numbers do."""
_PROPERTIES = regex.compile(r"\A(?:[&!]\S*\s+)+")
"""What YAML allows before a scalar: an anchor, a tag."""
_SWEEPS: FieldPath = ("spec", "sweep")
_Texts = dict[Any, Any]
"""Step -> the texts below it, or at a leaf its text."""


def spelled(document: Document, form: Form) -> Tree:
    """The value of `document`, where numbers that become text are that text already; the rest of the file does not matter."""
    tree = document.value
    paths = [*_numbers(tree, form, ()), *_swept(tree)]
    if not paths:
        return tree
    # Finding places costs more than all else here, so it is only done where a number could be written in another way.
    canonical = _is_canonical(document.own_text)
    texts: _Texts = {}
    for path in paths:
        holder: Any = texts
        for step in path[:-1]:
            holder = holder.setdefault(step, {})
        holder[path[-1]] = text(get(tree, path)) if canonical else _written(document, path)
    return _replaced(tree, texts)


def _numbers(tree: Tree, form: Form, path: FieldPath) -> Iterator[FieldPath]:
    """Yield the paths of numbers in places that accept the text of any scalar."""
    if tree.__class__ is float or tree.__class__ is int:
        if form.short and form.short[0][1] == "text":
            yield path
    elif tree.__class__ is dict:
        if form.short and form.short[0][1] == "text" and tree.get(form.short[0][0]).__class__ in (float, int):
            yield (*path, form.short[0][0])
        elif form.each is not None:
            for key, value in tree.items():
                if value.__class__ is not str:
                    yield from _numbers(value, form.each, (*path, key))
        else:
            fields = form.fields
            for key, value in tree.items():
                if key in fields and value.__class__ is not str:
                    yield from _numbers(value, fields[key], (*path, key))


def _swept(tree: Tree) -> Iterator[FieldPath]:
    """Yield the same for the values of a sweep, whose keys name their fields."""
    sweep = get(tree, _SWEEPS, None)
    if sweep.__class__ is not dict:
        return
    for product in ("matrix", "zip"):
        for key, values in _entries(sweep.get(product)):
            yield from _swept_values(key, values, (*_SWEEPS, product, key))
    for key, values in sweep.items():
        if key not in ("matrix", "zip", "include", "exclude", "max"):  # a mistake, which a hint quotes
            yield from _swept_values(key, values, (*_SWEEPS, key))
    for added in ("include", "exclude"):
        points = sweep.get(added)
        for position, point in enumerate(points if points.__class__ is list else ()):
            for key, value in _entries(point):
                yield from _swept_value(key, value, (*_SWEEPS, added, position, key))


def _entries(tree: Tree) -> list[tuple[str, Tree]]:
    return list(tree.items()) if tree.__class__ is dict else []


def _swept_values(key: str, values: Tree, path: FieldPath) -> Iterator[FieldPath]:
    if values.__class__ is not list:  # a mistake, which a hint quotes
        yield from _swept_value(key, values, path)
        return
    for position, value in enumerate(values):
        yield from _swept_value(key, value, (*path, position))


def _swept_value(key: str, value: Tree, path: FieldPath) -> Iterator[FieldPath]:
    if value.__class__ in (float, int, dict):
        try:
            field = parse(key)
        except ValueError:
            return
        yield from _numbers(value, form_at(EXPERIMENT_SPEC_FORM, field), path)


def _is_canonical(content: str) -> bool:
    """Whether every word of the text that could be a number is written as Python prints the number."""
    return all((word.isdigit() and word[0] != "0") or _is_as_printed(word) for word in _NUMBER.findall(content))


def _is_as_printed(word: str) -> bool:
    for kind in (int, float):
        try:
            return repr(kind(word)) == word
        except ValueError:
            continue
    return not word.startswith(("0x", "0o", "-0x", "-0o", "+"))


def _written(document: Document, path: FieldPath) -> Tree:
    words = document.excerpt(path)
    if "\n" in words or "\r" in words:
        return get(document.value, path)
    return _PROPERTIES.sub("", words)


def _replaced(tree: Tree, texts: _Texts) -> Tree:
    """`tree` with these leaves instead of its own."""
    copy = tree.copy()
    for step, new in texts.items():
        copy[step] = _replaced(tree[step], new) if new.__class__ is dict else new
    return copy
