"""Files that are checked with one session get the diagnostics that each of them gets on its own."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
import yaml

from tests.cluster.validate.test_validate_equivalence import _other, trees
from tests.program import cases, tjgen
from tests.scaling.inputs import dumped, runtime, trainjob
from tjgen.cluster.validate.check import examine
from tjgen.cluster.validate.judge import judge
from tjgen.trees.session import Session


def test_objects_of_the_corpus_and_their_variants_are_reported_as_on_their_own() -> None:
    session = Session()
    for number, tree in enumerate(trees()):
        for one in (tree, _other(tree, "")) if number % 2 else (_other(tree, ""), tree):
            text = yaml.safe_dump(one)
            assert examine(text, "a.yaml", session=session).diagnostics == examine(text, "a.yaml").diagnostics, text


def test_objects_of_all_cases_are_reported_as_on_their_own() -> None:
    session = Session()
    compared = 0
    for text in _documents():
        compared += 1
        assert examine(text, "a.yaml", session=session).diagnostics == examine(text, "a.yaml").diagnostics, text
    assert compared > 100


def _documents() -> Iterator[str]:
    for case in cases("cases")[::3]:
        for file in sorted(case.glob("expected/**/*.yaml")):
            yield from file.read_text(encoding="utf-8").split("\n---\n")


def test_a_verdict_by_a_runtime_of_the_same_file_is_not_shared() -> None:
    # The webhook refuses the variable with a runtime of torch.
    job = trainjob(
        runtimeRef={"name": "own", "kind": "ClusterTrainingRuntime"},
        trainer={"image": "a:1", "env": [{"name": "PET_NNODES", "value": "2"}]},
    )
    session = Session()
    assert examine(dumped(job), "alone.yaml", session=session).diagnostics == []
    found = examine(dumped(runtime("own"), job), "with-runtime.yaml", session=session).diagnostics
    assert [one.code for one in found] == ["TJ530"]


def test_each_of_several_refused_objects_is_reported() -> None:
    session = Session()
    files = {f"{number}.yaml": dumped(trainjob(f"job-{number}", trainer={"numNodes": "two"})) for number in range(3)}
    found = [one for name, text in files.items() for one in examine(text, name, session=session).diagnostics]
    assert [one.span.file if one.span else "" for one in found] == list(files)


@pytest.mark.parametrize("command", ["check", "lint"])
def test_equal_objects_are_judged_once(command: str, tmp_path: Path) -> None:
    """TrainJobs that differ in names and arguments, and what the controller creates from them."""
    assert _judgements(command, tmp_path / "few", 2) == _judgements(command, tmp_path / "many", 20) > 0


def _judgements(command: str, folder: Path, count: int) -> int:
    folder.mkdir()
    for number in range(100, 100 + count):
        job = trainjob(f"study-{number}", trainer={"image": f"a:{number}", "args": [str(number)], "numNodes": 2})
        (folder / f"{number}.yaml").write_text(dumped(job), encoding="utf-8")
    calls = 0

    def profile(frame: FrameType, event: str, argument: Any) -> None:
        nonlocal calls
        calls += event == "call" and frame.f_code is judge.__code__

    before = sys.getprofile()
    sys.setprofile(profile)
    try:
        tjgen(folder, command, ".", *(["--no-cache"] if command == "check" else ["--gitops", "both"]))
    finally:
        sys.setprofile(before)
    return calls
