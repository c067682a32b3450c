"""Hints that are applied as they are printed: situations in a repository, by the part of the program that reports them.

Each file of this folder lists situations. Commands run with `sh` in a copy of the repository of `repository.py`. `$RUN` is the
current run of bert in dev, `$OLD` a superseded one, `$PROMOTED` the run in prod, and `$DEV` the folder of the runs in dev.
An entry has these keys:

- `code`: the finding
- `setup`: commands that lead to it
- `run`: the command that reports it
- `paste`: a regular expression of the hint; its group is what is pasted
- `apply`: commands with `PASTE` for that text; by default the text itself is the command
- `again`: the command to repeat, if it is not `run`

After that, the finding is gone. `unapplied.toml` lists the codes without a situation, with a reason.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from tests.checkout import ROOT, list_entries

HERE = Path(__file__).parent
MISTAKES = ROOT / "tests" / "mistakes" / "expected"
_CODE = re.compile(r"^(?:error|warning|info)\[(TJ\d+)\]", re.M)


class Situation(NamedTuple):
    """One situation of the tables."""

    name: str
    entry: dict[str, Any]

    @property
    def code(self) -> str:
        return str(self.entry["code"])

    def faults(self, folder: Path) -> list[str]:
        """Reasons why the hint does not work in a copy of the repository; none if it does."""
        script(folder, self.entry.get("setup", "true"))
        reported = shell(folder, self.entry["run"])
        if self.code not in _CODE.findall(reported):
            return [f"{self.code} is not reported: {reported}"]
        hint = re.search(self.entry["paste"], reported)
        if hint is None:
            return [f"no hint matches: {reported}"]
        script(folder, self.entry.get("apply", "PASTE").replace("PASTE", hint[1]))
        again = shell(folder, self.entry.get("again", self.entry["run"]).replace("PASTE", hint[1]))
        return [f"the finding remains: {again}"] if self.code in _CODE.findall(again) else []


def situations() -> list[Situation]:
    """Every situation of the tables."""
    tables = [yaml.safe_load(path.read_text(encoding="utf-8")) for path in list_entries(HERE, "*.yaml")]
    return [Situation(name, entry) for table in tables for name, entry in table.items()]


def applied() -> set[str]:
    """The codes whose hints are applied, here or in tests/mistakes."""
    mistakes = {code for path in list_entries(MISTAKES) for code in _CODE.findall(path.read_text(encoding="utf-8"))}
    return mistakes | {one.code for one in situations()}


def shell(folder: Path, command: str) -> str:
    """What a command prints."""
    answer = _run(folder, command)
    return answer.stdout + answer.stderr


def script(folder: Path, commands: str) -> None:
    """Run commands, each of which must succeed."""
    answer = _run(folder, f"set -e\n{commands}")
    assert answer.returncode == 0, f"{commands}\n{answer.stdout}{answer.stderr}"


def _run(folder: Path, commands: str) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    people = {f"GIT_{who}_{what}": "a@example.com" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    nowhere = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "GIT_EDITOR": "true"}
    path = f"{Path(sys.executable).parent}{os.pathsep}{kept['PATH']}"
    names = folder / ".git" / "names"
    first = f". {names}\n" if names.exists() else ""
    return subprocess.run(
        ["sh", "-c", first + commands],
        cwd=folder,
        env={**kept, **people, **nowhere, "PATH": path, "TJGEN_CACHE": "off"},
        capture_output=True,
        text=True,
        check=False,
    )
