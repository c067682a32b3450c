"""What each of several things waits for -> whether they can all come to pass."""

from __future__ import annotations

from collections.abc import Mapping, Sequence


def is_acyclic(needs: Mapping[str, Sequence[str]]) -> bool:
    """Return whether there is an order in which every task follows its dependencies; a missing dependency never completes."""
    done: set[str] = set()
    waiting = dict(needs)
    while waiting:
        ready = [name for name, others in waiting.items() if done.issuperset(others)]
        if not ready:
            return False
        done.update(ready)
        for name in ready:
            del waiting[name]
    return True
