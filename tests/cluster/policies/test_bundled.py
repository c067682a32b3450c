"""The bundled policies give the verdicts and the words of a real API server, as recorded (see record_bundled.py)."""

from __future__ import annotations

import json
import lzma

import pytest

from tests.checkout import list_entries
from tests.cluster.policies import bundled
from tests.cluster.policies.record_bundled import PARAMETERS, POLICIES, RECORDED
from tjgen.cluster.policies.documents import policies_of, read
from tjgen.cluster.policies.evaluation import decide, first_denial
from tjgen.cluster.policies.matching import AdmissionRequest
from tjgen.cluster.policies.stored import stored

ANSWERS: dict[str, list[str]] = json.loads(lzma.decompress(RECORDED.read_bytes()))


def test_every_bundled_policy_is_recorded_with_both_verdicts() -> None:
    assert {*ANSWERS} == {file.stem for file in list_entries(POLICIES, "*.yaml")} - {PARAMETERS.removesuffix(".yaml")}
    assert [name for name, answers in ANSWERS.items() if "" not in answers] == []
    assert [name for name, answers in ANSWERS.items() if not any(answers)] == []


@pytest.mark.parametrize("name", ANSWERS)
def test_a_policy_refuses_what_the_server_refuses(name: str) -> None:
    known, wrong = read([(file, (POLICIES / file).read_bytes()) for file in (f"{name}.yaml", PARAMETERS)])
    policies, unbound = policies_of(known)
    assert [*wrong, *unbound] == []
    answers = []
    for tree in bundled.objects():
        held = stored(tree)
        assert held is not None
        decisions, gaps = decide(policies, AdmissionRequest(held))
        assert gaps == []
        denial = first_denial(decisions)
        answers.append(denial.message if denial is not None else "")
    assert answers == ANSWERS[name]
