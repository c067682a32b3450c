"""The twin against what the real controller made, whole objects, nothing left out."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.checkout import list_entries
from tests.cluster.trainer.cases import RECORDED, of_releases, printed, trees
from tjgen.cluster.trainer.framework import live
from tjgen.cluster.trainer.inputs import expand_documents
from tjgen.cluster.trainer.release import Release


@pytest.mark.parametrize(("release", "case"), of_releases())
def test_the_objects_are_those_of_the_controller(release: Release, case: Path) -> None:
    assert printed(expand_documents(trees(case / "input.yaml"), release=release)) == trees(case / "expanded.yaml")


@pytest.mark.parametrize("case", [path.parent for path in list_entries(RECORDED, "*/live.yaml")], ids=lambda path: path.name)
def test_the_live_jobset_is_that_of_the_api_server(case: Path) -> None:
    made = [tree for tree in trees(case / "expanded.yaml") if tree.get("kind") == "JobSet"]
    stored = [tree for tree in trees(case / "live.yaml") if tree.get("kind") == "JobSet"]
    assert [live(tree) for tree in made] == stored
