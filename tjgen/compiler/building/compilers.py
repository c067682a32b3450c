"""What compiles the next run of a build: `compile_run`, or in a large build `Stamps`, which does similar work once."""

from __future__ import annotations

import os
from collections.abc import Callable

from tjgen.compiler.building.run import DigestOf
from tjgen.compiler.hops.draft import Job
from tjgen.compiler.pipeline import Compiled, compile_run
from tjgen.trees.session import STAMPS
from tjgen.trees.typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tjgen.compiler.building.stamps import StampedRun, Stamps

SEVERAL = 24
"""Runs that are compiled before a small build looks for runs that are alike."""
MANY = 100
"""Files of a build that looks for them from its first run."""
IN_FULL = 64
"""Runs that are compiled before the build starts workers, most of them in full."""
FILES = 200
"""Files that must be left then. Fewer take less time than the workers save."""
MOST = 256
"""The most processes that a build may have."""

Compiler = Callable[[Job], Compiled]


class Compilers:
    """The compilers of one build."""

    __slots__ = ("_first", "_previews", "_runs", "_stamps", "templated")

    def __init__(self, previews: str, files: int) -> None:
        """`previews`: the form of the previews that are written; empty if there are none. `files`: how many files there are."""
        self._previews = previews
        self._first = SEVERAL if files < MANY else 1
        """The number of the first run that can be like another."""
        self._stamps: Stamps | None = None
        self._runs = 0
        self.templated = 0
        """Runs that no compiler was needed for."""

    @property
    def stamped(self) -> StampedRun | None:
        """The last run, if there is a template of its shape."""
        return self._stamps.latest if self._stamps is not None else None

    def next(self) -> Compiler:
        """What compiles the next run."""
        self._runs += 1
        if self._runs == self._first and os.environ.get(STAMPS) != "off":
            from tjgen.compiler.building.stamps import Stamps  # most builds are small

            self._stamps = Stamps(self._previews)
        return self._stamps.compile if self._stamps is not None else compile_run

    def is_slow(self, left: int) -> bool:
        """Whether many files are left, and most runs so far were compiled in full."""
        stamped = self._stamps.stamped if self._stamps is not None else 0
        return left >= FILES and self._runs - stamped >= max(IN_FULL, stamped + self.templated)


def processes(wanted: str | None) -> int:
    """The most processes that compile: as many as are wanted, or one for each core; 1 where a process cannot fork."""
    if not hasattr(os, "fork"):
        return 1
    if wanted is not None:
        return int(wanted)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def listing(digest_of: DigestOf | None, images: dict[str, None]) -> DigestOf:
    """The same digests; every image is added to `images`."""

    def listing(image: str) -> str | None:
        images[image] = None
        return digest_of(image) if digest_of is not None else None

    return listing
