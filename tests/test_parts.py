"""The parts of the slow tests: together they are all tests, each test is in one, and a run states which it takes."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.checkout import ROOT
from tests.parts import KINDS, PARTS, SLOW, chosen, is_slow, split

FILE = "tests/testing/test_snapshot.py"


def printed(*words: str) -> str:
    """What pytest prints about the tests that it takes from FILE."""
    command = [sys.executable, "-m", "pytest", "--collect-only", "-p", "no:cacheprovider", *words, FILE]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


def collected(*words: str) -> set[str]:
    """The names of these tests."""
    return {line for line in printed("-q", *words).splitlines() if line.startswith(FILE)}


@pytest.mark.parametrize("path", SLOW)
def test_each_path_exists_and_is_named_once(path: str) -> None:
    assert (ROOT / path).exists(), f"remove {path} from KINDS in tests/parts.py, or name where it is now"
    assert [other for other in SLOW if path == other or path.startswith(f"{other}/")] == [path]


def test_the_parts_are_all_tests_and_share_none_that_is_slow() -> None:
    names = [f"{file}::test_{number}" for number in range(300) for file in ("tests/test_cases.py", "tests/kill/test_branches.py")]
    runs = [split(names, part)[0] for part in range(PARTS)]
    slow = [position for position, name in enumerate(names) if is_slow(name)]
    assert len(slow) == 300
    assert sorted(position for positions in runs for position in positions if position in slow) == slow
    assert all({*range(len(names))} - {*slow} <= {*positions} for positions in runs)
    assert split(names, None) == ([*range(len(names))], [])
    # No part is empty or much larger than another.
    sizes = [len({*positions} & {*slow}) for positions in runs]
    assert min(sizes) > 5
    assert max(sizes) < 40


def test_pytest_takes_the_part_that_is_named_and_all_without_one() -> None:
    everything = collected()
    assert len(everything) > 10
    first, second = collected("--part", "0"), collected("--part", "1")
    assert first < everything
    assert second < everything
    assert not first & second


def test_a_run_states_the_part_that_it_takes() -> None:
    assert "slow tests: all\n" in printed()
    assert f"slow tests: part 1 of {PARTS} (tests/parts.py)\n" in printed("--part", "1")
    assert "--part takes all, commit, or a number from 0 to 15" in printed("--part", "16")


def test_the_commit_chooses_a_part() -> None:
    assert chosen("commit") in range(PARTS)


def test_every_kind_has_a_reason_that_ends_without_a_period() -> None:
    assert [kind for kind in KINDS if not kind or kind.endswith(".")] == []
