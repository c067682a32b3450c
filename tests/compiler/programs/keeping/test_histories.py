"""Random histories of programs that delete, trainers, users and errors: what may happen, and that the judge notices more."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.compiler.programs.keeping import histories
from tests.compiler.programs.keeping.interleaving import Watch

WATCH = Watch()


def test_no_history_loses_anything() -> None:
    """`python -m tests.compiler.programs.keeping.histories 5000` plays more of them."""
    total = Counter[str]()
    for seed, counts, problem in histories.played(range(300), histories.load(), WATCH):
        assert problem == "", f"seed {seed}"
        total += counts
    assert min(total["moved"], total["deleted"]) > 150
    assert min(total["copied"], total["deleted with a run"]) > 50
    assert min(total[kind] for kind in ("kill", "writer", "second", "fault", "pair")) > 300
    assert min(total[pair] for pair in ("clean and clean", "clean and remove", "clean and copy", "remove and remove")) > 5


CHANGES: dict[str, tuple[str, list[tuple[str, str]]]] = {
    "without the second survey": (
        "deletion.py",
        [("            why = checked(check, entry)\n        except", '            why = ""\n        except')],
    ),
    "without links": ("deletion.py", [("for where, target in around.links:", "for where, target in []:")]),
    "without sources": ("deletion.py", [("for source in around.sources:", "for source in []:")]),
    "without the grace period": ("deletion.py", [("if not deletes or age <= self.grace:", "if not deletes:")]),
    "without a trash": (
        "deletion.py",
        [("os.rename(join(folder, item), join(entry, item))\n            why", "delete(join(folder, item))\n            why")],
    ),
    "without the last ones": ("cleaner.py", [("for one in complete[-rules.last :]:", "for one in complete[-1:]:")]),
    "without the order of times": ("cleaner.py", [("if newer.time < older.time:", "if False:")]),
    "with the future": ("cleaner.py", [("if one.time > self.now + SKEW:", "if False:")]),
    "with empty files": ("cleaner.py", [("if empty or not any(", "if not any(")]),
    "without a first report": ("cleaner.py", [("first = not self.dry and self.is_first(folder)", "first = False")]),
    "without metrics": ("cleaner.py", [('kept.setdefault(one.name, "not evaluated")', "pass")]),
    "without a proof": ("move-checkpoints.py", [("def prove(", "def unused("), ("def is_proven(", "def unneeded(")]),
    "without a lifetime": ("move-checkpoints.py", [('if self.now - record["time"] <= self.lifetime:', "if False:")]),
    "without pins": ("remove-runs.py", [("return facts.pin or next(", "return next(")]),
    "without a last look": ("remove-runs.py", [("        return self.need(folder, [name], around)", '        return ""')]),
}


RARE = {"without the second survey": 230, "with the future": 150}
"""Changes that harm few histories, and a seed shortly before one of them, which saves time."""


@pytest.mark.parametrize("change", CHANGES)
def test_the_judge_notices_a_worse_program(change: str) -> None:
    program, replaced = CHANGES[change]
    text = histories.TEXTS[program]
    for before, after in replaced:
        assert text.count(before) == 1
        text = text.replace(before, after)
    worse = histories.load({**histories.TEXTS, program: text})
    first = RARE.get(change, 0)
    assert any(problem for _, _, problem in histories.played(range(first, first + 400), worse, WATCH))
