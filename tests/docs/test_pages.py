"""What the pages for users show is true: their files are written, their commands run, their outputs compared.

A page is a story that is acted out in an empty folder, beside the repository's examples and overlays.
A comment before a fenced block says what the block is:

    <!-- file: NAME -->          a file, written under that name
    <!-- output of: COMMAND -->  all that the command prints
    <!-- part of: COMMAND -->    consecutive lines of what it prints
    <!-- same as: FILE -->       the same YAML as a file of the repository
    <!-- not run: REASON -->     nothing

Blocks of `sh` and `python` are run without a comment, and must succeed; blocks of other kinds need one.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
import yaml

from tests.checkout import ROOT, copy_tree, tracked

BLOCK = re.compile(
    r"(?:^<!-- (?P<what>[a-z ]+)(?:: (?P<which>.*?))? -->\n)?^```(?P<language>\w*)\n(?P<text>.*?)^```$", re.M | re.S
)
FOLDERS = ("docs/how-to/", "docs/explanation/", "docs/recipes/")
PAGES = [
    name
    for name in tracked()
    if name
    in (
        "README.md",
        "docs/tutorial.md",
        "docs/concepts.md",
        "docs/cheat-sheet.md",
        "docs/troubleshooting.md",
        "docs/comparison.md",
    )
    or name.startswith(FOLDERS)
]


class Block(NamedTuple):
    """A fenced block and what its comment says about it."""

    what: str
    which: str
    language: str
    text: str


def blocks(page: str) -> Iterator[Block]:
    for found in BLOCK.finditer((ROOT / page).read_text(encoding="utf-8")):
        yield Block(found["what"] or "", found["which"] or "", found["language"], found["text"])


def shell(command: str, folder: Path) -> str:
    """What a command prints, on both streams; it must succeed unless the page shows what it refuses."""
    environment = {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "HOME": str(folder),
        "LC_ALL": "C.UTF-8",
    }
    answer = subprocess.run(
        ["sh", "-euc", command],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert answer.returncode in (0, 1), answer.stdout
    return answer.stdout


@pytest.mark.parametrize("page", PAGES)
def test_a_page_is_true(page: str, tmp_path: Path) -> None:
    for shared in ("examples", "overlays"):
        copy_tree(ROOT / shared, tmp_path / shared)
    for block in blocks(page):
        act(block, tmp_path)


def act(block: Block, folder: Path) -> None:
    match block.what:
        case "file":
            file = folder / block.which
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(block.text, encoding="utf-8")
        case "output of":
            assert shell(block.which, folder) == block.text
        case "part of":
            assert f"\n{block.text}" in f"\n{shell(block.which, folder)}"
        case "same as":
            assert yaml.safe_load(block.text) == yaml.safe_load((ROOT / block.which).read_text(encoding="utf-8"))
        case "not run":
            assert block.which
        case "" if block.language == "python":
            subprocess.run([sys.executable, "-c", block.text], cwd=folder, check=True, capture_output=True)
        case "":
            assert block.language == "sh", f"say what this block is:\n{block.text}"
            answer = shell(block.text, folder)
            assert "error[" not in answer, answer
        case _:
            raise AssertionError(block.what)


def test_a_wrong_output_is_noticed(tmp_path: Path) -> None:
    with pytest.raises(AssertionError):
        act(Block("output of", "tjgen schema nothing", "", "no such output\n"), tmp_path)
    with pytest.raises(AssertionError):
        act(Block("", "", "sh", "tjgen build nowhere.yaml\n"), tmp_path)
    with pytest.raises(AssertionError):
        act(Block("", "", "yaml", "a: 1\n"), tmp_path)
