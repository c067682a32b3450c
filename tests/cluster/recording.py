"""Runs a recorder of real code on random cases, compares a model with its verdicts, and keeps a sample."""

from __future__ import annotations

import json
import lzma
import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

KEPT = 10
"""One in so many cases stays in the repository."""


class Recording(NamedTuple):
    """What a recorder answered, and how many cases differ."""

    verdicts: list[Any]
    different: int


def record(
    recorder: str,
    cases: list[Any],
    differences: Callable[[Any, Any], Iterable[str]],
    *,
    release: str,
    path: Path,
) -> Recording:
    """Give each case to the recorder on a line of its own, print the differences, and write the sample to `path`.

    Raises CalledProcessError if the recorder fails, and ValueError if it does not answer each case.
    """
    lines = "".join(json.dumps(case) + "\n" for case in cases)
    done = subprocess.run([recorder], input=lines, stdout=subprocess.PIPE, text=True, check=True)
    verdicts = [json.loads(line) for line in done.stdout.splitlines()]
    different = 0
    for seed, (case, verdict) in enumerate(zip(cases, verdicts, strict=True)):
        problems = list(differences(case, verdict))
        different += bool(problems)
        sys.stdout.write("".join(f"cluster {seed}: {line}\n" for line in problems))
    kept = [{"case": cases[seed], "verdicts": verdicts[seed]} for seed in range(0, len(cases), KEPT)]
    path.write_bytes(lzma.compress(json.dumps({"release": release, "cases": kept}, sort_keys=True).encode(), preset=9))
    return Recording(verdicts, different)
