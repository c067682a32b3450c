"""The cache of the user has one entry point, `tjgen/trees/caches.py`: no other module finds its folder, or reads stored values.

A module that did could answer from a file that a pull request commits. Others are listed here, with a reason.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tests.checkout import ROOT, modules, parsed

ENTRY = "tjgen/trees/caches.py"
LOADERS = {"marshal", "pickle", "_pickle", "shelve", "dbm", "sqlite3"}
"""Modules that read values which a program has stored, and trust them."""
READS_VALUES = {
    ENTRY: "the entry point",
    "tjgen/trees/bytecode.py": "compiled modules, in the folder of the program itself, as .pyc files are",
    "tjgen/trees/bytecode_file.py": "writes the same file",
}
PLACES = {"XDG_CACHE_HOME", "TJGEN_CACHE", ".cache", "tjgen/build", "tjgen/check"}
NAMES_PLACES = {
    ENTRY: "the entry point",
    "tjgen/cli/kept.py": "the variables that an answer depends on",
}


def loaders(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (one.name for one in node.names if one.name.partition(".")[0] in LOADERS)
        elif isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] in LOADERS:
            yield node.module or ""
        elif (
            isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant) and node.args[0].value in LOADERS
        ):
            yield node.args[0].value


def places(tree: ast.Module) -> Iterator[str]:
    """The texts that name a cache or its folder: constants as a whole, and the ends of paths in them."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from (place for place in PLACES if node.value == place or node.value.endswith(f"/{place}"))


def users(found: object) -> set[str]:
    assert callable(found)
    return {str(path.relative_to(ROOT)) for path in modules() if any(found(parsed(path)))}


def test_values_as_they_are_stored_are_read_in_the_entry_point() -> None:
    assert users(loaders) == set(READS_VALUES)


def test_the_folder_of_caches_is_found_in_the_entry_point() -> None:
    assert users(places) == set(NAMES_PLACES)


def test_other_access_is_found() -> None:
    for text in (
        "import marshal\n",
        "from pickle import loads\n",
        "__import__('shelve')\n",
        "def f():\n    import marshal as m\n",
    ):
        assert list(loaders(ast.parse(text))), text
    for text in ("os.environ['XDG_CACHE_HOME']\n", "f'{home}/.cache'\n", "x = '.cache'\n", "get('TJGEN_CACHE')\n"):
        assert list(places(ast.parse(text))), text
    assert not list(places(ast.parse("'results are cached (in $XDG_CACHE_HOME or ~/.cache), and'\n")))
