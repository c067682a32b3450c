"""The interpreters that run the scripts of prefetches."""

from __future__ import annotations

import pytest

from tests.compiler.programs.prefetching.cluster import SHELLS, interpreter


@pytest.fixture(params=SHELLS)
def shell(request: pytest.FixtureRequest) -> list[str]:
    found = interpreter(request.param)
    if found is None:
        pytest.skip(f"{request.param} is not installed")
    return found
