"""A folder -> whether each program takes what is in it for a complete checkpoint; and random folders to compare them on.

python -m tests.compiler.programs.keeping.completeness 5000 [first seed]
"""

from __future__ import annotations

import contextlib
import importlib.util
import io
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

from tests.checkout import ROOT
from tests.compiler.programs.keeping.cleaning import cleaner
from tests.containers import SHELLS, applets
from tjgen.compiler.programs.containers import script

COMPLETE, INCOMPLETE, ERROR = "complete", "incomplete", "error"
PROGRAMS = {"example": ("examples/checkpoint.py", "newest"), "template": ("templates/init/checkpoints.py", "latest")}
LOOP = """
for folder; do
  problem=$( (has_checkpoint "$folder") 2>&1 >/dev/null)
  echo "$?${problem:+ error}"
done
"""
_ANSWERS = {"0": COMPLETE, "1": INCOMPLETE, "1 error": ERROR}
BEGIN = 1_700_000_000


class Rules(NamedTuple):
    """The fields of `checkpoints` that say what a checkpoint is."""

    name: str = "step-"
    marker: str = "_SUCCESS"
    files: tuple[str, ...] = ()


def by_shell(shell: str, rules: Rules, folders: Sequence[Path], *, prefix: Sequence[str] = ()) -> list[str]:
    """What the functions of checkpoints.sh answer for each folder."""
    told = {
        "NAME": rules.name,
        "MARKER": rules.marker,
        "FILES": " ".join(rules.files),
        "SOURCE": "it",
        "PATH": os.environ["PATH"],
    }
    if shell == "busybox":
        told["PATH"] = f"{applets()}:{told['PATH']}"
    words = [*prefix, *SHELLS[shell], "-c", script("checkpoints.sh") + LOOP, "sh", *map(str, folders)]
    answer = subprocess.run(words, env=told, capture_output=True, text=True, check=True)
    return [_ANSWERS[line] for line in answer.stdout.splitlines()]


class Cleaner:
    """The part of the cleaner that looks for complete checkpoints."""

    def __init__(self) -> None:
        self.names: dict[str, Any] = {"__name__": "cleaner"}
        exec(compile(cleaner().program, "cleaner.py", "exec"), self.names)

    def judge(self, rules: Rules, folder: Path) -> str:
        told = {"ROOT": str(folder), "NAME": rules.name, "MARKER": rules.marker, "INDEX": "true"}
        one = self.names["Pass"]({**told, "FILES": str(list(rules.files)).replace("'", '"')}, time.time())
        out = io.StringIO()
        try:
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
                complete, _ = one.scan(str(folder))
        except self.names["RefusedError"]:
            return ERROR
        if complete:
            return COMPLETE
        return ERROR if any("cannot be read" in problem or "Errno" in problem for problem in one.problems) else INCOMPLETE


def by_program(program: str, rules: Rules, folder: Path) -> str:
    """What a program for training code answers, for checkpoints that are folders."""
    path, function = PROGRAMS[program]
    told = {"TJGEN_CHECKPOINT_PATH": str(folder), "TJGEN_CHECKPOINT_NAME": rules.name, "TJGEN_CHECKPOINT_MARKER": rules.marker}
    with mock.patch.dict(os.environ, told):
        spec = importlib.util.spec_from_file_location(program, ROOT / path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        try:
            return COMPLETE if getattr(module, function)() is not None else INCOMPLETE
        except (OSError, ValueError):
            return ERROR


NAMES = ["1", "1", "1", "1", "1", "1", "07", "0", "999999999", "1234567890", "0000000001", "", "x1", "1 copy", "1.tmp", "٣"]
PLACES = ["", "", "", "sub", "sub/deeper", "a b"]
FILES = [
    "weights",
    "weights",
    ".metadata",
    "_SUCCESS",
    ".keep",
    "trainer_state.json",
    "__0_0.distcp",
    "__1_0.distcp",
    "__2_0.distcp",
]
FILES += ["x.distcp.tmp", ".distcp", "two\nlines", "*", "-n", "unreadable x", "damaged"]
WHAT = ["text"] * 8 + ["empty"] * 4 + ["link", "dangling", "folder", "pipe"]


def make(seed: int, folder: Path) -> Rules:
    """Fill a folder with something that resembles a checkpoint, and return the rules to judge it by."""
    chance = random.Random(seed)
    marker = chance.choice(["_SUCCESS", ".metadata", "trainer_state.json"])
    rules = Rules(marker=marker, files=tuple(chance.choice([[], [], [], [".pt"], [".pt", ".optim.pt"]])))
    number = chance.choice(NAMES)
    folder.mkdir()
    if rules.files:
        for ending in (*rules.files, *chance.choice([[], [], [".json"]])):
            if chance.random() < 0.95:
                _put(chance, folder / f"step-{number}{ending}", chance.choice(WHAT))
        return rules
    place = folder / f"step-{number}"
    kind = chance.choice(["folder"] * 12 + ["link", "file", "nothing"])
    if kind == "nothing":
        return rules
    if kind == "file":
        _put(chance, place, "text")
        return rules
    real = folder / "elsewhere" if kind == "link" else place
    real.mkdir()
    if kind == "link":
        place.symlink_to(real)
    wanted = [(chance.choice(PLACES), chance.choice(FILES)) for _ in range(chance.choice([0, 1, 2, 3, 5]))]
    if chance.random() < 0.5:  # what torch.distributed.checkpoint writes, with what else may be there
        wanted += [(where := chance.choice(PLACES), ".metadata"), (where, "__0_0.distcp"), (where, "__1_0.distcp")]
    for where, name in [*wanted, ("", marker)]:
        if chance.random() < 0.95:
            (real / where).mkdir(parents=True, exist_ok=True)
            _put(chance, real / where / name, _what(chance, name, marker))
    return rules


def _what(chance: random.Random, name: str, marker: str) -> str:
    if name.endswith(".distcp"):
        return chance.choice(["text", "empty", "empty", "empty", *WHAT])
    if name in (marker, ".metadata", "_SUCCESS", ".keep") and chance.random() < 0.8:
        return "empty" if name in ("_SUCCESS", ".keep") else "text"
    return "text" if chance.random() < 0.7 else chance.choice(WHAT)


def _put(chance: random.Random, path: Path, what: str) -> None:
    if os.path.lexists(path):
        return
    if what in ("text", "empty"):
        path.write_text("x" if what == "text" else "")
        when = BEGIN + chance.choice([0, 0, 0, 0, 30, 59, 60, 61, 3600, -3600, 0.5, 60.5])
        os.utime(path, (when, when))
    elif what == "folder":
        path.mkdir()
    elif what == "pipe":
        os.mkfifo(path)
    else:
        path.symlink_to("/nowhere" if what == "dangling" else __file__)


def compared(seeds: range, shells: Sequence[str] = tuple(SHELLS)) -> tuple[Counter[str], list[str]]:
    """How often each answer is given, and the folders for which answers differ."""
    root = Path(tempfile.mkdtemp(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None))
    counts, differences, judge = Counter[str](), [], Cleaner()
    try:
        made: dict[Rules, list[int]] = {}
        for seed in seeds:
            made.setdefault(make(seed, root / str(seed)), []).append(seed)
        for rules, group in made.items():
            folders = [root / str(seed) for seed in group]
            answers = {shell: by_shell(shell, rules, folders) for shell in shells}
            answers["cleaner"] = [judge.judge(rules, folder) for folder in folders]
            if not rules.files:
                answers |= {name: [by_program(name, rules, folder) for folder in folders] for name in PROGRAMS}
            for position, seed in enumerate(group):
                found = {name: each[position] for name, each in answers.items()}
                counts[found["cleaner"]] += 1
                if len(set(found.values())) > 1:
                    tree = sorted(str(path.relative_to(root / str(seed))) for path in (root / str(seed)).rglob("*"))
                    differences.append(f"seed {seed}: {found} for {rules} on {tree}")
    finally:
        shutil.rmtree(root)
    return counts, differences


if __name__ == "__main__":
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    total, wrong = Counter[str](), 0
    for start in range(first, first + int(sys.argv[1]), 500):
        counts, differences = compared(range(start, min(start + 500, first + int(sys.argv[1]))))
        total, wrong = total + counts, wrong + len(differences)
        for one in differences:
            print(one)  # noqa: T201
    print(f"{sys.argv[1]} folders by {', '.join(SHELLS)}, cleaner.py and {', '.join(PROGRAMS)}: {dict(total)}, {wrong} differ")  # noqa: T201
    sys.exit(wrong > 0)
