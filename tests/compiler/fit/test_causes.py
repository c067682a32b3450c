"""The hint of TJ581 names what keeps a run from its queue of Kueue."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.compiler.fit.test_fit import write
from tests.program import tjgen

SPEC = """\
  nodePools: {h100: {count: 4, resources: {cpu: 64, memory: 512Gi}, labels: {gpu: h100}}}
  flavors: {h100: {nodeLabels: {gpu: h100}%s}}
  queues: {vision: {create: {kueue: {namespaces: [vision], flavors: [{name: h100, quota: {%s}}]}}}}
"""
TAINT = ", nodeTaints: [{key: team, value: vision, effect: NoSchedule}]"


@pytest.mark.parametrize(
    ("flavor", "quota", "fields", "hint"),
    [
        pytest.param(
            TAINT,
            "cpu: 64, memory: 1Ti",
            "",
            "pod: {tolerations: [{key: team, operator: Equal, value: vision, effect: NoSchedule}]}",
            id="a taint",
        ),
        pytest.param("", "cpu: 64", "", "add memory to the quota of a flavor of queue vision", id="a resource without quota"),
        pytest.param("", "cpu: 64, memory: 1Ti", ", pod: {nodeSelector: {gpu: a100}}", "select gpu: h100", id="other nodes"),
        pytest.param("", "cpu: 64, memory: 1Gi", "", "request less, or change the quota", id="a small quota"),
    ],
)
def test_the_hint_names_the_cause(tmp_path: Path, flavor: str, quota: str, fields: str, hint: str) -> None:
    write(tmp_path, SPEC % (flavor, quota), a=f"cpu: 8, memory: 64Gi{fields}, schedule: {{system: kueue, queue: vision}}")
    answer = tjgen(tmp_path, "fit")
    found = answer.err.partition("error[TJ581]")[2].partition("  hint: ")[2].partition("\n")[0]
    assert hint in found, answer.err
