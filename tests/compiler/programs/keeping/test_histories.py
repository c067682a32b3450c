"""Random histories of trainers, users, clocks and kills: what the cleaner may do in them, and that the judge notices more."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.compiler.programs.keeping import histories
from tests.compiler.programs.keeping.cleaning import cleaner

WATCH = histories.Watch()


def test_no_history_loses_a_checkpoint() -> None:
    """`python -m tests.compiler.programs.keeping.histories 10000` plays more of them."""
    total = Counter[str]()
    for seed, counts, problem in histories.played(range(150), histories.load(cleaner().program), WATCH):
        assert problem == "", f"seed {seed}"
        total += counts
    assert total["moved"] > 200
    assert total["deleted"] > 200
    assert min(total["kill"], total["writer"], total["second"]) > 150


@pytest.mark.parametrize(
    ("text", "change"),
    [
        ("if self.still(folder, entry, owner, one, seen):", "if True:"),
        ("for one in complete[-rules.last :]:", "for one in complete[-1:]:"),
        ("if newer.time < older.time:", "if False:"),
        ("if one.time > self.now + SKEW:", "if False:"),
        ("if empty or not any(", "if not any("),
        ("if mark and mark[0] == owner:", "if True:"),
        ("for where, target in around.links:", "for where, target in []:"),
        ("first = not self.dry and self.is_first(folder)", "first = False"),
        ("elif age > self.grace:", "elif True:"),
        ('kept.setdefault(one.name, "not evaluated")', "pass"),
        ("os.rename(join(folder, item), join(entry, item))\n        if", "shutil.rmtree(join(folder, item))\n        if"),
    ],
)
def test_the_judge_notices_a_worse_cleaner(text: str, change: str) -> None:
    program = cleaner().program
    assert program.count(text) == 1
    worse = histories.load(program.replace(text, change))
    assert any(problem for _, _, problem in histories.played(range(400), worse, WATCH))
