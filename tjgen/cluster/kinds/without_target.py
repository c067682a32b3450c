"""Kinds of jobs that no experiment creates -> the reason, and what to use instead.

Facts of LeaderWorkerSet: sigs.k8s.io/lws v0.8.0 `api/leaderworkerset/v1`, whose conditions are Available, Progressing and
UpdateInProgress, and `pkg/controllers`, which make StatefulSets of its templates. Their pods restart always.
"""

from __future__ import annotations

WITHOUT_TARGET: dict[tuple[str, str], tuple[str, str]] = {
    ("leaderworkerset.x-k8s.io", "LeaderWorkerSet"): (
        "a LeaderWorkerSet serves until you delete it: its pods always restart, so a run in it never ends",
        "use target: jobset, whose jobs end, and roles for the leader and the workers",
    ),
}
"""Group and name of a kind -> why it is not a target, and a hint."""


def instead_of(word: str) -> str | None:
    """The hint for the name of a target that is such a kind, in any case; None for other words."""
    return next((hint for (_, name), (_, hint) in WITHOUT_TARGET.items() if name.lower() == word.lower()), None)
