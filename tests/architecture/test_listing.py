"""Folders of the repository are listed without what Python, editors and operating systems leave in them."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.checkout import LITTER, ROOT, is_litter, list_entries, parsed

LISTING = {"glob", "rglob", "iterdir", "listdir", "scandir", "walk"}
# The function itself, and the files of the repository without Git; and patterns that the tool of mutants is given.
MAY = {"tests/checkout.py", "tests/mutation/scope.py"}


def lists(tree: ast.AST) -> list[str]:
    """The calls that list a folder named by a constant, which is one of the repository: `ROOT.glob(...)`."""
    found = []
    for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
        assert isinstance(call.func, ast.Attribute)
        where = call.args[0] if ast.unparse(call.func.value) == "os" and call.args else call.func.value
        names = {node.id for node in ast.walk(where) if isinstance(node, ast.Name)}
        constant = names and all(name.isupper() or name in ("__file__", "Path", "data") for name in names)
        if constant and call.func.attr in LISTING and ast.unparse(call.func.value) != "ast":
            found.append(f"{call.lineno}: {ast.unparse(call)}")
    return found


def test_a_call_that_lists_a_folder_of_the_repository_is_found() -> None:
    constant = "ROOT.glob('*')\n(ROOT / 'a').iterdir()\nos.listdir(HERE)\nPath(__file__).parent.rglob('*')\n"
    made = "folder.glob('*')\n(folder / NAME).glob('*')\nast.walk(TREE)\n"
    assert [line.partition(":")[0] for line in lists(ast.parse(constant + made))] == ["1", "2", "3", "4"]


@pytest.mark.parametrize("folder", ["tests", "docs/generate"])
def test_only_one_function_lists_folders_of_the_repository(folder: str) -> None:
    found = {path.relative_to(ROOT).as_posix(): lists(parsed(path)) for path in list_entries(ROOT / folder, "**/*.py")}
    others = {path: lines for path, lines in found.items() if lines and path not in MAY}
    assert others == {}, "use list_entries of tests/checkout.py"


@pytest.mark.parametrize("pattern", LITTER)
def test_what_programs_leave_is_not_listed(pattern: str, tmp_path: Path) -> None:
    for name in ("case", ".gitignore", pattern.replace("*", "case.yaml")):
        (tmp_path / name).mkdir()
    assert is_litter(pattern.replace("*", "case.yaml"))
    assert [path.name for path in list_entries(tmp_path)] == [".gitignore", "case"]
    assert list_entries(tmp_path, "*/*") == []
