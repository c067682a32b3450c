"""A build -> whether several processes compile its files (see workers.py), and how many."""

from __future__ import annotations

import os

IN_FULL = 64
"""Runs that are compiled before the build starts workers."""
FILES = 200
"""Files that must be left then. Fewer take less time than the workers save."""
MOST = 256
"""The most processes that a build may have."""


def is_large(runs: int, left: int) -> bool:
    """Whether a build that has compiled `runs` starts workers for the `left` files."""
    return left >= FILES and runs >= IN_FULL


def processes(wanted: str | None) -> int:
    """The most processes that compile: as many as are wanted, or one for each core; 1 where a process cannot fork."""
    if not hasattr(os, "fork"):
        return 1
    if wanted is not None:
        return int(wanted)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
