"""The cache: it answers only what is still true, and nothing depends on it."""

from __future__ import annotations

import os
import random
import time
from pathlib import Path

import pytest

from tests.gitops.emit.crash import DONE, KILLED, dies_at, run
from tests.gitops.emit.folders import build, output
from tjgen.gitops.emit import program
from tjgen.gitops.emit.cache import FileCache, entry_of, key
from tjgen.trees.caches import CacheEntry, open_folder
from tjgen.trees.files.states import FINE

UNIT = "prod/vision/a"
KEY = key([b"tool", b"experiment"])
PATHS = ["runs/a/x.yaml", "runs/a/y.yaml"]


@pytest.fixture
def deploy(tmp_path: Path) -> Path:
    build(tmp_path / "deploy", [output(path) for path in PATHS])
    return tmp_path / "deploy"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "cache" / "tjgen" / "one"


def entry_at(place: Path) -> CacheEntry | None:
    folder = open_folder(environment={"XDG_CACHE_HOME": str(place.parent.parent)})
    return CacheEntry(folder, place.name) if folder is not None else None


def noted(place: Path, deploy: Path, *, rest: bool = False) -> None:
    if rest:
        at_rest()
    cache = FileCache(entry_at(place), str(deploy))
    cache.note(UNIT, KEY, PATHS, {"runs": 2})
    cache.save()


def at_rest() -> None:
    """Wait until a later change of the files shows in their times."""
    time.sleep(5 * FINE / 1e9)


def find(place: Path, deploy: Path, *, unit: str = UNIT, wanted: bytes = KEY) -> object:
    entry = FileCache(entry_at(place), str(deploy)).find(unit, wanted)
    return None if entry is None else entry.summary


@pytest.mark.parametrize("rest", [True, False], ids=["by times", "by content"])
def test_what_was_noted_is_found(place: Path, deploy: Path, rest: bool) -> None:
    noted(place, deploy, rest=rest)
    assert find(place, deploy) == {"runs": 2}
    assert find(place, deploy, unit="prod/vision/b") is None
    assert find(place, deploy, wanted=key([b"tool", b"changed"])) is None


def test_files_at_rest_are_not_read(place: Path, deploy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    noted(place, deploy, rest=True)
    monkeypatch.setattr("tjgen.gitops.emit.filesystem.Root.read", None)
    assert find(place, deploy) is not None


@pytest.mark.parametrize("rest", [True, False], ids=["at rest", "just written"])
@pytest.mark.parametrize("times", [True, False], ids=["time set back", "time as it is"])
def test_an_edit_of_the_same_length_is_seen(place: Path, deploy: Path, rest: bool, times: bool) -> None:
    noted(place, deploy, rest=rest)
    path = deploy / PATHS[1]
    before = path.stat()
    path.write_text(path.read_text().replace("TrainJob", "TrainJub"))
    if times:
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert find(place, deploy) is None


def test_a_file_that_is_gone_is_seen(place: Path, deploy: Path) -> None:
    noted(place, deploy)
    (deploy / PATHS[0]).unlink()
    assert find(place, deploy) is None


def test_a_file_that_became_a_link_is_seen(place: Path, deploy: Path) -> None:
    noted(place, deploy, rest=True)
    (deploy / PATHS[0]).rename(deploy / "elsewhere.yaml")
    (deploy / PATHS[0]).symlink_to(deploy / "elsewhere.yaml")
    assert find(place, deploy) is None


def test_touched_files_are_read_once_and_then_at_rest_again(place: Path, deploy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    noted(place, deploy)
    for path in PATHS:
        (deploy / path).touch()
    at_rest()
    cache = FileCache(entry_at(place), str(deploy))
    assert cache.find(UNIT, KEY) is not None
    cache.save()
    monkeypatch.setattr("tjgen.gitops.emit.filesystem.Root.read", None)
    assert find(place, deploy) is not None


def test_a_hand_edit_is_never_noted(place: Path, deploy: Path) -> None:
    with (deploy / PATHS[0]).open("a") as file:
        file.write("edited: true\n")
    noted(place, deploy)
    assert not place.exists()


def test_units_that_are_gone_are_dropped(place: Path, deploy: Path) -> None:
    cache = FileCache(entry_at(place), str(deploy))
    for unit in ("a", "b"):
        cache.note(unit, KEY, PATHS, {})
    cache.save()
    FileCache(entry_at(place), str(deploy)).save(known=["b"])
    assert find(place, deploy, unit="a") is None
    assert find(place, deploy, unit="b") is not None


def test_other_units_stay_in_a_build_of_some(place: Path, deploy: Path) -> None:
    noted(place, deploy)
    cache = FileCache(entry_at(place), str(deploy))
    cache.note("b", KEY, PATHS, {})
    cache.save()
    assert find(place, deploy) is not None
    assert find(place, deploy, unit="b") is not None


def test_a_cache_in_which_nothing_is_new_is_not_written(place: Path, deploy: Path) -> None:
    noted(place, deploy, rest=True)
    before = place.stat().st_mtime_ns
    cache = FileCache(entry_at(place), str(deploy))
    cache.find(UNIT, KEY)
    cache.save(known=[UNIT])
    assert place.stat().st_mtime_ns == before


def test_damage_of_any_kind_is_as_if_there_were_no_cache(place: Path, deploy: Path) -> None:
    noted(place, deploy)
    whole = place.read_bytes()
    chance = random.Random(1)
    damaged = [b"", b"x", whole[:-1], whole[:40], whole + b"x", bytes(len(whole)), whole[32:]]
    for _ in range(200):
        at = chance.randrange(len(whole))
        damaged.append(whole[:at] + bytes([whole[at] ^ (1 << chance.randrange(8))]) + whole[at + 1 :])
    for content in damaged:
        place.write_bytes(content)
        assert find(place, deploy) is None
    place.write_bytes(whole)
    assert find(place, deploy) is not None


def test_a_place_that_cannot_be_used_fails_nothing(tmp_path: Path, deploy: Path) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "tjgen/x").mkdir(parents=True)
    for place in (tmp_path / "file" / "tjgen" / "x", tmp_path / "tjgen" / "x"):
        noted(place, deploy)
        assert find(place, deploy) is None


def test_killed_while_it_is_written(place: Path, deploy: Path) -> None:
    noted(place, deploy)

    def again() -> None:
        cache = FileCache(entry_at(place), str(deploy))
        cache.note("b", KEY, PATHS, {})
        cache.save()

    outcomes = []
    for number in range(1, 50):
        outcomes.append(run(again, Path.cwd() / place.name, happens=dies_at(number)))
        assert find(place, deploy) is not None
        if outcomes[-1] == DONE:
            break
    assert outcomes[0] == KILLED
    assert outcomes[-1] == DONE
    assert find(place, deploy, unit="b") is not None


def test_inputs_are_told_apart_by_their_places() -> None:
    assert len({key(parts) for parts in ([b"a", b"b"], [b"ab"], [b"a", b"", b"b"], [b"b", b"a"], [])}) == 5


def test_every_edit_of_the_program_is_another_program(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    before = program.digest()
    assert program.digest() == before
    (tmp_path / "schemas").mkdir()
    monkeypatch.setattr("tjgen.trees.data._ROOT", str(tmp_path))
    other = program.digest()
    (tmp_path / "schemas/new.json").write_text("{}")
    assert len({before, other, program.digest()}) == 3


class TestEntry:
    """Where a cache lies."""

    def test_each_project_and_output_has_its_own(self, tmp_path: Path) -> None:
        def name(project: str, directory: str) -> str:
            entry = entry_of(project, directory, {"HOME": str(tmp_path)})
            assert entry is not None
            return entry.name

        assert len({name(project, directory) for project in ("p", "q") for directory in ("d", "e")}) == 4
        assert name("p", "d") == name("p/../p", "./d")

    def test_without_one_nothing_is_found_or_noted(self, deploy: Path) -> None:
        cache = FileCache(None, str(deploy))
        cache.note(UNIT, KEY, PATHS, None)
        cache.save()
        assert cache.find(UNIT, KEY) is None
