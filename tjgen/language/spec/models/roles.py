"""`roles`: a replicated job of the runtime that differs from the others, or one that the runtime does not have."""

from __future__ import annotations

from tjgen.language.spec.models.container import Container
from tjgen.language.spec.models.identity import Counts
from tjgen.language.spec.models.shape import Whole


class Role(Container):
    """Fields of one replicated job of the runtime, such as launcher, or of a new job with a command of its own."""

    replicas: Counts[Whole | None] = None
    """Number of pods of the role."""
