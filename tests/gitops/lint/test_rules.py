"""Every rule: what it says of its bad examples, as printed, and nothing of its good ones."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from tests.checkout import list_entries
from tests.program import assert_clean, tjgen
from tjgen.gitops.lint.reasons import REASONS
from tjgen.gitops.lint.rule import DEDUCED, EVIDENCE, TOOLS, RuleEntry
from tjgen.gitops.lint.table import entries
from tjgen.trees.diagnostics.model import INFO, WARNING

HERE = Path(__file__).parent
RULES = {entry.rule.code: entry for entry in entries()}
CASES = [path for rule in list_entries(HERE, "TJ*") if rule.is_dir() for path in list_entries(rule)]
SOURCE_URL = re.compile(r"https://(github\.com|argo-cd\.readthedocs\.io|fluxcd\.io|kubernetes\.io)/[\w./-]+")
RELEASE = re.compile(r"\d+\.\d+\.\d+")
UPSTREAM = re.compile(r"[A-Z]\w+ \d+\.\d+")


def arranged(case: Path, folder: Path) -> list[str]:
    """The manifests of a case as `deploy`, and those before as `before`; the words of the command line."""
    others = shutil.ignore_patterns("before", "expected", "arguments")
    shutil.copytree(case, folder / "deploy", ignore=others)
    words = ["lint", "deploy", "--select", case.parent.name]
    if (case / "before").is_dir():
        shutil.copytree(case / "before", folder / "before")
        words += ["--against", "before"]
    if (case / "arguments").is_file():
        words += (case / "arguments").read_text(encoding="utf-8").split()
    return words


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.parent.name}-{case.name}")
def test_a_case_is_judged(case: Path, tmp_path: Path, expected: SnapshotAssertion) -> None:
    answer = tjgen(tmp_path, *arranged(case, tmp_path))
    assert answer.out == ""
    if case.name.startswith("good"):
        assert_clean(answer)
    else:
        assert f"[{case.parent.name}]" in answer.err
        assert answer.err == expected(name="findings.txt")


@pytest.mark.parametrize(
    "case", [case for case in CASES if case.name.startswith("bad")], ids=lambda case: f"{case.parent.name}-{case.name}"
)
def test_a_cure_cures(case: Path, tmp_path: Path, expected: SnapshotAssertion) -> None:
    words = arranged(case, tmp_path)
    before = texts(tmp_path)
    shown = tjgen(tmp_path, *words, "--fix", "--diff")
    assert texts(tmp_path) == before
    tjgen(tmp_path, *words, "--fix")
    assert (texts(tmp_path) != before) == bool(shown.out)
    if shown.out:
        assert shown.out == expected(name="cured.diff")
        left = tjgen(tmp_path, *words)
        assert left.err.count(f"[{case.parent.name}]") < shown.err.count(f"[{case.parent.name}]")
        if "[TJ" in left.err:
            assert left.err == expected(name="left.txt")


def texts(folder: Path) -> dict[Path, str]:
    return {path: path.read_text(encoding="utf-8") for path in sorted(folder.rglob("*")) if path.is_file()}


def test_every_case_is_good_or_bad_and_of_a_rule() -> None:
    assert [case for case in CASES if not case.name.startswith(("good", "bad"))] == []
    assert {case.parent.name for case in CASES} == set(RULES)


@pytest.mark.parametrize("entry", RULES.values(), ids=RULES)
def test_a_rule_is_whole(entry: RuleEntry) -> None:
    rule = entry.rule
    assert (HERE / rule.code / "bad").is_dir()
    assert (HERE / rule.code / "good").is_dir()
    module = getattr(entry.check, "func", entry.check).__module__.rpartition(".")[2]
    assert module in (rule.name.replace("-", "_"), "changed_objects")
    assert SOURCE_URL.fullmatch(rule.source)
    assert RELEASE.fullmatch(rule.since)
    assert not rule.release or UPSTREAM.fullmatch(rule.release)
    assert rule.evidence in EVIDENCE
    assert set(rule.tools) <= set(TOOLS)
    assert rule.evidence != DEDUCED or rule.severity in (WARNING, INFO)
    for text in (rule.title, rule.why, rule.remedy, *filter(None, (*rule.effects.values(), rule.upstream))):
        assert text.endswith(".")
    assert set(rule.tools) <= set(rule.effects) <= set(TOOLS)


def test_what_is_no_rule_says_why() -> None:
    assert all(text.endswith(".") for reason in REASONS for text in reason)
