"""Output trees: building twice is building once, and the tree holds what the stream holds."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import yaml

from tests.laws.built import CASES
from tests.program import arguments, tjgen

# A tree that only a command line can reproduce is refused.
IN_TREES = [case for case in CASES if "--set" not in arguments(case)]


def files(folder: Path) -> dict[str, tuple[int, bytes]]:
    """Every file of a folder with its time of change and its content."""
    found = sorted(path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): (path.stat().st_mtime_ns, path.read_bytes()) for path in found}


@pytest.fixture
def copy(case: Path, tmp_path: Path) -> Path:
    """A copy of the case, to build in."""
    return Path(shutil.copytree(case, tmp_path / "case", ignore=shutil.ignore_patterns("expected")))


@pytest.mark.parametrize("case", IN_TREES, ids=lambda case: case.name)
def test_a_second_build_writes_nothing(case: Path, copy: Path) -> None:
    words = ["build", *arguments(case), "-o", "deploy", "--expanded", "previews"]
    first = tjgen(copy, *words)
    assert first.code == 0, first.err
    before = files(copy)
    second = tjgen(copy, *words)
    assert second.code == 0, second.err
    assert files(copy) == before
    check = tjgen(copy, *words, "--check")
    assert check.code == 0, check.err


@pytest.mark.parametrize("case", IN_TREES, ids=lambda case: case.name)
def test_a_tree_holds_what_the_stream_holds(case: Path, copy: Path) -> None:
    assert tjgen(copy, "build", *arguments(case), "-o", "deploy", "--expanded", "previews").code == 0
    for folder, words in (("deploy", []), ("previews", ["--expanded"])):
        stream = list(yaml.safe_load_all(tjgen(copy, "build", *arguments(case), *words).out))
        texts = [text for _, text in files(copy / folder).values()] if (copy / folder).exists() else []
        written = [tree for text in texts for tree in yaml.safe_load_all(text)]
        assert sorted(map(repr, written)) == sorted(map(repr, stream))


@pytest.mark.parametrize("case", IN_TREES[:1], ids=lambda case: case.name)
def test_the_check_sees_a_difference(case: Path, copy: Path) -> None:
    words = ["build", *arguments(case), "-o", "deploy"]
    assert tjgen(copy, *words).code == 0
    (first, *_) = sorted((copy / "deploy").rglob("*.yaml"))
    first.write_text(first.read_text(encoding="utf-8") + "# by hand\n", encoding="utf-8")
    assert tjgen(copy, *words, "--check").code == 1
