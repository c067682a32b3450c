"""Jobs of other kinds than TrainJob, as experiments: what is built is what was there, and it is short."""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
import yaml

from bench.imports import ratio
from tests.checkout import ROOT
from tests.program import tjgen
from tjgen.cluster.kinds.protocol import Kind
from tjgen.cluster.kinds.table import kinds
from tjgen.tools.importing.folder import Import, read_folder
from tjgen.tools.importing.kinds import importer

IMAGE = "registry.example.com/nlp/bert:7"


def container(name: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "image": IMAGE, "command": ["python", "train.py"], **more}


def template(name: str, pod: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    return {"spec": {"containers": [container(name, **more)], **(pod or {})}}


def kubeflow(kind: str, field: str, version: str = "v1", **types: Any) -> dict[str, Any]:
    meta = {"name": "bert-7", "namespace": "nlp", "labels": {"team": "nlp"}}
    return {"apiVersion": f"kubeflow.org/{version}", "kind": kind, "metadata": meta, "spec": {field: types}}


def replicas(name: str, count: int, **more: Any) -> dict[str, Any]:
    return {"replicas": count, "restartPolicy": "OnFailure", "template": template(name, **more)}


def _less(tree: dict[str, Any], field: str) -> dict[str, Any]:
    return {key: value for key, value in tree.items() if key != field}


def volcano(**spec: Any) -> dict[str, Any]:
    task = {"name": "worker", "replicas": 2, "template": template("main", {"restartPolicy": "Never"})}
    meta = {"name": "bert-7", "namespace": "nlp"}
    whole = {"queue": "ai", "tasks": [task], **spec}
    return {"apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job", "metadata": meta, "spec": whole}


def jobset(*jobs: Any, **spec: Any) -> dict[str, Any]:
    meta = {"name": "bert-7", "namespace": "nlp"}
    return {
        "apiVersion": "jobset.x-k8s.io/v1alpha2",
        "kind": "JobSet",
        "metadata": meta,
        "spec": {"replicatedJobs": list(jobs), **spec},
    }


def replicated(name: str, **job: Any) -> dict[str, Any]:
    return {"name": name, "template": {"spec": {"template": template("main", {"restartPolicy": "Never"}), **job}}}


def elastic(**policy: Any) -> dict[str, Any]:
    job = kubeflow("PyTorchJob", "pytorchReplicaSpecs", Worker=replicas("pytorch", 3))
    return {**job, "spec": {**job["spec"], "elasticPolicy": policy}}


GPU = {"limits": {"nvidia.com/gpu": 8, "memory": "1.5Gi"}, "requests": {"nvidia.com/gpu": 8, "memory": "1536Mi"}}
JOBS = {
    "PyTorchJob": kubeflow(
        "PyTorchJob",
        "pytorchReplicaSpecs",
        Master=replicas("pytorch", 1, resources=GPU),
        Worker=replicas("pytorch", 3, resources=GPU, env=[{"name": "LR", "value": "0.1"}]),
    ),
    "PyTorchJob of workers": kubeflow("PyTorchJob", "pytorchReplicaSpecs", Worker=replicas("pytorch", 3, resources=GPU)),
    "PyTorchJob of one worker": kubeflow("PyTorchJob", "pytorchReplicaSpecs", Worker=replicas("pytorch", 1)),
    "elastic PyTorchJob": elastic(minReplicas=2, maxReplicas=4, rdzvBackend="c10d"),
    "elastic PyTorchJob without bounds": elastic(rdzvBackend="c10d"),
    "TFJob": kubeflow("TFJob", "tfReplicaSpecs", Chief=replicas("tensorflow", 1), PS=replicas("tensorflow", 2)),
    "XGBoostJob": kubeflow("XGBoostJob", "xgbReplicaSpecs", Master=replicas("xgboost", 1), Worker=replicas("xgboost", 2)),
    "JAXJob": kubeflow("JAXJob", "jaxReplicaSpecs", Worker=replicas("jax", 2)),
    "PaddleJob": kubeflow("PaddleJob", "paddleReplicaSpecs", Worker=replicas("paddle", 4, resources=GPU)),
    "PaddleJob with servers": kubeflow(
        "PaddleJob", "paddleReplicaSpecs", Master=replicas("paddle", 2), Worker=replicas("paddle", 4)
    ),
    "JAXJob without a number": kubeflow("JAXJob", "jaxReplicaSpecs", Worker=_less(replicas("jax", 1), "replicas")),
    "MPIJob": kubeflow("MPIJob", "mpiReplicaSpecs", "v2beta1", Launcher=replicas("mpi", 1), Worker=replicas("mpi", 2)),
    "MPIJob whose launcher has no number": kubeflow(
        "MPIJob", "mpiReplicaSpecs", "v2beta1", Launcher=_less(replicas("mpi", 1), "replicas"), Worker=replicas("mpi", 2)
    ),
    "Volcano Job": volcano(),
    "Volcano Job with policies": volcano(
        minAvailable=2, plugins={"ssh": [], "svc": []}, policies=[{"event": "PodFailed", "action": "RestartJob", "timeout": "5m"}]
    ),
    "JobSet": jobset(replicated("workers", parallelism=4, completions=4, backoffLimit=0), network={"subdomain": "ring"}),
    "JobSet of two": jobset(replicated("driver"), replicated("workers", parallelism=2, completions=2)),
    "suspended JobSet": jobset(replicated("node"), suspend=True),
}


def read(*trees: Any) -> Import:
    return read_folder("jobs.yaml", [("jobs.yaml", yaml.safe_dump_all(trees).encode())])


def spec(found: Import) -> dict[str, Any]:
    (text,) = found.experiments.values()
    result: dict[str, Any] = yaml.safe_load(text)["spec"]
    return result


@pytest.mark.parametrize("job", JOBS.values(), ids=JOBS)
def test_what_is_built_is_what_was_there(job: dict[str, Any], tmp_path: Path) -> None:
    found = read(job)
    assert [one.message for one in found.diagnostics if one.code != "TJ950"] == []
    (text,) = found.experiments.values()
    (tmp_path / "experiment.yaml").write_text(text, encoding="utf-8")
    answer = tjgen(tmp_path, "build", "experiment.yaml")
    assert answer.code == 0
    (built,) = [tree for tree in yaml.safe_load_all(answer.out) if tree["kind"] == job["kind"]]
    module = importer(job)
    assert module is not None
    mine, theirs = _places(module.filled(built)["spec"]), _places(module.filled(job)["spec"])
    assert {path: value for path, value in mine.items() if theirs.get(path) != value} == {}
    assert {path: value for path, value in theirs.items() if mine.get(path) != value} == {}


def _places(tree: Any, path: str = "") -> dict[str, str]:
    """The leaves by their places, numbers as texts, and quantities by their amount."""
    if isinstance(tree, dict):
        items = [(f"{path}.{key}", value) for key, value in tree.items()]
    elif isinstance(tree, list):
        items = [(f"{path}[{position}]", value) for position, value in enumerate(tree)]
    else:
        return {path: {"1.5Gi": "1536Mi"}.get(str(tree), str(tree))}
    return {place: leaf for below, value in items for place, leaf in _places(value, below).items()}


def test_words_of_the_language_say_what_they_can() -> None:
    said = spec(read(JOBS["PyTorchJob"]))
    assert said["image"] == IMAGE
    assert said["command"] == ["python", "train.py"]
    assert said["gpu"] == {"class": "nvidia.com/gpu", "count": 8, "requests": True}
    assert said["roles"]["worker"] == {"replicas": 3, "env": {"LR": "0.1"}}
    assert said["roles"]["master"] == {"replicas": 1}


def test_a_pytorchjob_without_master_needs_no_patch() -> None:
    imported = spec(read(JOBS["PyTorchJob of workers"]))
    assert imported["roles"] == {"master": {"replicas": 0}, "worker": {"replicas": 3}}
    assert "patches" not in imported


def test_a_field_that_the_operator_does_not_read_is_left_out() -> None:
    job = kubeflow("PaddleJob", "paddleReplicaSpecs", Worker=replicas("paddle", 2))
    found = read({**job, "spec": {**job["spec"], "elasticPolicy": {"minReplicas": 1, "maxReplicas": 4}}})
    assert [one.code for one in found.diagnostics] == ["TJ421", *(one.code for one in read(job).diagnostics)]
    assert spec(found) == spec(read(job))


@pytest.mark.parametrize(
    ("types", "why"),
    [
        ({"Worker": replicas("mpi", 2)}, "must have Launcher replica spec"),
        ({"Launcher": replicas("mpi", 1), "Worker": _less(replicas("mpi", 1), "replicas")}, "must be greater than or equal to 1"),
    ],
)
def test_a_job_that_its_operator_refuses_is_left_out_with_that_reason(types: dict[str, Any], why: str) -> None:
    found = read(kubeflow("MPIJob", "mpiReplicaSpecs", "v2beta1", **types))
    (problem,) = found.diagnostics
    assert (problem.code, why in problem.message) == ("TJ775", True)


def test_further_jobs_of_a_jobset_are_roles() -> None:
    evaluator = replicated("evaluator", parallelism=2, completions=2)
    evaluator["template"]["spec"]["template"]["spec"]["containers"][0]["resources"] = {"limits": {"nvidia.com/gpu": 1}}
    assert spec(read(jobset(replicated("node"), evaluator)))["roles"] == {
        "evaluator": {"command": ["python", "train.py"], "gpu": "nvidia.com/gpu:1", "replicas": 2}
    }


def test_one_note_names_what_only_a_patch_covers_with_the_line_of_the_first() -> None:
    text = "apiVersion: jobset.x-k8s.io/v1alpha2\nkind: JobSet\nmetadata: {name: a}\nspec:\n  network: {subdomain: ring}\n"
    text += "  replicatedJobs: [" + json.dumps(replicated("node")) + "]\n"
    (note,) = [one for one in read_folder("a.yaml", [("a.yaml", text.encode())]).diagnostics if one.code == "TJ950"]
    assert "/spec/network/subdomain" in note.message
    assert note.span is not None
    assert note.span.line == 5


AS_FIELDS = {
    "a limit of devices": ({"resources": {"limits": {"nvidia.com/gpu": 1}}}, "gpu", "nvidia.com/gpu:1"),
    "a limit of devices of another vendor": ({"resources": {"limits": {"habana.ai/gaudi": "8"}}}, "gpu", "habana.ai/gaudi:8"),
    "devices in requests, too": (
        {"resources": {"requests": {"amd.com/gpu": 2}, "limits": {"amd.com/gpu": 2}}},
        "gpu",
        {"class": "amd.com/gpu", "count": 2, "requests": True},
    ),
    "devices next to those of a network": (
        {"resources": {"limits": {"nvidia.com/gpu": 8, "rdma/ib": 1}}},
        "resources",
        {"rdma/ib": {"limit": 1}},
    ),
    "devices of two kinds": (
        {"resources": {"limits": {"nvidia.com/gpu": 1, "nvidia.com/mig-1g.5gb": 1}}},
        "resources",
        {"nvidia.com/gpu": {"limit": 1}, "nvidia.com/mig-1g.5gb": {"limit": 1}},
    ),
    "requests alone": ({"resources": {"requests": {"cpu": "4"}}}, "cpu", {"request": "4"}),
    "a request below its limit": (
        {"resources": {"requests": {"memory": "1Gi"}, "limits": {"memory": "2Gi"}}},
        "memory",
        {"request": "1Gi", "limit": "2Gi"},
    ),
    "ports": (
        {"ports": [{"containerPort": 22, "name": "ssh"}, {"containerPort": 7, "name": "rpc", "protocol": "UDP"}]},
        "ports",
        {"ssh": 22, "rpc": {"port": 7, "protocol": "UDP"}},
    ),
    "when images are pulled": ({"imagePullPolicy": "Always"}, "imagePullPolicy", "Always"),
    "a probe": (
        {"livenessProbe": {"exec": {"command": ["check"]}}},
        "probes",
        {"liveness": {"exec": {"command": ["check"]}}},
    ),
}


@pytest.mark.parametrize(("container_fields", "field", "value"), AS_FIELDS.values(), ids=AS_FIELDS)
def test_fields_of_a_container_become_fields_of_the_experiment(container_fields: Any, field: str, value: Any) -> None:
    task = {"name": "worker", "replicas": 2, "template": template("main", {"restartPolicy": "OnFailure"}, **container_fields)}
    policies = [{"event": "PodEvicted", "action": "RestartPod"}, {"event": "PodFailed", "action": "RestartPod"}]
    imported = spec(read(volcano(tasks=[task], plugins={"svc": []}, policies=policies, maxRetry=9)))
    assert imported[field] == value
    assert imported["containerName"] == "main"
    assert imported["pod"] == {"restartPolicy": "OnFailure"}
    assert "patches" not in imported


@pytest.mark.parametrize(
    "name", ["PyTorchJob of one worker", "TFJob", "XGBoostJob", "JAXJob", "MPIJob", "Volcano Job", "JobSet of two"]
)
def test_a_limit_of_devices_is_gpu_in_each_kind(name: str) -> None:
    text = json.dumps(JOBS[name]).replace('"image":', '"resources": {"limits": {"nvidia.com/gpu": 8}}, "image":')
    found = read(yaml.safe_load(text))
    imported = spec(found)
    assert [one.message for one in found.diagnostics if one.code == "TJ774"] == []
    assert [one.get("gpu") for one in (imported, *imported["roles"].values())].count("nvidia.com/gpu:8") > 0
    assert "limit" not in json.dumps({**imported, "restart": None})


def test_an_mpijob_of_different_containers_without_policies_needs_no_patch() -> None:
    launcher = {"replicas": 1, "template": template("launcher", env=[{"name": "A", "value": "1"}])}
    worker = {"replicas": 2, "template": template("worker", resources={"limits": {"nvidia.com/gpu": 1}})}
    found = read(kubeflow("MPIJob", "mpiReplicaSpecs", "v2beta1", Launcher=launcher, Worker=worker))
    assert found.diagnostics == []
    imported = spec(found)
    assert "patches" not in imported
    assert imported["roles"] == {
        "launcher": {"replicas": 1, "containerName": "launcher", "env": {"A": "1"}, "pod": {"restartPolicy": "OnFailure"}},
        "worker": {"replicas": 2, "containerName": "worker", "gpu": "nvidia.com/gpu:1"},
    }


@pytest.mark.parametrize(
    ("implementation", "patches"), [({}, False), ({"mpiImplementation": "Intel"}, True)], ids=["Open MPI", "Intel MPI"]
)
def test_an_mpijob_with_variables_is_built_with_those_that_processes_lack(implementation: dict[str, str], patches: bool) -> None:
    variables = [{"name": "A", "value": "1"}, {"name": "B", "value": "2"}]
    launcher = {"replicas": 1, "template": template("launcher", command=["mpirun", "train"], env=variables[:1])}
    worker = {"replicas": 2, "template": template("worker", env=variables)}
    job = kubeflow("MPIJob", "mpiReplicaSpecs", "v2beta1", Launcher=launcher, Worker=worker)
    job["spec"] |= implementation
    found = read(job)
    [different] = [one.message for one in found.diagnostics if one.code == "TJ774"]
    names = "B" if implementation else "A, B"
    assert different.endswith(f"mpirun also gives {names} to the processes on workers")
    imported = spec(found)
    assert (imported["env"], imported["roles"]["worker"]["env"]) == ({"A": "1"}, {"B": "2"})
    assert imported["roles"]["launcher"]["command"] == ["mpirun", "train"]
    assert ("patches" in imported) == patches


NEXT_TO_THE_PROGRAM = {
    "containers": [
        container("main", volumeMounts=[{"name": "data", "mountPath": "/data"}]),
        {"name": "logs", "image": "registry.example.com/logs:1", "volumeMounts": [{"name": "data", "mountPath": "/in"}]},
    ],
    "initContainers": [
        {"name": "wait", "image": "registry.example.com/wait:1", "command": ["wait"]},
        {"name": "fetch", "image": "registry.example.com/fetch:1", "resources": {"limits": {"nvidia.com/gpu": 1}}},
        {"name": "proxy", "image": "registry.example.com/proxy:1", "restartPolicy": "Always"},
    ],
    "volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": "corpus"}}],
    "restartPolicy": "OnFailure",
}


@pytest.mark.parametrize("kind", ["PyTorchJob", "Volcano Job", "JobSet"])
def test_containers_next_to_the_program_are_fields(kind: str) -> None:
    pods = json.loads(json.dumps(NEXT_TO_THE_PROGRAM).replace('"main"', '"pytorch"' if kind == "PyTorchJob" else '"main"'))
    pod = {"spec": pods}
    jobs = {
        "PyTorchJob": kubeflow(
            "PyTorchJob", "pytorchReplicaSpecs", Master={"replicas": 1, "restartPolicy": "OnFailure", "template": pod}
        ),
        "Volcano Job": volcano(tasks=[{"name": "worker", "replicas": 2, "template": pod}]),
        "JobSet": jobset({"name": "node", "template": {"spec": {"template": pod}}}),
    }
    found = read(jobs[kind])
    assert [one.message for one in found.diagnostics if one.code == "TJ774"] == []
    imported = spec(found)
    assert imported["sidecars"] == {
        "logs": {"native": False, "image": "registry.example.com/logs:1", "mounts": {"data": "/in"}},
        "proxy": {"image": "registry.example.com/proxy:1"},
    }
    assert imported["initContainers"] == {
        "wait": {"image": "registry.example.com/wait:1", "command": ["wait"]},
        "fetch": {
            "image": "registry.example.com/fetch:1",
            "resources": {"nvidia.com/gpu": {"limit": 1}},
            "after": ["wait"],
        },
    }
    assert "Containers" not in json.dumps(imported.get("patches"))


@pytest.mark.parametrize("more", [{}, {"subPath": "train"}], ids=["alone", "with a folder"])
def test_a_mount_that_alone_is_read_only_is_a_field(more: Any) -> None:
    mount = {"name": "data", "mountPath": "/data", "readOnly": True, **more}
    job = kubeflow("PyTorchJob", "pytorchReplicaSpecs", Master=replicas("pytorch", 1, volumeMounts=[mount]))
    pod = job["spec"]["pytorchReplicaSpecs"]["Master"]["template"]["spec"]
    pod["volumes"] = [{"name": "data", "persistentVolumeClaim": {"claimName": "corpus"}}]
    said = spec(read(job))
    assert "patches" not in said
    assert said["volumes"] == {"data": {"pvc": "corpus", "mounts": {"/data": {"readOnly": True, **more}}}}


@pytest.mark.parametrize("name", ["PyTorchJob", "TFJob", "PaddleJob", "PaddleJob with servers", "Volcano Job with policies"])
def test_an_experiment_is_shorter_than_its_job(name: str) -> None:
    measured = ratio(JOBS[name])
    assert measured is not None
    assert measured <= 0.6


def test_a_task_without_a_name_gets_that_of_the_webhook() -> None:
    task = {"replicas": 1, "template": template("main", {"restartPolicy": "Never"})}
    found = read(volcano(tasks=[task]))
    assert {one.code for one in found.diagnostics} <= {"TJ950"}
    assert list(spec(found)["roles"]) == ["default0"]


def test_without_a_namespace_it_goes_where_kubectl_puts_it() -> None:
    found = read({**JOBS["JAXJob"], "metadata": {"name": "a"}})
    assert [one for one in found.diagnostics if one.code == "TJ774"] == []


@pytest.mark.parametrize(
    ("kind", "version", "served"),
    [
        ("JobSet", "jobset.x-k8s.io/v1", "jobset.x-k8s.io/v1alpha2"),
        ("TrainJob", "trainer.kubeflow.org/v2", "trainer.kubeflow.org/v1alpha1"),
    ],
)
def test_a_version_that_no_release_serves_is_left_out(kind: str, version: str, served: str) -> None:
    found = read({"apiVersion": version, "kind": kind, "metadata": {"name": "a", "namespace": "ml"}, "spec": {}})
    [one] = found.diagnostics
    assert (one.code, one.hint) == ("TJ775", f"write apiVersion: {served}, and import again")
    assert f"no supported release serves {version}" in one.message


def test_a_leaderworkerset_never_ends_and_is_left_out() -> None:
    template = {"spec": {"containers": [{"name": "a", "image": "registry.example/a:1"}]}}
    spec = {"leaderWorkerTemplate": {"size": 2, "workerTemplate": template}}
    metadata = {"name": "a", "namespace": "ml"}
    found = read({"apiVersion": "leaderworkerset.x-k8s.io/v1", "kind": "LeaderWorkerSet", "metadata": metadata, "spec": spec})
    [one] = found.diagnostics
    assert (one.code, one.hint) == ("TJ775", "use target: jobset, whose jobs end, and roles for the leader and the workers")
    assert "never ends" in one.message


def test_an_mpijob_of_v1_becomes_the_next_and_what_is_different_is_told() -> None:
    job = kubeflow("MPIJob", "mpiReplicaSpecs", Launcher=replicas("mpi", 1), Worker=replicas("mpi", 2))
    job["spec"] |= {"cleanPodPolicy": "All", "mainContainer": "mpi", "slotsPerWorker": 4}
    found = read(job)
    assert [one.message.partition(": ")[2][:30] for one in found.diagnostics if one.code == "TJ774"] == [
        "it becomes an MPIJob of kubefl",
        "kubeflow.org/v2beta1 has no ma",
    ]
    said = spec(found)
    assert (said["target"], said["cleanup"], said["procsPerNode"]) == ("mpijob", {"pods": "All"}, 4)
    assert {role: one["replicas"] for role, one in said["roles"].items()} == {"launcher": 1, "worker": 2}


def test_a_job_that_would_be_refused_is_left_out_with_the_reason() -> None:
    found = read(kubeflow("PyTorchJob", "pytorchReplicaSpecs", Master=replicas("other", 1)))
    assert found.experiments == {}
    assert [one.code for one in found.diagnostics] == ["TJ775"]
    assert "pytorch" in found.diagnostics[0].message


def test_the_labels_of_a_build_are_not_said_again() -> None:
    job = {**JOBS["JAXJob"], "metadata": {"name": "a", "labels": {"tjgen.dev/experiment": "b", "team": "c"}}}
    (text,) = read(job).experiments.values()
    assert yaml.safe_load(text)["metadata"] == {"name": "a", "labels": {"team": "c"}}


@pytest.mark.parametrize("name", ["pytorchjob", "tfjob", "volcano"])
def test_an_example_comes_back_without_a_patch(name: str) -> None:
    answer = tjgen(ROOT, "build", f"examples/{name}.yaml")
    found = read_folder("built.yaml", [("built.yaml", answer.out.encode())])
    assert {one.code for one in found.diagnostics} <= {"TJ772"}
    assert "patches" not in spec(found)


def test_the_command_writes_a_folder_and_nothing_over(tmp_path: Path) -> None:
    (tmp_path / "job.yaml").write_text(yaml.safe_dump(JOBS["JAXJob"]), encoding="utf-8")
    first = tjgen(tmp_path, "import", "job.yaml", "-o", "out")
    assert (first.code, first.out) == (0, "")
    assert (tmp_path / "out" / "nlp" / "bert-7.yaml").is_file()
    second = tjgen(tmp_path, "import", "job.yaml", "-o", "out")
    assert second.code == 1
    assert "TJ408" in second.err


def test_a_trainjob_comes_with_its_runtime(tmp_path: Path) -> None:
    runtime = yaml.safe_load((ROOT / "runtimes" / "tjgen-torch.yaml").read_text(encoding="utf-8"))
    runtime["metadata"] = {"name": "house"}
    job = {
        "apiVersion": "trainer.kubeflow.org/v1alpha1",
        "kind": "TrainJob",
        "metadata": {"name": "bert-7", "namespace": "nlp"},
        "spec": {"runtimeRef": {"name": "house"}, "trainer": {"image": IMAGE}},
    }
    (tmp_path / "job.yaml").write_text(yaml.safe_dump_all([job, runtime]), encoding="utf-8")
    shown = tjgen(tmp_path, "import", "job.yaml")
    assert (shown.code, yaml.safe_load(shown.out)["spec"]["runtime"]) == (0, "house")
    assert "not written: house.yaml; with -o DIR, DIR/catalog contains them" in shown.err
    written = tjgen(tmp_path, "import", "job.yaml", "-o", "out")
    project = "{apiVersion: tjgen.dev/v1alpha1, kind: Project, spec: {catalogs: [out/catalog]}}"
    steps = f"write {project} to tjgen.yaml"
    assert written.err.startswith(f"out/catalog contains the runtimes: {steps}, then run tjgen build out/nlp\n")
    assert (tmp_path / "out" / "catalog" / "house.yaml").is_file()
    unlisted = tjgen(tmp_path, "build", "out/nlp/bert-7.yaml")
    assert (unlisted.code, f"hint: out/catalog contains it: {steps}\n" in unlisted.err) == (1, True)
    (tmp_path / "tjgen.yaml").write_text(project, encoding="utf-8")
    for path in ("out/nlp", "out"):
        built = tjgen(tmp_path, "build", path)
        assert (built.code, built.err, yaml.safe_load(built.out)["spec"]["runtimeRef"]["name"]) == (0, "", "house")


@pytest.mark.parametrize(
    ("listed", "step"),
    [("[]", "add out/catalog to catalogs in tjgen.yaml, then run"), ("[out/catalog]", "run"), ("[out]", "run")],
    ids=["not listed", "listed", "below a listed folder"],
)
def test_an_import_names_what_builds_it_in_a_project(listed: str, step: str, tmp_path: Path) -> None:
    project = f"{{apiVersion: tjgen.dev/v1alpha1, kind: Project, spec: {{catalogs: {listed}}}}}"
    (tmp_path / "tjgen.yaml").write_text(project, encoding="utf-8")
    job = {
        "apiVersion": "trainer.kubeflow.org/v1alpha1",
        "kind": "TrainJob",
        "metadata": {"name": "bert-7", "namespace": "nlp"},
        "spec": {"runtimeRef": {"name": "torch-distributed"}, "trainer": {"image": IMAGE}},
    }
    (tmp_path / "job.yaml").write_text(yaml.safe_dump(job), encoding="utf-8")
    written = tjgen(tmp_path, "import", "job.yaml", "-o", "out")
    assert written.err.startswith(f"out/catalog contains the runtimes: {step} tjgen build out/nlp\n")


IMPORTED = [kind for kind in kinds() if importer({"apiVersion": kind.api_version, "kind": kind.name}) is not None]


@pytest.mark.parametrize("kind", IMPORTED, ids=lambda kind: kind.name)
@pytest.mark.parametrize(
    "spec", [None, [], "x", {}, {"replicatedJobs": 1}, {"tasks": [1]}, {"pytorchReplicaSpecs": {"Master": 1}}]
)
def test_what_is_no_job_is_refused_in_words(kind: Kind, spec: Any) -> None:
    found = read({"apiVersion": kind.api_version, "kind": kind.name, "metadata": {"name": "a"}, "spec": spec})
    assert found.diagnostics
    assert {one.code for one in found.diagnostics} <= {"TJ775", "TJ774", "TJ950"}


def test_a_restart_policy_that_the_operator_overwrites_is_not_kept(tmp_path: Path) -> None:
    job = kubeflow("TFJob", "tfReplicaSpecs", Worker=replicas("tensorflow", 2))
    job["spec"]["tfReplicaSpecs"]["Worker"]["template"]["spec"]["restartPolicy"] = "Always"
    (tmp_path / "job.yaml").write_text(yaml.safe_dump(job), encoding="utf-8")
    answer = tjgen(tmp_path, "import", "job.yaml")
    assert answer.code == 0
    assert "warning[TJ336]" in answer.err
    spec = yaml.safe_load(answer.out)["spec"]
    assert spec["restart"]["policy"] == "OnFailure"
    assert "patches" not in spec


@pytest.mark.parametrize("name", ["PyTorchJob", "TFJob", "JobSet", "Volcano Job"])
def test_the_labels_of_a_queue_of_kueue_become_fields(name: str) -> None:
    job = json.loads(json.dumps(JOBS[name]))
    labels = {"kueue.x-k8s.io/queue-name": "team", "kueue.x-k8s.io/priority-class": "high"}
    job["metadata"]["labels"] = {"a": "b", **labels}
    found = read_folder("a.yaml", [("a.yaml", yaml.safe_dump(job).encode())])
    (text,) = found.experiments.values()
    experiment = yaml.safe_load(text)
    (built,) = [tree for tree in found.imported[0].objects if tree["kind"] == job["kind"]]
    assert {**built["metadata"]["labels"], **job["metadata"]["labels"]} == built["metadata"]["labels"]
    if name == "Volcano Job":  # its own queue is in the way
        assert experiment["metadata"]["labels"] == job["metadata"]["labels"]
        return
    assert experiment["metadata"]["labels"] == {"a": "b"}
    assert experiment["spec"]["schedule"] == {"system": "kueue", "queue": "team", "workloadPriority": "high"}


def _suspended(name: str) -> dict[str, Any]:
    job = deepcopy(JOBS[name])
    job["metadata"]["labels"] = {"kueue.x-k8s.io/queue-name": "team"}
    policy = job["spec"].setdefault("runPolicy", {}) if "ReplicaSpecs" in str(job["spec"].keys()) else job["spec"]
    policy["suspend"] = True
    return job


@pytest.mark.parametrize("name", ["JobSet", "PyTorchJob", "TFJob", "JAXJob"])
def test_kueue_suspends_a_job_itself(name: str, tmp_path: Path) -> None:
    found = read(_suspended(name))
    assert [one.code for one in found.diagnostics if one.code != "TJ950"] == ["TJ400"]
    (note,) = [one for one in found.diagnostics if one.code == "TJ400"]
    assert (note.severity, "so suspend: true is left out" in note.message) == ("info", True)
    imported = spec(found)
    assert imported["schedule"] == {"system": "kueue", "queue": "team"}
    assert "state" not in imported
    (text,) = found.experiments.values()
    (tmp_path / "experiment.yaml").write_text(text, encoding="utf-8")
    answer = tjgen(tmp_path, "build", "experiment.yaml")
    assert answer.code == 0
    assert "suspend:" not in answer.out
    assert "kueue.x-k8s.io/queue-name: team" in answer.out


def test_a_suspended_job_without_a_queue_stays_suspended() -> None:
    found = read(JOBS["suspended JobSet"])
    assert spec(found)["state"] == "suspended"
    assert "TJ400" not in [one.code for one in found.diagnostics]
