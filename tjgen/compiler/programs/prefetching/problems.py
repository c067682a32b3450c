"""What can be wrong with prefetched data, by code."""

from __future__ import annotations

VOLUME = "TJ480"
NOTHING = "TJ481"
SOURCE = "TJ482"
UNSEEN = "TJ483"
ONE_NODE = "TJ484"
PATH = "TJ485"
NODES = "TJ486"
TAKEN = "TJ487"
OVERLAP = "TJ170"
PATHS = "TJ171"
ORDER = "TJ172"
NOT_OF_NODES = "TJ174"
UNBOUND = "TJ175"
NODE = "TJ176"
NODE_ORDER = "TJ177"
