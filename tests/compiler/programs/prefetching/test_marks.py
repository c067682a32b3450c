"""Marks and the init container that waits for them: training starts on complete data, or the pod fails with the reason."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.compiler.programs.prefetching.cluster import Cluster, ended, interpreter, started
from tests.containers import OTHER_USER, needs_other_user, open_to_others

DIGEST = "ab" * 32


@pytest.fixture
def made(tmp_path: Path) -> Cluster:
    return Cluster(tmp_path, {"volume": "origin"}, workers=3, waitTimeout="90m")


def state(made: Cluster) -> Path:
    """The folder of the content; nothing has made it before."""
    [container] = [one for one in made.run["initContainers"] if one["name"] == "tjgen-wait"]
    return Path(made.environment(container)["STATE"])


def line(part: int, digest: str = DIGEST, workers: int = 3) -> bytes:
    return f"tjgen-prefetch/1 part {part} of {workers} list {digest}\n".encode()


def mark(made: Cluster, part: int, content: bytes | None = None, job: str = "uid-1") -> Path:
    file = state(made) / "marks" / job / f"3-{part}"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(line(part) if content is None else content)
    return file


def test_training_starts_when_all_parts_are_marked(shell: list[str], made: Cluster) -> None:
    waiting = made.waiting(shell, TIMEOUT="60", PAUSE="1")
    for part in (2, 0, 1):
        with pytest.raises(subprocess.TimeoutExpired):
            waiting.wait(0.7)
        mark(made, part)
    answer = ended(waiting)
    assert (answer.returncode, answer.stderr) == (0, "")
    assert "there are no marks that can be read" in answer.stdout
    assert "part 0 of 3 has no valid mark" not in answer.stdout


def test_after_the_timeout_the_pod_fails_and_names_the_job(shell: list[str], made: Cluster) -> None:
    [container] = [one for one in made.run["initContainers"] if one["name"] == "tjgen-wait"]
    assert {one["name"]: one.get("value") for one in container["env"]}["TIMEOUT"] == "5400"
    mark(made, 0)
    answer = made.wait(shell, TIMEOUT="1")
    assert answer.returncode == 1
    name = made.job["metadata"]["name"]
    message = f"the data is not complete after 1 seconds: part 1 of 3 has no valid mark. See the pods and the log of Job {name}\n"
    assert answer.stderr == message


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"3\n",
        b"\0" * 200,
        line(1)[:-1],
        line(1).replace(b"list ", b"list \0"),
        line(1) + b"\0",
        line(1) + line(1),
        line(1) + b"junk",
        line(2),
        line(1, workers=4),
        line(1, digest="ab" * 31),
        line(1, digest="zz" * 32),
        line(1, digest="cd" * 32),
        line(1).replace(b"/1", b"/2"),
        b"\xff\xfe\xfd\n",
        b" " + line(1),
        line(1).replace(b"\n", b" \n"),
        line(1).replace(b"\n", b"\r\n"),
        b"-e\n",
        b"$(exit 0)\n",
    ],
    ids=repr,
)
def test_a_mark_that_is_not_exactly_right_counts_as_missing(shell: list[str], made: Cluster, content: bytes) -> None:
    for part in (0, 1, 2):
        mark(made, part, content if part == 1 else None)
    answer = made.wait(shell)
    assert answer.returncode == 1
    assert "part 1 of 3 has no valid mark" in answer.stderr
    mark(made, 1)
    assert made.wait(shell).returncode == 0


def test_a_folder_in_place_of_a_mark_or_of_the_marks_counts_as_missing(shell: list[str], made: Cluster) -> None:
    for part in (0, 2):
        mark(made, part)
    (state(made) / "marks/uid-1/3-1").mkdir()
    assert made.wait(shell).returncode == 1
    made.target.rename(made.folder / "elsewhere")
    made.target.write_text("no folder at all")
    assert made.wait(shell).returncode == 1


def test_parts_of_different_jobs_are_not_put_together(shell: list[str], made: Cluster) -> None:
    for part in (0, 1):
        mark(made, part)
    mark(made, 2, job="uid-2")
    assert made.wait(shell).returncode == 1


def test_a_job_that_has_failed_ends_the_wait(shell: list[str], made: Cluster) -> None:
    python = interpreter("python3.9") or ["python3"]
    limit = made.job["spec"]["backoffLimit"]
    for attempt in range(limit + 1):
        waiting = made.waiting(shell, TIMEOUT="60", PAUSE="1") if attempt == limit else None
        answer = made.bring(python, attempt % 3, attempt=attempt)  # the source is empty
        assert answer.returncode == 1
    assert waiting is not None
    ended_wait = ended(waiting)
    assert ended_wait.returncode == 1
    name = made.job["metadata"]["name"]
    assert ended_wait.stderr.startswith(f"Job {name} has failed, so the data is not complete: {made.source} holds no files")
    # A Job of the same name that is made anew begins without the failures of the first.
    (made.source / "file").write_text("now there is one")
    for part in range(3):
        assert made.bring(python, part, job="uid-2").returncode == 0
    assert made.wait(shell).returncode == 0


def test_some_failures_are_reported_while_the_job_goes_on(shell: list[str], made: Cluster) -> None:
    made.bring(interpreter("python3.9") or ["python3"])
    answer = made.wait(shell)
    assert answer.returncode == 1
    assert "1 attempts failed, the last because" in answer.stdout
    assert "after 0 seconds" in answer.stderr


def test_the_program_of_the_experiment_is_marked_behind_it(shell: list[str], tmp_path: Path) -> None:
    made = Cluster(tmp_path, None, workers=2, command=["fill"], image="registry.example/fill:1")
    prepare, bring = made.worker["initContainers"]
    [marking] = made.worker["containers"]
    assert bring["command"] == ["fill"]
    for index in range(2):
        assert made.wait(shell).returncode == 1
        fields = {"INDEX": str(index), "JOB": "uid", "JOB_NAME": "job", "POD": f"job-{index}"}
        for container in (prepare, marking):
            answer = ended(started(made.words(container, shell), made.environment(container, **fields)))
            assert (answer.returncode, answer.stderr) == (0, "")
    assert Path(made.environment(bring)["TARGET"]) == made.content
    assert made.content.is_dir()
    assert (made.target / "set").is_dir()
    assert made.wait(shell).returncode == 0


NAMES = [
    "99999999999999999999-0",
    "1000000000-0",
    "3-10000000000",
    "03-0",
    "3-00",
    "3-3",
    "x-0",
    "-0",
    "3-",
    "3",
    "*",
    "3_0",
    "²-0",
    "0-0",
]


@pytest.mark.parametrize("name", NAMES)
def test_a_name_that_no_mark_has_is_an_error_that_names_it(shell: list[str], made: Cluster, name: str) -> None:
    for part in (0, 1, 2):
        mark(made, part)
    wrong = state(made) / "marks/uid-0" / name
    wrong.parent.mkdir()
    wrong.touch()
    answer = made.wait(shell, TIMEOUT="3600")
    assert answer.returncode == 1
    assert f"{wrong} is not a mark" in answer.stderr
    wrong.unlink()
    assert made.wait(shell).returncode == 0


@pytest.mark.parametrize("name", NAMES)
def test_the_copy_of_a_volume_refuses_the_same_names(made: Cluster, name: str) -> None:
    (made.source / "file").write_text("1")
    wrong = state(made) / "marks/uid-0" / name
    wrong.parent.mkdir(parents=True)
    wrong.touch()
    answer = made.bring(interpreter("python3.9") or ["python3"])
    assert answer.returncode == 1
    assert f"{str(wrong)!r} is not a mark" in answer.stderr
    assert not made.content.exists()


@pytest.mark.parametrize("name", ["3-0.pod-1", "999999999-0", "999999999-999999998", "3-2.pod-1.x", ".nfs0001"])
def test_an_unfinished_mark_and_one_of_many_parts_are_no_obstacle(shell: list[str], made: Cluster, name: str) -> None:
    (made.source / "file").write_text("1")
    other = state(made) / "marks/uid-0" / name
    other.parent.mkdir(parents=True)
    other.touch()
    assert made.wait(shell).returncode == 1
    for part in range(3):
        assert made.bring(interpreter("python3.9") or ["python3"], part).returncode == 0
    assert made.wait(shell).returncode == 0


def test_a_file_in_place_of_the_folder_of_a_job_is_an_error(shell: list[str], made: Cluster) -> None:
    mark(made, 0)
    (state(made) / "marks/uid-0").touch()
    answer = made.wait(shell, TIMEOUT="3600")
    assert answer.returncode == 1
    assert "marks/uid-0 is not a folder of the marks of a Job" in answer.stderr


def test_a_mark_that_is_not_valid_is_named(shell: list[str], made: Cluster) -> None:
    mark(made, 0)
    wrong = mark(made, 1, b"3\n")
    assert f"part 1 of 3 has no valid mark: {wrong} has another form" in made.wait(shell).stderr


@needs_other_user
@pytest.mark.parametrize("path", ["marks", "marks/uid-1", "marks/uid-1/3-1"])
def test_marks_that_cannot_be_read_are_no_reason_to_start_or_to_copy(shell: list[str], made: Cluster, path: str) -> None:
    (made.source / "file").write_text("1")
    for part in (0, 1, 2):
        mark(made, part)
    unreadable = state(made) / path
    unreadable.chmod(0)
    open_to_others(made.target)
    answer = made.wait([*OTHER_USER, *shell])
    assert answer.returncode == 1
    assert f"{unreadable} cannot be read" in answer.stdout or "there are no marks that can be read" in answer.stdout
    for folder in (made.target, *made.target.rglob("*")):
        folder.chmod(0o777 if folder != unreadable else 0)
    copied = made.bring([*OTHER_USER, "/usr/bin/python3"], job="uid-2")
    assert copied.returncode == 1
    assert "Permission denied" in copied.stderr
    assert not made.content.exists()
    unreadable.chmod(0o755)
    assert made.wait(shell).returncode == 0
