"""The states of a run in the cluster: the word that people read, and the health in the words of Argo CD.

`tjgen status`, the scripts for Argo CD, and the expressions for Flux use this table. What decides on a state is in rules.py for
all three, and for `tjgen status`, which also reads pods and events, in output/observed.py.
"""

from __future__ import annotations

from tjgen.trees.typing import NamedTuple

HEALTHY = "Healthy"
DEGRADED = "Degraded"
SUSPENDED = "Suspended"
PROGRESSING = "Progressing"


class RunState(NamedTuple):
    """What a run does."""

    word: str
    health: str
    """HEALTHY, DEGRADED, SUSPENDED or PROGRESSING."""
    note: str = ""
    """What follows the word if the cluster reports no reason."""

    def message(self, reason: str = "") -> str:
        """The word with the reason, or else with the note."""
        return ": ".join(filter(None, (self.word, reason or self.note)))


FAILED = RunState("failed", DEGRADED)
COMPLETED = RunState("completed", HEALTHY)
REFUSED = RunState("refused", DEGRADED)
SUSPENDED_RUN = RunState("suspended", SUSPENDED)
QUEUED = RunState("waiting", SUSPENDED, "its queue has not admitted it")
UNSEEN = RunState("waiting", PROGRESSING, "no controller has taken it up")
WAITING = RunState("waiting", PROGRESSING)
PODLESS = RunState("starting", PROGRESSING, "no pod has started; if this lasts, events show whether its pods are refused")
"""A controller has taken the run up, and its status counts no pod: they start, wait, or are refused. Only events show which."""
STARTING = RunState("starting", PROGRESSING, "not all pods have started")
RUNNING = RunState("running", HEALTHY)
GANG = RunState("", HEALTHY, "no scheduler has taken it up")
"""A PodGroup that has not ended. It does not train: the run that it belongs to has a state."""
ENDED = (FAILED, COMPLETED)
