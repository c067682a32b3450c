"""What can be wrong with a catalog, by code: TJ251 to TJ258."""

from __future__ import annotations

UNKNOWN = "TJ251"
AMBIGUOUS = "TJ252"
DUPLICATE = "TJ253"
STRANGER = "TJ254"
SHAPE = "TJ255"
NO_PLACE = "TJ256"
CLASH = "TJ257"
NOTHING = "TJ258"
