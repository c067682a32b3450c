"""Items of a list and of a directory."""

from __future__ import annotations

from pathlib import Path

import pytest

from tjgen.language.slicing.directory import matched
from tjgen.language.slicing.items import DataItem, listed
from tjgen.trees.files.sandbox import Sandbox

BECAUSE = ("spec", "data", "items")


def test_a_list_keeps_its_order() -> None:
    items, diagnostics = listed([("b", "2Gi"), ("a", None), ("c", 3)], (*BECAUSE, "list"))
    assert diagnostics == []
    assert list(items) == [DataItem("b", 2 * 1024**3), DataItem("a"), DataItem("c", 3)]
    assert items.unsized == 1


def test_faults_of_a_list_have_their_place() -> None:
    _, diagnostics = listed([("a", "2x"), ("../b", None), ("c", None), ("c", 1)], (*BECAUSE, "list"))
    assert [(one.code, one.path) for one in diagnostics] == [
        ("TJ313", (*BECAUSE, "list", 0)),
        ("TJ311", (*BECAUSE, "list", 1)),
        ("TJ312", (*BECAUSE, "list", 3)),
    ]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, size in (("b/2.tar", 20), ("a/1.tar", 10), ("a/1.txt", 1), (".hidden/3.tar", 30)):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(b"x" * size)
    return tmp_path


@pytest.mark.parametrize(
    ("patterns", "wanted"),
    [
        pytest.param(
            ["**/*.tar"], [DataItem("a/1.tar", 10), DataItem("b/2.tar", 20)], id="files, sorted, with sizes; no hidden ones"
        ),
        pytest.param(
            ["b/*", "a/*.txt", "b/2.*"], [DataItem("a/1.txt", 1), DataItem("b/2.tar", 20)], id="several patterns, each file once"
        ),
        pytest.param(["*", "a/*.txt"], [DataItem("a/1.txt", 1)], id="folders are not items"),
    ],
)
def test_patterns(folder: Path, patterns: list[str], wanted: list[DataItem]) -> None:
    items, _ = matched(Sandbox([str(folder)]), str(folder), patterns, "data", BECAUSE)
    assert list(items) == wanted


@pytest.mark.parametrize(
    ("directory", "pattern", "code", "at"),
    [
        pytest.param("nowhere", "*", "TJ310", "directory", id="no such directory"),
        pytest.param("a", "*.zip", "TJ315", "glob", id="no match"),
        pytest.param("a", "../b/*", "TJ311", "glob", id="a pattern that leads out"),
        pytest.param("a", "/etc/*", "TJ311", "glob", id="an absolute pattern"),
    ],
)
def test_faults_of_patterns(folder: Path, directory: str, pattern: str, code: str, at: str) -> None:
    _, diagnostics = matched(Sandbox([str(folder)]), str(folder / directory), [pattern], directory, BECAUSE)
    assert [(one.code, one.path) for one in diagnostics] == [(code, (*BECAUSE, at))]


def test_a_pattern_without_files_names_what_to_use_for_files_on_a_volume(folder: Path) -> None:
    _, (diagnostic,) = matched(Sandbox([str(folder)]), str(folder / "a"), ["*.zip"], "a", BECAUSE)
    assert diagnostic.hint == "use list or count for files on a volume: a pattern finds only files of the repository"
