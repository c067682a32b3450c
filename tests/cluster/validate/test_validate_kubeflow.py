"""What the webhooks of the Training Operator and the MPI Operator's validation say, against the operators' own code."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.cluster.validate.corpus import recorded
from tjgen.cluster.validate import admission, unmakeable
from tjgen.cluster.validate.fault import Fault
from tjgen.cluster.validate.judge import judge
from tjgen.cluster.validate.webhooks import mpi_operator

CASES = recorded("kubeflow")


def sorted_values(detail: str) -> str:
    """Upstream lists some supported values in the random order of a set."""
    head, found, values = detail.partition("supported values: ")
    return head + found + ", ".join(sorted(values.split(", ")))


def errors(faults: tuple[Fault, ...]) -> list[tuple[str, str, str]]:
    return sorted((fault.type, fault.field, sorted_values(fault.detail)) for fault in faults)


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_the_answer_is_the_operators(case: dict[str, Any]) -> None:
    manifest = case["manifest"]
    assert judge(manifest).allowed
    warnings: list[str] = []
    if manifest["apiVersion"] == "kubeflow.org/v2beta1":
        found = tuple(mpi_operator.faults(manifest))
    else:
        answer = admission.review(manifest, old=case.get("old"))
        found, warnings = answer.errors, list(answer.warnings)
    wanted = sorted((one["type"], one["field"], sorted_values(one["detail"])) for one in case["errors"])
    assert errors(found) == wanted
    assert warnings == case.get("warnings", [])


def test_both_answers_are_recorded_for_each_kind() -> None:
    kinds = {(case["manifest"]["kind"], bool(case["errors"])) for case in CASES}
    assert kinds >= {(kind, bad) for kind in ("PyTorchJob", "TFJob", "XGBoostJob", "JAXJob", "MPIJob") for bad in (True, False)}


def test_what_the_mpi_operator_leaves_alone_the_server_takes() -> None:
    [case] = [one for one in CASES if one["id"] == "mpijob-replicas-Worker2"]
    assert not admission.review(case["manifest"]).errors
    [found] = list(unmakeable.diagnostics(case["manifest"]))
    assert (found.code, found.path) == ("TJ427", ("spec", "mpiReplicaSpecs", "Launcher"))
    assert re.search("operator would leave the job alone", found.message)
