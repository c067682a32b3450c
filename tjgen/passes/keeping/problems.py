"""What can be wrong with checkpoints, by code: TJ460 to TJ470."""

from __future__ import annotations

from tjgen.diagnostics.model import error, warning

__all__ = [
    "BACKUP",
    "CLEANER",
    "GRACE",
    "LOST",
    "PATH",
    "READ_ONLY",
    "RESUME",
    "ROOM",
    "SLOW",
    "TOO_SLOW",
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
