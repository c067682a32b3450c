"""The mutants of a module, and the lists that a mutation run reads."""

from __future__ import annotations

import ast
import tomllib

import pytest

from tests.checkout import ROOT
from tests.mutation.mutants import mutants
from tests.mutation.plugin import functions, patched
from tests.mutation.probes import probes_of, statement_of, statements
from tests.mutation.scope import EQUIVALENT, FIRST, GROUPS, TESTS, equivalents, files

SOURCE = '''\
"""A docstring."""
from __future__ import annotations

LIMIT = 3


class Box:
    def first(self, values: list[int], *, strict: bool = False) -> tuple[int, bool]:
        """Another one."""
        if not values or len(values) > LIMIT:
            raise ValueError("empty")
        values[0] += 1
        return values[0], sorted(values, key=abs) == values and strict
'''


def changed(operator: str) -> list[list[str]]:
    return [one.diff(SOURCE) for one in mutants("box.py", SOURCE) if one.operator == operator]


@pytest.mark.parametrize(
    ("operator", "lines"),
    [
        (
            "off by one",
            ["LIMIT = 4", "values[1] += 1", "values[0] += 2", "return values[1], sorted(values, key=abs) == values and strict"],
        ),
        (
            "comparison",
            ["if not values or len(values) >= LIMIT:", "return values[0], sorted(values, key=abs) != values and strict"],
        ),
        ("and/or", ["if not values and len(values) > LIMIT:", "return values[0], sorted(values, key=abs) == values or strict"]),
        ("remove not", ["if (values) or len(values) > LIMIT:"]),
        ("negate condition", ["if not (not values or len(values) > LIMIT):"]),
        ("remove statement", ["pass", "pass"]),
        ("replace text", ['raise ValueError("mutated")']),
        ("flip boolean", ["def first(self, values: list[int], *, strict: bool = True) -> tuple[int, bool]:"]),
        ("arithmetic", ["values[0] -= 1"]),
        ("drop keyword argument", ["return values[0], sorted(values, ) == values and strict"]),
        ("swap returned values", ["return sorted(values, key=abs) == values and strict, values[0]"]),
    ],
)
def test_an_operator_changes_one_line(operator: str, lines: list[str]) -> None:
    assert [[line for line in diff if line[0] == "+"] for diff in changed(operator)] == [[f"+ {line}"] for line in lines]


@pytest.mark.parametrize("group", GROUPS)
def test_every_mutant_of_a_module_is_python_and_differs(group: str) -> None:
    of_files = {file: (ROOT / file).read_text(encoding="utf-8") for file in files(group)}
    file, source = max(of_files.items(), key=lambda one: len(one[1]))
    found = mutants(file, source)
    assert len(found) >= 15
    for mutant in found[:: len(found) // 15]:
        assert ast.dump(ast.parse(mutant.applied(source))) != ast.dump(ast.parse(source))


def test_every_group_has_modules_and_tests() -> None:
    assert [group for group in GROUPS if not files(group)] == []
    assert set(FIRST) == set(GROUPS)
    assert [name for name in {*TESTS, *(name for names in FIRST.values() for name in names)} if not (ROOT / name).exists()] == []


def test_every_equivalent_mutant_is_a_mutant_of_today() -> None:
    known = equivalents()
    made = set()
    for file in {one[0] for one in known}:
        source = (ROOT / file).read_text(encoding="utf-8")
        made |= {(file, *one.key(source)) for one in mutants(file, source)}
    assert sorted(known - made) == []
    listed = tomllib.loads(EQUIVALENT.read_text(encoding="utf-8"))
    assert [one for found in listed.values() for one in found if not one["because"].endswith(".")] == []


def test_a_statement_is_found_in_an_older_table() -> None:
    file = files("lower")[0]
    now = statements(ROOT, [file])
    source = (ROOT / file).read_text(encoding="utf-8")
    mutant = next(one for one in mutants(file, source) if one.operator == "return None")
    statement = statement_of(mutant, now)
    assert statement is not None
    older = [one._replace(line=one.line - 2, end=one.end - 2) for one in now]
    assert [older[n].text for n in probes_of(file, statement, older)] == [statement.text]


def double(number: int) -> int:
    return number * 2


def test_a_loaded_function_gets_other_code() -> None:
    assert double(4) == 8
    assert patched(functions(), __file__, "double", "def double(number):\n    return number // 2\n")
    assert double(4) == 2
    assert not patched(functions(), __file__, "missing", "def missing():\n    return 1\n")
