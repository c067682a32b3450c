"""What compiles the next run of a build: `compile_run`, or in a large build `Stamps`, which does similar work once."""

from __future__ import annotations

import os
from collections.abc import Callable

from tjgen.compiler.building.run import DigestOf
from tjgen.compiler.hops.draft import Job
from tjgen.compiler.pipeline import Compiled, compile_run

SEVERAL = 24
"""Runs that are compiled before the build looks for runs that are alike."""
STAMPS = "TJGEN_STAMPS"
"""Variable of the environment: `off` compiles every run."""

Compiler = Callable[[Job], Compiled]


class Compilers:
    """The compilers of one build."""

    __slots__ = ("_compile", "_runs")

    def __init__(self) -> None:
        self._compile: Compiler = compile_run
        self._runs = 0

    def next(self) -> Compiler:
        """What compiles the next run."""
        self._runs += 1
        if self._runs == SEVERAL and os.environ.get(STAMPS) != "off":
            from tjgen.compiler.building.stamps import Stamps  # most builds are small

            self._compile = Stamps().compile
        return self._compile


def listing(digest_of: DigestOf | None, images: dict[str, None]) -> DigestOf:
    """The same digests; every image is added to `images`."""

    def listing(image: str) -> str | None:
        images[image] = None
        return digest_of(image) if digest_of is not None else None

    return listing
