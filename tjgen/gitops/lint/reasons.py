"""Known traps that are no rule of lint, each with what it is and why: the page of rules shows them."""

from __future__ import annotations

REASONS: tuple[tuple[str, str], ...] = (
    (
        "Protection that comes with the commit that removes the object.",
        "What is removed has no manifest left to hold it. Removals are judged by what was synced before (TJ635, TJ636).",
    ),
    (
        "A build that gives nothing where there was something.",
        "A stream without objects does not show what was there before. `tjgen cmp generate` refuses to answer with one (TJ764), "
        "and a build into a tree keeps claims and records until it is told to remove them.",
    ),
    (
        "A kind that the cluster does not have.",
        "Which kinds a cluster has does not stand in manifests. `tjgen check` reports kinds without a schema (TJ520); "
        "`tjgen schemas import` takes those of the cluster.",
    ),
    (
        "A finished run that is still active in Git.",
        "Whether a run has finished does not stand in manifests. `tjgen runs archive` takes the runs that are known to be done.",
    ),
    (
        "Committed output that is not what the sources give.",
        "`tjgen build --check` builds and compares, and so does the hook of pre-commit.",
    ),
)
"""Each pitfall, and why no rule covers it."""
