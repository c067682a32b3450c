"""Every command and option that takes a path reports each kind of path that cannot be read: a code, the path, exit code 1."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

import pytest

from tests.checkout import ROOT, list_entries
from tests.program import tjgen

SECONDS = 10
"""How long a command may take: a named pipe or a device would block for ever."""
EXPERIMENT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Experiment
metadata: {name: a, namespace: vision}
spec: {runtime: tjgen-plain, image: registry.example.com/a:1, script: train.py}
"""
JOB = """\
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: a, namespace: vision}
spec: {runtimeRef: {name: tjgen-plain}}
"""

COMMANDS = {
    "build": ["build", "BAD"],
    "build --check": ["build", "BAD", "--check", "-o", "out"],
    "build -o": ["build", "BAD", "-o", "out"],
    "build --shard": ["build", "BAD", "--shard", "1/1", "-o", "out"],
    "build --from-shards": ["build", "good.yaml", "--from-shards", "BAD", "-o", "out"],
    "check": ["check", "BAD"],
    "check --strict": ["check", "BAD", "--strict"],
    "check next to a good file": ["check", "good.yaml", "BAD"],
    "check --catalog": ["check", "job.yaml", "--catalog", "BAD"],
    "check --no-cache": ["check", "BAD", "--no-cache"],
    "lint": ["lint", "BAD"],
    "lint next to a good file": ["lint", "job.yaml", "BAD"],
    "lint --catalog": ["lint", "job.yaml", "--catalog", "BAD"],
    "lint --fix": ["lint", "BAD", "--fix"],
    "explain": ["explain", "BAD", "TrainJob"],
    "expand": ["expand", "BAD"],
    "expand next to a good file": ["expand", "job.yaml", "BAD"],
    "expand --catalog": ["expand", "job.yaml", "--catalog", "BAD"],
    "convert": ["convert", "BAD"],
    "convert --target": ["convert", "BAD", "--target", "jobset"],
    "convert --catalog": ["convert", "job.yaml", "--catalog", "BAD"],
    "import": ["import", "BAD"],
    "import next to a good file": ["import", "job.yaml", "BAD"],
    "import --catalog": ["import", "job.yaml", "--catalog", "BAD"],
    "init --from": ["init", "new", "--from", "BAD"],
    "pin": ["pin", "BAD", "--check"],
    "report": ["report", "BAD"],
    "try": ["try", "BAD", "--as", "ana"],
    "diagnose": ["diagnose", "BAD"],
    "fit": ["fit", "BAD"],
    "nodes import": ["nodes", "import", "BAD"],
    "status --from": ["status", "-o", ".", "--from", "BAD"],
    "runtimes import": ["runtimes", "import", "BAD"],
    "schemas import": ["schemas", "import", "BAD", "--to", "schemas"],
}
NEEDS_A_FILE = ("explain", "nodes import", "runtimes import", "schemas import", "status --from")
"""A folder is no input of these, whatever is in it."""

OWN_CODES = {"build --from-shards": {"TJ240", "TJ241"}}
"""Codes of commands that report a bad path by codes of their own."""

KINDS = {
    "missing": {"TJ020"},
    "empty folder": {"TJ021", "TJ030"},
    "unreadable file": {"TJ020"},
    "unreadable folder": {"TJ020", "TJ034", "TJ030"},
    "dangling link": {"TJ033"},
    "looping link": {"TJ033"},
    "link out of the repository": {"TJ029"},
    "link to a device": {"TJ029"},
    "named pipe": {"TJ030"},
    "sparse file": {"TJ046"},
    "folder with a named pipe": {"TJ030"},
    "folder with a dangling link": {"TJ033"},
    "folder with a link out": {"TJ029"},
}
NOT_FOR_ROOT = ("unreadable file", "unreadable folder")


@contextmanager
def no_longer_than(seconds: int) -> Iterator[None]:
    def stop(number: int, frame: FrameType | None) -> None:
        raise AssertionError(f"the command takes more than {seconds} seconds")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "repository"
    (folder / ".git").mkdir(parents=True)
    (folder / "good.yaml").write_text("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n", encoding="utf-8")
    (folder / "job.yaml").write_text(JOB, encoding="utf-8")
    (tmp_path / "outside.yaml").write_text(EXPERIMENT, encoding="utf-8")
    return folder


def make(kind: str, folder: Path) -> str:
    """Make the bad path in a folder, and give its name."""
    match kind:
        case "missing":
            return "nosuch.yaml"
        case "empty folder":
            (folder / "empty").mkdir()
            return "empty"
        case "unreadable file":
            (folder / "closed.yaml").write_text(EXPERIMENT, encoding="utf-8")
            (folder / "closed.yaml").chmod(0)
            return "closed.yaml"
        case "unreadable folder":
            (folder / "closed").mkdir()
            (folder / "closed").chmod(0)
            return "closed"
        case "dangling link":
            (folder / "dangling.yaml").symlink_to("nosuch.yaml")
            return "dangling.yaml"
        case "looping link":
            (folder / "loop.yaml").symlink_to("loop.yaml")
            return "loop.yaml"
        case "link out of the repository":
            (folder / "out.yaml").symlink_to("../outside.yaml")
            return "out.yaml"
        case "link to a device":
            (folder / "zero.yaml").symlink_to("/dev/zero")
            return "zero.yaml"
        case "named pipe":
            os.mkfifo(folder / "pipe.yaml")
            return "pipe.yaml"
        case "sparse file":
            with (folder / "sparse.yaml").open("wb") as stream:
                stream.truncate(1 << 40)
            return "sparse.yaml"
        case _:
            inner = folder / "inner"
            inner.mkdir()
            shutil.copy(folder / "job.yaml", inner / "job.yaml")
            (inner / "experiment.yaml").write_text(EXPERIMENT, encoding="utf-8")
            what = {"named pipe": "named pipe", "dangling link": "dangling link", "link out": "link out of the repository"}
            name = make(what[kind.removeprefix("folder with a ")], inner)
            if "link out" in kind:
                (inner / name).unlink()
                (inner / name).symlink_to("../../outside.yaml")
            return "inner"


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("command", COMMANDS)
def test_a_bad_path_is_reported(repository: Path, command: str, kind: str) -> None:
    if kind in NOT_FOR_ROOT and os.geteuid() == 0:
        pytest.skip("root reads everything")
    path = make(kind, repository)
    words = [path if word == "BAD" else word for word in COMMANDS[command]]
    with no_longer_than(SECONDS):
        answer = tjgen(repository, *words, "--format", "json") if command != "lint --fix" else tjgen(repository, *words)
    is_folder = command in NEEDS_A_FILE and (repository / path).is_dir() and kind not in NOT_FOR_ROOT
    wanted = OWN_CODES.get(command) or ({"TJ030"} if is_folder else KINDS[kind])
    assert answer.code == 1, answer
    assert any(code in answer.err for code in wanted), answer.err
    assert path in answer.err
    assert "root:" not in answer.err + answer.out
    assert not (repository / "out").exists()
    assert not (repository / "schemas").exists()


def test_the_checkout_has_every_command_that_takes_paths_in_the_table() -> None:
    modules = {
        file.stem for file in list_entries(ROOT / "tjgen" / "cli", "*.py") if "COMMAND = Command(" in file.read_text("utf-8")
    }
    others = {"cmp", "devices", "diff", "krm", "migrate", "postrender", "promote", "runs", "schema", "verify"}
    others.add("slices")  # reads Parquet and CSV: tests/tools/inventory has its bad paths
    assert modules == {words[0] for words in COMMANDS.values()} | others
