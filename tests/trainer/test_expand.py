"""The twin against what the real controller made, whole objects, nothing left out."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.trainer.cases import CORPUS, RECORDED, folders, printed, trees
from tjgen.trainer.framework import live
from tjgen.trainer.inputs import expand_documents


@pytest.mark.parametrize("case", [*folders(RECORDED), *folders(CORPUS)])
def test_the_objects_are_those_of_the_controller(case: Path) -> None:
    assert printed(expand_documents(trees(case / "input.yaml"))) == trees(case / "expanded.yaml")


@pytest.mark.parametrize("case", [path.parent for path in sorted(RECORDED.glob("*/live.yaml"))], ids=lambda path: path.name)
def test_the_live_jobset_is_that_of_the_api_server(case: Path) -> None:
    made = [tree for tree in trees(case / "expanded.yaml") if tree.get("kind") == "JobSet"]
    stored = [tree for tree in trees(case / "live.yaml") if tree.get("kind") == "JobSet"]
    assert [live(tree) for tree in made] == stored
