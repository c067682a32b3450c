"""A build is killed at each call that changes files; whatever people do then, the next build gives what a clean one gives."""

from __future__ import annotations

import random
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.gitops.emit.crash import DONE, KILLED, dies_at, run
from tests.kill.processes import Judge, at_random
from tests.kill.repository import CHECKS, IDENTITY, NEXT, Files, build, clean, create, output, renew, visible
from tests.program import tjgen

JOURNAL = "out/.tjgen/journal"


class Prepared(NamedTuple):
    """A repository to build, and what builds of its branches give."""

    template: Path
    place: Path
    old: Files
    clean: dict[str, Files]


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Prepared:
    folder = tmp_path_factory.mktemp("kill")
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {**IDENTITY, "TJGEN_CACHE": "off"}.items():
            patch.setenv(name, value)
        create(folder / "template")
        built = {branch: clean(folder / "template", folder / "place", branch) for branch in ("main", "other", "upstream")}
    return Prepared(folder / "template", folder / "place", output(folder / "template"), built)


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name, value in {**IDENTITY, "XDG_CACHE_HOME": str(tmp_path / "cache")}.items():
        monkeypatch.setenv(name, value)


def killed(prepared: Prepared, number: int, *, since: str = "tjgen.yaml") -> str:
    """Leave what a build leaves that is killed at that call, counted while the file `since` exists."""
    renew(prepared.template, prepared.place)
    happens = dies_at(number, since=prepared.place / since)
    return run(lambda: build(prepared.place), prepared.place, happens=happens, changes=True)


def test_the_scenario_adds_changes_and_removes(prepared: Prepared) -> None:
    old, new = prepared.old, prepared.clean["main"]
    assert new.keys() - old.keys()
    assert old.keys() - new.keys()
    assert [path for path in old.keys() & new.keys() if old[path] != new[path]]
    # The run that a build of main removes and the one that it adds are not on the other branch.
    assert not (old.keys() ^ new.keys()) & prepared.clean["other"].keys()


def test_after_a_kill_at_any_call(prepared: Prepared) -> None:
    outcomes = []
    # Most calls come before a file is replaced. Below each call after that is tried, and in tests/gitops/emit each one of all.
    for number in range(1, 1000, 3):
        outcomes.append(killed(prepared, number))
        left = output(prepared.place)
        staged = [path for path in left if "/.tjgen/" in path and not path.endswith("/lock")]
        # What a person adds to Git now must not hold any of it.
        assert all(f"{path.partition('/.tjgen/')[0]}/.tjgen/.gitignore" in left for path in staged), number
        is_built = visible(left) == prepared.clean["main"] and JOURNAL not in left
        for words in CHECKS:
            answer = tjgen(prepared.place, *words)
            assert answer.code == (0 if is_built else 1), (number, words)
            assert is_built or "error[TJ" in answer.err
        assert output(prepared.place) == left
        assert_built(prepared, "main", number)
        if outcomes[-1] == DONE:
            break
    assert len(outcomes) > 20
    assert {*outcomes[:-1]} == {KILLED}


@pytest.mark.parametrize("what", NEXT)
def test_what_people_do_after_a_kill_while_files_are_replaced(prepared: Prepared, what: str) -> None:
    branch, act = NEXT[what]
    outcomes = []
    for number in range(1, 1000):
        outcomes.append(killed(prepared, number, since=JOURNAL))
        if outcomes[-1] == DONE:
            # What a build has written that was not interrupted goes along to another branch, as all that is not committed.
            break
        act(prepared.place)
        assert_built(prepared, branch, number)
    assert len(outcomes) >= 8
    assert {*outcomes[:-1]} == {KILLED}


def assert_built(prepared: Prepared, branch: str, number: int) -> None:
    """A build gives now what a clean one gives on that branch."""
    answer = build(prepared.place)
    assert answer.code == 0, (number, answer.err)
    assert output(prepared.place) == prepared.clean[branch], number


def test_commands_that_read_warn_of_an_interrupted_build(prepared: Prepared) -> None:
    assert killed(prepared, 3, since=JOURNAL) == KILLED
    answer = tjgen(prepared.place, "runs", "list")
    assert answer.code == 0
    assert "warning[TJ063] the last build of out was interrupted" in answer.err


def test_real_processes_killed_at_random_moments(tmp_path: Path) -> None:
    judge = Judge(tmp_path, points=12)
    at_random(judge, 6, random.Random(3))
    assert judge.problems == []
    assert judge.counts["kills"] > 0
