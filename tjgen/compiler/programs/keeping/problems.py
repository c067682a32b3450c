"""What can be wrong with checkpoints, by code: TJ460 to TJ470, TJ488, TJ489, and TJ495 to TJ498."""

from __future__ import annotations

from tjgen.trees.diagnostics.model import error, warning

__all__ = [
    "BACKUP",
    "CLEANER",
    "FILES",
    "GRACE",
    "LOST",
    "METRIC",
    "ONE",
    "PATH",
    "READ_ONLY",
    "RESERVED",
    "RESUME",
    "ROOM",
    "SLOW",
    "TOO_SLOW",
    "UNREAD",
    "USER",
    "VOLUME",
    "error",
    "warning",
]

VOLUME = ("TJ460", "checkpoint-volume")
READ_ONLY = ("TJ461", "checkpoints-read-only")
LOST = ("TJ462", "checkpoints-lost")
ROOM = ("TJ463", "checkpoints-exceed-claim")
SLOW = ("TJ464", "slow-checkpoint")
TOO_SLOW = ("TJ465", "very-slow-checkpoint")
GRACE = ("TJ466", "grace-period-short")
RESUME = ("TJ467", "resume-from-nowhere")
BACKUP = ("TJ468", "no-claim-to-back-up")
CLEANER = ("TJ469", "checkpoints-out-of-reach")
PATH = ("TJ470", "checkpoint-path")
ONE = ("TJ488", "one-checkpoint-kept")
METRIC = ("TJ489", "best-without-metric")
USER = ("TJ495", "cleaner-user-unknown")
RESERVED = ("TJ496", "reserved-checkpoint-name")
FILES = ("TJ497", "metric-not-in-files")
UNREAD = ("TJ498", "metric-without-best")
