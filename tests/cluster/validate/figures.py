"""How far our verdicts agree with the recorded ones, over the whole corpus and with nothing left out.

    python -m tests.cluster.validate.figures [--differences]

The corpus is that of tests/corpus, or where TJGEN_CORPUS points. A kind without a schema counts as a difference.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

from tests.cluster.validate.corpus import cases, server_side
from tjgen import admit
from tjgen.cluster.validate.admit import AdmissionResponse

NOT_COMPARED = ("decode", "parse", "patch", "panic")
"""Stages whose words, and with them their fields, are Go's own."""


class Judged(NamedTuple):
    """A case with our verdict on it."""

    case: dict[str, Any]
    verdict: AdmissionResponse

    @property
    def kind(self) -> str:
        """The kind of the object, as far as the case says it."""
        tree = self.case.get("manifest")
        return str(tree.get("kind")) if isinstance(tree, dict) else "text"

    @property
    def agrees(self) -> bool:
        """Whether the verdict is the server's."""
        return self.verdict.checked and self.verdict.allowed == self.case["allowed"]

    @property
    def has_stage(self) -> bool:
        """Whether it comes from the same stage too."""
        return self.agrees and self.verdict.stage == self.case.get("stage", "")

    @property
    def fields(self) -> tuple[set[str], set[str]]:
        """The fields of our errors and of the server's."""
        return {error.field for error in self.verdict.errors}, {error["field"] for error in self.case.get("errors", ())}


def judged() -> Iterator[Judged]:
    """Every case of the corpus."""
    for case in cases():
        document = case["text"] if "text" in case else case["manifest"]
        yield Judged(case, admit(document, old=case.get("old"), webhooks=False))


def lines(*, differences: bool) -> Iterator[str]:
    """The figures, and with `differences` each case that differs."""
    every = list(judged())
    for name, some in (
        ("creates", [one for one in every if "old" not in one.case]),
        ("updates", [one for one in every if "old" in one.case]),
    ):
        agree, in_stage = sum(one.agrees for one in some), sum(one.has_stage for one in some)
        yield f"{name}: {agree}/{len(some)} agree, {in_stage} in the same stage"
    for name, allowed in (("false accepts", False), ("false rejects", True)):
        wrong = [one for one in every if not one.agrees and one.case["allowed"] == allowed]
        counts = Counter((one.case.get("stage", "allowed"), one.kind) for one in wrong)
        yield f"{name}: {len(wrong)}" + "".join(f"\n  {stage} {kind}: {count}" for (stage, kind), count in sorted(counts.items()))
    refused = [one for one in every if not one.case["allowed"] and one.case["stage"] not in NOT_COMPARED]
    same = [one for one in refused if one.fields[0] == one.fields[1]]
    yield f"refused with the same fields: {len(same)}/{len(refused)} ({100 * len(same) / len(refused):.2f} %)"
    if differences:
        yield from (f"  {one.case['id']}" for one in every if not one.has_stage)
        yield from (f"  {one.case['id']} fields" for one in refused if one.fields[0] != one.fields[1])
    made, wrong_made = _templates(every)
    yield f"templates: {made - len(wrong_made)}/{made} agree"
    applied = [(case, admit(case["manifest"], webhooks=False, apply="server-side")) for case in server_side()]
    other = [case["id"] for case, verdict in applied if not (verdict.checked and verdict.allowed == case["allowed"])]
    yield f"server-side apply: {len(applied) - len(other)}/{len(applied)} agree"
    if differences:
        yield from (f"  {name}" for name in [*wrong_made, *other])


def _templates(every: list[Judged]) -> tuple[int, list[str]]:
    """How many Jobs and Pods there are that a controller would make, and the cases whose verdicts on them differ."""
    some = [one for one in every if one.case.get("podTemplates") and one.case["allowed"]]
    wrong = []
    for one in some:
        ours = [(made.path, made.kind, made.allowed, made.stage) for made in one.verdict.templates]
        if ours != [(made["path"], made["as"], made["allowed"], made.get("stage", "")) for made in one.case["podTemplates"]]:
            wrong.append(one.case["id"])
    return len(some), wrong


if __name__ == "__main__":
    sys.stdout.writelines(line + "\n" for line in lines(differences="--differences" in sys.argv))
