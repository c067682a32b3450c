"""What is said of Jobs and Pods that controllers would make of accepted objects."""

from __future__ import annotations

from tjgen.cluster.validate.check import check
from tjgen.trees.diagnostics.model import ERROR, INFO

JOBSET = """\
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {name: a}
spec:
  replicatedJobs:
  - name: w
    template:
      spec:
        template:
          spec:
            containers:
            - {name: c, image: i, resources: {requests: {nvidia.com/gpu: 8}}}
"""
RUNTIME = """\
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainingRuntime
metadata: {name: r, namespace: ml}
spec:
  mlPolicy: {numNodes: 1}
  template:
    spec:
      replicatedJobs:
      - name: node
        template:
          metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}
          spec:
            template:
              spec:
                containers:
                - {name: node, volumeMounts: [{name: data, mountPath: /data}]}
                - {name: log, image: i, resources: {requests: {nvidia.com/gpu: 1}}}
"""
VOLCANO_JOB = """\
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {name: a}
spec:
  minAvailable: 1
  plugins: {PLUGIN: []}
  tasks:
  - name: worker
    replicas: 1
    template: {spec: {restartPolicy: Never, containers: [{name: c, image: i}]}}
  - name: master
    replicas: 1
    template:
      spec:
        restartPolicy: Never
        hostNetwork: true
        containers:
        - {name: c, image: i, volumeMounts: []}
        - {name: d, image: i}
"""


def found(text: str) -> list[tuple[str, str, int | None]]:
    return [(one.code, one.severity, one.span.line if one.span else None) for one in check(text, "f.yaml")]


def test_a_job_that_cannot_be_made_is_reported_at_its_place() -> None:
    assert found(JOBSET) == [("TJ511", ERROR, 12)]
    assert found(JOBSET.replace("requests", "limits")) == []


def test_what_a_runtime_leaves_to_the_trainjob_is_not_missed() -> None:
    assert found(RUNTIME) == [("TJ511", ERROR, 17)]


def test_claims_of_a_jobset_bring_their_volumes() -> None:
    mount = JOBSET.replace("resources: {requests: {nvidia.com/gpu: 8}}", "volumeMounts: [{name: data, mountPath: /data}]")
    assert [one[0] for one in found(mount)] == ["TJ511"]
    claim = "{metadata: {name: data}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}"
    assert found(mount + f"  volumeClaimPolicies:\n  - {{templates: [{claim}]}}\n") == []


def test_a_mark_for_a_value_that_a_controller_makes_up_is_no_error() -> None:
    secret = "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\ntype: kubernetes.io/ssh-auth\ndata: {ssh-privatekey: <random>}\n"
    assert found(secret) == [("TJ512", INFO, 5)]
    assert [one[0] for one in found(secret.replace("<random>", "<secret>"))] == ["TJ501"]


def test_a_port_that_a_plugin_adds_to_two_containers_of_the_host_network_is_a_duplicate() -> None:
    (finding,) = [one for one in check(VOLCANO_JOB.replace("PLUGIN", "mpi"), "f.yaml") if one.code == "TJ511"]
    assert finding.span and finding.span.line == 19
    assert "containers[1].ports[0].hostPort" in finding.message
    assert finding.hint == "a plugin of the Job adds this field: change what it conflicts with, or remove the plugin"
    own_network = VOLCANO_JOB.replace("PLUGIN", "mpi").replace("hostNetwork: true", "hostNetwork: false")
    for text in (VOLCANO_JOB.replace("PLUGIN", "env"), own_network):
        assert "TJ511" not in [code for code, _, _ in found(text)]


def test_a_mount_at_the_place_of_a_plugin_is_a_duplicate() -> None:
    mount = "volumeMounts: [{name: own, mountPath: /etc/volcano}]"
    text = VOLCANO_JOB.replace("PLUGIN", "svc").replace("volumeMounts: []", mount)
    text = text.replace("containers:\n", "volumes: [{name: own, emptyDir: {}}]\n        containers:\n")
    assert [one[:2] for one in found(text)] == [("TJ511", ERROR)]
    assert found(text.replace("/etc/volcano", "/etc/own")) == []
