"""What the twin warns about, and that good TrainJobs are left alone.

A case is a folder below `surprises`: `input.yaml`, and in `expected.txt` a line for each diagnostic. Its name ends in the
release of Trainer where that is not the newest. `expanded.yaml` is what the real controller made of it, and is never edited: a
warning about what the controller does is worth as much as its case.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.checkout import list_entries
from tests.cluster.trainer.cases import folders, printed, trees
from tjgen.cluster.trainer.inputs import expand_documents, opened
from tjgen.cluster.trainer.release import NEWEST, RELEASES, Release
from tjgen.cluster.trainer.warnings.clashes import ClashingRun, clashes
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import render

CASES = Path(__file__).parent / "warnings"


def release_of(case: Path) -> Release:
    return RELEASES.get(case.name.rpartition("-")[2], NEWEST)


def said(found: Diagnostic) -> str:
    """A diagnostic as text: code, severity and name, the object and field it is about, message and hint."""
    return (
        f"{found.code} {found.severity} {found.name} [{found.subject} {render(found.path or ())}]\n"
        f"    {found.message}\n    hint: {found.hint}\n"
    )


@pytest.mark.parametrize("case", folders(CASES))
def test_the_twin_warns(case: Path) -> None:
    objects = opened(trees(case / "input.yaml"))
    made = expand_documents(objects, release=release_of(case))
    found = [diagnostic for _, expansion in made for diagnostic in expansion.diagnostics]
    runs = [ClashingRun(trainjob, [one.tree for one in expansion.objects]) for trainjob, expansion in made]
    found += [diagnostic for _, diagnostic in clashes(runs, objects)]
    expected = case / "expected.txt"
    assert "".join(map(said, found)) == (expected.read_text(encoding="utf-8") if expected.exists() else "")


@pytest.mark.parametrize("case", [path.parent for path in list_entries(CASES, "*/expanded.yaml")], ids=lambda path: path.name)
def test_the_real_controller_does_what_is_warned_about(case: Path) -> None:
    recorded = trees(case / "expanded.yaml")
    if "snapshot configmap exists" in recorded[0].get("error", ""):
        # An expansion knows nothing of the objects beside it: this is what the rule about names foretells.
        assert "the run never starts" in (case / "expected.txt").read_text(encoding="utf-8")
    else:
        assert printed(expand_documents(trees(case / "input.yaml"), release=release_of(case))) == recorded


def test_good_cases_have_no_expectations() -> None:
    assert [case.name for case in list_entries(CASES) if case.name.startswith("good-") == (case / "expected.txt").exists()] == []
