"""Rules that the recordings touch in one direction only: each accepts what is right, and refuses what is one step beside it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.program import tjgen
from tjgen.cluster.validate.cel.program import program
from tjgen.cluster.validate.judge import judge
from tjgen.cluster.validate.processes import diagnostics

SECCOMP = "seccomp.security.alpha.kubernetes.io/pod"
APP_ARMOR = "container.apparmor.security.beta.kubernetes.io/c"
CONTAINER = {"name": "c", "image": "registry.example/c:1"}


def refused(spec: dict[str, Any], annotations: dict[str, str] | None = None) -> list[str]:
    """The fields that the API server refuses in a pod."""
    metadata = {"name": "p", "namespace": "n", "annotations": annotations or {}}
    verdict = judge({"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec})
    return [fault.field for stage in verdict.stages for fault in stage.findings]


@pytest.mark.parametrize(
    ("field", "annotation", "agree"),
    [
        ("Unconfined", "unconfined", True),
        ("Unconfined", "runtime/default", False),
        ("RuntimeDefault", "runtime/default", True),
        ("RuntimeDefault", "docker/default", True),
        ("RuntimeDefault", "unconfined", False),
    ],
)
def test_an_old_annotation_agrees_with_the_seccomp_profile(field: str, annotation: str, agree: bool) -> None:
    spec = {"containers": [CONTAINER], "securityContext": {"seccompProfile": {"type": field}}}
    assert refused(spec, {SECCOMP: annotation}) == ([] if agree else ["spec.securityContext.seccompProfile.type"])


@pytest.mark.parametrize(
    ("field", "annotation", "agree"),
    [
        ("Unconfined", "unconfined", True),
        ("Unconfined", "runtime/default", False),
        ("RuntimeDefault", "runtime/default", True),
        ("RuntimeDefault", "unconfined", False),
    ],
)
def test_an_old_annotation_agrees_with_the_apparmor_profile(field: str, annotation: str, agree: bool) -> None:
    spec = {"containers": [{**CONTAINER, "securityContext": {"appArmorProfile": {"type": field}}}]}
    place = "spec.containers[0].securityContext.appArmorProfile.type"
    assert refused(spec, {APP_ARMOR: annotation}) == ([] if agree else [place])


@pytest.mark.parametrize(("path", "stays"), [("a/b", True), ("..a", True), ("../a", False), ("a/..", False)])
def test_a_variable_is_read_from_a_file_of_its_volume(path: str, stays: bool) -> None:
    source = {"fileKeyRef": {"key": "K", "volumeName": "v", "path": path}}
    spec = {
        "containers": [{**CONTAINER, "env": [{"name": "A", "valueFrom": source}]}],
        "volumes": [{"name": "v", "emptyDir": {}}],
    }
    assert refused(spec) == ([] if stays else ["spec.containers[0].env[0].valueFrom.fileKeyRef.path"])


@pytest.mark.parametrize(
    ("expression", "holds"),
    [
        ('quantity("2").add(1).isInteger()', True),
        ('quantity("1500m").add(1).isInteger()', False),
        ('quantity("2").add(quantity("500m")).isInteger()', False),
        ('quantity("2").sub(1) == quantity("1")', True),
        ('string(1.5) == "1.5"', True),
        ('string(2.0) == "2"', True),
        ('string(2) == "2"', True),
        ('string(false) == "false"', True),
    ],
)
def test_functions_of_the_expression_language(expression: str, holds: bool) -> None:
    assert program(expression).holds({}) is holds


@pytest.mark.parametrize(
    ("api_version", "kind", "path"),
    [
        ("trainer.kubeflow.org/v1alpha1", "TrainJob", "spec.trainer.numProcPerNode"),
        *(
            ("trainer.kubeflow.org/v1alpha1", kind, f"spec.mlPolicy.{policy}.numProcPerNode")
            for kind in ("TrainingRuntime", "ClusterTrainingRuntime")
            for policy in ("flux", "mpi", "torch")
        ),
        ("kubeflow.org/v1", "PyTorchJob", "spec.nprocPerNode"),
        ("kubeflow.org/v2beta1", "MPIJob", "spec.slotsPerWorker"),
    ],
)
@pytest.mark.parametrize(("value", "starts"), [(0, False), ("0", False), (1, True), ("1", True), ("auto", True)])
def test_a_launcher_starts_at_least_one_process(api_version: str, kind: str, path: str, value: Any, starts: bool) -> None:
    tree: Any = value
    for key in reversed(path.split(".")):
        tree = {key: tree}
    found = list(diagnostics({"apiVersion": api_version, "kind": kind, "metadata": {"name": "a"}, **tree}))
    assert [".".join(map(str, one.path or ())) for one in found] == ([] if starts else [path])


GANG = """\
apiVersion: scheduling.volcano.sh/v1beta1
kind: PodGroup
metadata: {name: gang, namespace: one}
spec: {minMember: 2}
---
apiVersion: batch/v1
kind: Job
metadata: {name: first, namespace: one}
spec: {template: {metadata: {annotations: {scheduling.k8s.io/group-name: gang}}, spec: {restartPolicy: Never, containers: [C]}}}
---
apiVersion: batch/v1
kind: Job
metadata: {name: second, namespace: NAMESPACE}
spec: {template: {metadata: {annotations: {scheduling.k8s.io/group-name: gang}}, spec: {restartPolicy: Never, containers: [C]}}}
"""


@pytest.mark.parametrize(("namespace", "complete"), [("one", True), ("two", False)])
def test_only_pods_of_the_same_namespace_join_a_gang(tmp_path: Path, namespace: str, complete: bool) -> None:
    text = GANG.replace("NAMESPACE", namespace).replace("[C]", "[{name: c, image: 'registry.example/c:1'}]")
    (tmp_path / "gang.yaml").write_text(text, encoding="utf-8")
    answer = tjgen(tmp_path, "check", "gang.yaml")
    assert ("minMember is 2, but the gang has 1 pod" in answer.err) is not complete


@pytest.mark.parametrize(
    ("before", "after", "accepted"),
    [("fast", "faster", True), (None, "fast", True), (None, None, True), ("fast", "fast", True), ("fast", None, False)],
)
def test_a_volume_keeps_a_class_of_attributes(before: str | None, after: str | None, accepted: bool) -> None:
    def volume(name: str | None) -> dict[str, Any]:
        spec = {
            "capacity": {"storage": "1Gi"},
            "accessModes": ["ReadWriteOnce"],
            "storageClassName": "disks",
            "csi": {"driver": "csi.example.com", "volumeHandle": "a"},
            **({"volumeAttributesClassName": name} if name else {}),
        }
        return {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "a"}, "spec": spec}

    verdict = judge(volume(after), old=volume(before))
    found = [fault.field for stage in verdict.stages for fault in stage.findings]
    assert found == ([] if accepted else ["spec.volumeAttributesClassName"])
