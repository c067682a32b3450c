"""The program that copies from a store by rclone itself, which reads a local folder here: verified like a copy from a volume."""

from __future__ import annotations

import os
import shutil
import time
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from tests.compiler.programs.prefetching.cluster import Cluster, ended, killed
from tests.compiler.programs.prefetching.test_copy_volume import tree

pytestmark = pytest.mark.skipif(shutil.which("rclone") is None, reason="rclone is not installed")
NAMES = ["a", "b c", "deep/er/d", "-rf", "f$(x)", "deep/i'j", "é-数据", "semi;colon", ".hidden", "back\\slash", "two\nlines"]


class Store(Cluster):
    """A prefetch from a bucket; the folder of the source stands in for it."""

    def __init__(self, folder: Path, workers: int = 1, names: list[str] = NAMES, paths: list[str] | None = None) -> None:
        super().__init__(folder, {"uri": "s3://bucket/set", "paths": paths or []}, workers=workers)
        for number, name in enumerate(names):
            file = self.source / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(f"{number} {name}")

    def attempt(self, shell: list[str], index: int = 0, attempt: int = 0, job: str = "uid-1", **more: str) -> tuple[int, str]:
        home = {"HOME": str(self.folder), "REMOTE": str(self.source), **more}
        answer = self.bring(shell, index, attempt=attempt, job=job, **home)
        return answer.returncode, answer.stderr

    def complete(self) -> bool:
        return self.wait(["dash"]).returncode == 0

    def same(self) -> bool:
        there, wanted = (
            {name: what[1][0] for name, what in tree(folder).items() if isinstance(what[1], tuple)}
            for folder in (self.content, self.source)
        )
        return there == wanted


@pytest.mark.parametrize("workers", [1, 4])
def test_the_workers_together_copy_everything(shell: list[str], tmp_path: Path, workers: int) -> None:
    made = Store(tmp_path, workers)
    for index in range(workers):
        assert not made.complete()
        code, errors = made.attempt(shell, index)
        assert code == 0, errors
    assert made.complete()
    assert made.same()
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith("tmp.")] == []


def test_a_store_that_changes_is_not_marked(shell: list[str], tmp_path: Path) -> None:
    made = Store(tmp_path, 2)
    assert made.attempt(shell, 0)[0] == 0
    (made.source / "000").write_text("new, and the first of the list")
    (made.source / "a").unlink()
    code, errors = made.attempt(shell, 1)
    assert code == 1
    assert "has changed since it was listed" in errors and "000" in errors
    assert not made.complete()
    assert made.attempt(shell, 1, attempt=1)[0] == 0
    assert made.complete()
    assert made.same()


def test_only_the_files_and_folders_of_the_list_are_copied(shell: list[str], tmp_path: Path) -> None:
    wanted = ["a", "b c", "deep/er", "f$(x)", "set (1), b", "back\\slash", "-rf", "; #", "top/é-数据"]
    extra = ["deep/other", "ab", "a.txt", "set1aXY", "deep/er.txt", "top/other", "slash", "in/a", "in/deep/er/d"]
    inside = [f"{path}/{name}" if path in ("deep/er", "set (1), b") else path for path in wanted for name in ("d", "x y/z")]
    made = Store(tmp_path, 2, [*inside, *extra], wanted)
    for index in range(2):
        code, errors = made.attempt(shell, index)
        assert code == 0, errors
    assert made.complete()
    assert sorted(str(path.relative_to(made.content)) for path in made.content.rglob("*") if path.is_file()) == sorted(
        set(inside)
    )


@pytest.mark.parametrize("missing", ["none", "a/none", "A", "deep/e"])
def test_a_path_that_the_store_does_not_have_fails(shell: list[str], tmp_path: Path, missing: str) -> None:
    made = Store(tmp_path, 1, ["a", "deep/er"], ["deep/er", missing])
    code, errors = made.attempt(shell)
    assert code == 1
    assert f"{made.source} has no {missing}" in errors
    assert not made.complete()


def test_complete_content_is_never_written_again(shell: list[str], tmp_path: Path) -> None:
    made = Store(tmp_path)
    assert made.attempt(shell)[0] == 0
    before = tree(made.content)
    (made.source / "a").write_text("the store changes later")
    assert made.attempt(shell, job="uid-2") == (0, "")
    other = Store.__new__(Store)
    Cluster.__init__(other, tmp_path, {"uri": "s3://bucket/set"}, workers=2)
    assert [other.attempt(shell, index, job="uid-3") for index in range(2)] == [(0, ""), (0, "")]
    assert tree(made.content) == before
    assert other.complete()


def test_a_store_that_cannot_be_listed_fails(shell: list[str], tmp_path: Path) -> None:
    made = Store(tmp_path, 1, [])
    code, errors = made.attempt(shell)
    assert code == 1
    assert "holds no files" in errors
    made.source.rename(tmp_path / "elsewhere")
    code, errors = made.attempt(shell)
    assert code == 1
    assert "cannot be listed" in errors
    assert not made.complete()
    failures = list((made.state / "failures" / made.job["metadata"]["name"]).iterdir())
    assert len(failures) == 1  # both attempts were of one pod


def test_killed_workers_go_on(shell: list[str], tmp_path: Path) -> None:
    made = Store(tmp_path, 2, [])
    for number in range(40):
        (made.source / f"{number:03}").write_bytes(os.urandom(200_000))
    home = {"HOME": str(tmp_path), "REMOTE": str(made.source), "RCLONE_BWLIMIT": "4M"}
    for attempt in range(4):
        running = [made.start(shell, index, attempt=attempt, **home) for index in range(2)]
        time.sleep(0.6 + 0.2 * attempt)
        for one in running:
            killed(one)
        if made.complete():
            assert made.same()
            return
    for index in range(2):
        assert made.attempt(shell, index, attempt=9)[0] == 0
    assert made.complete()
    assert made.same()


CUT_OFF = """#!/bin/sh
[ "$1" = copy ] || exec {rclone} "$@"
for target; do :; done
touch {folder}/begun
while [ ! -e {folder}/go ]; do sleep 0.05; done
cd {source} && find . -type f | while read -r name; do
  mkdir -p "$target/${{name%/*}}"
  : >"$target/$name"
done
exit {code}
"""
"""rclone of a pod that is cut off when it has found what to copy, continues later, and writes files of no content."""


@pytest.mark.parametrize("code", [0, 1])
def test_a_pod_that_was_cut_off_changes_nothing_that_its_replacement_verified(
    shell: list[str], tmp_path: Path, code: int
) -> None:
    made = Store(tmp_path, 2, ["a", "b c", "d", "e"])
    (tmp_path / "bin").mkdir()
    program = CUT_OFF.format(rclone=shutil.which("rclone"), folder=tmp_path, source=made.source, code=code)
    (tmp_path / "bin/rclone").write_text(program, encoding="utf-8")
    (tmp_path / "bin/rclone").chmod(0o755)
    home = {"HOME": str(tmp_path), "REMOTE": str(made.source)}
    old = made.start(shell, 0, attempt=0, **home, PATH=f"{tmp_path}/bin:{os.environ['PATH']}")
    while not (tmp_path / "begun").exists():
        assert old.poll() is None
        time.sleep(0.02)
    assert made.attempt(shell, 0, attempt=1)[0] == 0
    verified = tree(made.content)
    (tmp_path / "go").touch()
    assert ended(old).returncode == code  # it verifies what its replacement brought
    assert tree(made.content) == verified
    assert made.attempt(shell, 1)[0] == 0
    assert made.complete()
    assert made.same()


def test_a_pod_of_an_earlier_list_publishes_nothing(shell: list[str], tmp_path: Path) -> None:
    made = Store(tmp_path, 1, ["a", "b"])
    (tmp_path / "bin").mkdir()
    program = f"""#!/bin/sh
{shutil.which("rclone")} "$@" || exit
[ "$1" != copy ] || {{ touch {tmp_path}/begun; while [ ! -e {tmp_path}/go ]; do sleep 0.05; done; }}
"""
    (tmp_path / "bin/rclone").write_text(program, encoding="utf-8")
    (tmp_path / "bin/rclone").chmod(0o755)
    home = {"HOME": str(tmp_path), "REMOTE": str(made.source)}
    old = made.start(shell, 0, attempt=0, **home, PATH=f"{tmp_path}/bin:{os.environ['PATH']}")
    while not (tmp_path / "begun").exists():
        assert old.poll() is None
        time.sleep(0.02)
    (made.source / "a").write_text("another content")
    assert made.attempt(shell, attempt=1)[0] == 1
    assert made.attempt(shell, attempt=2)[0] == 0
    (tmp_path / "go").touch()
    assert ended(old).returncode == 1
    assert made.complete()
    assert made.same()
    assert list((made.state / "tmp").iterdir()) == []


def test_a_killed_pod_keeps_the_pieces_that_it_brought(shell: list[str], tmp_path: Path) -> None:
    made = Store(tmp_path, 1, [f"{number}" for number in range(8)])
    (made.source / "7").write_bytes(os.urandom(400_000))
    pieces = {"PIECE_FILES": "3", "PIECE_BYTES": "300000"}
    home = {"HOME": str(tmp_path), "REMOTE": str(made.source), "RCLONE_BWLIMIT": "50k", **pieces}
    first = made.start(shell, 0, attempt=0, **home)
    while not (made.content / "5").exists():
        assert first.poll() is None
        time.sleep(0.02)
    killed(first)
    assert not made.complete()
    before = {name: (made.content / name).stat().st_ino for name in "012345"}
    assert sorted(path.name for path in made.content.iterdir()) >= sorted(before)
    assert made.attempt(shell, 0, 1, "uid-1", **pieces)[0] == 0
    assert {name: (made.content / name).stat().st_ino for name in before} == before
    assert made.same()
    assert list((made.state / "tmp").iterdir()) == []


def test_a_file_of_a_url_is_copied(shell: list[str], tmp_path: Path) -> None:
    served = tmp_path / "served"
    served.mkdir()
    (served / "set.tar").write_bytes(os.urandom(100_000))
    made = Cluster(tmp_path, "https://files.example/set.tar")
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(SimpleHTTPRequestHandler, directory=str(served))) as server:
        Thread(target=server.serve_forever).start()
        try:
            url = f"http://127.0.0.1:{server.server_port}"
            answer = made.bring(shell, HOME=str(tmp_path), REMOTE=f"{url}/missing.tar")
            assert answer.returncode == 1
            assert not (made.state / "marks").exists()
            answer = made.bring(shell, HOME=str(tmp_path), REMOTE=f"{url}/set.tar")
            assert answer.returncode == 0, answer.stderr
        finally:
            server.shutdown()
    assert (made.content / "set.tar").read_bytes() == (served / "set.tar").read_bytes()
    assert made.wait(["dash"]).returncode == 0
