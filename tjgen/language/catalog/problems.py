"""What can be wrong with a catalog, by code: TJ251 to TJ258."""

from __future__ import annotations

from tjgen.trees.diagnostics.model import error, warning

__all__ = ["AMBIGUOUS", "CLASH", "DUPLICATE", "NOTHING", "NO_PLACE", "SHAPE", "STRANGER", "UNKNOWN", "error", "warning"]

UNKNOWN = ("TJ251", "unknown-runtime")
AMBIGUOUS = ("TJ252", "ambiguous-runtime")
DUPLICATE = ("TJ253", "duplicate-runtime")
STRANGER = ("TJ254", "not-a-runtime")
SHAPE = ("TJ255", "invalid-runtime")
NO_PLACE = ("TJ256", "catalog-not-found")
CLASH = ("TJ257", "import-would-overwrite")
NOTHING = ("TJ258", "nothing-to-import")
