"""The states of a run -> the page that describes them."""

from __future__ import annotations

from docs.generate.markdown import NOTICE, table
from tjgen.language.runs.states import STATES

INTRODUCTION = """\
`tjgen runs` lists every run of the lock with its state; `tjgen runs --json` does the same for programs. How to change a state is
in [the how-to guide](../how-to/runs.md).
[When a build removes runs and data](../explanation/removal.md) lists what a build may remove.

![States of a run](../pictures/states.svg)
"""
LOCK = """
## In the lock

A run that exists has a file `tjgen.lock.d/<environment or default>/<namespace>/<experiment>/<run>.yaml` of kind `LockedRun`.
`state` in it is `active` (current), `suspended`, `superseded`, `orphaned`, or `archived` (by the experiment). `archived: true`
marks a run that was archived by itself, `stopped: true` one that `onSupersede: stop`
suspended, and `kept: true` an orphaned run that `tjgen runs keep` accepted. `resumed: true` marks a run that the sources
suspended and [resumed](../troubleshooting.md#stop-a-run): its manifest sets `suspend: false`.

`tjgen runs prune` replaces the file with a tombstone of kind `PrunedRun`. It has the name, identity, `renewal` and `number` of
the run, its last state (`was`), the command or setting that removed it (`reason`), and the claims that it used. The lock holds no
dates, because the same input gives the same bytes. The history of the file in Git has them.

`apiVersion` is the version of the format. A release of tjgen that does not know the version changes nothing (TJ017).
"""


def page() -> str:
    """The page."""
    rows = [(f"`{one.name}`", one.meaning, one.files, one.cluster, one.ends) for one in STATES]
    heads = ("State", "Meaning", "Files in the tree", "A sync", "Next state")
    return "\n".join(["# States of a run\n", NOTICE, INTRODUCTION, table(heads, rows)]) + LOCK
