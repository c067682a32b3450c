"""Parts of a path -> the file that tjgen ships: schemas, runtimes, scripts; in a checkout or an installed wheel."""

from __future__ import annotations

import os.path

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_BUNDLED = os.path.join(_PACKAGE, "_data")
_ROOT = _BUNDLED if os.path.isdir(_BUNDLED) else os.path.dirname(_PACKAGE)


def path(*parts: str) -> str:
    """The file system path of bundled data: `path("schemas", "index.json")`. It need not exist."""
    return os.path.join(_ROOT, *parts)
