"""The program that looks for a checkpoint before a run resumes, taken from a built manifest."""

from __future__ import annotations

import subprocess
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
import yaml

from tests.containers import OTHER_USER, SHELLS, find, needs_other_user, open_to_others, run
from tests.program import tjgen

EXPERIMENT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Experiment
metadata: {name: llm, namespace: team}
spec:
  runtime: tjgen-torch
  image: registry.example.com/train:1
  script: train.py
  volumes:
    out: {pvc: {create: {size: 10Gi, storageClassName: shared}}, mountPath: /out}
  checkpoints: {volume: out, resumeFrom: llm-bcdfghjk%s}
"""


@cache
def built(more: str) -> dict[str, Any]:
    """The init container of an experiment with `more` in its field `checkpoints`."""
    with TemporaryDirectory() as folder:
        Path(folder, "experiment.yaml").write_text(EXPERIMENT % more)
        answer = tjgen(Path(folder), "build", "--expanded", "experiment.yaml")
    assert answer.code == 0, answer.err
    jobset = next(one for one in yaml.safe_load_all(answer.out) if one["kind"] == "JobSet")
    return find(jobset["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]["spec"], "tjgen-check-resume")


def checked(shell: str, folder: Path, more: str = "") -> subprocess.CompletedProcess[str]:
    """What the program answers for the folders `own run` and `resume`."""
    return run(shell, built(more), {"OWN": folder / "own run", "RESUME": folder / "resume"})


def test_it_mounts_both_folders_and_can_write_to_neither() -> None:
    mounts = [(mount["mountPath"], mount.get("readOnly")) for mount in built("")["volumeMounts"]]
    assert mounts == [("/tjgen/resume", True), ("/out", True), ("/tmp", None)]


def checkpoint(folder: Path, marker: str = "_SUCCESS") -> Path:
    folder.mkdir(parents=True)
    (folder / "weights").write_text("1")
    (folder / marker).touch()
    return folder


@pytest.mark.parametrize("shell", list(SHELLS))
@pytest.mark.parametrize("where", ["resume/step-200", "own run/step-1", "resume/.old-100", "resume/.half-3", "resume"])
def test_a_complete_checkpoint_lets_the_run_start(shell: str, where: str, tmp_path: Path) -> None:
    checkpoint(tmp_path / where)
    (tmp_path / "resume").mkdir(exist_ok=True)
    assert checked(shell, tmp_path).returncode == 0


@pytest.mark.parametrize("shell", list(SHELLS))
def test_an_empty_folder_stops_the_run(shell: str, tmp_path: Path) -> None:
    (tmp_path / "resume").mkdir()
    answer = checked(shell, tmp_path)
    assert answer.returncode == 1
    assert answer.stderr.startswith("cannot resume: run llm-bcdfghjk has no complete checkpoint (no folder step-<number> with")


@pytest.mark.parametrize("shell", list(SHELLS))
def test_a_checkpoint_that_is_not_complete_stops_the_run(shell: str, tmp_path: Path) -> None:
    (tmp_path / "resume").mkdir()
    for number, change in enumerate(("without marker", "empty file", "no file", "link", "name")):
        place = checkpoint(tmp_path / f"resume/step-{number}")
        if change == "without marker":
            (place / "_SUCCESS").unlink()
        elif change == "empty file":
            (place / "part").touch()
        elif change == "no file":
            (place / "weights").unlink()
        elif change == "link":
            place.rename(tmp_path / "elsewhere")
            place.symlink_to(tmp_path / "elsewhere")
        else:
            place.rename(tmp_path / "resume/step-x4")
    answer = checked(shell, tmp_path)
    assert answer.returncode == 1, answer.stderr
    checkpoint(tmp_path / "resume/step-7")
    assert checked(shell, tmp_path).returncode == 0


@pytest.mark.parametrize("shell", list(SHELLS))
def test_an_empty_marker_of_another_name_is_not_complete(shell: str, tmp_path: Path) -> None:
    place = checkpoint(tmp_path / "resume/step-1", "done.json")
    assert checked(shell, tmp_path, ", marker: done.json").returncode == 1
    (place / "done.json").write_text("{}")
    assert checked(shell, tmp_path, ", marker: done.json").returncode == 0


@pytest.mark.parametrize("shell", list(SHELLS))
def test_a_checkpoint_of_files_has_each_of_them(shell: str, tmp_path: Path) -> None:
    (tmp_path / "resume").mkdir()
    for name, text in (
        ("step-1.pt", "1"),
        ("step-2.pt", "1"),
        ("step-2.optim.pt", ""),
        ("step-.pt", "1"),
        ("step-.optim.pt", "1"),
    ):
        (tmp_path / "resume" / name).write_text(text)
    answer = checked(shell, tmp_path, ", files: [.pt, .optim.pt]")
    assert answer.returncode == 1
    assert "no checkpoint step-<number> with the files .pt .optim.pt" in answer.stderr
    (tmp_path / "resume/step-1.optim.pt").write_text("1")
    assert checked(shell, tmp_path, ", files: [.pt, .optim.pt]").returncode == 0


@pytest.mark.parametrize("shell", list(SHELLS))
def test_a_longer_number_stops_the_run(shell: str, tmp_path: Path) -> None:
    checkpoint(tmp_path / "resume/step-200")
    (tmp_path / "own run/step-1000000000").mkdir(parents=True)
    answer = checked(shell, tmp_path)
    assert answer.returncode == 1
    assert "1000000000 has more than 9 digits: rename what has this number" in answer.stderr


@needs_other_user
@pytest.mark.parametrize("path", ["own run", "own run/step-300", "own run/step-300/weights"])
@pytest.mark.parametrize("shell", list(SHELLS))
def test_a_folder_of_the_run_that_cannot_be_read_is_no_reason_to_resume_from_another_run(
    shell: str, path: str, tmp_path: Path
) -> None:
    checkpoint(tmp_path / "resume/step-200")
    checkpoint(tmp_path / "own run/step-300")
    open_to_others(tmp_path)
    (tmp_path / path).chmod(0)
    answer = run(shell, built(""), {"OWN": tmp_path / "own run", "RESUME": tmp_path / "resume"}, prefix=OTHER_USER)
    assert answer.returncode == 1
    assert path in answer.stderr
    assert "cannot resume from run llm-bcdfghjk: " in answer.stderr
