"""Edits of imported experiments: each changes the job, or the build rejects it. Its patch undoes none silently."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy

import pytest
import yaml

from tests.tools.importing.test_folder import KINDS, MPI, RUNTIME
from tests.tools.importing.test_jobs import JOBS, container, kubeflow, replicas, template, volcano
from tjgen.tools.importing.folder import Import, read_folder
from tjgen.tools.importing.trial import TrialBuilder
from tjgen.trees.fields.path import Tree
from tjgen.trees.source.writer import dump

EDITED = "edited-7"
COUNT = 37
AMOUNT = "77Gi"

FIELD_API = {"name": "NODE", "valueFrom": {"fieldRef": {"apiVersion": "v1", "fieldPath": "spec.nodeName"}}}
"""A variable that the language has no form for."""
VARIABLES = [{"name": "LR", "value": "0.1"}, FIELD_API]
MORE = {
    "PyTorchJob with a variable in a patch": kubeflow(
        "PyTorchJob", "pytorchReplicaSpecs", Master=replicas("pytorch", 1, env=VARIABLES), Worker=replicas("pytorch", 3)
    ),
    "TFJob with parameter servers that have resources": kubeflow(
        "TFJob",
        "tfReplicaSpecs",
        Chief=replicas("tensorflow", 1, resources={"limits": {"memory": "1Gi"}}),
        PS=replicas("tensorflow", 2, resources={"limits": {"memory": "1Gi"}}),
    ),
    "Volcano Job with a variable in a patch": volcano(
        tasks=[{"name": "worker", "replicas": 2, "template": template("main", env=VARIABLES)}]
    ),
    "Volcano Job with two containers": volcano(
        tasks=[
            {
                "name": "worker",
                "replicas": 2,
                "template": {"spec": {"containers": [container("main", args=["--a"]), container("side", env=VARIABLES)]}},
            }
        ]
    ),
}


def _scopes(spec: Tree) -> Iterator[tuple[str, Tree]]:
    """The parts of an experiment that have fields of a container."""
    yield "", spec
    yield from (spec.get("roles") or {}).items()


def _edits(experiment: Tree) -> Iterator[tuple[str, Tree, str]]:
    """Experiments with one edit, and the text that the objects must contain."""
    for role, fields in _scopes(experiment["spec"]):
        changes: list[tuple[str, Tree, str]] = [
            ("image", f"registry.example.com/{EDITED}:1", EDITED),
            ("env", {**(fields.get("env") or {}), "NEW": EDITED}, EDITED),
            *(("env", {**fields["env"], name: EDITED}, EDITED) for name in fields.get("env") or ()),
            *(("env", {**(fields.get("env") or {}), name: EDITED}, EDITED) for name in ("LR", "NODE")),
            ("args", [*(fields.get("args") or []), EDITED], EDITED),
            ("memory", AMOUNT, AMOUNT),
            ("resources", {"example.com/device": COUNT}, str(COUNT)),
        ]
        if role or not experiment["spec"].get("roles"):
            changes.append(("replicas" if role else "nodes", COUNT, str(COUNT)))
        for field, value, text in changes:
            edited = deepcopy(experiment)
            part = edited["spec"]["roles"][role] if role else edited["spec"]
            part[field] = value
            yield f"{role}.{field}" if role else field, edited, text
    edited = deepcopy(experiment)
    edited["spec"].setdefault("volumes", {})[EDITED] = {"emptyDir": {}, "mountPath": f"/{EDITED}"}
    yield "volumes", edited, EDITED


def _silent(found: Import, kind: str) -> tuple[list[str], list[str]]:
    """The edits that have no effect on the objects, and those that have one."""
    (text,) = found.experiments.values()
    silent: list[str] = []
    effective: list[str] = []
    with TrialBuilder(found.catalog, found.release.name) as trial:
        assert not trial.build(yaml.safe_load(text)).errors
        for name, edited, expected in _edits(yaml.safe_load(text)):
            result = trial.build(edited)
            if not result.errors:
                (silent if expected not in dump(result.of_kind(kind)) else effective).append(name)
    return silent, effective


@pytest.mark.parametrize("job", [*JOBS.values(), *MORE.values()], ids=[*JOBS, *MORE])
def test_an_edit_of_an_imported_job_takes_effect_or_is_rejected(job: Tree) -> None:
    silent, effective = _silent(read_folder("a.yaml", [("a.yaml", yaml.safe_dump(job).encode())]), job["kind"])
    assert silent == []
    assert "image" in effective
    assert ({"env", "args"} <= set(effective)) or job in MORE.values()


@pytest.mark.parametrize("job", KINDS.values(), ids=KINDS)
def test_an_edit_of_an_imported_trainjob_takes_effect_or_is_rejected(job: Tree) -> None:
    text = yaml.safe_dump_all([job, RUNTIME, MPI]).encode()
    silent, effective = _silent(read_folder("a.yaml", [("a.yaml", text)]), "TrainJob")
    assert silent == []
    assert "nodes" in effective


def test_the_error_names_the_field_and_the_place_in_the_patch() -> None:
    job = kubeflow("JAXJob", "jaxReplicaSpecs", Worker=replicas("jax", 2, env=VARIABLES))
    found = read_folder("a.yaml", [("a.yaml", yaml.safe_dump(job).encode())])
    (text,) = found.experiments.values()
    experiment = yaml.safe_load(text)
    experiment["spec"]["env"] = {"NODE": EDITED}
    with TrialBuilder(found.catalog, found.release.name) as trial:
        errors = trial.build(experiment).errors
    assert [(error.code, error.path) for error in errors] == [("TJ749", ("spec", "env", "NODE"))]
    assert "env[name=NODE]" in errors[0].message
    assert "patches.as-it-was" in (errors[0].hint or "")


RENAMED = {
    "apiVersion": "jobset.x-k8s.io/v1alpha2",
    "kind": "JobSet",
    "metadata": {"name": "renamed", "namespace": "nlp"},
    "spec": {
        "replicatedJobs": [
            {
                "name": "workers",
                "template": {
                    "spec": {
                        "parallelism": 2,
                        "completions": 2,
                        "template": {"spec": {"restartPolicy": "Never", "containers": [container("main")]}},
                    }
                },
            }
        ]
    },
}


@pytest.mark.parametrize(
    "pod",
    [{"nodeSelector": {"pool": EDITED}}, {"tolerations": [{"key": EDITED, "operator": "Exists"}]}, {"labels": {"team": EDITED}}],
    ids=["nodeSelector", "tolerations", "labels"],
)
def test_a_field_of_pods_takes_effect_in_a_job_that_the_patch_renames(pod: Tree) -> None:
    found = read_folder("a.yaml", [("a.yaml", yaml.safe_dump(RENAMED).encode())])
    (text,) = found.experiments.values()
    experiment = yaml.safe_load(text)
    assert "patches" in experiment["spec"]
    experiment["spec"]["pod"] = {**(experiment["spec"].get("pod") or {}), **pod}
    with TrialBuilder(found.catalog, found.release.name) as trial:
        result = trial.build(experiment)
    assert result.errors == []
    (job,) = result.of_kind("JobSet")
    assert job["spec"]["replicatedJobs"][0]["name"] == "workers"
    assert EDITED in dump(job)


def test_the_name_of_a_container_that_a_patch_changes_is_rejected() -> None:
    tasks = [{"name": "worker", "replicas": 2, "template": template("main")}]
    found = read_folder("a.yaml", [("a.yaml", yaml.safe_dump(volcano(tasks=tasks)).encode())])
    experiment = yaml.safe_load(next(iter(found.experiments.values())))
    place = "/spec/tasks/0/template/spec/containers/0/name"
    operations = [{"op": "replace", "path": place, "value": "other"}]
    experiment["spec"]["containerName"] = EDITED
    experiment["spec"]["patches"] = {"rename": {"target": "Job", "force": False, "json": operations}}
    with TrialBuilder(found.catalog, found.release.name) as trial:
        errors = trial.build(experiment).errors
    assert [(error.code, error.path) for error in errors] == [("TJ749", ("spec", "containerName"))]
