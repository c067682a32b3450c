"""The words of identifiers in the product: names use the field's terms, not words that only this code explains."""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tests.architecture.test_modules import trees
from tests.checkout import ROOT

COMPACT = ROOT / "tjgen/language/spec/objects.py"
"""The module that has a class for each model of the language, generated from the models."""
PRIVATE = {
    "anatomy": "structure",
    "anew": "again, renewed",
    "ask": "request, read, look_up",
    "asked": "requested, options, or the value itself: build, monitor, size",
    "asking": "attributions, request",
    "asks": "requests",
    "beside": "context, supporting, next_to",
    "companion": "accompanying",
    "companions": "version_skew",
    "doubt": "warning",
    "doubts": "warnings",
    "doubted": "warned",
    "found": "the result: diagnostics, problems, match, paths",
    "gone": "removed, pruned",
    "ground": "file_system",
    "held": "stored, duration",
    "here": "the place itself: element, field, path, working_directory",
    "intended": "planned",
    "likeness": "equivalence_key",
    "made": "created, objects, manifests, result",
    "nobody": "no_owner, unprivileged",
    "room": "capacity, remaining, max_width",
    "said": "configured, declared, settings, text, message",
    "say": "report, print",
    "says": "reports, sets",
    "somebody": "the role",
    "standing": "on_disk, stored, applied",
    "surprise": "warning",
    "surprises": "warnings",
    "tell": "report, show",
    "tells": "reports",
    "there": "present, available",
    "thing": "noun, object",
    "things": "nouns, objects",
    "told": "reported, variables, settings",
    "turn": "ordinal, rank",
    "unsaid": "implicit",
    "whoever": "the role",
    "wish": "option",
    "wishes": "options",
    "workshop": "sandbox",
}
"""Word of an identifier -> what to write in its place."""
ALLOWED = {
    "not_found": "NotFound is the reason that Kubernetes and OCI registries give",
    "FileNotFoundError": "a class of Python",
    "ModuleNotFoundError": "a class of Python",
    "PackageNotFoundError": "a class of Python",
}
"""Part of an identifier in which a private word may appear, with the reason."""
SAME_CLASS = {
    "Container": "containers of pod templates in both: the twin of the Trainer controller keeps upstream's name",
    "Experiment": "tjgen.Experiment is the model of the language, which also builds itself",
    "PodSet": "the pods of one replicated job in both: the twin of the Trainer controller keeps upstream's name",
}
"""Name that classes of several modules have, with the reason."""
UNDERSCORED = {
    "_repr_html_": "the method that IPython calls",
    "copy_": "copy is a method of each Pydantic model",
    "or_": "a function of the standard library",
}
"""Identifier that may end with an underscore, with the reason."""


def words(identifier: str) -> list[str]:
    """The words of an identifier in snake_case, CamelCase or capitals."""
    return [word.lower() for word in re.findall(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])", identifier)]


@functools.cache
def private_words(identifier: str) -> tuple[str, ...]:
    """The private words of an identifier, in order."""
    rest = identifier
    for allowed in ALLOWED:
        rest = re.sub(rf"(?i:{allowed})(?![a-z])", "", rest)
    return tuple([word for word in words(rest) if word in PRIVATE])


def identifiers(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Line and name of each identifier of a module: variables, parameters, attributes, functions, classes, imports."""
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name) | ast.arg(arg=name) | ast.Attribute(attr=name):
                yield node.lineno, name
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                yield node.lineno, name
            case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                yield node.lineno, name
            case ast.keyword(arg=str(name)) | ast.alias(asname=str(name)):
                yield node.lineno, name


def breaches(tree: ast.Module, path: Path) -> list[str]:
    """A line for each identifier of a module, and for its file name, that has a private word."""
    names = {(0, path.stem), *identifiers(tree)}
    return [
        f"{path}:{line}: {name}: write {PRIVATE[word]} for {word}" for line, name in sorted(names) for word in private_words(name)
    ]


def test_identifiers_use_the_terms_of_the_field() -> None:
    assert [breach for path, tree in trees().items() for breach in breaches(tree, path.relative_to(ROOT))] == []


@pytest.mark.parametrize(
    "text", ["asked = 1", "def f(said: int) -> None: ...", "class Found: ...", "f(made=1)", "a.held", "from a import b as told"]
)
def test_each_kind_of_identifier_is_checked(text: str) -> None:
    assert len(breaches(ast.parse(text), Path("x.py"))) == 1


def test_the_name_of_a_file_is_checked() -> None:
    assert breaches(ast.parse(""), Path("nobody_decrypts.py")) == [
        "nobody_decrypts.py:0: nobody_decrypts: write no_owner, unprivileged for nobody"
    ]


def underscored(tree: ast.Module, path: Path) -> list[str]:
    """A line for each identifier of a module that ends with an underscore: a name of its own replaces it."""
    return [
        f"{path}:{line}: {name}: ends with an underscore"
        for line, name in sorted(set(identifiers(tree)))
        if name.strip("_") and name.endswith("_") and not name.endswith("__") and name not in UNDERSCORED
    ]


def test_no_identifier_ends_with_an_underscore() -> None:
    product = {path: tree for path, tree in trees().items() if path.is_relative_to(ROOT / "tjgen")}
    assert len(product) > 500
    assert [line for path, tree in product.items() for line in underscored(tree, path.relative_to(ROOT))] == []
    used = {name for tree in product.values() for _, name in identifiers(tree)}
    assert UNDERSCORED.keys() - used == set(), "names in UNDERSCORED that no module has"


def test_an_underscore_at_the_end_is_reported() -> None:
    assert underscored(ast.parse("read_ = 1\n__all__ = _"), Path("x.py")) == ["x.py:1: read_: ends with an underscore"]


def classes(trees: Mapping[Path, ast.Module]) -> dict[str, list[str]]:
    """Name of each class of the modules -> the modules that define it, without the compact twins that the models generate."""
    modules: dict[str, list[str]] = {}
    for path, tree in trees.items():
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and path != COMPACT:
                modules.setdefault(node.name, []).append(str(path))
    return modules


def test_two_classes_have_two_names() -> None:
    product = {path: tree for path, tree in trees().items() if path.is_relative_to(ROOT / "tjgen")}
    assert len(product) > 500
    assert COMPACT in product
    repeated = {name: sorted(paths) for name, paths in classes(product).items() if len(paths) > 1}
    assert {name: paths for name, paths in repeated.items() if name not in SAME_CLASS} == {}
    assert SAME_CLASS.keys() - repeated.keys() == set(), "names in SAME_CLASS that only one class has"


def test_a_class_name_of_two_modules_is_reported() -> None:
    trees = {Path("a.py"): "class Run: ...", Path("b.py"): "class Run: ...\nclass Pod: ...", COMPACT: "class Pod: ..."}
    assert classes({path: ast.parse(text) for path, text in trees.items()}) == {"Run": ["a.py", "b.py"], "Pod": ["b.py"]}


@pytest.mark.parametrize("name", ["runtime_not_found", "NOT_FOUND", "FileNotFoundError", "founded", "thereby", "turned"])
def test_words_of_the_field_are_accepted(name: str) -> None:
    assert private_words(name) == ()
