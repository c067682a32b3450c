"""`-o FILE`: one file, old or new."""

from __future__ import annotations

import errno
import os
import resource
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.gitops.emit.crash import DONE, KILLED, REFUSED, dies_at, fails_at, run
from tjgen.gitops.emit import file
from tjgen.gitops.emit.filelock import acquire
from tjgen.trees.diagnostics.model import CompileError, Diagnostic


@pytest.fixture
def target(tmp_path: Path) -> Path:
    return tmp_path / "all.yaml"


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_it_is_written_in_the_encoding_of_yaml(target: Path) -> None:
    assert file.write(str(target), ["a: 1\n", "---\n", "b: ä\n"])
    assert target.read_bytes() == "a: 1\n---\nb: ä\n".encode()
    assert names(target.parent) == ["all.yaml"]


def test_an_unchanged_file_is_not_touched(target: Path) -> None:
    file.write(str(target), ["a: 1\n" * 100_000])
    before = target.stat()
    assert not file.write(str(target), ["a: 1\n"] * 100_000)
    after = target.stat()
    assert (before.st_mtime_ns, before.st_ino) == (after.st_mtime_ns, after.st_ino)
    assert names(target.parent) == ["all.yaml"]


def test_permissions_stay(target: Path) -> None:
    target.write_text("old\n")
    target.chmod(0o600)
    assert file.write(str(target), ["new\n"])
    assert target.stat().st_mode & 0o777 == 0o600


def test_a_link_stays_a_link(target: Path) -> None:
    (target.parent / "real.yaml").write_text("old\n")
    target.symlink_to("real.yaml")
    file.write(str(target), ["new\n"])
    assert target.is_symlink()
    assert (target.parent / "real.yaml").read_text() == "new\n"


def test_an_input_is_not_overwritten_whatever_it_is_called(target: Path) -> None:
    target.write_text("kind: Experiment\n")
    (target.parent / "link.yaml").symlink_to(target)
    with pytest.raises(CompileError) as error:
        file.write(str(target.parent / "link.yaml"), ["new\n"], inputs=["missing.yaml", str(target)])
    assert [found.code for found in error.value.diagnostics] == ["TJ060"]
    assert target.read_text() == "kind: Experiment\n"


def test_a_pipe_gets_the_text_as_it_comes(tmp_path: Path) -> None:
    script = "from tjgen.gitops.emit import file; file.write('/dev/stdout', ['a: 1\\n', 'b: 2\\n'])"
    piped = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert piped.stdout == "a: 1\nb: 2\n"
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    with subprocess.Popen([sys.executable, "-c", script.replace("/dev/stdout", str(fifo))]) as process:
        assert fifo.read_text() == "a: 1\nb: 2\n"
    assert process.returncode == 0


def test_a_device_takes_it(tmp_path: Path) -> None:
    assert file.write("/dev/null", ["a: 1\n"])


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        pytest.param("", "Is a directory", id="a folder"),
        pytest.param("/missing/all.yaml", "No such file or directory", id="in a folder that does not exist"),
        pytest.param("/" + "x" * 300, "File name too long", id="a name that is too long"),
    ],
)
def test_places_that_cannot_be_written(tmp_path: Path, path: str, reason: str) -> None:
    with pytest.raises(CompileError) as error:
        file.write(f"{tmp_path}{path}", ["a: 1\n"])
    assert [found.code for found in error.value.diagnostics] == ["TJ056"]
    assert reason in error.value.diagnostics[0].message
    assert names(tmp_path) == []


def test_text_that_cannot_be_made_leaves_the_old_file(target: Path) -> None:
    target.write_text("old\n")

    def chunks() -> Iterator[str]:
        yield "new\n"
        raise CompileError([Diagnostic("TJ505", "it fails late")])

    with pytest.raises(CompileError, match="it fails late"):
        file.write(str(target), chunks())
    assert target.read_text() == "old\n"
    assert names(target.parent) == ["all.yaml"]


def test_another_writer_of_the_file_is_waited_for_or_told(target: Path) -> None:
    lock = acquire(str(target.parent / ".all.yaml.tjgen"), wait=0.0)
    with pytest.raises(CompileError) as error:
        file.write(str(target), ["a: 1\n"], wait=0.05)
    lock.release()
    assert [found.code for found in error.value.diagnostics] == ["TJ055"]
    assert file.write(str(target), ["a: 1\n"], wait=0.05)


@pytest.mark.parametrize("existing", [True, False], ids=["over a file", "anew"])
def test_killed_or_failing_at_any_call(target: Path, existing: bool) -> None:
    seen = set()
    for happening in (dies_at, lambda number: fails_at(number, errno.ENOSPC, from_then_on=True)):
        for number in range(1, 100):
            target.unlink(missing_ok=True)
            if existing:
                target.write_text("old\n")
            outcome = run(lambda: file.write(str(target), ["new\n" * 10_000]), target.parent, happens=happening(number))
            left = target.read_text() if target.exists() else ""
            assert left in ("old\n" if existing else "", "new\n" * 10_000)
            assert outcome != DONE or left.startswith("new")
            file.write(str(target), ["next\n"])
            assert names(target.parent) == ["all.yaml"]
            seen.add(outcome)
            if outcome == DONE:
                break
    assert seen == {DONE, REFUSED, KILLED}


def test_a_limit_on_file_sizes(target: Path) -> None:
    target.write_text("old\n")

    def act() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
        file.write(str(target), ["x" * 10_000])

    assert run(act, target.parent, happens=lambda _: None) == REFUSED
    assert target.read_text() == "old\n"
    assert names(target.parent) == ["all.yaml"]


def test_a_folder_that_is_there_and_takes_no_file_is_an_error(target: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.open

    def opened(path: str, flags: int, mode: int = 0o777) -> int:
        if str(path).endswith(".tjgen"):
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
        return real(path, flags, mode)

    monkeypatch.setattr(os, "open", opened)
    with pytest.raises(CompileError) as error:
        file.write(str(target), ["a"])
    assert [found.code for found in error.value.diagnostics] == ["TJ056"]
