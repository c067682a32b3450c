"""The Job of `tjgen runs clean`, run on real folders: which folders of pruned runs it removes, and which it keeps."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.compiler.programs.keeping.cleaning import Cleaner, made_old, mark, pythons, save
from tests.compiler.programs.keeping.pruning import Project
from tests.program import tjgen

OLD = 2 * 3600
RUNS = ["llm-bcdfghjk", "llm-kjhgfdcb"]
LIVE = "llm-22222222"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A project with a superseded and a current run."""
    made = Project(tmp_path)
    made.build()
    made.build("train:2")
    return made


# What the command prints


def test_the_job_has_the_names_of_pruned_runs_alone(project: Project) -> None:
    removed = project.prune()
    answer = project.clean("llm-*")
    assert (answer.code, answer.err) == (0, "")
    [job] = yaml.safe_load_all(answer.out)
    [container] = job["spec"]["template"]["spec"]["containers"]
    variables = {one["name"]: one["value"] for one in container["env"]}
    assert json.loads(variables["RUNS"]) == [removed]
    assert job["spec"]["template"]["spec"]["volumes"][0]["persistentVolumeClaim"] == {"claimName": "llm-states"}
    assert job["spec"]["ttlSecondsAfterFinished"] == 86400


@pytest.mark.parametrize("state", ["superseded", "current"])
def test_a_run_of_the_tree_is_an_error(project: Project, state: str) -> None:
    answer = project.clean(project.named(state))
    assert (answer.code, answer.out) == (1, "")
    assert f"is {state}, so its checkpoint folder stays" in answer.err


@pytest.mark.parametrize("suffix", ["", "-node-0-0-x7k2p"])
def test_a_run_that_the_cluster_has_is_an_error(project: Project, suffix: str) -> None:
    removed = project.prune()
    answer = project.clean(removed, objects=(("Pod", f"{removed}{suffix}"),))
    assert (answer.code, answer.out) == (1, "")
    assert "error[TJ536]" in answer.err
    assert project.clean(removed, objects=(("Pod", f"other-{removed}"),)).code == 0


def test_a_run_that_another_one_resumes_from_is_an_error(project: Project) -> None:
    removed = project.named("superseded")
    project.build("train:3", resumeFrom=removed)
    tjgen(project.folder, "runs", "prune", removed)
    answer = project.clean(removed)
    assert (answer.code, answer.out) == (1, "")
    assert f'resumes from the checkpoints of "{removed}"' in answer.err


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"scope": "family"}, "the runs have no folders of their own"),
        ({"volume": {"hostPath": "/mnt/states", "mountPath": "/states"}}, "is of the pods or nodes of a run"),
    ],
    ids=["one folder of all runs", "a folder of each node"],
)
def test_folders_out_of_reach_are_an_error(tmp_path: Path, change: dict[str, Any], reason: str) -> None:
    project = Project(tmp_path)
    project.build(**change)
    project.build("train:2", **change)
    removed = project.prune()
    answer = project.clean(removed)
    assert (answer.code, answer.out) == (1, "")
    assert "error[TJ535] llm.yaml:" in answer.err
    assert reason in answer.err


def test_the_folders_of_an_experiment_that_is_gone_are_unknown(project: Project) -> None:
    removed = project.prune()
    (project.folder / "llm.yaml").write_text("")
    answer = project.clean(removed)
    assert (answer.code, answer.out) == (1, "")
    assert "error[TJ535] experiment nlp/llm is not in the project" in answer.err


def test_an_unknown_name_and_no_name_are_errors(project: Project) -> None:
    assert "error[TJ080]" in project.clean("llm-nosuchrun").err
    assert project.clean().code == 2


def _former(project: Project, count: int, **checkpoints: Any) -> list[str]:
    """Build so many more runs, and prune each when the next one replaces it; the names of the pruned runs, from the oldest."""
    names = [project.prune()]
    for number in range(3, 2 + count):
        project.build(f"train:{number}", **checkpoints)
        names.append(project.prune())
    return names


def test_the_newest_former_runs_keep_their_folders(project: Project) -> None:
    first, second, third = _former(project, 3, keepRuns=1)
    for names in ((), ("llm-*",)):
        answer = project.clean(*names)
        assert answer.code == 0, answer.err
        assert f"kept: {third}: keepRuns keeps the folders of the newest 1 former runs of nlp/llm" in answer.err
        [job] = yaml.safe_load_all(answer.out)
        [container] = job["spec"]["template"]["spec"]["containers"]
        [runs] = [one["value"] for one in container["env"] if one["name"] == "RUNS"]
        assert json.loads(runs) == [first, second]
    answer = project.clean(third)
    assert (answer.code, answer.out) == (1, "")
    assert f'error[TJ537] the checkpoint folder of run "{third}" stays: keepRuns keeps' in answer.err


def test_a_run_that_another_one_resumes_from_stays(project: Project) -> None:
    first = project.named("superseded")
    project.build("train:3", keepRuns=0, resumeFrom=first)
    tjgen(project.folder, "runs", "prune", first)
    answer = project.clean()
    assert (answer.code, answer.out) == (0, "")
    assert f"kept: {first}: {project.named('current')} resumes from it" in answer.err


def test_without_keep_runs_no_run_is_selected(project: Project) -> None:
    project.prune()
    answer = project.clean()
    assert (answer.code, answer.out) == (2, "")
    assert "checkpoints.keepRuns" in answer.err


# What the program does


@cache
def _job(text: str) -> Cleaner:
    job = yaml.safe_load(text)
    [container] = job["spec"]["template"]["spec"]["containers"]
    return Cleaner(container["command"], container["args"][0], {one["name"]: str(one["value"]) for one in container["env"]})


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Cleaner:
    """The container of the printed Job."""
    project = Project(tmp_path_factory.mktemp("project"))
    project.build()
    project.build("train:2")
    project.prune()
    return _job(project.clean("llm-*").out)


@pytest.fixture(params=sorted({sorted(pythons())[0], next(iter(pythons()))}))
def python(request: pytest.FixtureRequest) -> str:
    return pythons()[str(request.param)]


@pytest.fixture
def volume(tmp_path: Path) -> Path:
    """A volume with the folders of two pruned runs and of one that trains."""
    root = tmp_path / "volume"
    for name in (*RUNS, LIVE):
        save(mark(root / name), 10)
        made_old(root / name, OLD)
    time.sleep(1.1)  # the time at which the inode changed cannot be set
    return root


def run(program: Cleaner, root: Path, python: str, *, before: str = "", **change: str) -> subprocess.CompletedProcess[str]:
    environment = {**program.environment, "ROOT": str(root), "RUNS": json.dumps(RUNS), "QUIET": "1", **change}
    text = f"{before}\nexec(compile({program.program!r}, 'program', 'exec'))" if before else program.program
    words = [python, *program.command[1:], text]
    answer = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
    assert "Traceback" not in answer.stderr, answer.stderr
    return answer


def here(root: Path) -> list[str]:
    return sorted(path.name for path in root.iterdir())


def test_only_the_folders_of_the_named_runs_go(program: Cleaner, volume: Path, python: str) -> None:
    (volume / "other").mkdir()
    answer = run(program, volume, python)
    assert (answer.returncode, answer.stderr) == (0, "")
    assert here(volume) == [LIVE, "other"]
    assert "removed, 4 entries with" in answer.stdout
    again = run(program, volume, python)
    assert (again.returncode, again.stdout.count("does not exist")) == (0, 2)


def _unmarked(root: Path) -> None:
    (root / RUNS[0] / ".tjgen-run").unlink()


def _of_another(root: Path) -> None:
    (root / RUNS[0] / ".tjgen-run").write_text(f"{LIVE}\n")


def _written(root: Path) -> None:
    (root / RUNS[0] / "step-10/weights").write_text("new")


def _resumed(root: Path) -> None:
    (root / LIVE / ".tjgen-run").write_text(f"{LIVE}\nresumes {RUNS[0]}/step-10\n")


def _linked(root: Path) -> None:
    (root / LIVE / "start").symlink_to(f"../{RUNS[0]}/step-10")


def _moved(root: Path) -> None:
    (root / RUNS[0]).rename(root / "elsewhere")
    (root / RUNS[0]).symlink_to("elsewhere")


KEPT = {
    "a folder without a mark": (_unmarked, "names no run"),
    "a folder of another run": (_of_another, f"names {LIVE}"),
    "a folder that something writes to": (_written, "something may still write to it"),
    "a folder that another run resumes from": (_resumed, f"{LIVE} resumes from "),
    "a folder that a link leads into": (_linked, "target of a link in "),
    "a link in place of the folder": (_moved, "is not a folder of the volume"),
}


@pytest.mark.parametrize("case", KEPT)
def test_a_folder_in_doubt_stays_and_the_others_go(program: Cleaner, volume: Path, python: str, case: str) -> None:
    change, reason = KEPT[case]
    change(volume)
    if case != "a folder that something writes to":
        time.sleep(1.1)
    before = sorted((volume / RUNS[0]).rglob("*"))
    answer = run(program, volume, python)
    assert answer.returncode == 1
    assert f"{volume / RUNS[0]}: kept: " in answer.stderr
    assert reason in answer.stderr
    assert sorted((volume / RUNS[0]).rglob("*")) == before != []
    assert not (volume / RUNS[1]).exists()


def test_a_pinned_folder_stays(program: Cleaner, volume: Path, python: str) -> None:
    (volume / RUNS[0] / ".keep").touch()
    answer = run(program, volume, python)
    assert (answer.returncode, here(volume)) == (0, sorted([LIVE, RUNS[0]]))


def test_a_folder_that_changes_at_the_last_moment_comes_back(program: Cleaner, volume: Path, python: str) -> None:
    new = volume / RUNS[0] / "step-20"
    before = f"""
import os
rename, late = os.rename, [{str(new)!r}]
def renamed(before, after):
    if late and before.endswith({RUNS[0]!r}):
        os.mkdir(late.pop())
    rename(before, after)
os.rename = renamed
"""
    answer = run(program, volume, python, before=before)
    assert answer.returncode == 1
    assert "it changed while it was checked" in answer.stderr
    assert here(volume) == sorted([LIVE, RUNS[0]])
    assert new.exists()


def test_a_killed_job_is_continued(program: Cleaner, volume: Path, python: str) -> None:
    before = "import shutil, os, signal\nshutil.rmtree = lambda path, **more: os.kill(os.getpid(), signal.SIGKILL)"
    assert run(program, volume, python, before=before).returncode == -signal.SIGKILL
    assert here(volume) == [".tjgen-removed", LIVE]
    answer = run(program, volume, python)
    assert (answer.returncode, here(volume)) == (0, [LIVE])


def test_a_volume_that_cannot_be_read_loses_nothing(program: Cleaner, volume: Path, python: str) -> None:
    answer = run(program, volume, python, ROOT=str(volume / "missing"))
    assert answer.returncode == 1
    assert "nothing is removed" in answer.stderr
    assert here(volume) == sorted([*RUNS, LIVE])
    assert os.path.isdir(volume)
