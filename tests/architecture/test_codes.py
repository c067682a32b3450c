"""The entries of codes against the codes that the source spells, and the table that a build loads."""

from __future__ import annotations

import ast
import copy
import pickle
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from docs.generate import codes, rules
from tests.checkout import ROOT, modules, parsed
from tjgen.trees.diagnostics.codes import ACTIVE, GROUPS, RETIRED, CodeEntry, load_codes, read_codes
from tjgen.trees.diagnostics.model import ERROR, INFO, WARNING, Diagnostic, default_severity
from tjgen.trees.diagnostics.table import TABLE

CODE = re.compile(r"TJ\d{3}")
LAST_RESORT = re.compile(r"error\[(TJ\d{3})\] ")
NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)+")
RELEASE = re.compile(r"\d+\.\d+\.\d+")
CODES = load_codes()
BY_CODE = {entry.code: entry for entry in CODES}
SLIM = "tjgen/trees/diagnostics/table.py"
OLD_CALL = """\
from tjgen.trees.diagnostics.model import WARNING, Diagnostic

Diagnostic("TJ404", WARNING, "a message", name="not-carried")
Diagnostic("TJ404", WARNING, "a message")
"""


@cache
def spelled() -> list[tuple[str, str]]:
    """Each code in the source, and where."""
    return list(_spelled())


def _spelled() -> Iterator[tuple[str, str]]:
    for path in modules():
        where = str(path.relative_to(ROOT))
        if where == SLIM:
            continue
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                found = LAST_RESORT.match(node.value) or CODE.fullmatch(node.value)
                if found:
                    yield found[found.lastindex or 0], f"{where}:{node.lineno}"


def test_every_code_in_the_source_is_in_the_table() -> None:
    assert sorted({f"{code} {where}" for code, where in spelled() if code not in BY_CODE}) == []


def test_every_active_code_is_in_the_source_and_no_retired_one() -> None:
    reported = {code for code, _ in spelled()}
    assert sorted(entry.code for entry in CODES if (entry.status == ACTIVE) != (entry.code in reported)) == []


def test_the_names_and_severities_of_codes_are_nowhere_else_in_the_source() -> None:
    def is_rule(node: ast.AST) -> bool:
        return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Rule"

    names = {entry.name for entry in CODES}
    repeated = []
    for path in modules():
        where = str(path.relative_to(ROOT))
        for node in ast.walk(parsed(path)) if where != SLIM else ():
            if isinstance(node, ast.Call | ast.Tuple) and not is_rule(node):
                parts = [*node.args, *(one.value for one in node.keywords)] if isinstance(node, ast.Call) else node.elts
                texts = {one.value for one in parts if isinstance(one, ast.Constant) and isinstance(one.value, str)}
                if any(CODE.fullmatch(text) for text in texts) and texts & names:
                    repeated.append(f"{where}:{node.lineno}")
    assert repeated == []


def test_a_diagnostic_takes_its_name_and_severity_from_the_entry_of_its_code() -> None:
    made = Diagnostic("TJ004", "a message")
    assert (made.name, made.severity) == ("ambiguous-scalar", WARNING) == ("ambiguous-scalar", default_severity("TJ004"))
    raised = Diagnostic("TJ004", "a message", severity=ERROR)
    assert raised == made._replace(severity=ERROR)
    with pytest.raises(KeyError):
        Diagnostic("TJ999", "a message")
    for one in (made, raised):
        assert copy.deepcopy(one) == pickle.loads(pickle.dumps(one)) == one


def test_a_name_or_a_severity_by_position_does_not_type_check(tmp_path: Path) -> None:
    (tmp_path / "old.py").write_text(OLD_CALL, encoding="utf-8")
    command = [
        sys.executable,
        "-m",
        "mypy",
        "--no-error-summary",
        "--cache-dir",
        str(tmp_path / "cache"),
        str(tmp_path / "old.py"),
    ]
    found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False).stdout.splitlines()
    assert [line.rpartition("[")[2] for line in found if ": error:" in line] == ["call-arg]", "arg-type]", "arg-type]"]


def test_the_generated_tables_are_fresh() -> None:
    folder = ROOT / "tjgen" / "trees" / "diagnostics"
    assert (folder / "table.py").read_text(encoding="utf-8") == codes.table(), "run python -m docs.generate"
    assert (folder / "rulecodes.toml").read_text(encoding="utf-8") == rules.codes(), "run python -m docs.generate"
    assert {code: (entry.name, entry.severity) for code, entry in BY_CODE.items() if entry.status == ACTIVE} == TABLE


def test_every_entry_is_complete() -> None:
    assert [entry.code for entry in CODES if not is_complete(entry)] == []


def is_complete(entry: CodeEntry) -> bool:
    return (
        CODE.fullmatch(entry.code) is not None
        and entry.code[:3] in GROUPS
        and NAME.fullmatch(entry.name) is not None
        and entry.severity in (ERROR, WARNING, INFO)
        and entry.status in (ACTIVE, RETIRED)
        and RELEASE.fullmatch(entry.since) is not None
        and entry.meaning.endswith(".")
        and entry.remedy.endswith(".")
    )


def test_codes_are_sorted_and_none_is_twice() -> None:
    for file in ("codes.toml", "rulecodes.toml"):
        listed = [entry.code for entry in read_codes(file)]
        assert listed == sorted(set(listed))
    assert len(BY_CODE) == len(CODES)


def test_no_two_codes_of_a_phase_share_a_name() -> None:
    names = [(entry.code[:3], entry.name) for entry in CODES]
    assert sorted(name for name in names if names.count(name) > 1) == []
