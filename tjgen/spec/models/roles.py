"""`roles`: one replicated job of the runtime, where it differs from the others."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from tjgen.spec.models.container import Container


class Role(Container):
    """What one replicated job of the runtime (launcher, dataset-initializer ...) does differently."""

    replicas: Annotated[int, Field(ge=0)] | None = None
    """How many pods the role has."""
