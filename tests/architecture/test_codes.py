"""The table of codes against the codes that the source spells."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import pytest

from tests.checkout import ROOT, modules
from tjgen.trees.diagnostics.codes import CODES, GROUPS, Code
from tjgen.trees.diagnostics.model import ERROR, INFO, WARNING

CODE = re.compile(r"TJ\d{3}")
LAST_RESORT = re.compile(r"error\[(TJ\d{3})\] ")
NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)+")
TABLES = ("tjgen/trees/diagnostics/codes.py", "tjgen/trees/diagnostics/rulecodes.py")
BY_CODE = {entry.code: entry for entry in CODES}


def spelled() -> Iterator[tuple[str, set[str], str]]:
    """Each code in the source, the kebab-case words beside it, and where."""
    for path in modules():
        where = str(path.relative_to(ROOT))
        if where in TABLES:
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                values = [*node.args, *(keyword.value for keyword in node.keywords)]
            elif isinstance(node, ast.Tuple):
                values = node.elts
            elif isinstance(node, ast.Constant):
                values = [node]
            else:
                continue
            texts = [value.value for value in values if isinstance(value, ast.Constant) and isinstance(value.value, str)]
            yield from ((found[1], set(), f"{where}:{node.lineno}") for text in texts if (found := LAST_RESORT.match(text)))
            names = {text for text in texts if NAME.fullmatch(text)}
            yield from ((text, names, f"{where}:{node.lineno}") for text in texts if CODE.fullmatch(text))


SPELLED = list(spelled())


def test_every_code_in_the_source_is_in_the_table() -> None:
    assert sorted({f"{code} {where}" for code, _, where in SPELLED if code not in BY_CODE}) == []


def test_every_code_in_the_table_is_in_the_source() -> None:
    assert sorted(set(BY_CODE) - {code for code, _, _ in SPELLED}) == []


def test_a_code_has_one_name() -> None:
    wrong = [
        f"{where}: {code} is {BY_CODE[code].name}, not {', '.join(sorted(names))}"
        for code, names, where in SPELLED
        if code in BY_CODE and names and BY_CODE[code].name not in names
    ]
    assert wrong == []
    named = {code for code, names, _ in SPELLED if names}
    # The last resort prints its line without a Diagnostic.
    assert sorted(set(BY_CODE) - named) == ["TJ900"]


@pytest.mark.parametrize("entry", CODES, ids=lambda entry: entry.code)
def test_an_entry_is_complete(entry: Code) -> None:
    assert CODE.fullmatch(entry.code)
    assert entry.code[:3] in GROUPS
    assert NAME.fullmatch(entry.name)
    assert entry.severity in (ERROR, WARNING, INFO)
    assert entry.meaning.endswith(".")
    assert entry.remedy.endswith(".")


def test_codes_are_sorted_and_none_is_twice() -> None:
    codes = [entry.code for entry in CODES]
    assert codes == sorted(set(codes))


def test_no_two_codes_of_a_phase_share_a_name() -> None:
    names = [(entry.code[:3], entry.name) for entry in CODES]
    assert sorted(name for name in names if names.count(name) > 1) == []
