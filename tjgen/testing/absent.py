"""The fixture where syrupy is not there -> what to do about it."""

from __future__ import annotations

import pytest


@pytest.fixture
def tjgen_snapshot() -> None:
    """Fail, and say what is missing."""
    pytest.fail("tjgen_snapshot needs syrupy: pip install 'tjgen[pytest]' (and do not switch it off)", pytrace=False)
