"""Known traps that are not rules of lint, each with what it is and why: the page of rules shows them."""

from __future__ import annotations

REASONS: tuple[tuple[str, str], ...] = (
    (
        "Protection that comes with the commit that removes the object.",
        "A removed object has no manifest. Removals are checked against the objects that were synced before (TJ635, TJ636).",
    ),
    (
        "A build that gives nothing where there was something.",
        "A stream without objects does not show earlier objects. `tjgen cmp generate` does not return an empty stream (TJ764), "
        "and a build into a tree keeps claims and records unless an option removes them.",
    ),
    (
        "A kind that the cluster does not have.",
        "Manifests do not list the kinds of a cluster. `tjgen check` reports kinds without a schema (TJ520); "
        "`tjgen schemas import` takes those of the cluster.",
    ),
    (
        "A finished run that is still active in Git.",
        "Manifests do not show whether a run has finished. `tjgen runs archive` takes the runs that are known to be done.",
    ),
    (
        "Committed output that is not what the sources give.",
        "`tjgen build --check` builds and compares, and so does the hook of pre-commit.",
    ),
)
"""Each pitfall, and why no rule covers it."""
