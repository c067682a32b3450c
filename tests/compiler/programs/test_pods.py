"""The pods of programs that run next to a run: what Pod Security restricted and a read-only root file system ask of them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.program import tjgen

PROJECT = {"apiVersion": "tjgen.dev/v1alpha1", "kind": "Project", "spec": {"platforms": ["platform.yaml"]}}
GIT = {"repository": "https://git.example.com/train.git", "commit": "5f1d1c4f2f5d3c0f6a7b8c9d0e1f2a3b4c5d6e7f"}
SPEC: dict[str, Any] = {
    "runtime": "tjgen-torch",
    "image": "registry.example.com/train:1",
    "script": "train.py",
    "volumes": {
        "data": {"pvc": "data", "mountPath": "/data", "readOnly": True},
        "out": {"pvc": {"create": {"size": "10Gi", "storageClassName": "shared"}}, "mountPath": "/out"},
    },
    "prefetch": {"volume": "data", "source": "s3://sets/one"},
    "code": {"git": GIT},
    "checkpoints": {"volume": "out", "keep": {"last": 2}, "backup": {"schedule": "0 3 * * *"}},
}
RESTRICTED = {
    "containerSecurityContext": {
        "allowPrivilegeEscalation": False,
        "capabilities": {"drop": ["ALL"]},
        "runAsNonRoot": True,
        "seccompProfile": {"type": "RuntimeDefault"},
    }
}
PROGRAMS = {"prefetch", "cleaner", "backup"}


def built(folder: Path, security: str | None, *, platform: dict[str, Any] | None = None, **change: Any) -> list[dict[str, Any]]:
    """The objects of an experiment with every program that runs on the data of a run."""
    described = {
        "apiVersion": "tjgen.dev/v1alpha1",
        "kind": "Platform",
        "metadata": {"name": "lab"},
        "spec": {**(platform or {}), **({"podSecurity": {"*": security}} if security is not None else {})},
    }
    experiment = {
        "apiVersion": "tjgen.dev/v1alpha1",
        "kind": "Experiment",
        "metadata": {"name": "all", "namespace": "team"},
        "spec": {**SPEC, **change},
    }
    for name, document in (("tjgen.yaml", PROJECT), ("platform.yaml", described), ("experiment.yaml", experiment)):
        (folder / name).write_text(json.dumps(document))
    answer = tjgen(folder, "build", "--expanded", "experiment.yaml")
    assert answer.code == 0, answer.err
    return [*yaml.safe_load_all(answer.out), *yaml.safe_load_all(tjgen(folder, "build", "experiment.yaml").out)]


def programs(objects: list[dict[str, Any]]) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """The spec of the Job and the template of the pod of each program."""
    for one in objects:
        if one["kind"] in ("Job", "CronJob"):
            job = one["spec"] if one["kind"] == "Job" else one["spec"]["jobTemplate"]["spec"]
            if "jobset.sigs.k8s.io/jobset-name" not in job["template"]["metadata"]["labels"]:
                yield job, job["template"]


def containers(pod: dict[str, Any]) -> list[dict[str, Any]]:
    return [*pod.get("initContainers", ()), *pod["containers"]]


def lacks(pod: dict[str, Any], container: dict[str, Any]) -> list[str]:
    """What Pod Security restricted misses, and a read-only root with a folder for temporary files."""
    whole, own = pod.get("securityContext", {}), container.get("securityContext", {})
    effective = {**{key: whole[key] for key in ("runAsNonRoot", "runAsUser", "seccompProfile") if key in whole}, **own}
    checks = {
        "allowPrivilegeEscalation": own.get("allowPrivilegeEscalation") is False,
        "capabilities": own.get("capabilities") == {"drop": ["ALL"]},
        "runAsNonRoot": effective.get("runAsNonRoot") is True,
        "runAsUser": effective.get("runAsUser", 0) != 0,
        "seccompProfile": effective.get("seccompProfile") == {"type": "RuntimeDefault"},
        "readOnlyRootFilesystem": own.get("readOnlyRootFilesystem") is True,
        "/tmp": any(mount["mountPath"] == "/tmp" for mount in container.get("volumeMounts", ())),
        "resources": set(container.get("resources", {})) == {"requests", "limits"},
    }
    return [name for name, holds in checks.items() if not holds]


@pytest.mark.parametrize(
    ("security", "pod"),
    [("restricted", RESTRICTED), (None, {"securityContext": {"runAsUser": 1000, "runAsGroup": 1000, "fsGroup": 2000}})],
    ids=["the namespace is restricted", "the run has a user"],
)
def test_pods_meet_restricted_with_a_read_only_root(tmp_path: Path, security: str | None, pod: dict[str, Any]) -> None:
    found = list(programs(built(tmp_path, security, pod=pod)))
    assert {template["metadata"]["labels"]["tjgen.dev/program"] for _, template in found} == PROGRAMS
    for job, template in found:
        assert job["activeDeadlineSeconds"] > 0
        is_backup = template["metadata"]["labels"]["tjgen.dev/program"] == "backup"
        assert template["spec"].get("automountServiceAccountToken", True) is is_backup
        for container in containers(template["spec"]):
            assert lacks(template["spec"], container) == [], container["name"]


def test_programs_use_the_user_of_the_run(tmp_path: Path) -> None:
    user = {"runAsUser": 1000, "runAsGroup": 1000, "fsGroup": 2000, "supplementalGroups": [3000]}
    objects = built(tmp_path, None, pod={"securityContext": user, "containerSecurityContext": {"runAsUser": 1001}})
    for _, template in programs(objects):
        context = template["spec"]["securityContext"]
        if template["metadata"]["labels"]["tjgen.dev/program"] == "backup":
            assert context["runAsUser"] == 65534
        else:
            assert context.items() >= {**user, "runAsUser": 1001, "fsGroupChangePolicy": "OnRootMismatch"}.items()


def test_a_program_on_files_of_root_has_only_the_capabilities_for_them(tmp_path: Path) -> None:
    found = [
        container["securityContext"]["capabilities"]
        for _, template in programs(built(tmp_path, None))
        if template["metadata"]["labels"]["tjgen.dev/program"] != "backup"
        for container in containers(template["spec"])
    ]
    assert found == [{"drop": ["ALL"], "add": ["CHOWN", "DAC_OVERRIDE", "FOWNER"]}] * 2


@pytest.mark.parametrize("pod", [RESTRICTED, {"securityContext": {"runAsUser": 1000}, **RESTRICTED}])
def test_containers_of_ours_in_a_pod_of_the_run_meet_restricted_too(tmp_path: Path, pod: dict[str, Any]) -> None:
    jobset = next(one for one in built(tmp_path, "restricted", pod=pod) if one["kind"] == "JobSet")
    spec = jobset["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]["spec"]
    assert [one["name"] for one in spec["initContainers"]] == ["tjgen-wait", "tjgen-code"]
    for container in spec["initContainers"]:
        assert lacks(spec, container) == [], container["name"]


@pytest.mark.parametrize(
    ("source", "egress"),
    [({"volume": "archive"}, None), ("s3://sets/one", [{}])],
    ids=["a copy between volumes reaches nothing", "a store is anywhere"],
)
def test_a_policy_opens_what_the_program_reaches(tmp_path: Path, source: Any, egress: Any) -> None:
    volumes = {**SPEC["volumes"], "archive": {"pvc": "archive", "mountPath": "/archive"}}
    objects = built(
        tmp_path, None, platform={"programs": {"networkPolicies": {}}},
        prefetch={"volume": "data", "source": source}, volumes=volumes,
    )  # fmt: skip
    found = {one["metadata"]["name"]: one["spec"] for one in objects if one["kind"] == "NetworkPolicy"}
    assert set(found) == {f"all-{program}" for program in PROGRAMS}
    assert found["all-prefetch"].get("egress") == egress
    for spec in found.values():
        assert spec["policyTypes"] == ["Ingress", "Egress"] and "ingress" not in spec
        selected = spec["podSelector"]["matchLabels"].items()
        assert any(selected <= template["metadata"]["labels"].items() for _, template in programs(objects))


def test_without_a_word_of_the_platform_there_are_no_policies(tmp_path: Path) -> None:
    assert not [one for one in built(tmp_path, None) if one["kind"] == "NetworkPolicy"]
