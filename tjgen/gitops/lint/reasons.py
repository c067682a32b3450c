"""Known traps that are not rules of lint, each with what it is and why: the page of rules shows them."""

from __future__ import annotations

REASONS: tuple[tuple[str, str], ...] = (
    (
        "Protection that comes with the commit that removes the object.",
        "A removed object has no manifest. Removals are checked against the objects that were synced before (TJ635, TJ636).",
    ),
    (
        "A build that returns no objects although earlier builds did.",
        "A stream without objects does not show earlier objects. `tjgen cmp generate` does not return an empty stream (TJ764), "
        "and a build into a tree keeps claims and records unless an option removes them.",
    ),
    (
        "A kind that does not exist in the cluster.",
        "Manifests do not list the kinds of a cluster. `tjgen check` reports kinds without a schema (TJ520); "
        "`tjgen schemas import` imports those of the cluster.",
    ),
    (
        "A finished run that is still active in Git.",
        "Manifests do not show whether a run has finished. Use `tjgen runs archive` for runs that have finished.",
    ),
    (
        "Committed output that differs from what the sources produce.",
        "`tjgen build --check` builds and compares, and so does the pre-commit hook.",
    ),
)
"""Each pitfall, and why no rule covers it."""
