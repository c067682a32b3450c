"""Data that is missing or cannot be read in full: `tjgen_data` raises an error, so no process trains on a part of it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.checkout import ROOT

NUMBER = "import tjgen_data; print(len(tjgen_data.items()))"
FAULT = """
import errno, os
real = os.scandir
class Broken:
    def __init__(self, path): self.entries = real(path)
    def __enter__(self): return self
    def __exit__(self, *_): self.entries.close()
    def __iter__(self): yield next(self.entries); raise OSError(errno.{name}, os.strerror(errno.{name}))
def scandir(path="."):
    if not str(path).endswith("part2"): return real(path)
    if {at_once}: raise OSError(errno.{name}, os.strerror(errno.{name}), str(path))
    return Broken(path)
os.scandir = scandir
"""


def read(variables: Mapping[str, object], before: str = "") -> tuple[int | None, str]:
    """(number of items, last line of what went wrong) of a process with these variables."""
    environment = {"PYTHONPATH": str(ROOT / "reader"), **{name: str(value) for name, value in variables.items()}}
    answer = subprocess.run(
        [sys.executable, "-B", "-c", before + NUMBER], env=environment, capture_output=True, text=True, check=False
    )
    if answer.returncode == 0:
        return int(answer.stdout), ""
    return None, answer.stderr.splitlines()[-1]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A data set with two files in each of two folders."""
    for part in ("part1", "part2"):
        (tmp_path / "data" / part).mkdir(parents=True)
        for name in ("a", "b"):
            (tmp_path / "data" / part / name).write_text(name)
    return tmp_path / "data"


def variables(data: Path, lists: str) -> dict[str, object]:
    """The variables of a pod whose items are listed in a variable, in a file, or not at all."""
    found: dict[str, object] = {"TJGEN_DATA_PATH": data}
    if lists == "variable":
        found["TJGEN_SLICES"] = json.dumps([["part1/a", "part2/a"]])
    elif lists == "file":
        (data.parent / "lists").mkdir(exist_ok=True)
        (data.parent / "lists/slice-0.txt").write_text("part1/a\npart2/a\n")
        found["TJGEN_SLICE_FILE"] = data.parent / "lists/slice-0.txt"
    return found


@pytest.mark.parametrize("lists", ["none", "variable", "file"])
def test_a_folder_that_is_missing_is_an_error(data: Path, lists: str) -> None:
    assert read(variables(data, lists)) == (4 if lists == "none" else 2, "")
    data.rename(data.parent / "elsewhere")
    assert read(variables(data, lists)) == (None, f"FileNotFoundError: [Errno 2] No such file or directory: '{data}'")


@pytest.mark.parametrize("lists", ["none", "variable", "file"])
def test_a_file_in_place_of_the_folder_is_an_error(data: Path, lists: str) -> None:
    data.rename(data.parent / "elsewhere")
    data.write_text("")
    assert read(variables(data, lists)) == (None, f"NotADirectoryError: [Errno 20] Not a directory: '{data}'")


@pytest.mark.parametrize("at_once", [True, False], ids=["at the start", "after the first file"])
@pytest.mark.parametrize("name", ["ESTALE", "EIO", "EACCES"])
def test_a_subfolder_that_cannot_be_read_is_an_error(data: Path, name: str, at_once: bool) -> None:
    number, error = read(variables(data, "none"), FAULT.format(name=name, at_once=at_once))
    assert number is None
    assert error.startswith(("OSError: [Errno", "PermissionError: [Errno"))


@pytest.mark.parametrize("content", [(), (".tjgen-prefetch/x/content/a", "lost+found/b")])
def test_a_folder_without_files_is_an_error(tmp_path: Path, content: tuple[str, ...]) -> None:
    for name in content:
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).touch()
    wanted = f"LookupError: {tmp_path} has no files: is the volume mounted, and is the path that of the data?"
    assert read({"TJGEN_DATA_PATH": tmp_path}) == (None, wanted)


def test_a_list_that_is_not_whole_is_an_error(data: Path) -> None:
    told = variables(data, "file")
    (data.parent / "lists/slice-0.txt").write_text("part1/a\npart2")
    assert read(told)[1].endswith("lists/slice-0.txt has no line end: it is not whole")
    (data.parent / "lists/slice-0.txt").write_text("")
    assert read(told) == (0, "")  # a slice of more nodes than items


def test_a_link_to_a_folder_inside_is_read_once_and_one_that_leads_out_is_an_error(data: Path, tmp_path: Path) -> None:
    (data / "latest").symlink_to("part1")
    (data / "file").symlink_to("part1/a")
    assert read(variables(data, "none")) == (5, "")
    (tmp_path / "outside").mkdir()
    (data / "part3").symlink_to(tmp_path / "outside")
    wanted = f"leads to a folder outside of {data}, so its files would be missing: '{data / 'part3'}'"
    assert read(variables(data, "none"))[1].endswith(wanted)


def test_a_pass_over_the_same_folder_by_another_process_gives_the_same_list(data: Path) -> None:
    texts = set()
    for seed in ("1", "2"):
        program = "import tjgen_data; print([str(path) for path in tjgen_data.items()])"
        environment = {"PYTHONPATH": str(ROOT / "reader"), "TJGEN_DATA_PATH": str(data), "PYTHONHASHSEED": seed}
        answer = subprocess.run(
            [sys.executable, "-B", "-c", program], env=environment, capture_output=True, text=True, check=True
        )
        texts.add(answer.stdout)
    assert texts == {f"{[os.path.join(data, part, name) for part in ('part1', 'part2') for name in 'ab']}\n"}
