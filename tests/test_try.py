"""`tjgen try`: the objects are apart from those of Git, and one command deletes all of them."""

from __future__ import annotations

import shlex
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.checkout import ROOT
from tests.program import Answer
from tests.program import tjgen as program
from tjgen.trees.k8s.labels import EXPERIMENT_LABEL, TRY_LABEL

EXAMPLES = ("resnet50", "prefetch", "volcano", "tfjob", "pytorchjob", "paddle", "mpi", "sweep", "tasks", "xgboost", "jax", "llm")


def objects(answer: Answer) -> list[Any]:
    assert answer.code == 0, answer.err
    return list(yaml.safe_load_all(answer.out))


def key(tree: Any) -> tuple[str, str, str]:
    return tree["kind"], tree["metadata"].get("namespace", ""), tree["metadata"]["name"]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    assert program(tmp_path, "init", "vision").code == 0
    return tmp_path / "vision"


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_try_shares_no_object_with_the_run(name: str) -> None:
    file = f"examples/{name}.yaml"
    tried = objects(program(ROOT, "try", file, "--as", "ana"))
    assert {key(one) for one in tried}.isdisjoint(map(key, objects(program(ROOT, "build", file))))
    (label,) = {one["metadata"]["labels"][TRY_LABEL] for one in tried}
    assert label.endswith("-try-ana")
    assert {one["metadata"]["labels"].get(EXPERIMENT_LABEL, label) for one in tried} == {label}


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_try_has_as_many_objects_as_the_run_and_a_server_accepts_them(name: str, tmp_path: Path) -> None:
    file = f"examples/{name}.yaml"
    tried = program(ROOT, "try", file, "--as", "ana")
    kinds = [one["kind"] for one in objects(tried)]
    assert kinds == [one["kind"] for one in objects(program(ROOT, "build", file))]
    (tmp_path / "objects.yaml").write_text(tried.out, encoding="utf-8")
    checked = program(tmp_path, "check", "objects.yaml")
    assert checked.code == 0, checked.err


def test_references_lead_to_objects_of_the_try() -> None:
    tried = objects(program(ROOT, "try", "examples/resnet50.yaml", "--as", "ana"))
    names = {one["kind"]: one["metadata"]["name"] for one in tried}
    (job,) = [one for one in tried if one["kind"] == "TrainJob"]
    assert job["spec"]["runtimeRef"]["name"] == names["TrainingRuntime"]
    assert f"claimName: {names['PersistentVolumeClaim']}" in yaml.safe_dump(job)


def test_experiments_of_one_runtime_are_tried_together(project: Path) -> None:
    answer = program(project, "try", "experiments", "--env", "dev", "--as", "ana")
    runtimes = [one["metadata"]["name"] for one in objects(answer) if one["kind"] == "TrainingRuntime"]
    assert [name.partition("-try-")[0].rpartition("-")[2] for name in sorted(runtimes)] == ["hello", "train"]


def test_nothing_is_written_and_the_tree_stays_current(project: Path) -> None:
    before = {path: path.read_bytes() for path in project.rglob("*") if path.is_file()}
    tried = program(project, "try", "experiments/train.yaml", "--env", "dev", "--as", "ana")
    assert tried.code == 0
    assert {path: path.read_bytes() for path in project.rglob("*") if path.is_file()} == before
    assert {one["metadata"]["namespace"] for one in objects(tried)} == {"vision-dev"}
    again = program(project, "try", "experiments/train.yaml", "--env", "dev", "--as", "ana")
    assert again == tried


def test_the_commands_name_the_run_and_every_kind() -> None:
    answer = program(ROOT, "try", "examples/resnet50.yaml", "--as", "ana")
    (name,) = [one["metadata"]["name"] for one in objects(answer) if one["kind"] == "TrainJob"]
    lines = answer.err.splitlines()
    commands = [shlex.split(line[line.index("kubectl") :]) for line in lines if " kubectl " in line]
    assert all(words[:3] == ["kubectl", "-n", "vision"] for words in commands)
    assert [words[3] for words in commands] == ["get", "logs", "describe", "describe", "describe", "patch", "delete"]
    assert f"jobset.sigs.k8s.io/jobset-name={name}" in commands[1]
    assert commands[4][4] == f"podgroups.scheduling.volcano.sh/{name}"
    assert commands[5][-1] == '--patch={"spec": {"suspend": true}}'
    assert commands[6][4:] == [
        "trainjobs.trainer.kubeflow.org,persistentvolumeclaims,trainingruntimes.trainer.kubeflow.org",
        "-l",
        "tjgen.dev/try=resnet50-try-ana",
    ]


def test_a_run_of_kueue_is_deleted_to_stop_it(tmp_path: Path) -> None:
    text = (ROOT / "examples/smallest.yaml").read_text()
    (tmp_path / "queued.yaml").write_text(f"{text.rstrip()}\n  schedule: {{system: kueue, queue: vision}}\n")
    answer = program(tmp_path, "try", "queued.yaml", "--as", "ana")
    (name,) = [one["metadata"]["name"] for one in objects(answer) if one["kind"] == "TrainJob"]
    lines = [line.strip() for line in answer.err.splitlines()]
    assert f"stop       kubectl -n vision delete trainjobs.trainer.kubeflow.org/{name}" in lines, answer.err
    assert "kubectl -n vision get workloads.kueue.x-k8s.io" in lines


def test_a_claim_of_the_project_is_left_out(tmp_path: Path) -> None:
    text = (ROOT / "examples/resnet50.yaml").read_text(encoding="utf-8")
    (tmp_path / "a.yaml").write_text(text.replace("create: {size", "create: {scope: project, size"), encoding="utf-8")
    built = objects(program(tmp_path, "build", "a.yaml"))
    (claim,) = [one["metadata"]["name"] for one in built if one["kind"] == "PersistentVolumeClaim"]
    tried = program(tmp_path, "try", "a.yaml", "--as", "ana")
    assert "PersistentVolumeClaim" not in [one["kind"] for one in objects(tried)]
    assert "warning[TJ782]" in tried.err
    assert f"PersistentVolumeClaim/{claim} is left out" in tried.err
    assert "persistentvolumeclaims" not in tried.err


def test_an_environment_of_promoted_runs_is_refused(project: Path) -> None:
    answer = program(project, "try", "experiments/train.yaml", "--env", "prod", "--as", "ana")
    assert (answer.code, answer.out) == (1, "")
    assert "error[TJ783] prod runs only what is promoted to it" in answer.err


def test_several_environments_are_refused(project: Path) -> None:
    answer = program(project, "try", "experiments/train.yaml", "--as", "ana")
    assert (answer.code, answer.out) == (1, "")
    assert "error[TJ266]" in answer.err


@pytest.mark.parametrize("name", ["Ana", "ana.b", "a" * 21, "-a", "a-", "a\n"])
def test_a_name_that_no_object_can_have_is_wrong_use(name: str) -> None:
    answer = program(ROOT, "try", "examples/smallest.yaml", "--as", name)
    assert (answer.code, answer.out) == (2, "")
    assert "lowercase letters" in answer.err


@pytest.mark.parametrize(("user", "suffix"), [("Ana.Berg", "ana-berg"), ("ana", "ana"), ("x" * 19 + ".yz", "x" * 19)])
def test_the_user_is_the_default(user: str, suffix: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("USER", user)
    tried = objects(program(ROOT, "try", "examples/smallest.yaml"))
    assert {one["metadata"]["labels"][TRY_LABEL].rpartition("-try-")[2] for one in tried} == {suffix}


@pytest.mark.parametrize(
    ("variables", "account", "suffix"),
    [({"USER": "", "LOGNAME": "Ana"}, "root", "ana"), ({"USERNAME": "ana"}, "root", "ana"), ({}, "ana", "ana")],
)
def test_without_a_user_the_account_is_the_default(
    variables: dict[str, str], account: str, suffix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("USER", "LOGNAME", "USERNAME"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("pwd.getpwuid", lambda number: (account,))
    tried = objects(program(ROOT, "try", "examples/smallest.yaml"))
    assert {one["metadata"]["labels"][TRY_LABEL].rpartition("-try-")[2] for one in tried} == {suffix}


def test_without_an_account_a_name_is_required(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("USER", "LOGNAME", "USERNAME"):
        monkeypatch.delenv(name, raising=False)

    def unknown(number: int) -> object:
        raise KeyError(number)

    monkeypatch.setattr("pwd.getpwuid", unknown)
    answer = program(ROOT, "try", "examples/smallest.yaml")
    assert (answer.code, answer.out) == (2, "")
    assert "the environment has no user name: name yourself with --as NAME" in answer.err


def resuming(project: Path, volume: str, run: str = "") -> tuple[str, Any, Answer]:
    """The run of Git that a try resumes from, the TrainJob of the try, and the answer."""
    file = project / "experiments/train.yaml"
    text = file.read_text(encoding="utf-8")
    text = text[: text.index("volumes:")] + f"volumes:\n    states: {{pvc: {volume}, mountPath: /states}}\n"
    file.write_text(f"{text}  checkpoints: {{volume: states}}\n", encoding="utf-8")
    shutil.rmtree(project / "deploy")
    shutil.rmtree(project / "tjgen.lock.d")
    assert program(project, "build").code == 0
    (locked,) = (one.stem for one in (project / "tjgen.lock.d/dev").glob("*/train/*.yaml"))
    resume = f"  checkpoints: {{volume: states, resumeFrom: {{run: {run or locked}}}}}\n"
    file.write_text(f"{text}{resume}", encoding="utf-8")
    answer = program(project, "try", "experiments/train.yaml", "--env", "dev", "--as", "ana")
    jobs = [one for one in yaml.safe_load_all(answer.out) if one["kind"] == "TrainJob"]
    return locked, jobs[0] if jobs else None, answer


def mounted(trainjob: Any, path: str) -> tuple[str, str]:
    """The claim and the folder that the main container of a TrainJob has at a path."""
    specs = [one["trainingRuntimeSpec"]["template"]["spec"] for one in trainjob["spec"]["runtimePatches"]]
    pods = [job["template"]["spec"]["template"]["spec"] for spec in specs for job in spec["replicatedJobs"]]
    mounts = [mount for pod in pods for one in pod["containers"] for mount in one["volumeMounts"]]
    (mount,) = [one for one in mounts if one["mountPath"] == path]
    (volume,) = [one for pod in pods for one in pod.get("volumes", ()) if one["name"] == mount["name"]]
    return volume["persistentVolumeClaim"]["claimName"], mount["subPath"]


@pytest.mark.parametrize(
    ("volume", "claim", "folder"),
    [
        ("{create: {size: 1Gi}}", "train-states", "RUN"),
        ("{create: {size: 1Gi, scope: project}}", "states", "RUN"),
        ("states-of-all", "states-of-all", "train/RUN"),
    ],
    ids=["claim-of-the-experiment", "claim-of-the-project", "claim-that-exists"],
)
def test_a_try_resumes_from_a_run_of_git(volume: str, claim: str, folder: str, project: Path) -> None:
    run, trainjob, answer = resuming(project, volume)
    assert answer.code == 0, answer.err
    assert mounted(trainjob, "/tjgen/resume") == (claim, folder.replace("RUN", run))


def test_a_try_resumes_from_an_earlier_try(project: Path) -> None:
    _, trainjob, answer = resuming(project, "{create: {size: 1Gi}}", "train-try-ana-s9vbz5jq")
    assert answer.code == 0, answer.err
    assert mounted(trainjob, "/tjgen/resume") == ("train-try-ana-states", "train-try-ana-s9vbz5jq")


@pytest.mark.parametrize(("run", "code"), [("train-4qbz2qg9", "TJ135"), ("hello-dcwlx7xr", "TJ467")])
def test_a_try_resumes_from_no_other_run(run: str, code: str, project: Path) -> None:
    _, _, answer = resuming(project, "{create: {size: 1Gi}}", run)
    assert (answer.code, answer.out) == (1, "")
    assert f"error[{code}] experiments/train.yaml:" in answer.err
    assert "train-try-ana" not in answer.err


def test_a_mistake_prints_no_objects(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("apiVersion: tjgen.dev/v1alpha1\nkind: Experiment\nmetadata: {name: a}\nspec: {node: 2}\n")
    answer = program(tmp_path, "try", "a.yaml", "--as", "ana")
    assert (answer.code, answer.out) == (1, "")
    assert "error[TJ101] a.yaml:4:8" in answer.err


def test_the_commands_of_a_sweep_name_every_run() -> None:
    answer = program(ROOT, "try", "examples/sweep.yaml", "--as", "ana")
    names = [one["metadata"]["name"] for one in objects(answer) if one["kind"] == "TrainJob"]
    assert len(names) > 1
    lines = answer.err.splitlines()
    commands = {
        words[3]: words for line in lines if " kubectl " in line for words in [shlex.split(line[line.index("kubectl") :])]
    }
    assert [word.partition("/")[2] for word in commands["patch"][4:-2]] == names
    assert commands["logs"][5] == f"jobset.sigs.k8s.io/jobset-name in ({','.join(names)})"
    assert commands["get"][4:] == ["trainjobs.trainer.kubeflow.org", "-l", commands["delete"][-1], "--watch"]


def test_one_point_of_a_sweep_is_tried() -> None:
    all_of_it = objects(program(ROOT, "try", "examples/sweep.yaml", "--as", "ana"))
    names = [one["metadata"]["name"] for one in all_of_it if one["kind"] == "TrainJob"]
    tried = objects(program(ROOT, "try", "examples/sweep.yaml", "--as", "ana", "--only", names[1]))
    assert [one["metadata"]["name"] for one in tried if one["kind"] == "TrainJob"] == [names[1]]
    answer = program(ROOT, "try", "examples/sweep.yaml", "--as", "ana", "--only", "other")
    assert (answer.code, answer.out) == (2, "")
    assert "--only matches none of the runs" in answer.err


def test_another_value_is_another_run() -> None:
    def name(*words: str) -> str:
        tried = objects(program(ROOT, "try", "examples/smallest.yaml", "--as", "ana", *words))
        return next(str(one["metadata"]["name"]) for one in tried if one["kind"] == "TrainJob")

    scripts = ("train.py --lr 1e-3", "train.py --lr 1e-4")
    names = [name(), *(name("--set", f"spec.script={script}") for script in scripts)]
    assert len({*names}) == 3
    assert name("--set", f"spec.script={scripts[0]}") == names[1]
    assert name("--set", "spec.state=active") == name("--set", "spec.script=train.py --epochs 3") == names[0]
