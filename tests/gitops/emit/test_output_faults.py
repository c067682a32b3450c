"""Whatever interrupts a build, every file is old or new, the next command undoes it, and the next build ends in a whole tree."""

from __future__ import annotations

import errno
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest

from tests.gitops.emit.crash import DONE, KILLED, REFUSED, dies_at, fails_at, run
from tests.gitops.emit.folders import Files, files, output
from tjgen.gitops.emit.tree import OutputTree
from tjgen.trees.diagnostics.model import CompileError

OLD = {"a/run-1.yaml": "one", "a/run-2.yaml": "two", "b/gone/run.yaml": "three", "c.yaml": "four"}
NEW = {"a/run-1.yaml": "ONE", "a/run-2.yaml": "two", "d/e/run.yaml": "five", "c.yaml": "FOUR"}
FOREIGN = "b/mine.txt"


def build(place: Path, wanted: dict[str, str], *, lock: str | None) -> None:
    with OutputTree(str(place / "deploy"), records=str(place / "locks"), wait=0.0) as tree:
        for path, body in wanted.items():
            tree.put(output(path, body))
        tree.claim("")
        tree.record("x/a.yaml", lock)
        tree.record("y.yaml", None if lock == "new\n" else "old\n")
        tree.commit()


def build_new(place: Path) -> None:
    build(place, NEW, lock="new\n")


def recover(place: Path) -> None:
    with OutputTree(str(place / "deploy"), records=str(place / "locks"), wait=0.0):
        pass


@pytest.fixture(scope="module")
def states(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Files, Files]:
    """A folder with the old state, and the files of the old and of the new one."""
    place = tmp_path_factory.mktemp("states")
    build(place, OLD, lock="old\n")
    (place / "deploy" / FOREIGN).write_text("mine\n")
    old = files(place)
    shutil.copytree(place, place.parent / "new", dirs_exist_ok=True)
    build_new(place.parent / "new")
    return place, old, files(place.parent / "new")


def fresh(states: tuple[Path, Files, Files], place: Path) -> Path:
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(states[0], place)
    return place


def visible(found: Files) -> Files:
    return {path: content for path, content in found.items() if "/." not in path}


def without_locks(found: Files) -> Files:
    """A killed build leaves the file that it had locked, and .gitignore; a refused one removes them."""
    return {path: content for path, content in found.items() if not path.endswith(("/.tjgen/lock", "/.tjgen/.gitignore"))}


def assert_each_is_old_or_new(found: Files, old: Files, new: Files) -> None:
    for path in {*found, *old, *new}:
        assert found.get(path) in (old.get(path), new.get(path)), path


def each_call(
    place: Path, states: tuple[Path, Files, Files], happens: Callable[[int], Callable[[int], None]], *, undoes: bool = False
) -> list[tuple[int, str]]:
    """Run the new build with a fault at its first call, its second ..., until it runs through; judge what is left.

    `undoes`: a build that is refused has undone its own changes.
    """
    _, old, new = states
    outcomes = []
    for number in range(1, 1000):
        fresh(states, place)
        outcome = run(lambda: build_new(place), place, happens=happens(number))
        outcomes.append((number, outcome))
        left = files(place)
        assert_each_is_old_or_new(visible(left), old, new)
        if outcome == DONE:
            assert visible(left) == new
        if outcome == REFUSED and undoes:
            assert visible(left) == old, number
        ended = "deploy/.tjgen/journal" not in left and visible(left) == new
        recover(place)
        assert files(place) == (new if ended else old), number
        build_new(place)
        assert files(place) == new
        if outcome == DONE and number > 20:
            return outcomes
    raise AssertionError("the build never runs through")


def test_killed_at_any_call(states: tuple[Path, Files, Files], tmp_path: Path) -> None:
    outcomes = each_call(tmp_path / "place", states, dies_at)
    assert len(outcomes) > 40
    assert {outcome for _, outcome in outcomes[:-1]} == {KILLED}


@pytest.mark.parametrize("error", [errno.ENOSPC, errno.EACCES, errno.EIO], ids=errno.errorcode.get)
@pytest.mark.parametrize("lasting", [False, True], ids=["once", "from then on"])
def test_a_system_call_that_fails(states: tuple[Path, Files, Files], tmp_path: Path, error: int, lasting: bool) -> None:
    outcomes = each_call(
        tmp_path / "place", states, lambda number: fails_at(number, error, from_then_on=lasting), undoes=not lasting
    )
    assert len(outcomes) > 40
    assert {outcome for _, outcome in outcomes} == {DONE, REFUSED}


def test_killed_again_while_the_next_build_recovers(states: tuple[Path, Files, Files], tmp_path: Path) -> None:
    _, old, new = states
    place = tmp_path / "place"
    seen = set()
    for number in range(2, 1000, 13):
        for again in range(1, 1000):
            # Not a copy: a journal is used only where it was written.
            fresh(states, place)
            first = run(lambda: build_new(place), place, happens=dies_at(number))
            left = files(place)
            begun = "deploy/.tjgen/journal" in left
            ended = not begun and visible(left) == new
            outcome = run(lambda: recover(place), place, happens=dies_at(again))
            recover(place)
            assert files(place) == (new if ended else old)
            seen.add((begun, outcome))
            if outcome == DONE:
                break
        if first == DONE:
            break
    assert seen == {(False, KILLED), (False, DONE), (True, KILLED), (True, DONE)}


def without(found: Files, *paths: str) -> Files:
    return {path: content for path, content in found.items() if path not in paths}


def interrupted(states: tuple[Path, Files, Files], place: Path, *, after: str) -> None:
    """Leave `place` with a journal, of which the renames up to that of the file `after` are done."""
    rename = os.rename

    def stop(source: str, target: str) -> None:
        rename(source, target)
        if target.endswith(after):
            os.kill(os.getpid(), signal.SIGKILL)

    def act() -> None:
        os.rename = stop  # type: ignore[assignment]  # the same signature for our use
        build_new(place)

    fresh(states, place)
    assert run(act, place, happens=lambda _: None) == KILLED


def test_recovery_leaves_alone_what_has_changed_since(states: tuple[Path, Files, Files], tmp_path: Path) -> None:
    place = tmp_path / "place"
    interrupted(states, place, after="d/e/run.yaml")
    (place / "deploy/a/run-1.yaml").write_text("changed\n")
    (place / "locks/x/a.yaml").write_text("changed\n")
    with OutputTree(str(place / "deploy"), records=str(place / "locks")) as tree:
        notes = [(note.code, note.message.split()[0]) for note in tree.notes]
    assert notes[:2] == [("TJ059", "a/run-1.yaml"), ("TJ059", "x/a.yaml")]
    assert [code for code, _ in notes[2:]] == ["TJ058"]
    found = files(place)
    assert found["deploy/a/run-1.yaml"] == b"changed\n"
    assert found["locks/x/a.yaml"] == b"changed\n"
    assert without(found, "deploy/a/run-1.yaml", "locks/x/a.yaml") == without(states[1], "deploy/a/run-1.yaml", "locks/x/a.yaml")


def test_an_interrupted_build_can_be_moved_before_it_is_undone(states: tuple[Path, Files, Files], tmp_path: Path) -> None:
    interrupted(states, tmp_path / "place", after="a/run-1.yaml")
    (tmp_path / "place").rename(tmp_path / "moved")
    recover(tmp_path / "moved")
    assert files(tmp_path / "moved") == states[1]


def test_records_of_an_interrupted_build_are_not_written_elsewhere(states: tuple[Path, Files, Files], tmp_path: Path) -> None:
    place = tmp_path / "place"
    interrupted(states, place, after=".tjgen/journal")
    before = without_locks(files(place))
    for records in (None, str(tmp_path / "elsewhere")):
        with pytest.raises(CompileError) as error, OutputTree(str(place / "deploy"), records=records):
            pass
        assert [diagnostic.code for diagnostic in error.value.diagnostics] == ["TJ067"]
    assert without_locks(files(place)) == before
    assert not (tmp_path / "elsewhere").exists()


HASH = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
"""SHA-256 of an empty file."""
HEAD = "tjgen journal 2\tINODE\t\t'../locks'\n"


@pytest.mark.parametrize(
    "journal",
    [
        pytest.param("", id="empty"),
        pytest.param("tjgen journal 1\t../locks\nend\n", id="the former form"),
        pytest.param("tjgen journal 3\tINODE\t\t'../locks'\nend\n", id="a later form"),
        pytest.param(f"{HEAD}", id="cut of"),
        pytest.param("tjgen journal 2\tmany\t\t'../locks'\nend\n", id="an inode that is no number"),
        pytest.param(f"{HEAD}tree\ta\t0\nend\n", id="too few fields"),
        pytest.param(f"{HEAD}tree\t../evil\t0\t\t0\t{HASH}\t1\nend\n", id="a path that leaves the tree"),
        pytest.param(f"{HEAD}tree\t/etc/evil\t0\t\t0\t{HASH}\t1\nend\n", id="an absolute path"),
        pytest.param(f"{HEAD}tree\tevil\t../../passwd\t\t0\t{HASH}\t1\nend\n", id="a staged file elsewhere"),
        pytest.param(f"{HEAD}root\tevil\t0\t\t0\t{HASH}\t1\nend\n", id="a root of its own"),
        pytest.param(f"{HEAD}tree\tevil\t0\tabc\t1\t\t0\nend\n", id="no digest"),
        pytest.param(f"{HEAD}tree\tevil\t0\t{HASH}\tnow\t\t0\nend\n", id="no time"),
    ],
)  # fmt: skip
def test_a_journal_in_another_form_changes_nothing(states: tuple[Path, Files, Files], tmp_path: Path, journal: str) -> None:
    place = planted(states, tmp_path / "place", journal)
    before = files(place)
    with pytest.raises(CompileError) as error:
        build_new(place)
    assert [diagnostic.code for diagnostic in error.value.diagnostics] == ["TJ061"]
    assert files(place) == before


def planted(states: tuple[Path, Files, Files], place: Path, journal: str, *, folder: str = "deploy") -> Path:
    """The old state with a journal that has the right inode, and with empty files for it to use."""
    fresh(states, place)
    staging = place / folder / ".tjgen"
    staging.mkdir(parents=True)
    (staging / "journal").write_text(journal.replace("INODE", str(staging.stat().st_ino)))
    (staging / "0").write_text("")
    (staging / "0.old").write_text("")
    (staging / ".gitignore").write_text("*\n")
    return place


@pytest.mark.parametrize(
    "step",
    [
        pytest.param(f"tree\ta/run-1.yaml\t0\t{HASH}\t1\tDIGEST\t1", id="replace a file"),
        pytest.param("tree\ta/run-1.yaml\t0\t\t0\tDIGEST\t1", id="remove a file"),
        pytest.param(f"tree\tevil.yaml\t0\t{HASH}\t1\t\t0", id="add a file"),
        pytest.param(f"tree\tout/evil.yaml\t0\t{HASH}\t1\t\t0", id="add a file behind a link"),
        pytest.param(f"record\tevil.yaml\t0\t{HASH}\t1\t\t0", id="add a record"),
    ],
)
def test_a_planted_journal_changes_nothing(states: tuple[Path, Files, Files], tmp_path: Path, step: str) -> None:
    content = states[1]["deploy/a/run-1.yaml"]
    lines = f"{HEAD}{step}\nend\n".replace("DIGEST", sha256(content).hexdigest())
    place = planted(states, tmp_path / "place", lines)
    (tmp_path / "outside").mkdir()
    (place / "deploy/out").symlink_to(tmp_path / "outside")
    recover(place)
    assert files(place) == states[1]
    assert files(tmp_path / "outside") == {}


def test_a_planted_journal_writes_no_records_where_there_are_none(states: tuple[Path, Files, Files], tmp_path: Path) -> None:
    evil = f"{tmp_path}/evil".lstrip("/")
    place = planted(states, tmp_path / "place", f"tjgen journal 2\tINODE\t\t''\nrecord\t{evil}\t0\t{HASH}\t1\t\t0\nend\n")
    with pytest.raises(CompileError) as error, OutputTree(str(place / "deploy")):
        pass
    assert [diagnostic.code for diagnostic in error.value.diagnostics] == ["TJ061"]
    assert not (tmp_path / "evil").exists()


def test_a_copied_journal_is_refused(states: tuple[Path, Files, Files], tmp_path: Path) -> None:
    interrupted(states, tmp_path / "place", after="a/run-1.yaml")
    shutil.copytree(tmp_path / "place", tmp_path / "copy")
    before = without_locks(files(tmp_path / "copy"))
    with pytest.raises(CompileError) as error:
        build_new(tmp_path / "copy")
    assert [diagnostic.code for diagnostic in error.value.diagnostics] == ["TJ065"]
    assert f"remove {tmp_path}/copy/deploy/.tjgen" in (error.value.diagnostics[0].hint or "")
    assert without_locks(files(tmp_path / "copy")) == before


@pytest.mark.parametrize("folder", ["deploy", "locks"])
def test_a_staging_directory_that_is_a_link_is_refused(states: tuple[Path, Files, Files], tmp_path: Path, folder: str) -> None:
    place = fresh(states, tmp_path / "place")
    outside = tmp_path / "outside"
    outside.mkdir()
    for name in ("lock", "0", "journal", ".gitignore"):
        (outside / name).write_text("mine\n")
    before = files(outside)
    (place / folder / ".tjgen").symlink_to(outside)
    with pytest.raises(CompileError) as error:
        build_new(place)
    assert [diagnostic.code for diagnostic in error.value.diagnostics] == ["TJ054"]
    assert files(outside) == before
    assert visible(files(place)) == states[1]


def test_other_files_in_the_staging_directory_stay(states: tuple[Path, Files, Files], tmp_path: Path) -> None:
    place = fresh(states, tmp_path / "place")
    (place / "deploy/.tjgen/mine").mkdir(parents=True)
    (place / "deploy/.tjgen/notes.txt").write_text("mine\n")
    build_new(place)
    found = files(place)
    assert found.pop("deploy/.tjgen/notes.txt") == b"mine\n"
    assert found == states[2]


def test_a_file_system_without_hard_links(
    states: tuple[Path, Files, Files], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(source: str, target: str) -> None:
        raise OSError(errno.EPERM, os.strerror(errno.EPERM), source)

    monkeypatch.setattr(os, "link", refuse)
    interrupted(states, tmp_path / "place", after="locks/x/a.yaml")
    recover(tmp_path / "place")
    assert files(tmp_path / "place") == states[1]


MANY = """
import json, sys
from tjgen.gitops.emit.plan import OutputFile
from tjgen.gitops.emit.tree import OutputTree
directory, word = sys.argv[1:]
with OutputTree(directory, wait=30.0) as tree:
    for number in range(150):
        tree.put(OutputFile(f"runs/{number % 15}/{word if number % 3 else 'both'}-{number}.yaml", f"{word}\\n" * 50, "a.yaml"))
    tree.claim("")
    tree.commit()
"""


def spawn(directory: Path, word: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", MANY, str(directory), word], stdout=subprocess.DEVNULL)


def words(directory: Path) -> set[str]:
    """The words of the builds whose files are there; each file is whole."""
    found = set()
    for path in directory.rglob("*.yaml"):
        body = path.read_text().split("\n", 3)[3]
        word = body.partition("\n")[0]
        assert body == f"{word}\n" * 50
        found.add(word)
    return found


def test_killed_at_random_moments(tmp_path: Path) -> None:
    deploy = tmp_path / "deploy"
    assert spawn(deploy, "base").wait() == 0
    started = time.monotonic()
    assert spawn(deploy, "warm").wait() == 0
    whole = time.monotonic() - started
    chance = random.Random(7)
    kills = 0
    for number in range(25):
        process = spawn(deploy, f"w{number}")
        time.sleep(chance.uniform(0.3, 1.1) * whole)
        process.kill()
        kills += process.wait() == -signal.SIGKILL
        words(deploy)
        with OutputTree(str(deploy), wait=0.0):
            pass
        assert len(words(deploy)) == 1
        assert not (deploy / ".tjgen").exists()
    assert kills


def test_two_builds_of_one_directory_take_turns(tmp_path: Path) -> None:
    processes = [spawn(tmp_path / "deploy", f"w{number}") for number in range(6)]
    assert [process.wait() for process in processes] == [0] * 6
    assert len(words(tmp_path / "deploy")) == 1
    assert not (tmp_path / "deploy/.tjgen").exists()


def test_a_build_that_waits_too_long_is_refused_in_words(tmp_path: Path) -> None:
    with OutputTree(str(tmp_path / "deploy")) as tree:
        tree.put(output("a.yaml"))
        with pytest.raises(CompileError) as error, OutputTree(str(tmp_path / "deploy"), wait=0.05):
            pass
        tree.commit()
    assert [diagnostic.code for diagnostic in error.value.diagnostics] == ["TJ055"]
    assert sorted(files(tmp_path / "deploy")) == ["a.yaml"]


def test_two_directories_that_share_their_records_take_turns_too(tmp_path: Path) -> None:
    with (
        OutputTree(str(tmp_path / "one"), records=str(tmp_path / "locks")),
        pytest.raises(CompileError) as error,
        OutputTree(str(tmp_path / "two"), records=str(tmp_path / "locks"), wait=0.05),
    ):
        pass
    assert [diagnostic.code for diagnostic in error.value.diagnostics] == ["TJ055"]
    assert not (tmp_path / "two").exists()


def refusal(act: Callable[[], object]) -> tuple[int, str]:
    """Exit status and diagnostics of `act` in a child of its own."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        status = 2
        try:
            act()
            status = 0
        except CompileError as error:
            os.write(writing, json.dumps([[found.code, found.message] for found in error.diagnostics]).encode())
            status = 1
        finally:
            os._exit(status)
    os.close(writing)
    with os.fdopen(reading) as stream:
        text = stream.read()
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), text


def test_a_limit_on_file_sizes(states: tuple[Path, Files, Files], tmp_path: Path) -> None:
    place = fresh(states, tmp_path / "place")

    def act() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
        build(place, {**NEW, "big.yaml": "x" * 10_000}, lock="new\n")

    status, text = refusal(act)
    assert status == 1
    assert "TJ056" in text and "big.yaml: File too large" in text
    assert files(place) == states[1]


def test_a_directory_that_may_not_be_written(tmp_path_factory: pytest.TempPathFactory) -> None:
    if os.geteuid() != 0:
        pytest.skip("needs root to become somebody else")
    shared = Path("/tmp") if Path("/tmp").is_dir() else tmp_path_factory.getbasetemp()
    place = shared / f"tjgen-test-{os.getpid()}"
    place.mkdir(mode=0o755)
    try:
        build(place, OLD, lock="old\n")
        before = files(place)

        def act() -> None:
            os.setgid(65534)
            os.setuid(65534)
            build_new(place)

        status, text = refusal(act)
        assert status == 1
        assert "TJ056" in text and "Permission denied" in text
        assert files(place) == before
        # A single folder that may not be written is found out before anything is changed.
        for path in [place, *place.rglob("*")]:
            os.chown(path, 65534, 65534)
        os.chown(place / "deploy/a", 0, 0)
        status, text = refusal(act)
        assert status == 1
        assert "TJ056" in text and "half written" not in text
        assert files(place) == before
    finally:
        shutil.rmtree(place)


FULL = """
import sys
from tjgen.trees.diagnostics.model import CompileError
from tjgen.gitops.emit.plan import OutputFile
from tjgen.gitops.emit.tree import OutputTree
directory = sys.argv[1]
def build(size, count):
    with OutputTree(directory) as tree:
        for number in range(count):
            tree.put(OutputFile(f"{number}.yaml", "x" * size, "a.yaml"))
        tree.claim("")
        tree.commit()
build(20_000, 10)
try:
    build(30_000, 10)
except CompileError as error:
    print([found.code for found in error.diagnostics], error.diagnostics[0].message)
import os
print(sorted(os.listdir(directory)), {os.path.getsize(f"{directory}/{name}") // 1000 for name in os.listdir(directory)})
build(20_001, 3)
print(sorted(os.listdir(directory)))
"""


def test_a_full_disk(tmp_path: Path) -> None:
    script = f'mount -t tmpfs -o size=400k none {tmp_path} && exec "{sys.executable}" -c "$0" {tmp_path}'
    if not shutil.which("unshare") or subprocess.run(["unshare", "-m", "true"], capture_output=True, check=False).returncode:
        pytest.skip("needs the right to mount a small file system")
    result = subprocess.run(["unshare", "-m", "sh", "-c", script, FULL], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    lines = result.stdout.splitlines()
    assert lines[0].startswith("['TJ056'] cannot write ")
    assert lines[0].endswith(".yaml: No space left on device")
    names = [f"{number}.yaml" for number in range(10)]
    assert lines[1:] == [f"{names} {{20}}", str(names[:3])]
