"""The folder of locks: one file a run, the former form beside it, and what a change makes of the files."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.language.runs.test_run_lock import LOCK, ONE, OTHER, OTHER_TEXT, TEXT, A, B, run
from tjgen.language.runs.lock import DIRECTORY, Lock
from tjgen.language.runs.store import LockKey, Locks
from tjgen.trees.diagnostics.model import CompileError

FORMER = f"""\
# Written by tjgen: the runs that exist, and what they are made of. Commit it; a run without its block is new.
apiVersion: tjgen.dev/v1alpha1
kind: RunLock
experiment: prod/vision/a
runs:
  a-5k25scfv:
    identity: v1:{A}
    number: 1
    state: active
    runtime: tjgen-torch
    runtimeDigest: sha256:{A}
    content: sha256:{B}
    settings: sha256:{A}
    images:
    - ghcr.io/x/train:1.4
    - train
    uses:
    - prod/runtimes/ns/tjgen-torch-1a2b3c4d.yaml
  a-zzzzzzzz:
    identity: v1:{A}
    renewal: 1
    number: 2
    state: suspended
    archived: true
    runtime: tjgen-torch
    runtimeDigest: sha256:{A}
    content: sha256:{B}
    settings: sha256:{A}
"""
PLACE = LockKey("prod", "vision", "a")
PATH = "prod/vision/a"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / DIRECTORY / PATH).mkdir(parents=True)
    return tmp_path


def place(folder: Path, name: str, text: str) -> None:
    (folder / DIRECTORY / "prod" / "vision" / name).write_text(text, encoding="utf-8")


@pytest.fixture
def split(folder: Path) -> Path:
    place(folder, "a/a-5k25scfv.yaml", TEXT)
    place(folder, "a/a-zzzzzzzz.yaml", OTHER_TEXT)
    return folder


def test_the_files_of_an_experiment_are_its_lock(split: Path) -> None:
    locks = Locks(str(split))
    assert locks.of(PLACE) == LOCK
    assert list(locks.all()) == [(PLACE, LOCK)]
    assert list(locks.all(["dev"])) == []
    assert list(locks.others(["prod"], set())) == [(PATH, LOCK)]
    assert list(locks.others(["prod"], {PATH})) == []


def test_a_lock_that_says_the_same_has_no_changes(split: Path) -> None:
    assert list(Locks(str(split)).changes(PATH, LOCK)) == []


def test_only_the_files_of_runs_that_change_are_written(split: Path) -> None:
    changed = LOCK.without([OTHER.name]).with_runs([run("a-new")])
    changes = dict(Locks(str(split)).changes(PATH, changed))
    assert sorted(changes) == [f"{PATH}/a-new.yaml", f"{PATH}/a-zzzzzzzz.yaml"]
    assert changes[f"{PATH}/a-zzzzzzzz.yaml"] is None


def test_a_file_that_was_edited_is_put_in_order(split: Path) -> None:
    place(split, "a/a-5k25scfv.yaml", TEXT.replace("state: active", "state:   active"))
    assert list(Locks(str(split)).changes(PATH, LOCK)) == [(f"{PATH}/a-5k25scfv.yaml", TEXT)]


def test_the_former_form_is_read_and_stays_until_something_changes(folder: Path) -> None:
    place(folder, "a.yaml", FORMER)
    locks = Locks(str(folder))
    found = locks.of(PLACE)
    assert found.runs == {ONE.name: ONE, OTHER.name: OTHER._replace(promoted_from="")}
    assert list(locks.all()) == [(PLACE, found)]
    assert list(locks.changes(PATH, found)) == []
    changes = dict(locks.changes(PATH, found.superseding([])))
    assert sorted(changes) == [f"{PATH}.yaml", f"{PATH}/a-5k25scfv.yaml", f"{PATH}/a-zzzzzzzz.yaml"]
    assert changes[f"{PATH}.yaml"] is None


def test_after_a_merge_of_both_forms_the_file_of_the_run_counts(folder: Path) -> None:
    place(folder, "a.yaml", FORMER)
    place(folder, "a/a-5k25scfv.yaml", TEXT.replace("state: active", "state: superseded"))
    found = Locks(str(folder)).of(PLACE)
    assert {name: one.state for name, one in found.runs.items()} == {"a-5k25scfv": "superseded", "a-zzzzzzzz": "suspended"}


def test_a_damaged_former_form_is_refused(folder: Path) -> None:
    place(folder, "a.yaml", FORMER.replace("state: active", "state: paused"))
    with pytest.raises(CompileError) as error:
        Locks(str(folder)).of(PLACE)
    assert [(one.code, one.span.line if one.span else 0) for one in error.value.diagnostics] == [("TJ071", 9)]


def test_a_file_that_was_copied_or_renamed_is_refused(split: Path) -> None:
    place(split, "a/a-copy.yaml", TEXT)
    with pytest.raises(CompileError) as error:
        Locks(str(split)).of(PLACE)
    (found,) = error.value.diagnostics
    assert (found.code, found.message) == (
        "TJ071",
        "the file contains run a-5k25scfv of prod/vision/a, which does not match its path",
    )


def test_a_project_without_environments(tmp_path: Path) -> None:
    locks = Locks(str(tmp_path))
    alone = LockKey(None, "vision", "a")
    assert locks.of(alone) == Lock("vision/a", {})
    assert list(locks.all()) == []
    for path, text in locks.changes("default/vision/a", Lock("vision/a", {ONE.name: ONE})):
        file = tmp_path / DIRECTORY / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text or "", encoding="utf-8")
    assert list(Locks(str(tmp_path)).all()) == [(alone, Lock("vision/a", {ONE.name: ONE}))]


def test_the_files_of_a_lock_are_those_of_both_forms(split: Path) -> None:
    files = [Path(file).relative_to(split / DIRECTORY).as_posix() for file in Locks(str(split)).files(PATH)]
    assert files == [f"{PATH}.yaml", f"{PATH}/a-5k25scfv.yaml", f"{PATH}/a-zzzzzzzz.yaml"]
