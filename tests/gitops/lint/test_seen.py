"""What pages call observed on the test cluster is in the table of `tests/e2e`, or was seen by other means that are named here."""

from __future__ import annotations

from tests.e2e.rules import HARMS
from tjgen.gitops.lint.rule import SEEN
from tjgen.gitops.lint.table import entries

ELSEWHERE = {
    "TJ613": "the rig makes no names for hooks; a JobSet of such a name was refused when it was applied by hand",
    "TJ651": "Kueue 0.19 with JobSet and the Training Operator on the rig (prove/resync.sh); the table has no Kueue",
    "TJ690": "Kueue 0.15.2 with Trainer 2.1 on the rig: later syncs of Argo CD and Flux were refused; the table has no Kueue",
}
PARTLY = {"TJ608": "the rig has no Volcano, and so no Queue that is missed; the class of priority was seen"}


def test_what_is_called_seen_can_be_seen() -> None:
    called = {entry.rule.code for entry in entries() if entry.rule.evidence == SEEN}
    table = {harm.rule for harm in HARMS}
    assert called - table == set(ELSEWHERE)
    assert table - called == set(PARTLY)
