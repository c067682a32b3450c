"""The script that removes checkpoints, on real folders: what stays, what goes, and what it never touches."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from tests.checkout import ROOT

SCRIPT = ROOT / "scripts/cleaner.sh"
SHELLS = [shell for shell in ("dash", "busybox", "bash") if shutil.which(shell)]
LONG_AGO = 100_000
DAY = 24 * 3600


@pytest.fixture(params=SHELLS)
def shell(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def saved(
    folder: Path, number: object, *, age: float = 0, complete: bool = True, metric: str | None = None, name: str = "step-"
) -> Path:
    """A checkpoint that was finished `age` seconds ago, or that has not been touched since then."""
    checkpoint = folder / f"{name}{number}"
    checkpoint.mkdir(parents=True)
    (checkpoint / "weights").write_text("w")
    if metric is not None:
        (checkpoint / "loss").write_text(metric)
    if complete:
        (checkpoint / "_SUCCESS").touch()
    then = time.time() - age
    for path in (*checkpoint.iterdir(), checkpoint):
        os.utime(path, (then, then))
    return checkpoint


def clean(shell: str, folder: Path, **told: object) -> subprocess.CompletedProcess[str]:
    variables = {"NAME": "step-", "MARKER": "_SUCCESS", "LAST": "1", "ABANDONED": "1440", "BEFORE": folder}
    environment = {"PATH": os.environ["PATH"], **{key: str(value) for key, value in {**variables, **told}.items()}}
    program = [shell, "sh"] if shell == "busybox" else [shell]
    return subprocess.run([*program, str(SCRIPT)], env=environment, capture_output=True, text=True, check=False)


def left(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_the_newest_stay(shell: str, tmp_path: Path) -> None:
    for number in (5, 10, 90, 100, 1000):
        saved(tmp_path, number, age=10_000 - number)
    answer = clean(shell, tmp_path, LAST=2)
    assert (answer.returncode, answer.stderr) == (0, "")
    assert left(tmp_path) == ["step-100", "step-1000"]
    assert clean(shell, tmp_path, LAST=2).stdout == ""


def test_what_was_saved_at_one_time_goes_by_its_number(shell: str, tmp_path: Path) -> None:
    for number in (9, 10, 8):
        saved(tmp_path, number, age=50)
    clean(shell, tmp_path, LAST=1)
    assert left(tmp_path) == ["step-10"]


def test_a_training_that_began_again_keeps_what_it_saves_now(shell: str, tmp_path: Path) -> None:
    saved(tmp_path, 5000, age=DAY)
    saved(tmp_path, 10, age=5)
    clean(shell, tmp_path, LAST=1)
    assert left(tmp_path) == ["step-10"]


@pytest.mark.parametrize("last", [0, 1])
def test_the_newest_complete_one_stays_whatever_is_asked(shell: str, tmp_path: Path, last: int) -> None:
    saved(tmp_path, 1, age=300)
    saved(tmp_path, 2, age=200)
    saved(tmp_path, 3, complete=False)
    clean(shell, tmp_path, LAST=last)
    assert left(tmp_path) == ["step-2", "step-3"]


def test_one_that_is_half_written_is_neither_counted_nor_removed(shell: str, tmp_path: Path) -> None:
    for number in (1, 2, 3):
        saved(tmp_path, number, age=1000 - number)
    saved(tmp_path, 4, complete=False, age=20)
    clean(shell, tmp_path, LAST=2)
    assert left(tmp_path) == ["step-2", "step-3", "step-4"]


def test_nothing_goes_as_long_as_none_is_complete(shell: str, tmp_path: Path) -> None:
    for number in (1, 2, 3):
        saved(tmp_path, number, complete=False, age=LONG_AGO)
    clean(shell, tmp_path, LAST=1)
    assert left(tmp_path) == ["step-1", "step-2", "step-3"]


def test_one_that_was_left_half_written_goes_after_a_day_and_not_before(shell: str, tmp_path: Path) -> None:
    saved(tmp_path, 1, complete=False, age=3 * DAY)
    saved(tmp_path, 2, complete=False, age=DAY / 2)
    saved(tmp_path, 3, age=100)
    saved(tmp_path, 4, complete=False, age=5)
    growing = saved(tmp_path, 5, complete=False, age=3 * DAY)
    (growing / "more").write_text("still written")
    os.utime(growing, (time.time() - 3 * DAY,) * 2)
    clean(shell, tmp_path, LAST=1)
    assert left(tmp_path) == ["step-2", "step-3", "step-4", "step-5"]


@pytest.mark.parametrize(("mode", "best"), [("min", "step-3"), ("max", "step-1")])
def test_the_best_stay(shell: str, tmp_path: Path, mode: str, best: str) -> None:
    for number, metric in ((1, "9e1\n"), (2, "0.5"), (3, "-2.5E-1 per token"), (4, "nan"), (5, "inf"), (6, "")):
        saved(tmp_path, number, metric=metric, age=1000 - number)
    saved(tmp_path, 7, age=1)
    clean(shell, tmp_path, LAST=1, BEST=1, METRIC="loss", MODE=mode)
    assert left(tmp_path) == [best, "step-7"]


def test_of_equal_ones_the_newest_is_the_best_and_the_last_may_be_it(shell: str, tmp_path: Path) -> None:
    for number in (1, 2, 3):
        saved(tmp_path, number, metric="1.0", age=1000 - number)
    clean(shell, tmp_path, LAST=1, BEST=2, METRIC="loss")
    assert left(tmp_path) == ["step-2", "step-3"]


def test_every_nth_stays_by_its_number(shell: str, tmp_path: Path) -> None:
    for number in (500, 1000, 1500, 2000, 2500, 3500):
        saved(tmp_path, number, age=10_000 - number)
    for _ in range(2):
        clean(shell, tmp_path, LAST=1, NTH=1000)
        assert left(tmp_path) == ["step-1000", "step-2000", "step-3500"]


def test_each_run_keeps_its_own(shell: str, tmp_path: Path) -> None:
    for run in ("run a", "run-b"):
        for number in (1, 2):
            saved(tmp_path / run / "ckpt", number, age=100 - number)
    (tmp_path / "run-c").mkdir()
    elsewhere = tmp_path.parent / f"{tmp_path.name}-elsewhere"
    for number in (1, 2):
        saved(elsewhere / "ckpt", number)
    (tmp_path / "link").symlink_to(elsewhere)
    answer = clean(shell, tmp_path, EACH="true", AFTER="ckpt")
    assert answer.returncode == 0, answer.stderr
    assert left(tmp_path / "run a/ckpt") == left(tmp_path / "run-b/ckpt") == ["step-2"]
    assert left(elsewhere / "ckpt") == ["step-1", "step-2"]


def test_what_is_called_otherwise_is_none_of_its_business(shell: str, tmp_path: Path) -> None:
    others = [
        "latest",
        "step-",
        "step-x",
        "step-1 copy",
        "step-12$(touch here)",
        "step-5;rm",
        "tmp-step-9",
        "step-3\nstep-2",
        "-rf",
    ]
    for other in others:
        saved(tmp_path, other, name="")
    for number in (1, 2):
        saved(tmp_path, number, age=100 - number)
    (tmp_path / "step-0").symlink_to("step-1")
    answer = clean(shell, tmp_path)
    assert answer.returncode == 0, answer.stderr
    assert left(tmp_path) == sorted([*others, "step-0", "step-2"])


def test_files_are_complete_since_they_are_renamed_to_their_name(shell: str, tmp_path: Path) -> None:
    for number in (1, 2, 3):
        file = tmp_path / f"epoch-{number}.ckpt"
        file.write_text("w")
        os.utime(file, (time.time() - 1000 + number,) * 2)
    (tmp_path / "epoch-4.ckpt.part.d").mkdir()
    clean(shell, tmp_path, NAME="epoch-", LAST=2)
    assert left(tmp_path) == ["epoch-2.ckpt", "epoch-3.ckpt", "epoch-4.ckpt.part.d"]


def test_what_was_half_removed_is_removed_for_good(shell: str, tmp_path: Path) -> None:
    saved(tmp_path, "1", name=".removing-step-")
    saved(tmp_path, 2)
    clean(shell, tmp_path)
    assert left(tmp_path) == ["step-2"]


def test_a_folder_that_is_not_there_yet_is_no_failure(shell: str, tmp_path: Path) -> None:
    assert clean(shell, tmp_path / "nowhere").returncode == 0
    assert clean(shell, tmp_path / "nowhere", EACH="true").returncode == 0


@pytest.mark.skipif(os.geteuid() == 0, reason="root may remove everything")
def test_what_cannot_be_removed_is_reported_and_the_rest_goes_on(shell: str, tmp_path: Path) -> None:
    for run in ("a", "b"):
        for number in (1, 2):
            saved(tmp_path / run, number, age=100 - number)
    (tmp_path / "a").chmod(0o555)
    answer = clean(shell, tmp_path, EACH="true", AFTER="")
    (tmp_path / "a").chmod(0o755)
    assert answer.returncode == 1
    assert "cannot remove" in answer.stderr
    assert left(tmp_path / "b") == ["step-2"]
