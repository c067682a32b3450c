"""The interpreters that run the scripts of prefetches."""

from __future__ import annotations

import pytest

from tests.compiler.programs.prefetching.cluster import SHELLS, required


@pytest.fixture(params=SHELLS)
def shell(request: pytest.FixtureRequest) -> list[str]:
    return required(request.param)
