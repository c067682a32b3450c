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
_BATCH = 100
"""Cases of one process: schedulers do not free the memory of a session."""


class Recording(NamedTuple):
    """What a recorder answered, and how many cases differ."""

    verdicts: list[Any]
    different: int
    varying: int
    """Cases for which the recorder has several answers, of which one is that of the model."""


def record(
    recorder: str,
    cases: list[Any],
    differences: Callable[[Any, Any], Iterable[str]],
    *,
    release: str,
    path: Path,
    tries: int = 1,
) -> Recording:
    """Give each case to the recorder on a line of its own, print the differences, and write the sample to `path`.

    A scheduler that selects at random answers a case up to `tries` times, until no difference remains. Raises CalledProcessError
    if the recorder fails, and ValueError if it does not answer each case.
    """
    verdicts = [
        verdict for start in range(0, len(cases), _BATCH) for verdict in _answers(recorder, cases[start : start + _BATCH])
    ]
    different = varying = 0
    for seed, (case, verdict) in enumerate(zip(cases, verdicts, strict=True)):
        problems = list(differences(case, verdict))
        for other in _answers(recorder, [case] * (tries - 1)) if problems and tries > 1 else ():
            if not any(differences(case, other)):
                verdicts[seed], problems = other, []
                varying += 1
                break
        different += bool(problems)
        sys.stdout.write("".join(f"cluster {seed}: {line}\n" for line in problems))
    kept = [{"case": cases[seed], "verdicts": verdicts[seed]} for seed in range(0, len(cases), KEPT)]
    path.write_bytes(lzma.compress(json.dumps({"release": release, "cases": kept}, sort_keys=True).encode(), preset=9))
    return Recording(verdicts, different, varying)


def _answers(recorder: str, cases: list[Any]) -> list[Any]:
    lines = "".join(json.dumps(case) + "\n" for case in cases)
    done = subprocess.run([recorder], input=lines, stdout=subprocess.PIPE, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]
