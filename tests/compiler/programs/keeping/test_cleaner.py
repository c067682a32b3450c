"""The cleaner of a built manifest, run on real folders: what it keeps, what it moves, and what it refuses."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from tests.checkout import ROOT
from tests.compiler.programs.keeping.cleaning import (
    DAY,
    RUN,
    Cleaner,
    build,
    clean,
    clean_twice,
    cleaner,
    made_old,
    mark,
    pythons,
    save,
    steps,
    trash,
    tree,
)

WITHOUT_ROOT = ["setpriv", "--bounding-set=-all", "--inh-caps=-all", "--"] if os.geteuid() == 0 else []
needs_setpriv = pytest.mark.skipif(
    bool(WITHOUT_ROOT) and shutil.which("setpriv") is None, reason="root reads everything, and there is no setpriv"
)


RELEASES = sorted(pythons(), key=lambda release: int(release.partition(".")[2]))


@pytest.fixture(params=sorted({RELEASES[0], RELEASES[-1], next(iter(pythons()))}))
def python(request: pytest.FixtureRequest) -> str:
    """The oldest Python from 3.9 on that is installed, the newest, and this one."""
    return pythons()[str(request.param)]


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """The folder of a run on its volume."""
    return mark(tmp_path / "volume" / RUN)


# What the rules keep


@pytest.mark.parametrize("release", RELEASES)
def test_the_newest_stay_and_the_rest_goes_to_the_trash(run: Path, release: str) -> None:
    for number in (5, 10, 90, 100, 1000):
        save(run, number, age=10_000 - number)
    answer = clean_twice(cleaner(), run.parent, python=pythons()[release])
    assert (answer.code, answer.err, answer.message) == (0, "", "")
    assert steps(run) == ["step-100", "step-1000"]
    assert trash(run) == ["step-10", "step-5", "step-90"]


def test_the_first_pass_over_a_folder_only_reports(run: Path) -> None:
    for number in (1, 2, 3):
        save(run, number, age=100 - number)
    answer = clean(cleaner(), run.parent)
    assert answer.code == 0
    assert f"{RUN}/step-1: remove" in answer.out
    assert "dry run" in answer.out
    assert steps(run) == ["step-1", "step-2", "step-3"]
    clean(cleaner(), run.parent)
    assert steps(run) == ["step-2", "step-3"]


@pytest.mark.parametrize("change", [{"keep": {"everyNth": 7}}, {"keep": {"last": 3}}], ids=["everyNth", "last"])
def test_a_pass_with_other_rules_only_reports(run: Path, change: dict[str, Any]) -> None:
    for number in range(1, 6):
        save(run, number, age=100 - number)
    clean_twice(cleaner(), run.parent)
    save(run, 6)
    save(run, 8)
    assert "dry run" in clean(cleaner(**change), run.parent).out
    assert steps(run) == ["step-4", "step-5", "step-6", "step-8"]
    save(run, 9)
    save(run, 10)
    clean(cleaner(**change), run.parent)
    assert "step-4" in trash(run)


def test_a_dry_run_never_moves_anything(run: Path) -> None:
    for number in range(5):
        save(run, number, age=100 - number)
    held = tree(run)
    for _ in range(3):
        answer = clean(cleaner(keep={"dryRun": True}), run.parent)
        assert f"{RUN}/step-0: remove" in answer.out
        assert tree(run) == held


def test_one_stays_where_a_reason_is_written(run: Path) -> None:
    for number in (1, 2):
        save(run, number, age=100 - number)
    clean_twice(cleaner(keep={"last": 1, "reason": "each is copied elsewhere"}), run.parent)
    assert steps(run) == ["step-2"]


def test_multiples_of_every_nth_stay(run: Path, python: str) -> None:
    for number in (500, 1000, 1500, 2000, 2500, 3500, 4500):
        save(run, number, age=10_000 - number)
    for _ in range(3):
        clean(cleaner(keep={"everyNth": 1000}), run.parent, python=python)
    assert steps(run) == ["step-1000", "step-2000", "step-3500", "step-4500"]


@pytest.mark.parametrize(("mode", "best"), [("min", "step-3"), ("max", "step-1")])
def test_the_best_stay(run: Path, mode: str, best: str, python: str) -> None:
    for number, metric in ((1, "9e1\n"), (2, "+.5"), (3, "-2.5E-1"), (4, "1.\r\n"), (5, " 7 "), (6, "6")):
        save(run, number, files={"loss": metric}, age=1000 - number)
    answer = clean_twice(cleaner(keep={"best": 1, "metric": "loss", "mode": mode}), run.parent, python=python)
    assert (answer.code, answer.err) == (0, "")
    assert steps(run) == [best, "step-5", "step-6"]


def test_of_equal_metrics_the_newest_is_the_best(run: Path) -> None:
    for number in range(1, 6):
        save(run, number, files={"loss": "1.0"}, age=1000 - number)
    clean_twice(cleaner(keep={"best": 3, "metric": "loss"}), run.parent)
    assert steps(run) == ["step-3", "step-4", "step-5"]


def test_a_metric_is_read_from_a_key_of_a_json_file(run: Path, python: str) -> None:
    for number, loss in enumerate(("0.5", "3e-1", "0.4", "2")):
        save(run, number, files={"state.json": f'{{"note": "x", "eval_loss": {loss}}}'}, age=1000 - number)
    rules = {"best": 1, "metric": "state.json", "metricKey": "eval_loss"}
    assert clean_twice(cleaner(keep=rules), run.parent, python=python).code == 0
    assert steps(run) == ["step-1", "step-2", "step-3"]


def test_each_run_keeps_its_own(tmp_path: Path) -> None:
    for name in ("llm-a", "llm b"):
        folder = mark(tmp_path / "volume" / name / "ckpt", name)
        for number in (1, 2, 3):
            save(folder, number, age=100 - number)
    (tmp_path / "volume/llm-c").mkdir()
    answer = clean_twice(cleaner(path="ckpt"), tmp_path / "volume")
    assert answer.code == 0, answer.err
    assert steps(tmp_path / "volume/llm-a/ckpt") == steps(tmp_path / "volume/llm b/ckpt") == ["step-2", "step-3"]


def test_a_pass_removes_no_more_than_its_cap(run: Path) -> None:
    other = mark(run.parent / "llm-other")
    for folder in (run, other):
        for number in range(10):
            save(folder, number, age=100 - number)
    capped = cleaner(keep={"maxPerPass": 5})
    clean(capped, run.parent)
    assert len(steps(run)) + len(steps(other)) == 20
    clean(capped, run.parent)
    assert (steps(run)[0], len(steps(run)) + len(steps(other))) == ("step-5", 15)
    for _ in range(3):
        clean(capped, run.parent)
    assert steps(run) == steps(other) == ["step-8", "step-9"]


# The trash


def test_the_trash_is_deleted_after_the_grace_period(run: Path) -> None:
    for number in (1, 2, 3):
        save(run, number, age=100 - number)
    clean_twice(cleaner(keep={"graceSeconds": 3600}), run.parent)
    clean(cleaner(keep={"graceSeconds": 3600}), run.parent)
    assert trash(run) == ["step-1"]
    clean(cleaner(keep={"graceSeconds": 3600}), run.parent, GRACE="-1")
    assert (trash(run), list((run / ".tjgen-trash").iterdir())) == ([], [])
    assert steps(run) == ["step-2", "step-3"]


def test_what_changed_in_the_trash_stays_there(run: Path) -> None:
    for number in (1, 2, 3):
        save(run, number, age=100 - number)
    clean_twice(cleaner(), run.parent)
    (entry,) = (run / ".tjgen-trash").iterdir()
    (entry / "step-1/more").write_text("still being written")
    answer = clean(cleaner(), run.parent, GRACE="-1")
    assert answer.code == 1
    assert "changed in the trash" in answer.message
    assert (entry / "step-1/more").exists()


def test_the_trash_holds_only_what_was_decided(run: Path) -> None:
    for number in (1, 2, 3):
        save(run, number, age=100 - number)
    clean_twice(cleaner(), run.parent)
    by_hand = save(run / ".tjgen-trash", 7, age=DAY, name="by-hand-")
    other = save(run / ".tjgen-trash", "8.deleting", age=DAY, name="by-hand-")
    answer = clean(cleaner(), run.parent, GRACE="-1")
    assert answer.code == 1
    assert answer.message.count("no record of a decision") == 2
    assert by_hand.is_dir()
    assert other.is_dir()


def test_a_checkpoint_that_is_moved_back_is_kept_by_a_pin(run: Path) -> None:
    for number in (1, 2, 3):
        save(run, number, age=100 - number)
    clean_twice(cleaner(), run.parent)
    (entry,) = (run / ".tjgen-trash").iterdir()
    (entry / "step-1").rename(run / "step-1")
    (run / "step-1/.keep").touch()
    for _ in range(2):
        assert clean(cleaner(), run.parent).code == 0
    assert steps(run) == ["step-1", "step-2", "step-3"]


def test_a_trash_folder_that_is_a_link_is_refused(run: Path, tmp_path: Path) -> None:
    for number in (1, 2, 3):
        save(run, number, age=100 - number)
    (tmp_path / "elsewhere").mkdir()
    (run / ".tjgen-trash").symlink_to(tmp_path / "elsewhere")
    assert clean_twice(cleaner(), run.parent).code == 1
    assert steps(run) == ["step-1", "step-2", "step-3"]


# 1. Unmarked history


def test_unmarked_history_stays(run: Path, python: str) -> None:
    for number in (50_000, 100_000, 150_000):
        save(run, number, marker=None, files={".metadata": "m"}, age=3 * DAY - number / 1000)
    save(run, 150_500, files={"loss": "0.5"}, age=100)
    rules = {"best": 1, "metric": "loss", "everyNth": 50_000}
    clean_twice(cleaner(keep=rules), run.parent, python=python)
    assert steps(run) == ["step-100000", "step-150000", "step-150500", "step-50000"]


def test_another_marker_removes_nothing(run: Path) -> None:
    for number in range(1, 6):
        save(run, number, age=1000 - number)
    one = cleaner(marker=".metadata")
    for _ in range(3):
        answer = clean(one, run.parent)
        assert answer.code == 1
        assert "none of 5 checkpoints is complete: check name, marker" in answer.message
    assert len(steps(run)) == 5


def test_what_is_half_written_stays_and_counts_for_nothing(run: Path) -> None:
    for number in (1, 2, 3):
        save(run, number, age=1000 - number)
    save(run, 4, marker=None, age=3 * DAY)
    save(run, 0, marker=None, age=9 * DAY)
    clean_twice(cleaner(), run.parent)
    assert steps(run) == ["step-0", "step-2", "step-3", "step-4"]


# 2. Names


def test_a_half_written_file_is_not_a_checkpoint(run: Path, python: str) -> None:
    for number, name in enumerate(("step-100.pt", "step-200.pt", "step-300.pt.tmp")):
        (run / name).write_text("w")
        made_old(run / name, 9000 - number)
    for one in (cleaner(), cleaner(files=[".pt"])):
        clean_twice(one, run.parent, python=python)
        assert steps(run) == ["step-100.pt", "step-200.pt", "step-300.pt.tmp"]


def files(folder: Path, number: int, *suffixes: str, age: float, text: str = "w") -> None:
    for suffix in suffixes:
        (folder / f"step-{number}{suffix}").write_text(text)
        made_old(folder / f"step-{number}{suffix}", age)


def test_files_of_one_number_are_one_checkpoint(run: Path, python: str) -> None:
    suffixes = (".pt", ".optim.pt", ".json")
    for number in range(1, 5):
        files(run, number, *suffixes, age=9000 - number)
    files(run, 5, ".pt", ".json", age=5000)
    clean_twice(cleaner(files=list(suffixes)), run.parent, python=python)
    assert steps(run) == sorted(
        [*(f"step-{number}{suffix}" for number in (3, 4) for suffix in suffixes), "step-5.pt", "step-5.json"]
    )
    assert trash(run) == sorted(f"step-{number}{suffix}" for number in (1, 2) for suffix in suffixes)


def test_files_are_not_checkpoints_unless_asked_for(run: Path) -> None:
    for number in range(1, 5):
        files(run, number, ".pt", age=9000 - number)
    clean_twice(cleaner(), run.parent)
    assert len(steps(run)) == 4


def test_an_empty_file_is_not_a_checkpoint(run: Path) -> None:
    for number in (1, 2, 3):
        files(run, number, ".pt", age=9000 - number)
    files(run, 4, ".pt", age=5000, text="")
    answer = clean_twice(cleaner(files=[".pt"]), run.parent)
    assert answer.code == 1
    assert "step-4.pt is empty" in answer.message
    assert steps(run) == ["step-2.pt", "step-3.pt", "step-4.pt"]


def test_a_file_that_was_just_written_counts_for_nothing(run: Path) -> None:
    for number in (1, 2):
        files(run, number, ".pt", age=9000 - number)
    files(run, 3, ".pt", age=500)
    clean_twice(cleaner(files=[".pt"]), run.parent)
    assert len(steps(run)) == 3


def test_a_metric_can_be_one_of_the_files(run: Path) -> None:
    for number, loss in enumerate((5, 1, 4, 3)):
        files(run, number, ".pt", age=9000 - number)
        files(run, number, ".loss", age=9000 - number, text=str(loss))
    answer = clean_twice(cleaner(files=[".pt", ".loss"], keep={"best": 1, "metric": ".loss"}), run.parent)
    assert answer.code == 0
    assert steps(run) == [f"step-{number}{suffix}" for number in (1, 2, 3) for suffix in (".loss", ".pt")]


def test_only_exact_names_are_checkpoints(run: Path, python: str) -> None:
    others = ["latest", "step-", "step-x", "step-1 copy", "step-1.bak", "step-12$(touch here)", "step-5;rm", "tmp-step-9"]
    others += ["step-3\nstep-2", "-rf", "step-\u0663", "step--1", "step-1e3", "step-+1", "xstep-1"]
    for other in others:
        save(run, other, name="", age=5 * DAY)
    for number in (1, 2, 3):
        save(run, number, age=100 - number)
    answer = clean_twice(cleaner(), run.parent, python=python)
    assert (answer.code, answer.err) == (0, "")
    assert steps(run) == sorted([*others, "step-2", "step-3"])


def test_two_names_of_one_number_are_refused(run: Path) -> None:
    for name in ("100", "0100", "200", "300"):
        save(run, name, age=1000 - int(name))
    answer = clean_twice(cleaner(), run.parent)
    assert answer.code == 1
    assert "two checkpoints have the number 100" in answer.message
    assert len(steps(run)) == 4


def test_numbers_can_have_leading_zeros(run: Path) -> None:
    for number in range(8, 12):
        save(run, f"{number:07}", age=1000 - number, name="iter_")
    clean_twice(cleaner(name="iter_"), run.parent)
    assert steps(run) == ["iter_0000010", "iter_0000011"]


def test_odd_names_of_runs_are_safe(tmp_path: Path) -> None:
    for name in ("-rf", "a b", "$(touch x)", "x\ny", "\udcff\udcfe", "'\""):
        folder = mark(tmp_path / "volume" / name, "x")
        (folder / ".tjgen-run").write_bytes(os.fsencode(name))
        for number in (1, 2, 3):
            save(folder, number, age=100 - number)
    clean_twice(cleaner(), tmp_path / "volume")
    for name in ("-rf", "a b", "$(touch x)", "'\""):
        assert steps(tmp_path / "volume" / name) == ["step-2", "step-3"]
    assert len(steps(tmp_path / "volume" / "x\ny")) == len(steps(tmp_path / "volume" / "\udcff\udcfe")) == 3


# 3. Metrics

UNREADABLE = [
    '{"loss": 0.3}',
    "loss=0.3",
    "0,4",
    ".",
    "e5",
    "..5",
    "",
    "nan",
    "inf",
    "-inf",
    "1e999",
    "0x1",
    "1_0",
    "0.3 0.4",
    "٣",
]


@pytest.mark.parametrize("text", UNREADABLE)
def test_a_metric_that_cannot_be_read_keeps_its_checkpoint(run: Path, text: str, python: str) -> None:
    for number in (1, 2, 3, 4):
        save(run, number, files={"loss": "0.5"}, age=1000 - number)
    (run / "step-1/loss").write_text(text)
    made_old(run / "step-1", 999)
    answer = clean_twice(cleaner(keep={"best": 1, "metric": "loss"}), run.parent, python=python)
    assert answer.code == 1
    assert ("step-1: kept: its loss is not a" if text else "step-1/loss is empty") in answer.message
    assert steps(run) == ["step-1", "step-3", "step-4"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "0.3",
        "[0.3]",
        "{",
        '{"loss": "0.3"}',
        '{"loss": true}',
        '{"loss": NaN}',
        '{"loss": null}',
        '{"x": 1}',
        '{"loss": 1e999}',
    ],
)
def test_a_json_metric_that_cannot_be_read_keeps_its_checkpoint(run: Path, text: str) -> None:
    for number in (1, 2, 3, 4):
        save(run, number, files={"m.json": '{"loss": 0.5}'}, age=1000 - number)
    (run / "step-1/m.json").write_text(text)
    made_old(run / "step-1", 999)
    answer = clean_twice(cleaner(keep={"best": 1, "metric": "m.json", "metricKey": "loss"}), run.parent)
    assert answer.code == 1
    assert ("step-1: kept: its m.json " if text else "step-1/m.json is empty") in answer.message
    assert steps(run) == ["step-1", "step-3", "step-4"]


def test_nothing_goes_as_long_as_nothing_is_evaluated(run: Path, python: str) -> None:
    for number in range(1, 6):
        save(run, number, age=1000 - number)
    rules = cleaner(keep={"best": 1, "metric": "loss"})
    answer = clean_twice(rules, run.parent, python=python)
    assert answer.code == 1
    assert "step-1: kept: its loss is missing" in answer.message
    assert len(steps(run)) == 5
    for number in range(1, 6):
        (run / f"step-{number}/loss").write_text(str(abs(number - 2)))
        os.utime(run / f"step-{number}/loss", (time.time() - 90,) * 2)
    assert clean(rules, run.parent, python=python).code == 0
    assert steps(run) == ["step-2", "step-4", "step-5"]


def test_a_metric_of_the_newest_may_be_written_later(run: Path) -> None:
    for number in (1, 2, 3):
        save(run, number, files={"loss": str(number)}, age=1000 - number)
    save(run, 4, age=5)
    answer = clean_twice(cleaner(keep={"best": 1, "metric": "loss"}), run.parent)
    assert answer.code == 0
    assert steps(run) == ["step-1", "step-3", "step-4"]


def test_a_metric_that_was_just_written_is_not_read_yet(run: Path) -> None:
    for number in (1, 2, 3, 4):
        save(run, number, files={"loss": str(number)}, age=1000 - number)
    save(run, 2, files={"loss": "0"}, age=998)
    os.utime(run / "step-2/loss", (time.time() - 5,) * 2)
    answer = clean_twice(cleaner(keep={"best": 1, "metric": "loss"}), run.parent)
    assert answer.code == 1
    assert steps(run) == ["step-1", "step-2", "step-3", "step-4"]


# 4. Order


def test_a_copy_without_times_is_refused(run: Path, python: str) -> None:
    for place, number in enumerate((10_500, 10_000, 500, 9_500)):
        save(run, number, age=1000 - place)
    answer = clean_twice(cleaner(), run.parent, python=python)
    assert answer.code == 1
    assert "numbers and times disagree" in answer.message
    assert len(steps(run)) == 4


def test_checkpoints_of_one_time_go_by_their_numbers(run: Path) -> None:
    for number in (9, 10, 8, 11):
        save(run, number, age=50)
    made_old(run, 50)
    clean_twice(cleaner(), run.parent)
    assert steps(run) == ["step-10", "step-11"]


def test_a_marker_from_the_future_is_refused(run: Path, python: str) -> None:
    for number in (1, 2, 3):
        save(run, number, age=1000 - number)
    save(run, 4, age=-3600)
    answer = clean_twice(cleaner(), run.parent, python=python)
    assert answer.code == 1
    assert "step-4 is from the future" in answer.message
    assert len(steps(run)) == 4


def test_a_training_run_that_began_again_is_refused(run: Path) -> None:
    for number in (4000, 4500, 5000):
        save(run, number, age=DAY - number / 1000)
    save(run, 10, age=5)
    assert clean_twice(cleaner(), run.parent).code == 1
    assert len(steps(run)) == 4


# 5. Folders that are not runs


def test_folders_that_no_run_marked_stay(run: Path, python: str) -> None:
    for number in (1, 2, 3):
        save(run, number, age=100 - number)
        save(run.parent / "golden", number * 1000, age=DAY - number)
    answer = clean_twice(cleaner(resumeFrom={"path": "golden"}), run.parent, python=python)
    assert answer.code == 0, answer.err
    assert "golden: skipped" in answer.out
    assert len(steps(run.parent / "golden")) == 3
    assert steps(run) == ["step-2", "step-3"]


def test_a_copy_of_a_run_is_not_the_run(run: Path) -> None:
    for number in (1, 2, 3):
        save(run, number, age=100 - number)
    shutil.copytree(run, run.parent / "golden")
    clean_twice(cleaner(), run.parent)
    assert len(steps(run.parent / "golden")) == 3


def test_the_source_of_a_resume_stays_whole(run: Path) -> None:
    source = mark(run.parent / "llm-source")
    for folder in (run, source):
        for number in (1, 2, 3):
            save(folder, number, age=100 - number)
    clean_twice(cleaner(resumeFrom="llm-source"), run.parent)
    assert (steps(run), len(steps(source))) == (["step-2", "step-3"], 3)


def test_the_source_that_a_mark_names_stays_whole(run: Path) -> None:
    source, other = mark(run.parent / "llm-source"), mark(run.parent / "llm-other")
    (run / ".tjgen-run").write_text(f"{RUN}\nresumes llm-source\nresumes llm-other/step-1\n")
    for folder in (run, source, other):
        for number in range(4):
            save(folder, number, age=100 - number)
    clean_twice(cleaner(), run.parent)
    assert (steps(run), len(steps(source))) == (["step-2", "step-3"], 4)
    assert steps(other) == ["step-1", "step-2", "step-3"]


def test_no_marked_folder_is_a_failure(tmp_path: Path) -> None:
    folder = tmp_path / "volume" / RUN
    for number in (1, 2, 3):
        save(folder, number, age=100 - number)
    for _ in range(3):
        answer = clean(cleaner(), tmp_path / "volume")
        assert answer.code == 1
        assert "a run writes TJGEN_CHECKPOINT_OWNER to the file .tjgen-run" in answer.message
    assert len(steps(folder)) == 3


def test_links_to_folders_elsewhere_are_not_followed(run: Path, tmp_path: Path, python: str) -> None:
    elsewhere = mark(tmp_path / "elsewhere")
    for number in (1, 2, 3):
        save(elsewhere, number, age=100 - number)
    (run.parent / "elsewhere").symlink_to(elsewhere)
    (run / "step-4").symlink_to(elsewhere / "step-1")
    clean_twice(cleaner(), run.parent, python=python)
    assert len(steps(elsewhere)) == 3


@pytest.mark.parametrize("at", ["models", "models/llm"])
def test_a_link_above_the_folder_is_not_followed(tmp_path: Path, at: str) -> None:
    elsewhere = tmp_path / "elsewhere"
    for number in (1, 2, 3):
        save(mark(elsewhere / "llm", "llm"), number, age=100 - number)
        save(mark(elsewhere, "llm"), number, age=100 - number)
    (tmp_path / "volume" / at).parent.mkdir(parents=True)
    (tmp_path / "volume" / at).symlink_to(elsewhere)
    one = cleaner({**CLAIM_OF_OTHERS}, scope="family", path="models")
    clean_twice(one, tmp_path / "volume")
    assert len([name for name in steps(elsewhere) if name.startswith("step-")]) == len(steps(elsewhere / "llm")) == 3


CLAIM_OF_OTHERS = {"pvc": "states", "mountPath": "/states"}


# 6. Fail closed


@needs_setpriv
def test_a_subfolder_that_cannot_be_read_keeps_everything(run: Path, python: str) -> None:
    for number in range(5):
        save(run, number, age=100 - number, files={"shard/part": "p"})
    (run / "step-2/shard").chmod(0)
    answer = clean_twice_with_errors(cleaner(), run.parent, python)
    (run / "step-2/shard").chmod(0o755)
    assert answer.code == 1
    assert "Permission denied" in answer.message
    assert len(steps(run)) == 5


def clean_twice_with_errors(one: Cleaner, root: Path, python: str) -> Any:
    clean(one, root, python=python, wrapper=WITHOUT_ROOT)
    return clean(one, root, python=python, wrapper=WITHOUT_ROOT)


@needs_setpriv
def test_a_folder_that_cannot_be_written_to_is_reported(run: Path, python: str) -> None:
    for number in (1, 2, 3):
        save(run, number, age=100 - number)
    clean(cleaner(), run.parent)
    run.chmod(0o555)
    answer = clean(cleaner(), run.parent, python=python, wrapper=WITHOUT_ROOT)
    run.chmod(0o755)
    assert answer.code == 1
    assert "Permission denied" in answer.message
    assert len(steps(run)) == 3


def test_no_other_program_is_needed(run: Path, tmp_path: Path, python: str) -> None:
    for number in (1, 2, 3):
        save(run, number, age=100 - number)
    clean_twice(cleaner(), run.parent, python=python, PATH=str(tmp_path / "nothing"))
    assert steps(run) == ["step-2", "step-3"]


@pytest.mark.parametrize("target", ["step-1", "./step-1/weights", f"../{RUN}/step-1", "/states/step-1", "/states/step-1/weights"])
def test_the_target_of_a_link_stays(run: Path, target: str, python: str) -> None:
    for number in range(1, 5):
        save(run, number, age=100 - number)
    (run / "best").symlink_to(target)
    assert clean_twice(cleaner(), run.parent, python=python).code == 0
    assert steps(run) == ["best", "step-1", "step-3", "step-4"]


@pytest.mark.parametrize(
    ("link", "target"),
    [("production", f"{RUN}/step-1"), (f"{RUN}/step-4/base", "../step-1"), ("golden/model", f"../{RUN}/step-1/weights")],
    ids=["above the runs", "in another checkpoint", "in another folder"],
)
def test_links_from_other_places_count(run: Path, link: str, target: str) -> None:
    for number in range(1, 5):
        save(run, number, age=100 - number)
    (run.parent / link).parent.mkdir(exist_ok=True)
    (run.parent / link).symlink_to(target)
    made_old(run / "step-4", 96)
    clean_twice(cleaner(), run.parent)
    assert steps(run) == ["step-1", "step-3", "step-4"]


@pytest.mark.parametrize("pin", ["step-1/.keep", "step-1.keep"])
def test_a_pin_keeps_a_checkpoint(run: Path, pin: str, python: str) -> None:
    for number in range(1, 5):
        save(run, number, age=100 - number)
    (run / pin).touch()
    assert clean_twice(cleaner(), run.parent, python=python).code == 0
    assert [name for name in steps(run) if not name.endswith(".keep")] == ["step-1", "step-3", "step-4"]


def test_a_pin_keeps_a_whole_run(run: Path) -> None:
    for number in range(1, 5):
        save(run, number, age=100 - number)
    (run / ".keep").touch()
    clean_twice(cleaner(), run.parent)
    assert len([name for name in steps(run) if name != ".keep"]) == 4


def test_empty_weights_under_a_marker_are_kept_and_count_for_nothing(run: Path, python: str) -> None:
    for number in (1, 2, 3):
        save(run, number, age=100 - number)
    save(run, 4, files={"weights": ""}, age=10)
    answer = clean_twice(cleaner(), run.parent, python=python)
    assert answer.code == 1
    assert "step-4/weights is empty" in answer.message
    assert steps(run) == ["step-2", "step-3", "step-4"]


def test_an_empty_marker_of_a_framework_counts_for_nothing(run: Path) -> None:
    for number in (1, 2, 3):
        save(run, number, marker=None, files={".metadata": "m"}, age=100 - number)
    save(run, 4, marker=None, files={".metadata": ""}, age=10)
    assert clean_twice(cleaner(marker=".metadata"), run.parent).code == 1
    assert steps(run) == ["step-2", "step-3", "step-4"]


@pytest.mark.parametrize("kind", ["link", "folder"])
def test_a_marker_that_is_not_a_file_counts_for_nothing(run: Path, kind: str) -> None:
    for number in (1, 2, 3):
        save(run, number, age=100 - number)
    odd = save(run, 4, marker=None, age=10)
    (odd / "_SUCCESS").symlink_to("weights") if kind == "link" else (odd / "_SUCCESS").mkdir()
    assert clean_twice(cleaner(), run.parent).code == 1
    assert steps(run) == ["step-2", "step-3", "step-4"]


def test_a_volume_that_is_not_there_is_a_failure(tmp_path: Path) -> None:
    answer = clean(cleaner(), tmp_path / "nowhere")
    assert answer.code == 1
    assert "is not a folder" in answer.message


def test_a_folder_that_is_not_there_yet_is_not_a_failure(tmp_path: Path) -> None:
    (tmp_path / "volume").mkdir()
    one = cleaner({**CLAIM_OF_OTHERS}, path="models")
    assert clean(one, tmp_path / "volume")[:3] == (0, "", "")


def test_a_folder_of_a_family_is_marked_with_the_name_of_the_experiment(tmp_path: Path) -> None:
    folder = mark(tmp_path / "volume/llm", "llm")
    for number in (1, 2, 3):
        save(folder, number, age=100 - number)
    clean_twice(cleaner(scope="family"), tmp_path / "volume")
    assert steps(folder) == ["step-2", "step-3"]


# While others write

WHEN_MOVED = """
import os, sys
def _watch(event, words, done=[]):
    if event == "os.rename" and str(words[0]).endswith("step-1") and not done:
        done.append(1)
        {what}
sys.addaudithook(_watch)
"""
AT_ONCE = {
    "saved again": "os.system('mv FOLDER/step-1 FOLDER/.old; cp -r FOLDER/step-2 FOLDER/step-1')",
    "written to": "os.system('echo more >>FOLDER/step-1/weights')",
    "a newer one goes": "os.system('rm -r FOLDER/step-3')",
    "a link is made": "os.system('ln -s step-1 FOLDER/best')",
    "a pin is set": "os.system('touch FOLDER/step-1/.keep')",
    "the mark changes": "os.system('echo other >FOLDER/.tjgen-run')",
}


@pytest.mark.parametrize("what", AT_ONCE.values(), ids=list(AT_ONCE))
def test_what_changes_in_the_last_moment_is_moved_back(run: Path, what: str, python: str) -> None:
    for number in (1, 2, 3):
        save(run, number, age=100 - number)
    clean(cleaner(), run.parent, python=python)
    before = WHEN_MOVED.format(what=what.replace("FOLDER", str(run)))
    answer = clean(cleaner(), run.parent, python=python, before=before, PATH=os.environ["PATH"])
    assert "moved" in answer.out
    assert "back" in answer.out
    assert (run / "step-1/_SUCCESS").exists()
    assert trash(run) == []


def test_a_checkpoint_that_is_saved_again_survives_its_old_copy_in_the_trash(run: Path, python: str) -> None:
    for number in (1, 2, 3):
        save(run, number, age=100 - number)
    clean_twice(cleaner(), run.parent, python=python)
    save(run, 1, marker=None)
    clean(cleaner(), run.parent, python=python, GRACE="-1")
    assert (steps(run), trash(run)) == (["step-1", "step-2", "step-3"], [])


# What is built


@pytest.mark.parametrize("name", ["deletion.py", "cleaner.py", "move-checkpoints.py", "remove-runs.py"])
def test_the_programs_are_python_3_9_without_packages(name: str) -> None:
    source = (ROOT / "scripts" / name).read_text(encoding="utf-8")
    imported = [
        node for node in ast.walk(ast.parse(source, feature_version=(3, 9))) if isinstance(node, ast.Import | ast.ImportFrom)
    ]
    names = {
        name
        for node in imported
        for name in ([node.module] if isinstance(node, ast.ImportFrom) else [a.name for a in node.names])
    }
    allowed = {
        "__future__",
        "fnmatch",
        "hashlib",
        "json",
        "math",
        "os",
        "re",
        "shutil",
        "signal",
        "stat",
        "sys",
        "time",
        "types",
        "typing",
    }
    assert names <= allowed | {"deletion"}
    assert "$(" not in source, "Kubernetes would expand it"


@pytest.mark.parametrize(
    ("resume", "expected"),
    [
        ({"run": "llm-x"}, "llm-x"),
        ({"path": "golden/one"}, "golden/one"),
        ({"path": "/other/x"}, None),
        ({"path": "/states/a"}, "RUN/a"),
    ],
)
def test_a_run_is_told_what_to_write_into_its_mark(resume: dict[str, str], expected: str | None) -> None:
    manifests = build({"keep": {"last": 2}, "resumeFrom": resume})
    (jobset,) = (one for one in manifests if one["kind"] == "JobSet")
    name = jobset["metadata"]["name"]
    (container,) = jobset["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]["spec"]["containers"]
    told = {one["name"]: one.get("value") for one in container["env"]}
    assert told["TJGEN_CHECKPOINT_OWNER"].split("\n")[0] == name
    if expected is not None:
        assert told["TJGEN_CHECKPOINT_OWNER"].split("\n")[1] == f"resumes {expected.replace('RUN', name)}"


def test_an_init_container_marks_the_folder(tmp_path: Path) -> None:
    security = {"containerSecurityContext": {"runAsUser": 1000}}
    manifests = build({"keep": {"last": 2}, "mark": "init"}, pod=security)
    (jobset,) = (one for one in manifests if one["kind"] == "JobSet")
    spec = jobset["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]["spec"]
    (init,) = spec["initContainers"]
    assert init["image"] == spec["containers"][0]["image"]
    assert init["securityContext"] == {
        "runAsUser": 1000,
        "runAsNonRoot": True,
        "allowPrivilegeEscalation": False,
        "capabilities": {"drop": ["ALL"]},
        "readOnlyRootFilesystem": True,
        "seccompProfile": {"type": "RuntimeDefault"},
    }
    told = {one["name"]: one["value"] for one in init["env"]}
    program = [*init["command"], *init["args"]]
    environment = {**told, "FOLDER": str(tmp_path / "a/b"), "HOSTNAME": "pod-0", "PATH": os.environ["PATH"]}
    for _ in range(2):
        subprocess.run(program, env=environment, check=True)
        assert (tmp_path / "a/b/.tjgen-run").read_text() == f"{jobset['metadata']['name']}\n"
    assert tree(tmp_path) == {"a", "a/b", "a/b/.tjgen-run"}
    (tmp_path / "file").touch()
    subprocess.run(program, env={**environment, "FOLDER": str(tmp_path / "file/x")}, check=True, capture_output=True)
