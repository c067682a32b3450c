"""`roles`: one replicated job of the runtime, where it differs from the others."""

from __future__ import annotations

from tjgen.language.spec.models.container import Container
from tjgen.language.spec.models.identity import Counts
from tjgen.language.spec.models.shape import Whole


class Role(Container):
    """What one replicated job of the runtime (launcher, dataset-initializer ...) does differently."""

    replicas: Counts[Whole | None] = None
    """How many pods the role has."""
