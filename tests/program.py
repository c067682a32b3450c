"""Words of a command line -> what the program answers, run in this process and in a folder."""

from __future__ import annotations

import io
import re
import sys
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import NamedTuple
from unittest.mock import patch

import yaml

from tests.checkout import ROOT, list_entries
from tjgen.cli.program import run

TESTS = ROOT / "tests"


class Answer(NamedTuple):
    """Exit code, standard output and standard error of one command line."""

    code: int
    out: str
    err: str


def tjgen(folder: Path, *words: str, stdin: str = "") -> Answer:
    """Run one command line in `folder`."""
    given = io.TextIOWrapper(io.BytesIO(stdin.encode()), encoding="utf-8")
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="") for _ in range(2))
    with chdir(folder), patch("sys.stdin", given), redirect_stdout(out), redirect_stderr(err):
        code = run(list(words))
        sys.stdout.flush()
        sys.stderr.flush()
    return Answer(code, *(stream.buffer.getvalue().decode() for stream in (out, err)))


def assert_clean(answer: Answer) -> None:
    """Lint reports nothing but the number of objects that it looked at."""
    assert (answer.code, answer.out) == (0, ""), answer.err
    assert re.fullmatch(r"\d+ objects?, 0 problems\n", answer.err), answer.err


def cases(kind: str) -> list[Path]:
    """The folders of one kind of case: "cases", "rejects" or "cli"."""
    return [path for path in list_entries(TESTS / kind) if path.is_dir()]


def arguments(case: Path) -> list[str]:
    """What follows `tjgen build` on the case's command line."""
    described = case / "case.yaml"
    found = yaml.safe_load(described.read_text(encoding="utf-8")) if described.exists() else {}
    return list(found.get("arguments", ["experiment.yaml"]))
