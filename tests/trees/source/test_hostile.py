"""Input made to break readers: every case ends soon, in little memory, with a value or a diagnostic."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.checkout import ROOT
from tjgen.trees.budgets import DEFAULT
from tjgen.trees.source.reader import CORE, KUBERNETES, read

CASES = {
    "aliases of aliases": (
        "'a: &a [x,x,x,x,x,x,x,x,x]\\n'"
        " + ''.join(f\"{c}: &{c} [{','.join(['*' + p] * 9)}]\\n\" for p, c in zip('abcdefghi', 'bcdefghij'))"
    ),
    "one large alias often": "'a: &a [' + 'x,' * 50000 + ']\\nb: [' + '*a,' * 1000 + ']\\n'",
    "merge keys that multiply": (
        "'a: &a {' + ','.join(f'k{i}: 1' for i in range(1000)) + '}\\n' + 'b: [' + '{<<: [*a, *a, *a]},' * 2000 + ']'"
    ),
    "aliases that nest": "'a0: &a0 [x]\\n' + ''.join(f'a{i}: &a{i} [*a{i - 1}]\\n' for i in range(1, 20000))",
    "brackets that open": "'a: ' + '[' * 100000",
    "brackets that open and close": "'a: ' + '[' * 100000 + ']' * 100000",
    "braces that open": "'{a: ' * 100000",
    "lists in lists": "'- ' * 100000 + 'a'",
    "keys in keys": "'? ' * 100000 + 'a'",
    "mappings in mappings": "''.join(' ' * i + 'a:\\n' for i in range(5000))",
    "an alias of itself": "'a: &a [*a]\\n'",
    "a million digits": "'a: ' + '9' * 1000000 + '\\n'",
    "a million hexadecimal digits": "'a: 0x' + '9' * 1000000 + '\\n'",
    "a million digits of an exponent": "'a: 1e' + '9' * 1000000 + '\\n'",
    "a million digits behind the point": "'a: 1.' + '9' * 1000000 + '\\n'",
    "a key of a million characters": "'a' * 1000000 + ': 1\\n'",
    "tag directives": "''.join(f'%TAG !a{i}! x\\n' for i in range(3000)) + '---\\na: 1\\n'",
    "duplicates": "'a: 1\\n' * 200000",
    "separators": "'---\\n' * 200000",
    "document ends": "'...\\n' * 200000",
    "a quote that stays open": "'a: \"' + 'x\\n ' * 500000",
    "spaces": "' ' * 5000000",
    "byte order marks": "'\\ufeff' * 1000000",
    "exclamation marks": "'!' * 1000000",
    "above the size": "'a: 1\\n' * 7000000",
}
PROGRAM = """
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
resource.setrlimit(resource.RLIMIT_CPU, (20, 20))
from tjgen.trees.source.reader import read
for dialect in ("core", "kubernetes"):
    documents, found = read({text}, "f.yaml", dialect)
    print(dialect, len(documents), *sorted({{diagnostic.code for diagnostic in found}}))
"""


@pytest.mark.parametrize("name", CASES)
def test_hostile_input_is_bounded(name: str) -> None:
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(text=CASES[name])], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (run.returncode, run.stderr) == (0, "")
    core, kubernetes = (line.split() for line in run.stdout.splitlines())
    # Either it was read (long numbers may be text or floats, empty text is nothing), or the limit or fault is told.
    harmless = {
        "a million digits",
        "a million hexadecimal digits",
        "a million digits of an exponent",
        "a million digits behind the point",
        "spaces",
    }
    assert name in harmless or (len(core) > 2 and len(kubernetes) > 2)


@pytest.mark.parametrize("dialect", [CORE, KUBERNETES])
def test_limits_are_told_where_they_are_reached(dialect: str) -> None:
    _, (error,) = read("a: " + "[" * 300, "f.yaml", dialect)
    assert (error.code, error.name, str(error.span)) == ("TJ008", "input-limit", "f.yaml:1:203")
    assert "200 levels" in error.message


@pytest.mark.parametrize("dialect", [CORE, KUBERNETES])
def test_depth_that_comes_by_aliases_counts(dialect: str) -> None:
    chain = ["a0: &a0 [x]", *(f"a{i}: &a{i} {{k: [*a{i - 1}]}}" for i in range(1, 120))]
    _, (error,) = read("\n".join(chain), "f.yaml", dialect)
    assert (error.code, str(error.span)) == ("TJ008", "f.yaml:101:18")
    documents, diagnostics = read("\n".join(chain[:100]), "f.yaml", dialect)
    assert (len(documents), diagnostics) == (1, [])


@pytest.mark.parametrize("dialect", [CORE, KUBERNETES])
def test_depth_within_the_limit_is_read(dialect: str) -> None:
    documents, diagnostics = read("[" * 200 + "]" * 200, "f.yaml", dialect)
    assert diagnostics == []
    assert len(documents) == 1


def test_values_of_all_documents_count() -> None:
    documents, (error,) = read("---\n- []\n- 1\n" * 2000, "f.yaml", CORE, DEFAULT._replace(values=1000))
    assert (len(documents), error.code) == (1333, "TJ216")
    assert error.message == "the file has >= 4001 values, more than the budget of 4000"


def test_digits_beyond_what_python_converts() -> None:
    (document,), (error,) = read("a: " + "1" * 4301 + "\n", "f.yaml", CORE)
    assert (error.code, str(error.span)) == ("TJ008", "f.yaml:1:4")
    assert document.value == {"a": "1" * 4301}


def test_warnings_beyond_the_first_are_counted() -> None:
    (document,), found = read("- no\n" * 1000, "f.yaml", CORE)
    assert document.value == ["no"] * 1000
    assert {diagnostic.severity for diagnostic in found} == {"warning"}
    assert len(found) == 201
    assert found[-1].message == "800 more warnings about this file are left out"


def test_a_file_of_many_documents_is_read() -> None:
    documents, diagnostics = read("---\na: {b: [c]}\n" * 5000, "f.yaml", KUBERNETES)
    assert (len(documents), diagnostics) == (5000, [])
    place = documents[4999].locate(("a", "b", 0))
    assert str(place) == "f.yaml:10000:9"
