"""`--check`: the differences between a directory and what a build would make of it, without a trace."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.gitops.emit.folders import build, files, output
from tjgen.gitops.emit.comparison import Comparison
from tjgen.gitops.emit.plan import OutputFile
from tjgen.trees.diagnostics.model import CompileError


@pytest.fixture
def deploy(tmp_path: Path) -> Path:
    build(tmp_path / "deploy", [output("a.yaml"), output("b/c.yaml")])
    return tmp_path / "deploy"


def compare(directory: Path, wanted: Iterable[OutputFile], *, claims: Iterable[str] = ()) -> list[tuple[str, str]]:
    comparison = Comparison(str(directory), records=str(directory.parent / "locks"))
    for file in wanted:
        comparison.put(file)
    for folder in claims:
        comparison.claim(folder)
    before = files(directory.parent)
    found = comparison.differences()
    assert files(directory.parent) == before
    return [(difference.path, difference.kind) for difference in found]


def test_what_was_just_built_does_not_differ(deploy: Path) -> None:
    assert compare(deploy, [output("a.yaml"), output("b/c.yaml")], claims=[""]) == []


def test_each_kind_of_difference_is_told_apart(deploy: Path) -> None:
    build(deploy, [output("edited.yaml"), output("extra-edited.yaml")])
    for name in ("edited.yaml", "extra-edited.yaml"):
        (deploy / name).write_bytes((deploy / name).read_bytes() + b"edited: true\n")
    (deploy / "foreign.yaml").write_text("mine\n")
    wanted = [output("a.yaml", "other\n"), output("edited.yaml"), output("foreign.yaml"), output("new.yaml")]
    assert compare(deploy, wanted, claims=[""]) == [
        ("a.yaml", "different"),
        ("b/c.yaml", "extra"),
        ("edited.yaml", "edited"),
        ("extra-edited.yaml", "edited"),
        ("foreign.yaml", "foreign"),
        ("new.yaml", "missing"),
    ]


def test_a_directory_that_is_not_there_lacks_everything(tmp_path: Path) -> None:
    assert compare(tmp_path / "nowhere", [output("a.yaml")], claims=[""]) == [("a.yaml", "missing")]


def test_records_are_compared(deploy: Path) -> None:
    (deploy.parent / "locks").mkdir()
    (deploy.parent / "locks/same.yaml").write_text("same\n")
    (deploy.parent / "locks/other.yaml").write_text("other\n")
    (deploy.parent / "locks/gone.yaml").write_text("gone\n")
    comparison = Comparison(str(deploy), records=str(deploy.parent / "locks"))
    comparison.record("same.yaml", "same\n")
    comparison.record("other.yaml", "changed\n")
    comparison.record("new.yaml", "new\n")
    comparison.record("gone.yaml", None)
    locks = deploy.parent / "locks"
    assert [tuple(found) for found in comparison.differences()] == [
        ("gone.yaml", "extra", f"{locks}/gone.yaml"),
        ("new.yaml", "missing", f"{locks}/new.yaml"),
        ("other.yaml", "different", f"{locks}/other.yaml"),
    ]


def test_paths_that_cannot_stand_together_are_no_difference_but_an_error(deploy: Path) -> None:
    with pytest.raises(CompileError) as error:
        compare(deploy, [output("x.yaml"), output("X.yaml")])
    assert [found.code for found in error.value.diagnostics] == ["TJ052"]


def test_an_interrupted_build_is_told_before_anything_is_compared(deploy: Path) -> None:
    (deploy / ".tjgen").mkdir()
    (deploy / ".tjgen/journal").write_text("")
    with pytest.raises(CompileError) as error:
        compare(deploy, [])
    assert [found.code for found in error.value.diagnostics] == ["TJ063"]
