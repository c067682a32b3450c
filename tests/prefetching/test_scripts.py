"""The scripts of prefetch Jobs, on real folders: every file is brought once, and nobody begins too early."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.checkout import ROOT

SHELLS = [shell for shell in ("dash", "busybox", "bash") if shutil.which(shell)]
FILES = ["a", "b c", "deep/er/d", "deep/e", "-rf", "f$(x)", "g\\h", "deep/i'j"]
RCLONE = """\
#!/bin/sh
echo "$@" >>"$RECORD"
case $1 in
  lsf) for one; do :; done; cd "$STORE/${one#:s3,env_auth=true:}" && find . -type f | sed 's#^[.]/##' ;;
  copy) while IFS= read -r file; do
      mkdir -p "$6/$(dirname "$file")"; cp "$STORE/${5#:s3,env_auth=true:}/$file" "$6/$file"; echo "$file" >>"$COPIED"
    done <"$3" ;;
  copyurl) echo "$3" >"$4/one" ;;
esac
"""


@pytest.fixture(params=SHELLS)
def shell(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def store(tmp_path: Path) -> Path:
    for number, name in enumerate(FILES):
        file = tmp_path / "store" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(str(number))
    return tmp_path / "store"


def run(shell: str, name: str, **told: object) -> subprocess.CompletedProcess[str]:
    program = [shell, "sh"] if shell == "busybox" else [shell]
    environment = {"PATH": os.environ["PATH"], **{key: str(value) for key, value in told.items()}}
    script = str(ROOT / "scripts" / name)
    return subprocess.run([*program, script], env=environment, capture_output=True, text=True, check=False, timeout=60)


def files(folder: Path) -> dict[str, str]:
    return {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("workers", [1, 3, 20])
def test_the_workers_together_copy_each_file_once(shell: str, store: Path, tmp_path: Path, workers: int) -> None:
    whole: dict[str, str] = {}
    for index in range(workers):
        own = tmp_path / f"target {index}"
        answer = run(shell, "copy-volume.sh", SOURCE=store, TARGET=own, INDEX=index, WORKERS=workers)
        assert answer.returncode == 0, answer.stderr
        assert not whole.keys() & files(own).keys()
        whole |= files(own)
    assert whole == files(store)


def test_a_second_try_copies_only_what_is_missing_or_half(shell: str, store: Path, tmp_path: Path) -> None:
    target = tmp_path / "target"
    told = {"SOURCE": store, "TARGET": target, "INDEX": 0, "WORKERS": 1}
    run(shell, "copy-volume.sh", **told)
    kept = (target / "a").stat().st_ino
    (target / "deep/e").unlink()
    (target / "b c").write_text("half of it")
    assert run(shell, "copy-volume.sh", **told).returncode == 0
    assert files(target) == files(store)
    assert (target / "a").stat().st_ino == kept


def test_a_source_that_holds_nothing_or_odd_names_is_refused(shell: str, store: Path, tmp_path: Path) -> None:
    (tmp_path / "nothing").mkdir()
    told = {"TARGET": tmp_path / "target", "INDEX": 0, "WORKERS": 1}
    assert run(shell, "copy-volume.sh", SOURCE=tmp_path / "nothing", **told).returncode == 1
    assert run(shell, "copy-volume.sh", SOURCE=tmp_path / "nowhere", **told).returncode != 0
    (store / "two\nlines").write_text("x")
    answer = run(shell, "copy-volume.sh", SOURCE=store, **told)
    assert answer.returncode == 1 and "line ends" in answer.stderr


def test_a_store_is_divided_in_the_same_way(shell: str, store: Path, tmp_path: Path) -> None:
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "rclone").write_text(RCLONE)
    (tools / "rclone").chmod(0o755)
    target, copied = tmp_path / "target", tmp_path / "copied"
    told = {
        "PATH": f"{tools}:{os.environ['PATH']}", "STORE": store.parent, "RECORD": tmp_path / "record", "COPIED": copied,
        "TARGET": target, "WORKERS": 3,
    }  # fmt: skip
    for index in range(3):
        answer = run(shell, "copy-remote.sh", REMOTE=":s3,env_auth=true:store", INDEX=index, **told)
        assert answer.returncode == 0, answer.stderr
    assert files(target) == files(store)
    assert sorted(copied.read_text().splitlines()) == sorted(FILES)
    (store.parent / "empty").mkdir()
    assert run(shell, "copy-remote.sh", REMOTE=":s3,env_auth=true:empty", INDEX=0, **told).returncode == 1
    assert run(shell, "copy-remote.sh", REMOTE=":s3,env_auth=true:nowhere", INDEX=0, **told).returncode != 0
    assert run(shell, "copy-remote.sh", REMOTE="https://x/y", ONE="true", INDEX=0, **told).returncode == 0
    assert (target / "one").read_text() == "https://x/y\n"


def test_who_waits_begins_when_the_last_part_is_there_and_not_before(shell: str, tmp_path: Path) -> None:
    marks = tmp_path / "marks"
    program = [shell, "sh"] if shell == "busybox" else [shell]
    environment = {"PATH": os.environ["PATH"], "MARKS": str(marks), "PAUSE": "0.05"}
    with subprocess.Popen(
        [*program, str(ROOT / "scripts/wait.sh")], env=environment, stdout=subprocess.PIPE, text=True
    ) as waiting:
        for index in (2, 0):
            assert run(shell, "mark.sh", MARKS=marks, WORKERS=3, INDEX=index).returncode == 0
            with pytest.raises(subprocess.TimeoutExpired):
                waiting.wait(0.4)
        run(shell, "mark.sh", MARKS=marks, WORKERS=3, INDEX=1)
        assert waiting.wait(20) == 0
        assert waiting.stdout is not None
        assert "part 1 of 3 is missing" in waiting.stdout.read()
    assert run(shell, "wait.sh", MARKS=marks, PAUSE=1).stdout == ""
