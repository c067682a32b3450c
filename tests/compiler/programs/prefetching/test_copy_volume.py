"""The program that copies from a volume: what it marks as complete is what the source holds, or it fails."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import threading
import time
from pathlib import Path

import pytest

from tests.compiler.programs.prefetching.cluster import PYTHONS, Cluster, ended, killed, required

ODD = ["a", "b c", "deep/er/d", "-rf", "f$(x)", "g\\h", "deep/i'j", "two\nlines", "é-数据", "n" * 255, ".hidden", "*", "'\""]


@pytest.fixture(params=PYTHONS)
def python(request: pytest.FixtureRequest) -> list[str]:
    return required(request.param)


def cluster(folder: Path, workers: int = 1, names: list[str] = ODD) -> Cluster:
    made = Cluster(folder, {"volume": "origin"}, workers=workers)
    for number, name in enumerate(names):
        file = made.source / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"{number} {name}")
    return made


def tree(folder: Path) -> dict[bytes, tuple[str, object]]:
    """Every path below a folder, and what is there."""
    found: dict[bytes, tuple[str, object]] = {}
    for path in sorted(folder.rglob("*")):
        key = os.fsencode(path.relative_to(folder))
        if path.is_symlink():
            found[key] = ("link", os.readlink(path))
        else:
            found[key] = ("folder", None) if path.is_dir() else ("file", (path.read_bytes(), path.stat().st_mtime_ns))
    return found


def complete(made: Cluster) -> bool:
    return made.wait(["dash"]).returncode == 0


@pytest.mark.parametrize("workers", [1, 3, 30])
def test_the_workers_together_copy_everything(python: list[str], tmp_path: Path, workers: int) -> None:
    made = cluster(tmp_path, workers)
    (made.source / "empty").mkdir()
    (made.source / b"\xff\xfe".decode(errors="surrogateescape")).write_bytes(b"not UTF-8")
    (made.source / "nothing").write_bytes(b"")
    for index in range(workers):
        assert not complete(made)
        answer = made.bring(python, index)
        assert answer.returncode == 0, answer.stderr
    assert complete(made)
    assert tree(made.content) == tree(made.source)
    assert list((made.target / "set").iterdir()) == []  # where the runs mount the content
    assert "MiB/s" in answer.stdout


def test_only_the_files_and_folders_of_the_list_are_copied(python: list[str], tmp_path: Path) -> None:
    made = Cluster(tmp_path, {"volume": "origin", "paths": ["b c", "deep/er", "é-数据"]}, workers=2)
    for name in [*ODD, "deep/er/more/x", "deep/error", "b c.txt"]:
        file = made.source / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(name)
    (made.source / "leaves").symlink_to("/etc")  # an error only if it is to be copied
    for index in range(2):
        answer = made.bring(python, index)
        assert answer.returncode == 0, answer.stderr
    assert complete(made)
    files = sorted(str(path.relative_to(made.content)) for path in made.content.rglob("*") if path.is_file())
    assert files == sorted(["b c", "deep/er/d", "deep/er/more/x", "é-数据"])


@pytest.mark.parametrize("missing", ["none", "a/none", "A", "deep/e", "link/file"])
def test_a_path_that_the_source_does_not_have_fails(python: list[str], tmp_path: Path, missing: str) -> None:
    made = Cluster(tmp_path, {"volume": "origin", "paths": ["deep/er", missing]})
    for name in ("a", "deep/er/file"):
        (made.source / name).parent.mkdir(parents=True, exist_ok=True)
        (made.source / name).write_text(name)
    (made.source / "link").symlink_to("deep/er")
    answer = made.bring(python)
    assert answer.returncode == 1
    assert f"{missing!r}: is not in the source" in answer.stderr
    assert not complete(made)


def test_a_cache_of_hugging_face_keeps_its_links(python: list[str], tmp_path: Path) -> None:
    made = cluster(tmp_path, 2, ["models--a/blobs/12ab", "models--a/blobs/34cd", "models--a/refs/main"])
    snapshot = made.source / "models--a/snapshots/f00d"
    snapshot.mkdir(parents=True)
    (snapshot / "config.json").symlink_to("../../blobs/12ab")
    (snapshot / "missing").symlink_to("../../blobs/none")
    (made.source / "latest").symlink_to("models--a/snapshots/f00d")
    for index in range(2):
        assert made.bring(python, index).returncode == 0
    assert tree(made.content) == tree(made.source)
    assert (made.content / "latest/config.json").read_text() == "0 models--a/blobs/12ab"


@pytest.mark.parametrize("link", ["/etc/passwd", "../outside", "deep/../../outside", "out"])
def test_a_link_that_leads_out_fails(python: list[str], tmp_path: Path, link: str) -> None:
    made = cluster(tmp_path)
    (made.source / "out").symlink_to("..")
    (made.source / "link").symlink_to(link)
    answer = made.bring(python)
    assert answer.returncode == 1
    assert "leads out of the source" in answer.stderr
    assert not complete(made)


def test_what_cannot_be_read_or_is_no_file_fails(python: list[str], tmp_path: Path) -> None:
    made = cluster(tmp_path)
    os.mkfifo(made.source / "pipe")
    answer = made.bring(python)
    assert answer.returncode == 1
    assert "'pipe': is neither a file nor a folder nor a link" in answer.stderr
    assert not complete(made)


@pytest.mark.skipif(os.geteuid() != 0 or shutil.which("setpriv") is None, reason="root and setpriv make a user who cannot read")
@pytest.mark.parametrize(("name", "words"), [("deep", "Permission denied"), ("a", "Permission denied")])
def test_an_unreadable_folder_or_file_fails(tmp_path: Path, name: str, words: str) -> None:
    if not os.access("/usr/bin/python3", os.X_OK):
        pytest.skip("there is no Python that another user can start")
    made = cluster(tmp_path)
    (made.source / name).chmod(0)
    for folder in [made.target, *tmp_path.parents, tmp_path]:
        if folder.is_relative_to("/tmp") and folder != Path("/tmp"):
            folder.chmod(0o755)
    made.target.chmod(0o777)
    other = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "/usr/bin/python3"]
    answer = made.bring(other)
    assert answer.returncode == 1
    assert words in answer.stderr
    assert not complete(made)


def test_an_empty_or_missing_source_fails(python: list[str], tmp_path: Path) -> None:
    made = cluster(tmp_path, names=[])
    (made.source / "folder").mkdir()
    assert "holds no files" in made.bring(python).stderr
    made.source.rename(tmp_path / "elsewhere")
    assert made.bring(python).returncode == 1
    assert not complete(made)


def test_a_file_added_between_two_workers_is_copied_or_the_job_fails(python: list[str], tmp_path: Path) -> None:
    made = cluster(tmp_path, 2, [f"{number}.tar" for number in range(9)])
    assert made.bring(python, 0).returncode == 0
    (made.source / "000.tar").write_text("new, and the first of the list")
    answer = made.bring(python, 1)
    assert answer.returncode == 1
    assert "the source has changed since it was listed: '000.tar'" in answer.stderr
    assert not complete(made)
    # The next attempt lists the source anew, and does the part of the worker that has ended once more.
    assert made.bring(python, 1, attempt=1).returncode == 0
    assert complete(made)
    assert tree(made.content) == tree(made.source)


@pytest.mark.parametrize("change", ["modify", "truncate", "remove", "rename", "same size"])
def test_a_changed_source_is_not_marked(python: list[str], tmp_path: Path, change: str) -> None:
    made = cluster(tmp_path, 2)
    assert made.bring(python, 0).returncode == 0
    file = made.source / "deep/er/d"
    if change == "modify":
        file.write_text("other content, and longer")
    elif change == "truncate":
        file.write_text("")
    elif change == "remove":
        file.unlink()
    elif change == "rename":
        file.rename(file.with_name("renamed"))
    else:
        file.write_bytes(bytes(len(file.read_bytes())))
    assert made.bring(python, 1).returncode == 1
    assert not complete(made)
    assert made.bring(python, 1, attempt=1).returncode == 0
    assert complete(made)
    assert tree(made.content) == tree(made.source)


def test_under_a_live_writer_nothing_is_complete_that_differs_from_the_source(python: list[str], tmp_path: Path) -> None:
    made = cluster(tmp_path, 3, [f"{number:03}" for number in range(300)])
    writing = threading.Event()
    writing.set()

    def write() -> None:
        number = 0
        while writing.is_set():
            number += 1
            (made.source / f"{number % 400:03}").write_text(f"written {number}")
            time.sleep(0.002)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        for attempt in range(3):
            answers = [ended(one) for one in [made.start(python, index, attempt=attempt) for index in range(3)]]
            assert all(answer.returncode in (0, 1) for answer in answers)
            assert not complete(made)
    finally:
        writing.clear()
        writer.join()
    for attempt in range(3, 6):
        for index in range(3):
            made.bring(python, index, attempt=attempt)
    assert complete(made)
    assert tree(made.content) == tree(made.source)


def test_killed_workers_go_on_and_nothing_half_is_complete(python: list[str], tmp_path: Path) -> None:
    made = cluster(tmp_path, 2, [])
    for number in range(400):
        (made.source / f"{number:03}").write_bytes(os.urandom(30_000))
    for attempt in range(12):
        running = [made.start(python, index, attempt=attempt, THREADS="2") for index in range(2)]
        time.sleep(0.1 + 0.03 * attempt)
        for one in running:
            killed(one)
        if complete(made):
            break
        content = tree(made.content) if made.content.exists() else {}
        assert content.items() <= tree(made.source).items()  # no name of a file that is half there
    for index in range(2):
        assert made.bring(python, index, attempt=99).returncode == 0
    assert complete(made)
    assert tree(made.content) == tree(made.source)


def test_workers_at_the_same_time_use_one_list(python: list[str], tmp_path: Path) -> None:
    made = cluster(tmp_path, 6, [f"{number:03}" for number in range(200)])
    answers = [ended(one) for one in [made.start(python, index) for index in range(6)]]
    assert [answer.returncode for answer in answers] == [0] * 6
    assert complete(made)
    assert tree(made.content) == tree(made.source)


def test_complete_content_is_never_written_again(python: list[str], tmp_path: Path) -> None:
    made = cluster(tmp_path)
    assert made.bring(python).returncode == 0
    before = tree(made.content)
    (made.source / "a").write_text("the source changes later")
    (made.source / "b c").unlink()
    again = made.bring(python, job="uid-2")
    assert (again.returncode, again.stdout) == (0, "all parts are complete: nothing is copied again\n")
    assert tree(made.content) == before
    other = Cluster(tmp_path, {"volume": "origin"}, workers=2)  # the same content in another number of parts
    assert [other.bring(python, index, job="uid-3").returncode for index in range(2)] == [0, 0]
    assert tree(made.content) == before
    assert complete(other)


def test_content_that_another_job_completes_meanwhile_is_not_changed(python: list[str], tmp_path: Path) -> None:
    made = cluster(tmp_path, 2)
    assert made.bring(python, 0).returncode == 0
    assert made.bring(python, 1).returncode == 0
    before = tree(made.content)
    marks = made.state / "marks"
    text = made.worker["containers"][0]["args"][0]
    # The marks of the first Job appear when the second Job has already looked for them.
    hidden = marks.rename(made.state / "hidden")
    late = text.replace(
        "    entries, digest = shared_list()\n",
        f"    entries, digest = shared_list()\n    os.rename({str(hidden)!r}, {str(marks)!r})\n",
    )
    assert late != text
    (made.source / "a").write_text("the source has changed since")
    made.worker["containers"][0]["args"][0] = late
    answer = made.bring(python, job="uid-2")
    assert answer.returncode == 1
    assert "which runs may be reading" in answer.stderr
    assert tree(made.content) == before


def test_a_pod_of_an_earlier_list_removes_nothing_that_its_replacement_brought(python: list[str], tmp_path: Path) -> None:
    made = cluster(tmp_path, 2, ["a", "b"])
    [container] = made.worker["containers"]
    text = container["args"][0]
    copied = "    in_parallel(copy, own, progress)\n"
    pause = f"    open({str(tmp_path / 'begun')!r}, 'w').close()\n"
    pause += f"    while not os.path.exists({str(tmp_path / 'go')!r}):\n        time.sleep(0.02)\n"
    assert text.count(copied) == 1
    container["args"][0] = text.replace(copied, copied + pause)
    old = made.start(python, 0, attempt=0)
    while not (tmp_path / "begun").exists():
        assert old.poll() is None
        time.sleep(0.02)
    container["args"][0] = text
    (made.source / "new").write_text("the source has one more file")
    assert made.bring(python, 1, attempt=0).returncode == 1
    assert made.bring(python, 0, attempt=1).returncode == 0
    before = tree(made.content)
    (tmp_path / "go").touch()
    answer = ended(old)
    assert answer.returncode == 1
    assert "the source has changed since it was listed: 'new'" in answer.stderr
    assert tree(made.content) == before
    assert made.bring(python, 1, attempt=1).returncode == 0
    assert complete(made)
    assert tree(made.content) == tree(made.source)


def test_another_source_has_another_folder(python: list[str], tmp_path: Path) -> None:
    first = cluster(tmp_path, names=["v1/a", "v1/both", "v2/b", "v2/both"])
    first, second = (Cluster(tmp_path, {"volume": "origin", "path": path}) for path in ("v1", "v2"))
    assert first.bring(python).returncode == 0
    before = tree(first.content)
    assert not complete(second)
    assert second.bring(python).returncode == 0
    assert tree(second.content) == tree(second.source / "v2")
    assert tree(first.content) == before == tree(first.source / "v1")
    assert complete(first)


def test_a_full_disk_fails_and_the_next_attempt_succeeds(python: list[str], tmp_path: Path) -> None:
    made = cluster(tmp_path, names=["small"])
    (made.source / "large").write_bytes(os.urandom(3_000_000))
    limited = ["prlimit", "--fsize=1000000", *python]
    if shutil.which("prlimit") is None:
        pytest.skip("prlimit is not installed")
    answer = made.bring(limited)
    assert answer.returncode == 1
    assert "File too large" in answer.stderr
    assert not complete(made)
    assert not (made.content / "large").exists()
    assert made.bring(python, attempt=1).returncode == 0
    assert tree(made.content) == tree(made.source)
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] == resource.RLIM_INFINITY


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount a small file system")
def test_a_full_file_system_fails(python: list[str], tmp_path: Path) -> None:
    made = cluster(tmp_path, names=[])
    for number in range(30):
        (made.source / str(number)).write_bytes(os.urandom(100_000))
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(made.target)], check=False, capture_output=True
    )
    if mounted.returncode != 0:
        pytest.skip("mount is not permitted here")
    try:
        answer = made.bring(python)
        assert answer.returncode == 1
        assert "No space left on device" in answer.stderr
        assert not complete(made)
        subprocess.run(["mount", "-o", "remount,size=8m", str(made.target)], check=True)
        assert made.bring(python, attempt=1).returncode == 0
        assert tree(made.content) == tree(made.source)
    finally:
        subprocess.run(["umount", str(made.target)], check=True)


def test_another_program_that_writes_at_the_target_is_found(python: list[str], tmp_path: Path) -> None:
    made = cluster(tmp_path)
    assert made.bring(python, 0, job="uid-0").returncode == 0
    shutil.rmtree(made.state / "marks")
    (made.content / "foreign").write_text("left by an attempt with another list")
    (made.content / "a").write_text("half")
    assert made.bring(python).returncode == 0
    assert tree(made.content) == tree(made.source)


def test_a_pod_that_was_replaced_never_writes_to_complete_data(python: list[str], tmp_path: Path) -> None:
    """The pod is about to open its temporary file when its replacement does, and goes on when the data is complete."""
    made = cluster(tmp_path, 1, ["file"])
    [container] = made.worker["containers"]
    text = container["args"][0]
    opening, opened = "    source = os.open(os.path.join(SOURCE, path), os.O_RDONLY | os.O_NOFOLLOW)\n", "        copied = 0\n"
    assert (text.count(opening), text.count(opened)) == (1, 1)

    def stop(at: str, name: str) -> str:
        """Statements that state that the pod is here, and wait for the permission to go on."""
        indent = at[: len(at) - len(at.lstrip())]
        here, go = (str(tmp_path / f"{name}.{word}") for word in ("here", "go"))
        return f"{indent}open({here!r}, 'w').close()\n{indent}while not os.path.exists({go!r}):\n{indent}    time.sleep(0.01)\n"

    def reach(name: str, pod: subprocess.Popen[str]) -> None:
        while not (tmp_path / f"{name}.here").exists() and pod.poll() is None:
            time.sleep(0.01)

    def let_go(name: str) -> None:
        (tmp_path / f"{name}.go").touch()

    container["args"][0] = text.replace(opening, stop(opening, "old") + opening).replace(opened, stop(opened, "open") + opened)
    old = made.start(python, attempt=0)
    reach("old", old)
    container["args"][0] = text.replace(opened, stop(opened, "new") + opened)
    new = made.start(python, attempt=1)
    reach("new", new)
    let_go("old")
    reach("open", old)
    let_go("new")
    assert ended(new).returncode == 0
    assert complete(made)
    before = tree(made.content)
    (made.source / "file").write_text("the source has changed since")
    let_go("open")
    answer = ended(old)
    assert answer.returncode == 1
    assert tree(made.content) == before
    assert "a new pod copies this part" in answer.stderr


def test_two_pods_of_one_index_mark_only_what_is_whole(python: list[str], tmp_path: Path) -> None:
    """As when a node is cut off: the Job replaces its pod, and both copy."""
    made = cluster(tmp_path, 1, [])
    for number in range(40):
        (made.source / str(number)).write_bytes(os.urandom(200_000))
    for attempt in range(0, 12, 2):
        running = [made.start(python, 0, attempt=attempt + one, job=f"uid-{attempt}") for one in range(2)]
        answers = [ended(one) for one in running]
        if complete(made):
            assert tree(made.content) == tree(made.source)
            shutil.rmtree(made.state / "marks")
            shutil.rmtree(made.content)
        else:
            assert all(answer.returncode == 1 for answer in answers)
    assert made.bring(python, 0, attempt=99, job="uid-99").returncode == 0
    assert tree(made.content) == tree(made.source)
