"""What is said of built-in kinds beyond the server's words: places in the manifest, hints, texts that Go reads."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from tests.cluster.validate.corpus import recorded
from tjgen.cluster.schema import store
from tjgen.cluster.validate.builtin.gotext import atoi, parse_duration
from tjgen.cluster.validate.builtin.kinds import _CHECKS
from tjgen.cluster.validate.fault import Fault
from tjgen.cluster.validate.judge import judge

POD = {"containers": [{"name": "c", "image": "i"}]}
JOB_POD = {**POD, "restartPolicy": "Never"}


def findings(api_version: str, kind: str, name: str = "a", **rest: Any) -> list[Fault]:
    verdict = judge({"apiVersion": api_version, "kind": kind, "metadata": {"name": name}, **rest})
    assert verdict.checked
    return list(verdict.findings)


def stateful_set(pod: dict[str, Any], *claims: str) -> dict[str, Any]:
    spec = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
    return {
        "selector": {"matchLabels": {"a": "b"}},
        "template": {"metadata": {"labels": {"a": "b"}}, "spec": pod},
        "volumeClaimTemplates": [{"metadata": {"name": name}, "spec": spec} for name in claims],
    }


@pytest.mark.parametrize("kind", sorted(_CHECKS))
def test_every_kind_with_checks_has_a_schema_and_recorded_verdicts(kind: str) -> None:
    api_version, _, name = kind.rpartition("/")
    assert store.is_built_in(api_version, name)
    found = [case for case in recorded("built_in") if case["manifest"]["kind"] == name]
    assert [case for case in found if case["allowed"]]
    assert [case for case in found if case.get("stage") == "validation"]


def test_a_name_too_long_for_the_labels_of_a_job_is_said_once_and_at_the_name() -> None:
    found = findings("batch/v1", "Job", "a" * 64, spec={"template": {"spec": JOB_POD}})
    assert [fault.path for fault in found] == [("metadata", "name")]


def test_labels_that_a_job_takes_over_from_its_template_are_said_once() -> None:
    found = findings("batch/v1", "Job", spec={"template": {"metadata": {"labels": {"a": "-"}}, "spec": JOB_POD}})
    assert [fault.path for fault in found] == [("spec", "template", "metadata", "labels", "a")]


def test_a_job_that_the_server_fails_at_is_refused() -> None:
    spec = {
        "parallelism": 1,
        "completionMode": "Indexed",
        "successPolicy": {"rules": [{"succeededCount": 1}]},
        "template": {"spec": JOB_POD},
    }
    verdict = judge({"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "a"}, "spec": spec})
    assert (verdict.allowed, verdict.stage) == (False, "panic")
    assert [error.type for error in verdict.errors] == ["InternalError"]
    assert ("spec", "completions") in [fault.path for fault in verdict.findings]


def test_volumes_of_a_stateful_set_are_counted_as_they_are_written() -> None:
    volumes = [{"name": "data", "emptyDir": {}}, {"name": "Bad", "emptyDir": {}}]
    found = findings("apps/v1", "StatefulSet", spec=stateful_set({**POD, "volumes": volumes}, "data"))
    assert [(fault.field, fault.path) for fault in found] == [
        ("spec.template.spec.volumes[1].name", ("spec", "template", "spec", "volumes", 1, "name"))
    ]
    found = findings("apps/v1", "StatefulSet", spec=stateful_set({**POD, "volumes": volumes[1:]}, "data"))
    assert [(fault.field, fault.path) for fault in found] == [
        ("spec.template.spec.volumes[1].name", ("spec", "template", "spec", "volumes", 0, "name"))
    ]


def test_a_budget_that_is_wrong_is_not_asked_for_its_name() -> None:
    verdict = judge({"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "spec": {"minAvailable": -1}})
    assert [error.field for error in verdict.errors] == ["spec.minAvailable"]
    assert [fault.field for fault in verdict.findings] == ["spec.minAvailable", "metadata.name"]


def test_a_config_map_may_not_be_too_large() -> None:
    assert findings("v1", "ConfigMap", data={"a": "x" * 2**20}) == []
    assert [fault.path for fault in findings("v1", "ConfigMap", data={"a": "x" * 2**20, "b": "ä"})] == [("data",)]


@pytest.mark.parametrize(
    ("expression", "good"),
    [
        ("device.driver == 'x'", True),
        ("device.attributes['x'].?model.orValue('') == 'h100'", True),
        ("cel.bind(d, device, d.driver == 'x')", True),
        ("device.", False),
        ("devices.driver == 'x'", False),
        ("'x'", False),
    ],
)
def test_expressions_about_devices(expression: str, good: bool) -> None:
    found = findings("resource.k8s.io/v1", "DeviceClass", spec={"selectors": [{"cel": {"expression": expression}}]})
    assert [fault.path[-1] for fault in found] == ([] if good else ["expression"])


@pytest.mark.parametrize(("zone", "good"), [("Europe/Berlin", True), ("UTC", True), ("Europe/Atlantis", False), ("Local", False)])
def test_time_zones(zone: str, good: bool) -> None:
    spec = {"schedule": "0 3 * * *", "timeZone": zone, "jobTemplate": {"spec": {"template": {"spec": JOB_POD}}}}
    assert bool(findings("batch/v1", "CronJob", spec=spec)) != good


@pytest.mark.parametrize("text", ["0", "+5", "-9223372036854775808", "007"])
def test_numbers_as_go_reads_them(text: str) -> None:
    assert atoi(text) == int(text)


@pytest.mark.parametrize("text", ["", "+", "1_0", " 1", "٣", "0x1", "9223372036854775808"])
def test_what_go_does_not_read_as_a_number(text: str) -> None:
    with pytest.raises(ValueError, match=r"strconv\.Atoi: parsing"):
        atoi(text)


@pytest.mark.parametrize("text", ["0", "-0", "1h30m", ".5s", "1.s", "-9223372036854775808ns", "1µs"])
def test_durations_as_go_reads_them(text: str) -> None:
    parse_duration(text)


@pytest.mark.parametrize("text", ["", "-", "1", "h", "1x", ".s", "9223372036854775808ns", "1h-1m", "1..5s"])
def test_what_go_does_not_read_as_a_duration(text: str) -> None:
    with pytest.raises(ValueError, match="time: "):
        parse_duration(text)


def test_checking_a_config_map_does_not_load_what_is_known_of_pods() -> None:
    program = (
        "import sys; from tjgen.cluster.validate.judge import judge; "
        "judge({'apiVersion': 'v1', 'kind': 'ConfigMap', 'metadata': {'name': 'a'}}); "
        "print([name for name in sys.modules if name.startswith('tjgen.cluster.validate.builtin.')])"
    )
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "['tjgen.cluster.validate.builtin.kinds', 'tjgen.cluster.validate.builtin.contents']"
