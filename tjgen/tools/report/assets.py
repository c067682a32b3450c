"""Name of a style or script of the report -> its text."""

from __future__ import annotations

import os
from functools import cache


@cache
def asset(name: str) -> str:
    """Return the text of a file next to this module."""
    with open(os.path.join(os.path.dirname(__file__), name), encoding="utf-8") as file:
        return file.read()
