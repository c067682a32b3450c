"""The fixture without syrupy -> how to install it."""

from __future__ import annotations

import pytest


@pytest.fixture
def tjgen_snapshot() -> None:
    """Fail, and report the missing package."""
    pytest.fail("tjgen_snapshot needs syrupy: pip install 'tjgen[pytest]' (and do not switch it off)", pytrace=False)
