"""Amounts that cannot be meant as they are written: the ones that are refused, and the largest and smallest ones that are not."""

from __future__ import annotations

import pytest

from tests.language.resolve.texts import experiment, overlay, runs

REFUSED = {
    "cpu: 96Gi": "TJ180 cpu is 96Gi CPUs, which is more than any node has | write cpu: 96, or memory: 96Gi if memory is meant",
    "cpu: 2000": "TJ180 cpu is 2000 CPUs, which is more than any node has | write 2, or 2000m",
    "cpu: 2500": "TJ180 cpu is 2500 CPUs, which is more than any node has | write 2.5, or 2500m",
    "cpu: {limit: 4000}": "TJ180 cpu.limit is 4000 CPUs, which is more than any node has | write 4, or 4000m",
    "cpu: {request: 1, limit: 8Gi}": "TJ180 cpu.limit is 8Gi CPUs, which is more than any node has"
    " | write limit: 8, or memory: {limit: 8Gi} if memory is meant",
    "memory: 900Ti": "TJ180 memory is 900Ti, which is more than any node has | write 900Gi",
    "memory: 1.5P": "TJ180 memory is 1.5P, which is more than any node has | write 1.5G",
    "memory: 900000000000000": "TJ180 memory is 900000000000000, which is more than any node has"
    " | write the unit that is meant, such as Mi or Gi",
    "memory: {request: 400, limit: 1Gi}": "TJ144 memory.request is 400, which is less than 1 MiB | add the unit: 400Mi or 400Gi",
    "sharedMemory: 64Ti": "TJ180 sharedMemory is 64Ti, which is more than any node has | write 64Gi",
    "ephemeralStorage: 500Pi": "TJ180 ephemeralStorage is 500Pi, which is more than any node has | write 500Ti",
    "roles: {launcher: {cpu: 3000}}": "TJ180 cpu is 3000 CPUs, which is more than any node has | write 3, or 3000m",
    "roles: {launcher: {sidecars: {a: {image: a, memory: 512}}}}": "TJ144 memory is 512, which is less than 1 MiB"
    " | add the unit: 512Mi or 512Gi",
    "initContainers: {a: {image: a, memory: 96Ti}}": "TJ180 memory is 96Ti, which is more than any node has | write 96Gi",
    "initializer: {model: {storageUri: 'hf://a/b', cpu: 4Gi}}": "TJ180 cpu is 4Gi CPUs, which is more than any node has"
    " | write cpu: 4, or memory: 4Gi if memory is meant",
    "resources: {gpus: 8}": 'TJ182 "gpus" is not a resource of Kubernetes | write gpu: 8, next to resources',
    "roles: {launcher: {resources: {cpus: 8}}}": 'TJ182 "cpus" is not a resource of Kubernetes | write cpu: 8, next to resources',
    "deadline: 24": "TJ181 deadline is 24 without a unit, which is 24 seconds | write 24h or 24m, or 24s if seconds are meant",
    "sweep: {matrix: {deadline: [72]}}": "TJ181 deadline is 72 without a unit, which is 72 seconds"
    " | write 72h or 72m, or 72s if seconds are meant",
    "tasks: {a: {deadline: 72}}": "TJ181 deadline is 72 without a unit, which is 72 seconds"
    " | write 72h or 72m, or 72s if seconds are meant",
}
ACCEPTED = (
    "cpu: 1920",
    "cpu: 4000m",
    "cpu: 1k",
    "memory: 32Ti",
    "memory: 1Mi",
    "memory: 0",
    "ephemeralStorage: 2Pi",
    "volumes: {d: {pvc: {create: {size: 100Pi}}, mountPath: /d}}",
    "deadline: 300",
    "deadline: 24s",
    "sweep: {matrix: {deadline: [24s, 24h]}}",
)


@pytest.mark.parametrize(("field", "told"), REFUSED.items(), ids=list(REFUSED))
def test_an_amount_that_cannot_be_meant_is_reported_with_its_spelling(field: str, told: str) -> None:
    (one,) = runs(experiment(f"runtime: a\n{field}")).diagnostics
    assert f"{one.code} {one.message} | {one.hint}" == told
    assert one.span is not None


@pytest.mark.parametrize("field", ACCEPTED)
def test_an_amount_of_a_large_or_small_machine_is_accepted(field: str) -> None:
    assert runs(experiment(f"runtime: a\n{field}")).diagnostics == []


def test_a_deadline_of_an_overlay_is_reported_in_the_overlay() -> None:
    (one,) = runs(experiment("runtime: a"), overlay("quick", "experiment: {deadline: 72}")).diagnostics
    assert one.code == "TJ181"
    assert one.span is not None
    assert one.span.file == "quick.yaml"
