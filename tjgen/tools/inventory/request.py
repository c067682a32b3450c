"""What `tjgen slices` divides, and how; and the error that ends it."""

from __future__ import annotations

from collections.abc import Sequence

from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.typing import NamedTuple

MISSING = "TJ571"
LISTING = "TJ572"
FOLDER = "TJ573"
STRATEGY = "TJ574"
ENGINE = "TJ575"


class SlicesRequest(NamedTuple):
    """A list of items, and the slices to write."""

    files: Sequence[str]
    """Paths of Parquet files or of CSV files, in the order of their items. They can be read."""
    slices: int
    by: str
    output: str
    """The folder of the slices."""
    form: str
    """`parquet` or `txt`."""
    path_column: str
    size_column: str
    columns: Sequence[str] = ()
    """The columns of CSV files without a header."""
    prefix: str = ""
    """Only paths that begin with it are items, without it."""
    url_encoded: bool = False
    memory: int = 1 << 30
    """Bytes that the process may use."""


class Divided(NamedTuple):
    """The slices: the number of items of each, and its bytes if all sizes are known."""

    lengths: list[int]
    sizes: list[int] | None


class InventoryError(Exception):
    """The list cannot be divided."""

    def __init__(self, code: str, message: str, hint: str | None = None) -> None:
        """Create the error of one diagnostic."""
        super().__init__(message)
        self.diagnostic = Diagnostic(code, message, hint=hint)
