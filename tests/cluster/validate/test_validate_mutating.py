"""The verdict on new JobSets, against the recorded verdict of the real API server with JobSet's webhooks in front of it.

The mutating webhook writes the object in the form that Go prints, so some objects that the schema rejects are valid by then.
"""

from __future__ import annotations

from typing import Any

import pytest

import tjgen
from tests.cluster.validate.corpus import recorded


@pytest.mark.parametrize("case", recorded("jobset_creates"), ids=lambda case: case["id"])
def test_a_new_jobset_is_judged_as_its_webhooks_leave_it(case: dict[str, Any]) -> None:
    verdict = tjgen.admit(case["manifest"])
    assert verdict.allowed is case["allowed"]
    words = [error.detail for error in verdict.errors]
    if verdict.stage == "webhook":
        assert words == case["errors"]
    else:
        assert [error for error in case["errors"] if not any(error.endswith(detail) for detail in words)] == []


def test_without_webhooks_the_object_is_judged_as_it_was_sent() -> None:
    cases = {case["id"]: case for case in recorded("jobset_creates")}
    assert tjgen.admit(cases["rule-noname"]["manifest"]).allowed
    assert not tjgen.admit(cases["rule-noname"]["manifest"], webhooks=False).allowed
