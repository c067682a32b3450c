"""Edits of each field of the language, on imported experiments of each kind: the objects change, or the build rejects it."""

from __future__ import annotations

from copy import deepcopy

import pytest
import yaml
from pydantic import BaseModel

from tests.tools.importing.test_edits import MORE
from tests.tools.importing.test_folder import KINDS, MPI, RUNTIME
from tests.tools.importing.test_jobs import JOBS, container, jobset, kubeflow, replicas, template, volcano
from tjgen.language.spec.models.container import Probes
from tjgen.language.spec.models.experiment import RunSpec
from tjgen.language.spec.models.pod import Pod
from tjgen.language.spec.models.restart import Cleanup, Restart
from tjgen.language.spec.models.schedule import Schedule
from tjgen.tools.importing.folder import Import, read_folder
from tjgen.tools.importing.trial import TrialBuilder
from tjgen.trees.fields.path import FieldPath, Tree, get, render, with_value
from tjgen.trees.source.writer import dump

NEW = "edited-7"
COUNT = 37
PROBE = {"exec": {"command": [NEW]}, "periodSeconds": 44}
TERMS = [{"matchExpressions": [{"key": NEW, "operator": "Exists"}]}]
AFFINITY = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": TERMS}}}
SPREAD = {"maxSkew": 1, "topologyKey": NEW, "whenUnsatisfiable": "ScheduleAnyway"}
EDITS: dict[FieldPath, Tree] = {
    ("image",): f"registry.example.com/{NEW}:1",
    ("imagePullPolicy",): "Never",
    ("command",): [NEW],
    ("args",): [NEW],
    ("workingDir",): f"/{NEW}",
    ("env", "NEW"): NEW,
    ("envFrom", NEW): {"secret": NEW},
    ("cpu",): "37",
    ("memory",): "77Gi",
    ("ephemeralStorage",): "77Gi",
    ("resources", "example.com/device"): COUNT,
    ("ports", NEW): 7777,
    ("probes", "liveness"): PROBE,
    ("probes", "readiness"): PROBE,
    ("probes", "startup"): PROBE,
    ("gpu",): "h100:4",
    ("containerName",): NEW,
    ("initContainers", NEW): {"command": [NEW]},
    ("sidecars", NEW): {"command": [NEW]},
    ("pod", "labels", "example.com/label"): NEW,
    ("pod", "annotations", "example.com/annotation"): NEW,
    ("pod", "nodeSelector", "example.com/pool"): NEW,
    ("pod", "tolerations"): [{"key": NEW, "operator": "Exists"}],
    ("pod", "affinity"): AFFINITY,
    ("pod", "securityContext"): {"runAsUser": 4444},
    ("pod", "containerSecurityContext"): {"runAsGroup": 4444},
    ("pod", "terminationGracePeriodSeconds"): 444,
    ("pod", "hostNetwork"): True,
    ("pod", "hostIPC"): True,
    ("pod", "dnsPolicy"): "Default",
    ("pod", "schedulerName"): NEW,
    ("pod", "runtimeClassName"): NEW,
    ("pod", "topologySpreadConstraints"): [SPREAD],
    ("pod", "restartPolicy"): "Never",
    ("script",): f"{NEW}.py",
    ("launcher",): NEW,
    ("imagePullSecrets",): [NEW],
    ("serviceAccountName",): NEW,
    ("nodes",): COUNT,
    ("procsPerNode",): 7,
    ("sharedMemory",): "77Gi",
    ("volumes", NEW): {"emptyDir": {}, "mountPath": f"/{NEW}"},
    ("data",): {"path": f"/{NEW}", "files": [f"{COUNT}.bin"]},
    ("checkpoints",): {"pvc": NEW, "mountPath": f"/{NEW}"},
    ("initializer", "dataset"): {"storageUri": f"hf://{NEW}"},
    ("schedule", "system"): "volcano",
    ("schedule", "queue"): NEW,
    ("schedule", "minAvailable"): 1,
    ("schedule", "minResources"): {"cpu": "3"},
    ("schedule", "priorityClassName"): NEW,
    ("schedule", "timeoutSeconds"): 444,
    ("schedule", "networkTopology"): {"mode": "soft", "highestTierAllowed": 3},
    ("schedule", "topology"): {"exclusive": f"example.com/{NEW}"},
    ("deadline",): 4444,
    ("restart", "policy"): "Always",
    ("restart", "limit"): COUNT,
    ("restart", "rules"): {NEW: {"exitCodes": [44], "action": "fail"}},
    ("elastic",): {"min": 1, "max": COUNT},
    ("success",): {"roles": ["node"], "operator": "Any"},
    ("cleanup", "pods"): "All",
    ("cleanup", "ttlSeconds"): 4444,
    ("volcano",): {"maxRetry": COUNT},
    ("runtime",): "tjgen-jax",
}
ELSEWHERE = {
    "roles": "test_edits.py, and the edits of every role below",
    "target": "creates an object of another kind, which the patch does not select",
    "attempt": "names the run, and imported experiments have a fixed name",
    "code": "reads files next to the experiment",
    "patches": "is what is tested",
    "prefetch": "creates objects of its own, not the job",
    "monitor": "creates objects of its own, not the job",
    "rdma": "needs a device class with a network in the Platform",
    "workloadPriority": "needs a Kueue queue",
    "multiKueue": "needs a Kueue queue",
}
"""Fields that the table leaves out, and the reason."""
PARTS: dict[str, type[BaseModel]] = {"pod": Pod, "restart": Restart, "schedule": Schedule, "cleanup": Cleanup, "probes": Probes}

POLICIES = {
    "backoffLimit": 5,
    "cleanPodPolicy": "All",
    "activeDeadlineSeconds": 60,
    "ttlSecondsAfterFinished": 60,
    "schedulingPolicy": {"minAvailable": 2, "queue": "q", "minResources": {"cpu": "2"}},
}
PATCHED = {
    "PyTorchJob with policies and ExitCode": {
        **kubeflow(
            "PyTorchJob",
            "pytorchReplicaSpecs",
            Master={**replicas("pytorch", 1), "restartPolicy": "ExitCode"},
            Worker=replicas("pytorch", 3, livenessProbe={"exec": {"command": ["a"]}}, ports=[{"containerPort": 7}]),
        )
    },
    "Volcano Job with limits of tasks": volcano(
        maxRetry=9,
        ttlSecondsAfterFinished=7,
        policies=[{"events": ["PodFailed", "TaskFailed"], "action": "TerminateJob", "timeout": "10m"}],
        tasks=[
            {"name": "worker", "replicas": 2, "template": {**template("main"), "metadata": {"name": "web"}}, "maxRetry": 2},
        ],
    ),
    "JobSet with policies": jobset(
        {
            "name": "workers",
            "template": {
                "spec": {
                    "backoffLimit": 4,
                    "activeDeadlineSeconds": 9,
                    "template": {"spec": {"containers": [container("main"), container("side")], "restartPolicy": "OnFailure"}},
                }
            },
        },
        failurePolicy={"maxRestarts": 3},
        ttlSecondsAfterFinished=9,
    ),
}
PATCHED["PyTorchJob with policies and ExitCode"]["spec"]["runPolicy"] = POLICIES


def test_every_field_has_an_edit_or_a_reason() -> None:
    models: dict[str, type[BaseModel]] = {"": RunSpec, **PARTS}
    for name, model in models.items():
        edited = {path[1 if name else 0] for path in EDITS if not name or path[0] == name}
        fields = {field.alias or field.serialization_alias or key for key, field in model.model_fields.items()}
        assert fields - edited - ELSEWHERE.keys() == set(), name


def _silent(found: Import) -> list[str]:
    """The edits that neither change the objects nor are rejected."""
    (text,) = found.experiments.values()
    experiment = yaml.safe_load(text)
    spec = experiment["spec"]
    roles: list[FieldPath] = [("roles", role) for role in spec.get("roles") or ()]
    silent = []
    with TrialBuilder(found.catalog, found.release.name) as trial:
        before = trial.build(experiment)
        assert not before.errors
        for path, value in EDITS.items():
            for part in [(), *(roles if path[0] in _OF_ROLES else ())]:
                edited = {**experiment, "spec": with_value(deepcopy(spec), (*part, *path), value)}
                has_gang = spec.get("target") == "volcanojob" or "minAvailable" in spec.get("schedule", {})
                is_default = path == ("schedule", "system") and has_gang
                if is_default or value in (get(spec, (*part, *path), None), get(spec, path, None)):
                    continue
                after = trial.build(edited)
                if not after.errors and dump(list(after.objects)) == dump(list(before.objects)):
                    silent.append(render((*part, *path)))
    return silent


_OF_ROLES = ("image", "command", "args", "env", "memory", "resources", "ports", "probes", "containerName", "pod")


@pytest.mark.parametrize("job", [*JOBS.values(), *MORE.values(), *PATCHED.values()], ids=[*JOBS, *MORE, *PATCHED])
def test_an_edit_of_any_field_takes_effect_or_is_rejected(job: Tree) -> None:
    assert _silent(read_folder("a.yaml", [("a.yaml", yaml.safe_dump(job).encode())])) == []


@pytest.mark.parametrize("job", KINDS.values(), ids=KINDS)
def test_an_edit_of_any_field_of_an_imported_trainjob_takes_effect_or_is_rejected(job: Tree) -> None:
    text = yaml.safe_dump_all([job, RUNTIME, MPI]).encode()
    assert _silent(read_folder("a.yaml", [("a.yaml", text)])) == []
