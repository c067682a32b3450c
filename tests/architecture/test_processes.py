"""Only named modules start programs, and Git has one door."""

from __future__ import annotations

import ast

from tests.checkout import ROOT, modules

STARTS = {
    "tjgen/cli/watching.py": "none: it names the modules that start programs, to store no answer of a command that uses them",
    "tjgen/cli/cluster.py": "the kubectl on the PATH of the user, for commands that read the cluster",
    "tjgen/compiler/building/workers.py": "itself, by a fork: workers compile files of a large build, and start nothing",
    "tjgen/trees/git.py": "the one door to Git, which turns off what a repository could start",
    "tjgen/cluster/registry/credentials.py": "the credential helper that the user's own Docker configuration names",
    "tjgen/language/slicing/conformance.py": "a second Python that checks that a slicer is deterministic, in its author's tests",
}
"""Module -> the program that it starts, and who names it."""
_OS = ("exec", "spawn", "posix_spawn", "system", "popen", "fork", "startfile")
_MODULES = {"subprocess", "multiprocessing", "pty", "concurrent", "_posixsubprocess"}


def starters(text: str) -> set[str]:
    """What a module imports or calls to start a program. Imports under TYPE_CHECKING start nothing."""
    tree = ast.parse(text)
    skipped = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
        for inner in ast.walk(node)
    }
    found = set()
    for node in ast.walk(tree):
        if id(node) in skipped:
            continue
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names if alias.name.partition(".")[0] in _MODULES}
        elif isinstance(node, ast.ImportFrom) and node.module:
            if node.module.partition(".")[0] in _MODULES:
                found.add(node.module)
            elif node.module in ("os", "posix"):
                found |= {alias.name for alias in node.names if alias.name.startswith(_OS)}
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in ("os", "posix"):
            found |= {node.attr} if node.attr.startswith(_OS) else set()
        elif isinstance(node, ast.Constant) and node.value in _MODULES:
            found.add(str(node.value))  # import_module("subprocess") and the like
    return found


def test_only_named_modules_start_programs() -> None:
    found = {str(path.relative_to(ROOT)) for path in modules() if starters(path.read_text(encoding="utf-8"))}
    assert found == {*STARTS}


def test_a_module_that_starts_a_program_is_noticed() -> None:
    for text in ("import subprocess", "from os import system", "import os\nos.execv('a', [])", "__import__('subprocess')"):
        assert starters(text), text
    assert not starters("import os\nos.path.join('a')")
