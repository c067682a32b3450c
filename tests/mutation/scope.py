"""What is mutated: the modules that decide something, in groups, with the tests that are tried on them; and known equivalents."""

from __future__ import annotations

import tomllib
from pathlib import Path

from tests.checkout import ROOT
from tests.mutation.mutants import Mutant, mutants

GROUPS: dict[str, tuple[str, ...]] = {
    "passes": ("tjgen/compiler/passes/**/*.py", "tjgen/compiler/programs/**/*.py", "tjgen/compiler/volumes/*.py"),
    "lower": ("tjgen/compiler/lower*", "tjgen/compiler/lower/*.py"),
    "identity": ("tjgen/language/runs/*.py", "!tjgen/language/runs/freeze.py"),
    "freeze": ("tjgen/language/runs/freeze.py",),
    "decide": ("tjgen/gitops/output/*.py", "!tjgen/gitops/output/promote.py"),
    "effect": ("tjgen/gitops/diff/*.py",),
    "registry": ("tjgen/cluster/registry/*.py",),
    "promote": ("tjgen/gitops/output/promote.py",),
    "trainer": ("tjgen/cluster/trainer/**/*.py",),
    "validate": ("tjgen/cluster/validate/**/*.py",),
    "kinds": ("tjgen/cluster/kinds/*.py",),
}
"""Name of a group to patterns of its modules; "!" leaves modules out."""

FIRST: dict[str, tuple[str, ...]] = {
    "passes": ("tests/compiler", "tests/test_cases.py", "tests/test_rejects.py"),
    "lower": ("tests/compiler", "tests/test_cases.py", "tests/test_rejects.py"),
    "identity": ("tests/language/runs", "tests/gitops/output"),
    "freeze": ("tests/language/runs", "tests/gitops/output"),
    "decide": ("tests/gitops/output", "tests/gitops/emit", "tests/gitops/diff", "tests/gitops/bundle"),
    "effect": ("tests/gitops/diff", "tests/gitops/output/test_staged.py"),
    "registry": ("tests/cluster/registry",),
    "promote": ("tests/gitops/output",),
    "trainer": ("tests/cluster/trainer",),
    "validate": ("tests/cluster/validate", "tests/cluster/policies", "tests/cluster/trainer", "tests/test_cli.py"),
    "kinds": ("tests/cluster/kinds", "tests/architecture/test_tables.py"),
}
"""The tests of a group that are tried before others which run the same statement."""

TESTS = (
    *("tests/cases", "tests/cli", "tests/cluster", "tests/compiler", "tests/gitops", "tests/language"),
    *("tests/laws", "tests/tools", "tests/trees"),
    *("tests/architecture/test_tables.py", "tests/test_api.py", "tests/test_budgets.py", "tests/test_cases.py"),
    *("tests/test_cli.py", "tests/test_code.py", "tests/test_devices.py", "tests/test_examples.py", "tests/test_rejects.py"),
    *("tests/test_releases.py", "tests/test_summary.py", "tests/test_upstream.py", "tests/test_wrong_use.py"),
)
"""Tests that judge what the product computes. Those of speed, style, documents and crashes are left out."""

EQUIVALENT = Path(__file__).with_name("equivalent.toml")


def files(group: str) -> list[str]:
    """The modules of a group, relative to the root."""
    found: set[Path] = set()
    for pattern in GROUPS[group]:
        if pattern.startswith("!"):
            found -= set(ROOT.glob(pattern[1:]))
        else:
            found |= {path for path in ROOT.glob(pattern) if path.suffix == ".py"}
    return sorted(str(path.relative_to(ROOT)) for path in found)


def equivalents() -> set[tuple[str, str, str, str]]:
    """File, function, removed line, and added line of each mutant that is known to change nothing."""
    listed = tomllib.loads(EQUIVALENT.read_text(encoding="utf-8"))
    return {(file, one["in"], one["before"], one["after"]) for file, found in listed.items() for one in found}


def candidates(group: str) -> list[tuple[Mutant, str]]:
    """Every mutant of a group that is not known to be equivalent, with the text of its file."""
    known = equivalents()
    found = []
    for file in files(group):
        source = (ROOT / file).read_text(encoding="utf-8")
        found += [(one, source) for one in mutants(file, source)]
    return [(one, source) for one, source in found if not known or (one.file, *one.key(source)) not in known]
