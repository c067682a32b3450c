"""Manifests that were written by hand, as experiments: what is built is what was there."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from bench.imports import ratio
from tests.checkout import ROOT
from tests.program import Answer, tjgen
from tjgen.cluster.releases import TRAINER_RELEASES, TrainerRelease
from tjgen.cluster.schema.store import runtimes_of_trainer
from tjgen.cluster.trainer.framework import expand
from tjgen.cluster.trainer.release import chosen
from tjgen.cluster.validate import report
from tjgen.cluster.validate.judge import judge
from tjgen.tools.importing.folder import Import, read_folder
from tjgen.tools.importing.trial import TrialBuilder
from tjgen.trees.fields.path import get

RUNTIME = yaml.safe_load((ROOT / "runtimes" / "tjgen-torch.yaml").read_text(encoding="utf-8"))
RUNTIME["metadata"] = {"name": "house", "uid": "1", "labels": {"team": "platform"}}
MPI = yaml.safe_load((ROOT / "runtimes" / "tjgen-mpi.yaml").read_text(encoding="utf-8"))
MPI["metadata"] = {"name": "mpi"}
PATCH = {
    "manager": "example.com/ours",
    "trainingRuntimeSpec": {
        "template": {
            "spec": {
                "replicatedJobs": [
                    {"name": "node", "template": {"spec": {"template": {"spec": {"nodeSelector": {"zone": "a"}}}}}}
                ]
            }
        }
    },
}


def trainjob(**spec: Any) -> dict[str, Any]:
    """A TrainJob; what is said goes into its spec, or into the trainer."""
    whole = {"runtimeRef": {"name": "house"}, "trainer": {"image": "registry.example.com/nlp/bert:7"}, **spec}
    return {
        "apiVersion": "trainer.kubeflow.org/v1alpha1",
        "kind": "TrainJob",
        "metadata": {"name": "bert-7", "namespace": "nlp", "labels": {"team": "nlp"}},
        "spec": whole,
    }


def read(*trees: Any) -> Import:
    return read_folder("manifests", [("manifests/all.yaml", yaml.safe_dump_all(trees).encode())])


def trainer(**fields: Any) -> dict[str, Any]:
    return trainjob(trainer={"image": "registry.example.com/nlp/bert:7", **fields})


KINDS = {
    "the least": trainjob(),
    "no trainer": trainjob(trainer={"numNodes": 1}),
    "a program": trainer(command=["torchrun", "a.py"], args=["--lr", "0.1", ""]),
    "nodes and processes": trainer(numNodes=4, numProcPerNode=2),
    "variables": trainer(
        env=[
            {"name": "A", "value": "1"},
            {"name": "EMPTY"},
            {"name": "S", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k", "optional": True}}},
            {"name": "C", "valueFrom": {"configMapKeyRef": {"name": "c", "key": "C"}}},
            {"name": "F", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}},
            {"name": "R", "valueFrom": {"resourceFieldRef": {"resource": "limits.memory", "divisor": "1Mi"}}},
            {"name": "Z", "value": "$(A)"},
        ]
    ),
    "a variable that no experiment can say": trainer(
        env=[{"name": "F", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name", "apiVersion": "v1"}}}]
    ),
    "variables in another order than they refer": trainer(env=[{"name": "A", "value": "$(B)"}, {"name": "B", "value": "1"}]),
    "resources": trainer(
        resourcesPerNode={"requests": {"cpu": 8, "memory": "1.5Gi"}, "limits": {"cpu": 8, "memory": "1.5Gi", "nvidia.com/gpu": 8}}
    ),
    "requests below limits": trainer(resourcesPerNode={"requests": {"cpu": 1}, "limits": {"cpu": 2}}),
    "patches of the runtime": trainjob(runtimePatches=[PATCH]),
    "suspended, with a deadline": trainjob(suspend=True, activeDeadlineSeconds=3600),
    "not suspended": trainjob(suspend=False),
    "nulls": {**trainjob(suspend=None), "status": None},
    "a null for the source of a variable": trainer(env=[{"name": "A", "value": "1", "valueFrom": None}]),
    "another controller": trainjob(managedBy="kueue.x-k8s.io/multikueue"),
    "a runtime with a launcher": trainjob(
        runtimeRef={"name": "mpi"},
        trainer={"numNodes": 2, "env": [{"name": "A", "value": "1"}], "image": "registry.example.com/a:1"},
    ),
}


@pytest.mark.parametrize("wanted", KINDS.values(), ids=KINDS)
def test_what_is_built_is_what_was_there(wanted: dict[str, Any], tmp_path: Path) -> None:
    result = read(wanted, RUNTIME, MPI)
    assert result.diagnostics == []
    (tmp_path / "tjgen.yaml").write_text(
        "apiVersion: tjgen.dev/v1alpha1\nkind: Project\nspec: {experiments: [experiments], catalogs: [catalog]}\n"
    )
    for folder, files in (("experiments", result.experiments), ("catalog", result.catalog)):
        for name, text in files.items():
            (tmp_path / folder / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / folder / name).write_text(text, encoding="utf-8")
    answer = tjgen(tmp_path, "build")
    assert answer.code == 0, answer.err
    (built,) = yaml.safe_load_all(answer.out)
    assert built["metadata"]["name"] == "bert-7"
    assert built["metadata"]["labels"]["team"] == "nlp"
    runtime = MPI if wanted["spec"]["runtimeRef"]["name"] == "mpi" else RUNTIME
    expected, found = (
        [one.tree for one in expand({**tree, "metadata": {**tree["metadata"], "labels": {}}}, runtime).objects]
        for tree in (wanted, built)
    )
    assert found == expected
    assert bool(found) == ("managedBy" not in wanted["spec"])


def test_a_patch_says_only_what_the_language_cannot() -> None:
    (text,) = read(trainjob(activeDeadlineSeconds=60), RUNTIME).experiments.values()
    assert "patches" not in text
    (text,) = read(trainjob(runtimePatches=[PATCH]), RUNTIME).experiments.values()
    spec = yaml.safe_load(text)["spec"]
    assert spec["pod"] == {"nodeSelector": {"zone": "a"}}
    (patch,) = spec["patches"].values()
    manager = {"op": "replace", "path": "/spec/runtimePatches/0/manager", "value": "example.com/ours"}
    assert patch == {"target": "TrainJob", "force": False, "json": [manager]}


def test_an_edit_of_a_runtime_patch_that_became_a_field_keeps_its_manager() -> None:
    imports = read(trainjob(runtimePatches=[PATCH]), RUNTIME)
    experiment = yaml.safe_load(next(iter(imports.experiments.values())))
    experiment["spec"]["pod"]["nodeSelector"]["zone"] = "b"
    with TrialBuilder(imports.catalog, imports.release.name) as trial:
        result = trial.build(experiment)
    assert result.errors == []
    (patch,) = result.of_kind("TrainJob")[0]["spec"]["runtimePatches"]
    assert patch["manager"] == "example.com/ours"
    (job,) = patch["trainingRuntimeSpec"]["template"]["spec"]["replicatedJobs"]
    assert job["template"]["spec"]["template"]["spec"]["nodeSelector"] == {"zone": "b"}


def test_patches_of_two_managers_stay_a_patch() -> None:
    patches = [PATCH, {**PATCH, "manager": "example.com/theirs"}]
    (text,) = read(trainjob(runtimePatches=patches), RUNTIME).experiments.values()
    (patch,) = yaml.safe_load(text)["spec"]["patches"].values()
    assert patch["merge"] == {"spec": {"runtimePatches": patches}}


def test_variables_in_any_order_need_no_patch() -> None:
    (text,) = read(trainer(env=[{"name": "B", "value": "1"}, {"name": "A", "value": "2"}]), RUNTIME).experiments.values()
    spec = yaml.safe_load(text)["spec"]
    assert (spec["env"], "patches" in spec) == ({"B": "1", "A": "2"}, False)


def test_references_that_keep_their_meaning_need_no_patch() -> None:
    env = [{"name": "B", "value": "1"}, {"name": "Z", "value": "$(B)"}, {"name": "A", "value": "$(Z)"}]
    (text,) = read(trainer(env=env), RUNTIME).experiments.values()
    spec = yaml.safe_load(text)["spec"]
    assert (spec["env"], "patches" in spec) == ({"B": "1", "Z": "$(B)", "A": "$(Z)"}, False)


NAME = {"name": "POD_NAME", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}
FOLDER = {"name": "RUN_DIR", "value": "/out/$(POD_NAME)"}
OTHERS = [{"name": name, "value": "1"} for name in ("NCCL_DEBUG", "MASTER_TIMEOUT", "A_LONG_NAME_OF_A_VARIABLE")]


def test_only_a_variable_that_refers_to_a_later_one_is_in_the_patch() -> None:
    (text,) = read(trainer(env=[*OTHERS, FOLDER, NAME]), RUNTIME).experiments.values()
    spec = yaml.safe_load(text)["spec"]
    assert spec["env"] == {**{one["name"]: "1" for one in OTHERS}, "POD_NAME": {"field": "metadata.name"}}
    assert spec["patches"]["as-it-was"]["json"] == [{"op": "add", "path": "/spec/trainer/env/0", "value": FOLDER}]


def mounting(*names: str) -> dict[str, Any]:
    """A runtime patch that mounts claims in an order."""
    pod = {
        "volumes": [{"name": name, "persistentVolumeClaim": {"claimName": name}} for name in names],
        "containers": [{"name": "node", "volumeMounts": [{"name": name, "mountPath": f"/{name}"} for name in names]}],
    }
    jobs = [{"name": "node", "template": {"spec": {"template": {"spec": pod}}}}]
    return {"manager": "example.com/ours", "trainingRuntimeSpec": {"template": {"spec": {"replicatedJobs": jobs}}}}


@pytest.mark.parametrize("names", [("ckpt", "data", "raw"), ("raw", "data", "ckpt"), ("data", "ckpt", "raw")])
def test_volumes_and_mounts_in_any_order_are_fields(names: tuple[str, ...]) -> None:
    found = read(trainjob(runtimePatches=[mounting(*names)]), RUNTIME)
    assert found.diagnostics == []
    spec = yaml.safe_load(next(iter(found.experiments.values())))["spec"]
    assert spec["volumes"] == {name: {"pvc": name, "mountPath": f"/{name}"} for name in names}
    (operation,) = spec["patches"]["as-it-was"]["json"]
    assert operation["path"] == "/spec/runtimePatches/0/manager"


def test_a_default_of_the_server_is_no_patch() -> None:
    (text,) = read(trainjob(suspend=False), RUNTIME).experiments.values()
    assert "patches" not in text


@pytest.mark.parametrize(
    ("fields", "place"),
    [
        ({"env": {"LR": "edited"}}, ("spec", "trainer", "env")),
        ({"state": "suspended"}, ("spec", "suspend")),
        ({"pod": {"tolerations": [{"key": "edited", "operator": "Exists"}]}}, ("spec", "runtimePatches")),
        ({"volumes": {"more": {"pvc": "edited", "mountPath": "/more"}}}, ("spec", "runtimePatches")),
        ({"sharedMemory": "8Gi"}, ("spec", "runtimePatches")),
    ],
    ids=["env", "state", "pod", "volumes", "sharedMemory"],
)
@pytest.mark.parametrize("managers", [1, 2])
def test_fields_work_next_to_the_patch_of_an_import(fields: Any, place: tuple[str, ...], managers: int) -> None:
    patches = [mounting("data", "ckpt"), {**PATCH, "manager": "example.com/theirs"}][:managers]
    image = "registry.example.com/nlp/bert:7"
    job = trainjob(suspend=False, runtimePatches=patches, trainer={"image": image, "env": [*OTHERS, FOLDER, NAME]})
    found = read(job, RUNTIME)
    experiment = yaml.safe_load(next(iter(found.experiments.values())))
    for field, value in fields.items():
        before = experiment["spec"].get(field)
        experiment["spec"][field] = {**before, **value} if before else value
    with TrialBuilder(found.catalog, found.release.name) as trial:
        result = trial.build(experiment)
    assert result.errors == []
    (built,) = result.of_kind("TrainJob")
    assert any(text in str(get(built, place)) for text in ("edited", "True", "8Gi"))


def test_a_measured_trainjob_uses_its_runtime() -> None:
    job = trainer(command=["torchrun", "a.py"], env=[{"name": "A", "value": "1"}, {"name": "B", "value": "2"}], numNodes=4)
    assert ratio(job) is None
    measured = ratio(job, [RUNTIME])
    assert measured is not None
    assert measured <= 0.6


def test_books_of_other_programs_are_left_out() -> None:
    wanted = trainjob()
    wanted["metadata"]["annotations"] = {
        "kubectl.kubernetes.io/last-applied-configuration": "{}",
        "argocd.argoproj.io/tracking-id": "x",
        "note": "kept",
    }
    result = read(wanted, RUNTIME)
    (text,) = result.experiments.values()
    assert yaml.safe_load(text)["metadata"]["annotations"] == {"note": "kept"}
    assert yaml.safe_load(result.catalog["house.yaml"])["metadata"] == {
        "name": "house",
        "labels": {"team": "platform"},
        "annotations": {"tjgen.dev/origin": "cluster"},
    }


def test_items_of_a_list_are_objects() -> None:
    result = read({"apiVersion": "v1", "kind": "List", "items": [trainjob(), RUNTIME]})
    assert (list(result.experiments), list(result.catalog), result.diagnostics) == (["nlp/bert-7.yaml"], ["house.yaml"], [])


def test_a_release_is_seen_by_the_fields() -> None:
    overrides = [{"targetJobs": [{"name": "node"}], "spec": {"nodeSelector": {"zone": "a"}}}]
    result = read(trainjob(podTemplateOverrides=overrides), RUNTIME)
    assert (result.release.name, result.diagnostics) == ("2.1", [])


@pytest.mark.parametrize(("project", "codes"), [("", ["TJ793"]), ('  trainer: "2.1"\n', [])], ids=["newest", "same"])
def test_an_older_release_than_that_of_the_project_is_reported(project: str, codes: list[str], tmp_path: Path) -> None:
    overrides = [{"targetJobs": [{"name": "node"}], "spec": {"nodeSelector": {"zone": "a"}}}]
    trees = [trainjob(podTemplateOverrides=overrides), RUNTIME]
    (tmp_path / "old.yaml").write_text(yaml.safe_dump_all(trees), encoding="utf-8")
    head = "apiVersion: tjgen.dev/v1alpha1\nkind: Project\nspec:\n  experiments: [experiments]\n"
    (tmp_path / "tjgen.yaml").write_text(head + project, encoding="utf-8")
    answer = tjgen(tmp_path, "import", "old.yaml", "-o", "experiments", "--format", "json")
    assert answer.code == 0
    assert [one["code"] for one in json.loads(answer.err)] == codes


@pytest.mark.parametrize("release", TRAINER_RELEASES, ids=lambda release: release.name)
def test_runtimes_that_a_release_installs_are_accepted_by_its_webhooks(release: TrainerRelease) -> None:
    versions = chosen(release.name).versions
    runtimes = runtimes_of_trainer(release.version)
    names = {tree["metadata"]["name"] for tree in runtimes}
    assert {"torch-distributed", "deepspeed-distributed", "mlx-distributed", "torchtune-llama3.2-1b"} <= names
    for tree in runtimes:
        assert list(report.diagnostics(tree, judge(tree, versions=versions, webhooks=True))) == []


def test_a_trainjob_of_trainer_needs_no_runtime_among_the_files() -> None:
    result = read(
        trainjob(runtimeRef={"name": "torch-distributed"}, trainer={"image": "registry.example.com/a:1", "numNodes": 2})
    )
    assert [one.code for one in result.diagnostics] == ["TJ791"]
    (text,) = result.experiments.values()
    assert yaml.safe_load(text)["spec"]["runtime"] == "torch-distributed"
    assert yaml.safe_load(result.catalog["torch-distributed.yaml"])["spec"]["mlPolicy"] == {"numNodes": 1, "torch": {}}


@pytest.mark.parametrize("release", TRAINER_RELEASES, ids=lambda release: release.name)
def test_each_runtime_of_a_release_is_known_by_its_name(release: TrainerRelease) -> None:
    for tree in runtimes_of_trainer(release.version):
        name = tree["metadata"]["name"]
        job = trainjob(runtimeRef={"name": name}, trainer={"numNodes": 1})
        result = read_folder("a.yaml", [("a.yaml", yaml.safe_dump(job).encode())], assumed=chosen(release.name))
        assert [(one.code, f"Trainer {release.name}" in one.message) for one in result.diagnostics] == [("TJ791", True)]
        assert yaml.safe_load(result.catalog[f"{name}.yaml"])["spec"] == tree["spec"]


def test_a_runtime_that_only_an_older_release_installs_is_known() -> None:
    result = read(trainjob(runtimeRef={"name": "mpi-distributed"}, trainer={"numNodes": 2}))
    assert [(one.code, "Trainer 2.0" in one.message) for one in result.diagnostics] == [("TJ791", True)]
    assert list(result.catalog) == ["mpi-distributed.yaml"]


def test_a_runtime_of_an_older_release_shows_the_release() -> None:
    older = yaml.safe_load(yaml.safe_dump(RUNTIME))
    older["spec"]["mlPolicy"]["torch"] = {"numProcPerNode": "auto"}
    found = read(trainjob(), older)
    assert (found.diagnostics, found.release.name, list(found.experiments)) == ([], "2.1", ["nlp/bert-7.yaml"])


def test_a_runtime_that_is_left_out_is_named_with_its_trainjob() -> None:
    wrong = {**RUNTIME, "metadata": {"name": "torch-distributed"}, "spec": {**RUNTIME["spec"], "unknown": 1}}
    found = read(trainjob(runtimeRef={"name": "torch-distributed"}), wrong)
    assert found.release.name == "2.3"
    assert [(one.code, one.message) for one in found.diagnostics] == [
        ("TJ775", 'ClusterTrainingRuntime torch-distributed is left out: unknown field "spec.unknown"'),
        ("TJ773", "TrainJob nlp/bert-7 is left out, like its runtime torch-distributed"),
    ]


def test_runtimes_are_those_of_the_release_of_the_project(tmp_path: Path) -> None:
    job = trainjob(runtimeRef={"name": "torch-distributed"}, trainer={"numNodes": 2})
    (tmp_path / "job.yaml").write_text(yaml.safe_dump(job), encoding="utf-8")
    project = 'apiVersion: tjgen.dev/v1alpha1\nkind: Project\nspec: {trainer: "2.1"}\n'
    (tmp_path / "tjgen.yaml").write_text(project, encoding="utf-8")
    answer = tjgen(tmp_path, "import", "job.yaml", "-o", "experiments")
    assert (answer.code, "taken from Trainer 2.1" in answer.err) == (0, True)


@pytest.mark.parametrize(
    ("trees", "code", "said"),
    [
        pytest.param([], "TJ776", "manifests: no job or runtime was found", id="nothing"),
        pytest.param([trainjob()], "TJ773", "its runtime house is not among the files", id="no runtime"),
        pytest.param(
            [trainjob(runtimeRef={"name": "torch-distributed", "kind": "TrainingRuntime"})],
            "TJ773",
            "its runtime torch-distributed is not among the files",
            id="a namespaced runtime with the name of one of Trainer",
        ),
        pytest.param([trainer(numNodes="four"), RUNTIME], "TJ775", "TrainJob nlp/bert-7 is left out: ", id="a wrong TrainJob"),
        pytest.param([trainjob(), trainjob(), RUNTIME], "TJ775", "a TrainJob of that name was imported before", id="one twice"),
        pytest.param([trainjob(), RUNTIME, RUNTIME], "TJ775", "a runtime of that name was imported before", id="a runtime twice"),
        pytest.param([trainjob(runtimeRef="house"), RUNTIME], "TJ775", "is left out", id="no reference"),
        pytest.param([{**trainjob(), "spec": None}, RUNTIME], "TJ773", "is left out", id="no spec"),
        pytest.param([{**trainjob(), "spec": 5}, RUNTIME], "TJ775", "is left out", id="a number for a spec"),
        pytest.param([{**trainjob(), "metadata": "x"}, RUNTIME], "TJ775", "is left out", id="no metadata"),
        pytest.param([{**RUNTIME, "spec": []}], "TJ775", "is left out", id="a wrong runtime"),
    ],
)
def test_what_is_left_out_is_said(trees: list[Any], code: str, said: str) -> None:
    (found,) = read(*trees).diagnostics
    assert (found.code, said in found.message) == (code, True), found


def init(tmp_path: Path, *words: str) -> Answer:
    (tmp_path / "manifests").mkdir(exist_ok=True)
    (tmp_path / "manifests" / "bert.yaml").write_text(yaml.safe_dump(trainer(numNodes=2)), encoding="utf-8")
    (tmp_path / "runtimes").mkdir(exist_ok=True)
    (tmp_path / "runtimes" / "house.yaml").write_text(yaml.safe_dump(RUNTIME), encoding="utf-8")
    return tjgen(tmp_path, "init", "out", "--from", "manifests", *words)


def test_a_repository_begins_with_manifests(tmp_path: Path) -> None:
    answer = init(tmp_path, "--catalog", "runtimes")
    assert (answer.code, answer.err.splitlines()[0]) == (0, "manifests: 1 job, 1 runtime")
    assert not (tmp_path / "out" / "overlays").exists()
    answer = tjgen(tmp_path / "out", "build", "--check", "--strict")
    assert (answer.code, answer.err) == (0, "runs: 0 new, 1 unchanged, 0 kept, 0 removed\n")
    (built,) = (tmp_path / "out" / "deploy").rglob("trainjob-bert-7.yaml")
    assert yaml.safe_load(built.read_text(encoding="utf-8"))["spec"] == {
        **trainer(numNodes=2)["spec"],
        "runtimeRef": {"apiGroup": "trainer.kubeflow.org", "kind": "ClusterTrainingRuntime", "name": "house"},
    }


def test_a_repository_of_a_release_before(tmp_path: Path) -> None:
    (tmp_path / "old").mkdir()
    overrides = [{"targetJobs": [{"name": "node"}], "spec": {"nodeSelector": {"zone": "a"}}}]
    trees = [trainjob(podTemplateOverrides=overrides), RUNTIME]
    (tmp_path / "old" / "all.yaml").write_text(yaml.safe_dump_all(trees), encoding="utf-8")
    assert tjgen(tmp_path, "init", "out", "--from", "old").code == 0
    assert yaml.safe_load((tmp_path / "out" / "tjgen.yaml").read_text(encoding="utf-8"))["spec"]["trainer"] == "2.1"
    assert tjgen(tmp_path / "out", "build", "--check").code == 0


@pytest.mark.parametrize(
    ("words", "code"),
    [
        pytest.param(["--env", "dev"], 2, id="environments"),
        pytest.param(["--from", "nowhere"], 1, id="a folder that does not exist"),
        pytest.param(["--from", "empty"], 1, id="a folder without manifests"),
    ],
)
def test_a_wrong_beginning_writes_nothing(tmp_path: Path, words: list[str], code: int) -> None:
    (tmp_path / "empty").mkdir()
    answer = init(tmp_path, *words)
    assert (answer.code, (tmp_path / "out").exists()) == (code, False), answer.err


def test_a_job_whose_name_is_generated_is_imported_under_the_prefix() -> None:
    job = trainjob()
    job["metadata"] = {"generateName": "bert-", "namespace": "nlp"}
    found = read(RUNTIME, job)
    assert list(found.experiments) == ["nlp/bert.yaml"]
    assert [one.code for one in found.diagnostics] == ["TJ774"]
