"""The states of a run: what each one means for the files, the cluster and the name. The page of states is generated from it."""

from __future__ import annotations

from tjgen.language.runs.lock import ARCHIVED, CURRENT, ORPHANED, PRUNED, SUPERSEDED, SUSPENDED
from tjgen.trees.typing import NamedTuple


class State(NamedTuple):
    """One state of a run."""

    name: str
    meaning: str
    files: str
    """What happens to its files in the output tree."""
    cluster: str
    """What a sync does with its objects."""
    ends: str
    """What takes the run to another state."""


STATES = (
    State(
        CURRENT,
        "A source requests the run.",
        "In the tree.",
        "Applies them.",
        "A change of the experiment supersedes the run.",
    ),
    State(
        SUSPENDED,
        "A source requests the run and sets `state: suspended`.",
        "In the tree, with `suspend: true`.",
        "Applies them. The run has no pods.",
        "`state: active`.",
    ),
    State(
        SUPERSEDED,
        "Its experiment exists, and requests another run in its place.",
        "Stay byte for byte.",
        "Applies them. The run continues and holds its devices, unless it is suspended.",
        "`tjgen runs prune` or `archive`, `history.keep`, or the experiment requests the run again.",
    ),
    State(
        ORPHANED,
        "No source requests the run: its experiment, file, namespace or environment does not exist.",
        "Stay byte for byte, with their claims and runtimes.",
        "Applies them. The run continues and holds its devices, unless it is suspended.",
        "`tjgen runs prune`, `archive`, `keep` or `rename`, or the source returns.",
    ),
    State(
        ARCHIVED,
        "A record: `tjgen runs archive`, or `state: archived` in the experiment.",
        "Stay, with two annotations.",
        "Leaves them alone. A new cluster does not start the run.",
        "`tjgen runs unarchive`, or `tjgen runs prune --archived`.",
    ),
    State(
        PRUNED,
        "An explicit command or setting removed the run. The lock keeps a tombstone.",
        "Removed. Claims stay.",
        "With `removal: sync`, deletes them. Otherwise, Argo CD waits until you confirm that, and Flux leaves them.",
        "Nothing. The name and its checkpoint folder are never used again; equal content gets a new name.",
    ),
)
"""In the order in which `tjgen runs list` explains them."""
