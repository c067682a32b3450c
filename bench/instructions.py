"""A setting -> the instructions of commands that start afresh, in multiples of bare Python.

Instructions are the same in every run, so they show a change that the noise of a shared machine hides. cachegrind counts them.
`instructions.json` has the ratios that were accepted last, by version of Python. `--instructions --keep` writes it.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from bench import equals
from bench.process import FailedError, capture
from bench.setting import PYTHON, TJGEN

ROOT = Path(__file__).parents[1]
KEPT = ROOT / "bench" / "instructions.json"
TOLERANCE = 1.1
"""The share above the accepted figure that is still accepted."""
VERSION = ".".join(map(str, sys.version_info[:3]))
_BARE = "python -c pass"
_EXPERIMENT = str(ROOT / "examples" / "resnet50.yaml")
_REFS = re.compile(r"I\s+refs:\s+([\d,]+)")


def is_available() -> bool:
    """Whether valgrind is installed."""
    return shutil.which("valgrind") is not None


def measure(folder: str, environment: Mapping[str, str]) -> dict[str, int]:
    """Instructions of bare Python and of five commands. `folder` is empty and is used for files. Raises FailedError."""
    variables = {**environment, "PYTHONHASHSEED": "0", "XDG_CACHE_HOME": os.path.join(folder, "cache")}
    stream = os.path.join(folder, "objects.yaml")
    built = [capture((TJGEN, "build", _EXPERIMENT, *options), folder, variables) for options in ((), ("--expanded",))]
    with open(stream, "w", encoding="utf-8") as file:
        # One document for several pods is not an object that `check` accepts.
        file.write("---\n".join(map(equals.text, equals.parse("---\n".join(built)))))
    commands: dict[str, Sequence[str]] = {
        _BARE: PYTHON,
        "tjgen build": (TJGEN, "build", _EXPERIMENT, "--no-cache"),
        "tjgen build, same input": (TJGEN, "build", _EXPERIMENT),
        "tjgen build --expanded": (TJGEN, "build", _EXPERIMENT, "--expanded", "--no-cache"),
        "tjgen check": (TJGEN, "check", stream, "--no-cache"),
        "tjgen check, known": (TJGEN, "check", stream),
    }
    for words in commands.values():  # compiled modules and known answers are there
        for _ in range(2):
            subprocess.run(words, env=variables, capture_output=True, check=True)
    return {name: _count(words, folder, variables) for name, words in commands.items()}


def ratios(counts: Mapping[str, int]) -> dict[str, float]:
    """Each count in multiples of bare Python, which is left out."""
    return {name: round(count / counts[_BARE], 2) for name, count in counts.items() if name != _BARE}


def accepted() -> dict[str, float] | None:
    """The ratios that were accepted last with this version of Python; None without any."""
    found: dict[str, dict[str, float]] = json.loads(KEPT.read_text(encoding="utf-8"))
    return found.get(VERSION)


def accept(found: Mapping[str, float]) -> None:
    """Accept the ratios for this version of Python."""
    known = json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.exists() else {}
    KEPT.write_text(json.dumps({**known, VERSION: found}, indent=2, sort_keys=True) + "\n", encoding="utf-8")


def regressions(found: Mapping[str, float], known: Mapping[str, float]) -> list[str]:
    """A line for each command that executes more instructions than is accepted, or that is not compared."""
    lines = [f"{name} is not in {KEPT.name}" for name in found if name not in known]
    lines += [f"{name} is not measured" for name in known if name not in found]
    for name in found.keys() & known.keys():
        if found[name] > known[name] * TOLERANCE:
            lines.append(f"{name}: {found[name]} times the instructions of bare Python, was {known[name]}")
    return sorted(lines)


def _count(words: Sequence[str], folder: str, environment: Mapping[str, str]) -> int:
    log = os.path.join(folder, "cachegrind.log")
    valgrind = ("valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null", f"--log-file={log}")
    # valgrind would start a script by its first line, and count nothing.
    program = (sys.executable, *words) if words[0] == TJGEN else words
    done = subprocess.run((*valgrind, *program), env=dict(environment), capture_output=True, text=True, check=False)
    found = _REFS.search(Path(log).read_text(encoding="utf-8"))
    if done.returncode or found is None:
        raise FailedError(f"{' '.join(words)} under cachegrind ended with {done.returncode}\n{done.stderr[:2000]}")
    return int(found[1].replace(",", ""))
