"""The program that marks the folder of a run for the cleaner, taken from a built manifest."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.compiler.programs.keeping.cleaning import build
from tests.containers import SHELLS, environment, find, run


def marked(shell: str, target: Path) -> tuple[subprocess.CompletedProcess[str], str]:
    """What the program answers, and the owner that the manifest names."""
    built = build({"path": "states", "mark": "init", "keep": {"last": 2}})
    jobset = next(one for one in built if one["kind"] == "JobSet")
    pod = jobset["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]["spec"]
    name = next(one["name"] for one in pod["initContainers"] if "mark" in one["name"])
    container = find(pod, name)
    return run(shell, container, {"FOLDER": target, "HOSTNAME": "pod-0"}), environment(container)["OWNER"]


@pytest.mark.parametrize("shell", list(SHELLS))
def test_it_writes_the_owner_into_the_folder(shell: str, tmp_path: Path) -> None:
    target = tmp_path / "two words"
    for _ in range(2):
        answer, owner = marked(shell, target)
        assert answer.returncode == 0, answer.stderr
        assert [path.name for path in target.iterdir()] == [".tjgen-run"]
        assert (target / ".tjgen-run").read_text() == f"{owner}\n"


@pytest.mark.parametrize("shell", list(SHELLS))
def test_a_run_starts_even_if_the_folder_cannot_be_written(shell: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    answer, _ = marked(shell, tmp_path / "file/below")
    assert answer.returncode == 0
    assert "the cleaner removes no checkpoint there" in answer.stderr
