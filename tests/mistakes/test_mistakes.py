"""Every typical mistake: its message as printed, its place, plain words, and a hint that corrects it when it is applied."""

from __future__ import annotations

from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from tests.checkout import list_entries
from tests.mistakes.table import HERE, Mistake, answer, faults, mistakes

ALL = mistakes()


@pytest.mark.parametrize("case", [HERE], ids=["table"])
@pytest.mark.parametrize("mistake", ALL, ids=[f"{one.shape}-{one.name}" for one in ALL])
def test_a_mistake_has_a_good_message(mistake: Mistake, case: Path, expected: SnapshotAssertion) -> None:
    assert faults(mistake) == []
    printed = answer(mistake.experiment, mistake.command, mistake.others).err
    if "same" in mistake.entry:
        assert printed == ""
    else:
        assert printed == expected(name=f"{mistake.name}.txt")


def test_names_are_unique_and_there_are_as_many_mistakes_as_users_were_seen_to_make() -> None:
    assert len({one.name for one in ALL}) == len(ALL) >= 84
    printed = {path.stem for path in list_entries(HERE / "expected")}
    assert printed == {one.name for one in ALL if "same" not in one.entry}
