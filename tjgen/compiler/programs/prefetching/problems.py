"""What can be wrong with prefetched data, by code: TJ480 to TJ487, and TJ170 to TJ172."""

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
