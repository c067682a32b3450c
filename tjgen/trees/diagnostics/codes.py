"""codes.toml and rulecodes.toml -> the entry of each code: what it means, and what to do about it.

A build does not load the texts: `Diagnostic` reads names and severities from `table`, which `python -m docs.generate`
makes from the entries.
"""

from __future__ import annotations

import os.path
import tomllib
from functools import cache

from tjgen.trees.typing import NamedTuple

GROUPS = {
    "TJ0": "Files, the lock and the output tree",
    "TJ1": "The experiment, by itself",
    "TJ2": "Overlays, sweeps, the project and the catalog",
    "TJ3": "The experiment, with its runtime and platform",
    "TJ4": "Fields that the target does not support; code, checkpoints and data that are fetched",
    "TJ5": "Objects that the API server refuses",
    "TJ6": "Pitfalls of GitOps syncs",
    "TJ7": "The repository, registries and the cluster",
    "TJ8": "Surprising behavior of controllers",
    "TJ9": "Objects of a platform, monitoring; defects of tjgen",
}
"""The first digit of a code -> the phase that reports it."""
ACTIVE = "active"
RETIRED = "retired"
FOLDER = os.path.dirname(os.path.abspath(__file__))
_FILES = ("codes.toml", "rulecodes.toml")


class CodeEntry(NamedTuple):
    """One thing that tjgen reports."""

    code: str
    name: str
    severity: str
    """Where it is not raised or lowered by `--strict` or the project's policy."""
    since: str
    """The first release of tjgen that reports it."""
    status: str
    """ACTIVE, or RETIRED when tjgen no longer reports it."""
    meaning: str
    """What is wrong, and why it matters."""
    remedy: str
    """What to do."""


@cache
def load_codes() -> tuple[CodeEntry, ...]:
    """Every code, in their order."""
    return tuple(sorted(one for file in _FILES for one in read_codes(file)))


def read_codes(file: str) -> list[CodeEntry]:
    """The entries of one file of this folder, as it lists them."""
    with open(os.path.join(FOLDER, file), "rb") as stream:
        return [CodeEntry(code, **entry) for code, entry in tomllib.load(stream).items()]
