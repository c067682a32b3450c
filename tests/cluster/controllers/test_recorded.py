"""Objects of real controllers, recorded on a cluster by `python -m tests.e2e.pods --record`, against those of `create`.

Each line of the recording is one object that a controller follows, the names of all objects that the controller created from it,
and a sample of these objects.
"""

from __future__ import annotations

import json
import lzma
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.differences import differences, key_of, normalized, without_order
from tjgen.cluster.controllers.creation import create

RECORDED: list[Any] = json.loads(lzma.decompress(Path(__file__).with_name("recorded.json.xz").read_bytes()))


def name_of(recorded: Any) -> str:
    source = recorded["source"]
    return f"{source['kind']} {source['metadata']['name']}"


@pytest.mark.parametrize("recorded", RECORDED, ids=name_of)
def test_objects_are_those_of_the_controller(recorded: Any) -> None:
    every = [series.build(ordinal) for series in create(recorded["source"]) for ordinal in range(series.number)]
    found = {key_of(one): one for one in map(normalized, every)}
    assert sorted(found) == sorted(tuple(key) for key in recorded["names"])
    for one in recorded["created"]:
        assert list(differences(found[key_of(one)], without_order(one))) == []


def test_all_controllers_are_recorded() -> None:
    kinds = {(one["source"]["apiVersion"].partition("/")[0], one["source"]["kind"]) for one in RECORDED}
    operators = {("kubeflow.org", kind) for kind in ("PyTorchJob", "TFJob", "MPIJob", "XGBoostJob", "JAXJob", "PaddleJob")}
    assert kinds == {("jobset.x-k8s.io", "JobSet"), ("batch", "Job"), ("batch.volcano.sh", "Job"), *operators}
    assert sum(len(one["names"]) for one in RECORDED) >= 700
