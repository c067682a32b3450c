"""Modules keep no state: results that are used again are in a `Session`, which a command makes and passes along."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from tests.checkout import ROOT, list_entries, parsed

SHIPPED = "computed from files or constants that tjgen ships, which never change"
PURE = "the result of a pure function of the text that is its key"
KEPT = {
    "cli/settled.py:_watches": "the watch of the command, as long as it replaces functions of `os`",
    "cluster/kinds/table.py:_loaded": SHIPPED,
    "cluster/schema/defaults.py:_filled": "facts of a compiled schema, by its identity; the entry keeps the schema alive",
    "cluster/schema/store.py:_loaded": "compiled schemas; files of a project are checked against their digests",
    "cluster/schema/store.py:_own": "the list of the compiled schemas of a project",
    "cluster/trainer/typed.py:_earlier": SHIPPED,
    "cluster/validate/cel/program.py:_programs": PURE,
    "cluster/validate/cel/rules.py:_plans": "facts of a compiled schema, by its identity; the entry keeps the schema alive",
    "cluster/validate/update/shape.py:_fields": SHIPPED,
    "compiler/targets/carriers.py:_known_fields": SHIPPED,
    "compiler/volumes/table.py:_loaded": SHIPPED,
    "trees/fields/path.py:_indexes": "an index of a long list, which is compared with the list at each use",
    "trees/bytecode.py:new_values": SHIPPED,
    "trees/files/search.py:_PATTERNS": PURE,
    "trees/k8s/quantity.py:_parsed": PURE,
    "trees/k8s/quantity.py:_printed": PURE,
    "trees/k8s/quantity.py:_texts": PURE,
    "trees/regex.py:_patterns": PURE,
}
"""Module-level state, and why it may stay."""
CHANGES = {"add", "append", "clear", "extend", "insert", "pop", "popitem", "remove", "setdefault", "update"}


def changed(file: Path) -> Iterator[str]:
    """The names of a module that its functions assign, or whose values they change."""
    tree = parsed(file)
    names = {target.id for node in tree.body for target in targets(node) if isinstance(target, ast.Name)}
    for function in ast.walk(tree):
        if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        own = {node.id for node in ast.walk(function) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
        own |= {one.arg for one in ast.walk(function) if isinstance(one, ast.arg)}
        for node in ast.walk(function):
            if isinstance(node, ast.Global):
                yield from node.names
            for name in changes(node):
                if name in names - own:
                    yield name


def targets(node: ast.stmt) -> list[ast.expr]:
    """What a statement assigns."""
    return node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []


def changes(node: ast.AST) -> Iterator[str]:
    """The name of the value that a node changes, if any."""
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store | ast.Del) and isinstance(node.value, ast.Name):
        yield node.value.id
    method = node.func if isinstance(node, ast.Call) else None
    if isinstance(method, ast.Attribute) and method.attr in CHANGES and isinstance(method.value, ast.Name):
        yield method.value.id


def kept_by_identity(file: Path) -> Iterator[str]:
    """The tables of an object that have `id(...)` as a key: an identity is used again when its object is gone."""
    for function in ast.walk(parsed(file)):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            nodes = list(ast.walk(function))
            keys = {
                target.id
                for node in nodes
                if isinstance(node, ast.Assign) and is_identity(node.value)
                for target in node.targets
                if isinstance(target, ast.Name)
            }
            for node in nodes:
                if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Attribute):
                    key = node.slice
                    if is_identity(key) or (isinstance(key, ast.Name) and key.id in keys):
                        yield ast.unparse(node.value)


def is_identity(node: ast.AST) -> bool:
    """Whether an expression has a call of `id`."""
    calls = (one for one in ast.walk(node) if isinstance(one, ast.Call))
    return any(isinstance(call.func, ast.Name) and call.func.id == "id" for call in calls)


def modules() -> list[tuple[str, Path]]:
    """Every module by its path in the package; generators of code run by themselves."""
    found = [(file.relative_to(ROOT / "tjgen").as_posix(), file) for file in list_entries(ROOT / "tjgen", "**/*.py")]
    return [(name, file) for name, file in found if not name.startswith("language/spec/generate/")]


def test_modules_keep_no_state() -> None:
    found = {f"{name}:{variable}" for name, file in modules() for variable in changed(file)}
    assert sorted(found - KEPT.keys()) == []
    assert sorted(KEPT.keys() - found) == []


def test_no_object_keeps_results_by_identity() -> None:
    assert [(name, table) for name, file in modules() for table in kept_by_identity(file)] == []


def test_the_check_sees_state(tmp_path: Path) -> None:
    module = tmp_path / "module.py"
    module.write_text("A = {}\nB: list[int] = []\nC = 1\nD = {}\ndef f(D):\n  global C\n  A[1] = 2\n  B.append(1)\n  D[1] = 2\n")
    assert sorted(changed(module)) == ["A", "B", "C"]
    module.write_text("class A:\n  def f(self, x):\n    self.table[id(x), 1] = x\n    local = {}\n    local[id(x)] = x\n")
    assert [*kept_by_identity(module)] == ["self.table"]
    module.write_text("class A:\n  def f(self, x):\n    key = (1, id(x))\n    self.table[key] = x\n")
    assert [*kept_by_identity(module)] == ["self.table"]
