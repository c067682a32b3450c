"""Copies of the tree in which tests run: a recording of what each test runs, and a session that answers for mutants."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import shutil
import subprocess
import sys
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.checkout import ROOT, tracked
from tests.mutation.mutants import Mutant
from tests.mutation.probes import instrument
from tests.mutation.scope import FIRST

OPTIONS = ("-q", "-p", "tests.mutation.plugin", "-p", "no:cacheprovider")


@dataclass(frozen=True)
class Test:
    """A test that passes: its id, its CPU time in seconds, and the probes that it passes."""

    id: str
    seconds: float
    hits: bytes
    table: str
    """The name of the table of statements that the probes are of."""


def copied(folder: Path) -> Path:
    """A copy of the files that git knows, and of those that are new, below `folder`."""
    new = subprocess.run(
        ["git", "ls-files", "-z", "--others", "--exclude-standard"], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout.split("\0")
    for name in [*tracked(), *filter(None, new)]:
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, target)
    subprocess.run([sys.executable, "-m", "compileall", "-q", "tjgen"], cwd=folder, check=True)
    return folder


def environment(root: Path, plan: dict[str, Any]) -> dict[str, str]:
    """The variables of a session in the copy `root`: also programs that tests start read the copy."""
    corpus = os.environ.get("TJGEN_CORPUS", str(ROOT.parent / "shared" / "corpus"))
    return {
        **os.environ,
        "PYTHONPATH": str(root),
        "PYTHONDONTWRITEBYTECODE": "1",
        "TJGEN_CORPUS": corpus,
        "TJGEN_MUTATION": json.dumps(plan),
    }


def state(files: Iterable[str]) -> str:
    """A name for what the files hold now."""
    texts = [f"{file}\0{(ROOT / file).read_text(encoding='utf-8')}" for file in files]
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:16]


def record(folder: Path, files: list[str], tests: list[str]) -> list[dict[str, Any]]:
    """What each of the tests runs, as the plugin notes it."""
    root = copied(folder)
    instrument(root, files)
    shutil.rmtree(root / "tjgen" / "__pycache__", ignore_errors=True)
    file = folder.with_suffix(".jsonl")
    command = [sys.executable, "-m", "pytest", *OPTIONS, f"--basetemp={folder}.tmp", *tests]
    # A test that fails on the copy is not used; a session that ends early leaves no file.
    done = subprocess.run(
        command, cwd=root, env=environment(root, {"record": str(file)}), check=False, capture_output=True, text=True
    )
    if not file.exists():
        raise RuntimeError(done.stdout + done.stderr)
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def usable(lines: list[dict[str, Any]], table: str) -> list[Test]:
    """The tests that passed; the one without an id is the import of all of them."""
    unusable = {line["id"] for line in lines if "unusable" in line}
    return [
        Test(line["id"], line["seconds"], zlib.decompress(base64.b64decode(line["hits"])), table)
        for line in lines
        if "hits" in line and line["id"] not in unusable
    ]


def chosen(tests: list[Test], probes: dict[str, list[int]], group: str, budget: float, *, at_import: bool = False) -> list[Test]:
    """The tests that pass one of the probes: those of the group first, then the short ones, for `budget` seconds in all.

    What a module makes `at_import` can matter to a test that runs none of its functions: the other tests of the group follow.
    """
    reaching = {one.id for one in tests if one.id and any(one.hits[probe] for probe in probes[one.table])}
    places = FIRST[group]
    rank = {one.id: next((n for n, place in enumerate(places) if one.id.startswith(place)), len(places)) for one in tests}
    found = [one for one in tests if one.id in reaching or (at_import and one.id and rank[one.id] < len(places))]
    found.sort(key=lambda one: (rank[one.id] == len(places), one.id not in reaching, rank[one.id], one.seconds))
    result: list[Test] = []
    spent = 0.0
    for one in found:
        if result and spent + one.seconds > budget:
            continue
        spent += one.seconds
        result.append(one)
    return result


class Worker:
    """A copy with a session that has collected the tests of some files."""

    def __init__(self, folder: Path, files: list[str]) -> None:
        self.root = copied(folder)
        requests, self._requests = os.pipe()
        self._answers, answers = os.pipe()
        plan = {"requests": requests, "answers": answers}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "pytest", *OPTIONS, f"--basetemp={folder}.tmp", *files],
            cwd=self.root,
            env=environment(self.root, plan),
            pass_fds=(requests, answers),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(requests)
        os.close(answers)
        self.requests = os.fdopen(self._requests, "w", encoding="utf-8")
        self.answers = os.fdopen(self._answers, "r", encoding="utf-8")

    def tried(self, mutant: Mutant, source: str, tests: list[Test], *, is_cold: bool) -> dict[str, Any]:
        """The outcome of a mutant ("killed", "survived"), and the test that killed it."""
        file = self.root / mutant.file
        mutated = mutant.applied(source)
        for cached in (file.parent / "__pycache__").glob(f"{file.stem}.*.pyc"):
            cached.unlink()
        seconds = sum(one.seconds for one in tests)
        limits = {"cpu": int(10 + 4 * seconds), "wall": 60 + 20 * seconds}
        file.write_text(mutated, encoding="utf-8")
        try:
            if is_cold:
                return self._cold(tests, limits["wall"])
            module = mutant.file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
            change = {"module": module, "file": str(file), "owner": mutant.owner, "source": mutated}
            request = {"tests": [one.id for one in tests], **change, **limits}
            self.requests.write(json.dumps(request) + "\n")
            self.requests.flush()
            answer: dict[str, Any] = json.loads(self.answers.readline())
            return answer if answer["outcome"] != "cold" else self._cold(tests, limits["wall"])
        finally:
            file.write_text(source, encoding="utf-8")

    def _cold(self, tests: list[Test], wall: float) -> dict[str, Any]:
        names = self.root.with_suffix(".tests")
        # A session of few files starts faster than one of many, and the first files are likelier to fail.
        files = list(dict.fromkeys(one.id.partition("::")[0] for one in tests))
        ordered = sorted(tests, key=lambda one: (files.index(one.id.partition("::")[0]), one.id))
        names.write_text("".join(f"{one.id}\n" for one in ordered), encoding="utf-8")
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-x",
            "-q",
            "-p",
            "no:cacheprovider",
            f"--basetemp={self.root}.cold",
            f"@{names}",
        ]
        try:
            done = subprocess.run(
                command, cwd=self.root, env=environment(self.root, {}), capture_output=True, text=True, timeout=wall, check=False
            )
        except subprocess.TimeoutExpired:
            return {"outcome": "killed", "by": "out of time"}
        failed = [line.split()[1] for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR")) and " " in line]
        return {
            "outcome": "killed" if done.returncode else "survived",
            "by": failed[0] if failed else "an import that fails" if done.returncode else "",
        }

    def close(self) -> None:
        """End the session."""
        self.requests.close()
        self.process.wait()


def split(tests: Iterable[str], parts: int) -> Iterator[list[str]]:
    """The tests in about equal shares."""
    listed = list(tests)
    return (listed[part::parts] for part in range(parts))
