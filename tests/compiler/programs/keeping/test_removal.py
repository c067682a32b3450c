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


@pytest.mark.parametrize("pin", [".keep", "step-10/.keep", "step-10.keep", "../NAME.keep"])
def test_a_pin_of_a_folder_or_of_a_checkpoint_keeps_the_folder(program: Cleaner, volume: Path, python: str, pin: str) -> None:
    (volume / RUNS[0] / pin.replace("NAME", RUNS[0])).touch()
    answer = run(program, volume, python)
    assert (answer.returncode, answer.stderr) == (0, "")
    assert (volume / RUNS[0] / "step-10/weights").exists()
    assert not (volume / RUNS[1]).exists()
    assert "kept: pinned by " in answer.stdout


@pytest.mark.parametrize("of_both", [True, False])
def test_a_folder_that_stays_needs_what_it_resumes_from(program: Cleaner, volume: Path, python: str, of_both: bool) -> None:
    """Whatever the order of the names, and why the other one stays."""
    names = RUNS if of_both else RUNS[::-1]
    (volume / names[1] / ".tjgen-run").write_text(f"{names[1]}\nresumes {names[0]}\n")
    (volume / names[1] / ".keep").touch()
    time.sleep(1.1)
    answer = run(program, volume, python)
    assert (answer.returncode, here(volume)) == (1, sorted([LIVE, *RUNS]))
    assert f"{volume / names[0]}: kept: {names[1]} resumes from {volume / names[0]}" in answer.stderr


@pytest.mark.parametrize("names", [RUNS, RUNS[::-1]])
def test_folders_of_which_one_resumes_from_the_other_both_go(
    program: Cleaner, volume: Path, python: str, names: list[str]
) -> None:
    (volume / names[1] / ".tjgen-run").write_text(f"{names[1]}\nresumes {names[0]}/step-10\n")
    time.sleep(1.1)
    answer = run(program, volume, python)
    assert (answer.returncode, answer.stderr, here(volume)) == (0, "", [LIVE])


LINKS = {
    "at the path of a pod": (f"{LIVE}/best", f"/states/{RUNS[0]}/step-10"),
    "at a path of another experiment": ("eval/model", f"/mnt/all/nlp/{RUNS[0]}/step-10/weights"),
    "to the folder": ("production", f"/states/{RUNS[0]}"),
    "by a pod with the folder of its run alone": ("tools/best", "/states/step-10"),
    "over another link": ("tools/best", "current/step-10"),
}


@pytest.mark.parametrize("case", LINKS)
def test_links_count_by_every_path_at_which_pods_mount_the_volume(program: Cleaner, volume: Path, python: str, case: str) -> None:
    link, target = LINKS[case]
    (volume / "tools").mkdir()
    (volume / "tools/current").symlink_to(f"../{RUNS[0]}" if "current" in target else "nothing")
    (volume / link).parent.mkdir(exist_ok=True)
    (volume / link).symlink_to(target)
    answer = run(program, volume, python)
    assert answer.returncode == 1
    assert f"{volume / RUNS[0]}: kept: target of a link in " in answer.stderr
    assert (volume / RUNS[0] / "step-10/weights").exists()


def test_a_link_of_another_run_to_its_own_checkpoint_keeps_nothing(program: Cleaner, volume: Path, python: str) -> None:
    (volume / LIVE / "latest").symlink_to("/states/step-10")
    answer = run(program, volume, python)
    assert (answer.returncode, here(volume)) == (0, [LIVE])


DURING = """
import os
def needed(where):
    os.makedirs({new!r}, exist_ok=True)
    with open({new!r} + "/.tjgen-run", "w") as stream:
        stream.write("llm-new\\nresumes {name}\\n")
rename, first = os.rename, []
def renamed(before, after):
    if {when}:
        first.append(1)
        needed(before)
    rename(before, after)
os.rename = renamed
"""
MOMENTS = {
    "before its turn": f"before.endswith({RUNS[1]!r})",
    "during the move": f"before.endswith({RUNS[0]!r}) and not first",
    "before it is deleted": f"after.endswith('.checking') and {RUNS[0]!r} in after",
}


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_run_that_resumes_from_a_folder_during_the_job_keeps_it(
    program: Cleaner, volume: Path, python: str, moment: str
) -> None:
    before = DURING.format(new=str(volume / "llm-new"), name=RUNS[0], when=MOMENTS[moment]).replace("\\\\n", "\\n")
    answer = run(program, volume, python, before=before)
    assert answer.returncode == 1
    assert "llm-new resumes from " in answer.stderr
    if moment == "before it is deleted":
        # It is in the trash, and the next Job moves it back.
        assert run(program, volume, python).returncode == 1
    assert (volume / RUNS[0] / "step-10/weights").exists()
    assert not (volume / RUNS[1]).exists()


def test_a_folder_that_exists_again_is_not_deleted_from_the_trash(program: Cleaner, volume: Path, python: str) -> None:
    before = f"""
import time, os
sleep = time.sleep
def slept(seconds):
    os.makedirs({str(volume / RUNS[0])!r}, exist_ok=True)
    sleep(seconds)
time.sleep = slept
"""
    answer = run(program, volume, python, before=before)
    assert answer.returncode == 1
    assert f"{RUNS[0]} has a folder again" in answer.stderr
    [weights] = volume.glob(f".tjgen-removed/*/{RUNS[0]}/step-10/weights")
    assert weights.exists()


@pytest.mark.parametrize("number", ["ESTALE", "EIO"])
@pytest.mark.parametrize("where", ["step-10/.keep", ".tjgen-run", "VOLUME"])
def test_what_cannot_be_read_is_no_reason_to_remove(program: Cleaner, volume: Path, python: str, number: str, where: str) -> None:
    (volume / RUNS[0] / "step-10/.keep").touch()
    time.sleep(1.1)
    path = str(volume if where == "VOLUME" else volume / RUNS[0] / where)
    before = f"""
import errno, os
lstat, scandir = os.lstat, os.scandir
def failed(function):
    def call(path=".", **more):
        if path == {path!r}:
            raise OSError(errno.{number}, os.strerror(errno.{number}), path)
        return function(path, **more)
    return call
os.lstat, os.scandir = failed(lstat), failed(scandir)
"""
    answer = run(program, volume, python, before=before)
    assert answer.returncode == 1
    assert (volume / RUNS[0] / "step-10/weights").exists()


def test_a_file_of_a_user_with_a_name_of_the_program_stays(program: Cleaner, volume: Path, python: str) -> None:
    for place in (f".tjgen-removed-{RUNS[0]}", ".tjgen-removed/mine", f".tjgen-removed/{RUNS[0]}.170000000000000000.deleting"):
        (volume / place).mkdir(parents=True)
        (volume / place / "note").write_text("of a user")
        made_old(volume / place, OLD)
    answer = run(program, volume, python)
    assert answer.returncode == 1
    assert answer.stderr.count("it has no record of a decision") == 2
    assert f".tjgen-removed-{RUNS[0]}: kept: an earlier release has left it" in answer.stdout
    assert len(list(volume.glob(".tjgen-removed*/**/note"))) == 3


def test_two_jobs_at_once_remove_each_folder_once(program: Cleaner, volume: Path, python: str) -> None:
    environment = {**program.environment, "ROOT": str(volume), "RUNS": json.dumps(RUNS), "QUIET": "1"}
    words = [python, *program.command[1:], program.program]
    jobs = [subprocess.Popen(words, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(2)]
    errors = [job.communicate()[1] for job in jobs]
    assert not any("Traceback" in error for error in errors), errors
    assert run(program, volume, python).returncode == 0
    assert here(volume) == [LIVE]


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
