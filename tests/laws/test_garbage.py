"""The collector is switched off while the program runs: whatever a build makes must go by itself."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.checkout import ROOT
from tests.program import arguments, cases

PROGRAM = """
import contextlib, gc, io, json, sys
from tjgen.cli.program import run
def build():
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        return run(sys.argv[1:])
build()  # what is made once, such as classes and tables, may refer to itself
gc.collect()
gc.disable()
code = build()
gc.set_debug(gc.DEBUG_SAVEALL)
gc.collect()
# The functions of a strategy of the project refer to the names of its module, which refer to them.
names = [one for one in gc.garbage if type(one) is dict and str(one.get("__name__")).startswith("tjgen_slicer_")]
theirs = [*names, *(value for one in names for value in one.values())]
left = [one for one in gc.garbage if not any(one is other for other in theirs)]
print(json.dumps([code, sorted({type(one).__qualname__ for one in left})]))
"""


@pytest.mark.parametrize("case", cases("cases"), ids=lambda case: case.name)
def test_a_build_leaves_nothing_that_refers_to_itself(case: Path, tmp_path: Path) -> None:
    folder = tmp_path / "case"
    shutil.copytree(case, folder)
    command = [sys.executable, "-c", PROGRAM, "build", *arguments(case)]
    answer = subprocess.run(command, cwd=folder, env={"PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=True)
    assert json.loads(answer.stdout) == [0, []]
