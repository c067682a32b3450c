"""What can be wrong with prefetched data, by code: TJ480 to TJ487."""

from __future__ import annotations

from tjgen.trees.diagnostics.model import error, warning

__all__ = ["NODES", "NOTHING", "ONE_NODE", "PATH", "SOURCE", "TAKEN", "UNSEEN", "VOLUME", "error", "warning"]

VOLUME = ("TJ480", "prefetch-volume")
NOTHING = ("TJ481", "prefetch-of-nothing")
SOURCE = ("TJ482", "prefetch-source")
UNSEEN = ("TJ483", "prefetch-not-seen")
ONE_NODE = ("TJ484", "prefetch-on-one-node")
PATH = ("TJ485", "prefetch-path")
NODES = ("TJ486", "prefetch-out-of-reach")
TAKEN = ("TJ487", "cache-mount-taken")
