"""The table of releases: nothing else in the source holds a release of Trainer or JobSet, and it fits the schemas."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import pytest

from schemas.gotypes import table as gotypes
from tests.checkout import ROOT, modules
from tjgen.cluster.releases import DEFAULT_TRAINER, KUEUE_WRITES, TRAINER_RELEASES, newest_with, range_of
from tjgen.cluster.schema import store
from tjgen.cluster.trainer.gotypes_earlier import CHANGES
from tjgen.cluster.trainer.release import NEWEST, RELEASES

TABLE = "tjgen/cluster/releases.py"
RELEASE = re.compile(
    r"(?<![\w.-])v?(?:"
    + "|".join(
        re.escape(text)
        for one in TRAINER_RELEASES
        for text in (one.version.removeprefix("v"), one.name, one.jobset.removeprefix("v"))
    )
    + r")(?![\w.-]*\d)"
)
MADE = ("tjgen/language/spec/compact.py", "tjgen/language/spec/objects.py", "tjgen/cluster/trainer/gotypes_earlier.py")
"""Made from the table, from the models or from the schemas."""
HISTORY = {
    "tjgen/gitops/lint/rules/": "says since which release a trap exists, and where it was read",
    "tjgen/gitops/lint/sources.py": "links to the code that was read, which another release does not change",
    "tjgen/cluster/outcomes.py": "evidence: the release whose controller was seen or read",
    "tjgen/cluster/kinds/trainjob.py": "remarks on what a release brought",
    "tjgen/trees/diagnostics/render/sarif.py": "a release of SARIF",
}
"""Path or folder -> why it names a release."""


def literals() -> Iterator[tuple[str, int, str]]:
    """Each text in the source that names a release and is no docstring: its module, line and text."""
    for path in modules():
        where = str(path.relative_to(ROOT))
        if where == TABLE or where in MADE:
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        docs = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        for node in ast.walk(tree):
            if not isinstance(node, ast.Constant) or not isinstance(node.value, str) or id(node) in docs:
                continue
            if RELEASE.search(node.value):
                yield where, node.lineno, node.value


def test_no_release_stands_outside_of_the_table() -> None:
    assert [one for one in literals() if not one[0].startswith(tuple(HISTORY))] == []


def test_every_exception_is_needed() -> None:
    named = [where for where, _, _ in literals()]
    assert [place for place in HISTORY if not any(where.startswith(place) for where in named)] == []


def test_the_table_fits_the_schemas_the_types_and_the_twin() -> None:
    versions = [one.version for one in TRAINER_RELEASES]
    assert versions == list(reversed(store._index()["releases"]["trainer"]))
    assert versions == list(gotypes.VERSIONS)
    assert versions[1:] == list(CHANGES)
    assert {one.jobset for one in TRAINER_RELEASES} <= set(store._index()["releases"]["jobset"])
    assert [one.entry for one in RELEASES.values()] == list(TRAINER_RELEASES)
    assert NEWEST.entry is TRAINER_RELEASES[0]
    assert DEFAULT_TRAINER in TRAINER_RELEASES
    assert {field for _, field in KUEUE_WRITES} <= {one.overrides for one in TRAINER_RELEASES}


@pytest.mark.parametrize(
    ("names", "text"),
    [
        (["2.0"], "2.0"),
        (["2.1", "2.0"], "2.0 and 2.1"),
        (["2.0", "2.1", "2.2"], "2.0 to 2.2"),
        (["2.2", "2.3"], "2.2 and later"),
        (["2.3"], "2.3 and later"),
    ],
)
def test_a_range_of_releases(names: list[str], text: str) -> None:
    assert range_of(names) == text


def test_the_newest_release_with_a_field() -> None:
    assert [newest_with(field).name for field in ("runtimePatches", "podTemplateOverrides", "podSpecOverrides")] == [
        "2.3",
        "2.1",
        "2.0",
    ]
