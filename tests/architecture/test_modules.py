"""The form of every module of the product. Each test lists all the modules that break its rule."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tests.architecture.imports import cycles, imports_of
from tests.checkout import ROOT, modules, parsed

MOST_LINES = 600
"""A module holds one whole idea, so that a reader follows it in one file. A longer one mixes ideas, or states its reason."""
DATA = {
    "tjgen/language/spec/compact.py": "generated from the models",
    "tjgen/language/spec/objects.py": "generated from the models",
    "tjgen/trees/diagnostics/table.py": "generated from the table of codes",
}
"""Modules that are longer than MOST_LINES, with the reason."""
NAMELESS = {"utils", "util", "helpers", "common", "base", "misc"}


@cache
def trees() -> dict[Path, ast.Module]:
    """The modules with content; an empty `__init__` has no form."""
    return {path: parsed(path) for path in modules() if path.read_text(encoding="utf-8").strip()}


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def is_summary(docstring: str | None) -> bool:
    """Whether a docstring begins with one line that ends as a sentence, followed by an empty line or nothing."""
    first, *rest = (docstring or "").split("\n")
    return first.endswith((".", ":")) and (not rest or rest[0] == "")


def postpones_annotations(tree: ast.Module) -> bool:
    """Whether the first import of a module is `from __future__ import annotations`."""
    first = next((node for node in tree.body if isinstance(node, (ast.Import, ast.ImportFrom))), None)
    return isinstance(first, ast.ImportFrom) and first.module == "__future__" and [x.name for x in first.names] == ["annotations"]


def breaches(tree: ast.Module, path: Path) -> Iterator[str]:
    """The rules of form that one module breaks."""
    if not is_summary(ast.get_docstring(tree)):
        yield "summary"
    if path.name != "__init__.py" and not postpones_annotations(tree):
        yield "annotations"
    if NAMELESS & {path.stem, *path.parts}:
        yield "name"


def found(rule: str) -> list[str]:
    return [name(path) for path, tree in trees().items() if rule in breaches(tree, path.relative_to(ROOT))]


def test_a_module_begins_with_a_summary_in_one_line() -> None:
    assert found("summary") == []


def test_annotations_are_not_evaluated() -> None:
    assert found("annotations") == []


def test_a_module_is_named_after_its_idea() -> None:
    assert found("name") == []


def test_each_breach_of_form_is_found() -> None:
    spoiled = ast.parse('"""No full stop"""\nimport os\n')
    assert list(breaches(spoiled, Path("tjgen/utils/x.py"))) == ["summary", "annotations", "name"]
    sound = ast.parse('"""A sentence."""\n\nfrom __future__ import annotations\n')
    assert list(breaches(sound, Path("tjgen/x.py"))) == []


def test_a_module_has_at_most_600_lines_unless_it_is_data() -> None:
    lines = {name(path): path.read_text(encoding="utf-8").count("\n") for path in trees()}
    longer = {module for module, count in lines.items() if count > MOST_LINES}
    assert sorted(longer - DATA.keys()) == []
    assert sorted(DATA.keys() - longer) == [], "listed as data, but short"


def test_no_modules_import_each_other_in_a_cycle() -> None:
    assert cycles(imports_of(trees())) == []


def test_a_cycle_is_found_also_when_an_import_is_inside_a_function() -> None:
    sources = {
        "tjgen/a.py": "from tjgen.b import f",
        "tjgen/b.py": "def f():\n    from tjgen import c",
        "tjgen/c.py": "import tjgen.a",
        "tjgen/d.py": "from tjgen.a import g",
    }
    trees = {ROOT / path: ast.parse(text) for path, text in sources.items()}
    assert cycles(imports_of(trees)) == [["tjgen.a", "tjgen.b", "tjgen.c"]]


def test_the_package_says_that_it_is_typed() -> None:
    assert (ROOT / "tjgen" / "py.typed").is_file()
