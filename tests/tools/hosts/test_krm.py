"""The function of kustomize and kpt: lists as they hand them over, and kustomize itself."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.checkout import ROOT
from tests.program import Answer, tjgen

EXAMPLE = ROOT / "examples" / "inside" / "kustomize"
KUSTOMIZE = shutil.which("kustomize")
EXPERIMENT: dict[str, Any] = {
    "apiVersion": "tjgen.dev/v1alpha1",
    "kind": "Experiment",
    "metadata": {"name": "bert", "namespace": "nlp"},
    "spec": {"runtime": "tjgen-torch", "image": "registry.example.com/nlp/bert:2", "script": "pretrain.py"},
}
SETTINGS: dict[str, Any] = {
    "apiVersion": "v1",
    "kind": "ConfigMap",
    "metadata": {"name": "settings", "namespace": "nlp"},
    "data": {"a": "1"},
}


def function(**spec: Any) -> dict[str, Any]:
    return {"apiVersion": "tjgen.dev/v1alpha1", "kind": "Function", "metadata": {"name": "f"}, "spec": spec}


def marked(tree: dict[str, Any], **annotations: str) -> dict[str, Any]:
    names = {f"internal.config.kubernetes.io/{name}": value for name, value in annotations.items()}
    return {**tree, "metadata": {**tree["metadata"], "annotations": names}}


def krm(folder: Path, *items: Any, config: Any = None, version: str = "config.kubernetes.io/v1") -> Answer:
    given = {"apiVersion": version, "kind": "ResourceList", "items": list(items)}
    return tjgen(folder, "krm", stdin=yaml.safe_dump({**given, "functionConfig": config} if config else given))


def answered(answer: Answer) -> Any:
    return yaml.safe_load(answer.out)


def kinds(answer: Answer) -> list[str]:
    assert answer.code == 0, answer.err
    return [one["kind"] for one in answered(answer)["items"]]


@pytest.mark.parametrize(
    ("items", "config"),
    [
        pytest.param([EXPERIMENT], None, id="among the items"),
        pytest.param([], EXPERIMENT, id="as the configuration"),
        pytest.param([EXPERIMENT], EXPERIMENT, id="as both, as kustomize does with a generator"),
    ],
)
def test_an_experiment_is_expanded(tmp_path: Path, items: list[Any], config: Any) -> None:
    answer = krm(tmp_path, *items, config=config)
    assert kinds(answer) == ["TrainingRuntime", "TrainJob"]
    assert "results" not in answered(answer)


def test_what_is_not_ours_stays_as_it_is(tmp_path: Path) -> None:
    mine = marked(SETTINGS, index="0", id="7")
    answer = answered(krm(tmp_path, mine, EXPERIMENT))
    assert answer["items"][0] == mine
    assert answer["items"][2]["metadata"].get("annotations") is None


@pytest.mark.parametrize("config", [None, EXPERIMENT, function(set={"spec.nodes": 2})])
def test_its_own_answer_gets_the_same_answer(tmp_path: Path, config: Any) -> None:
    first = krm(tmp_path, SETTINGS, EXPERIMENT, config=config)
    second = tjgen(tmp_path, "krm", stdin=first.out)
    assert second == first


def test_an_object_of_an_earlier_answer_is_replaced_where_it_stands(tmp_path: Path) -> None:
    runtime, job = answered(krm(tmp_path, EXPERIMENT))["items"]
    labelled = {**EXPERIMENT, "metadata": {"name": "bert", "namespace": "nlp", "labels": {"team": "nlp"}}}
    answer = answered(krm(tmp_path, marked(job, path="job.yaml"), runtime, SETTINGS, config=labelled))
    assert [one["kind"] for one in answer["items"]] == ["TrainJob", "TrainingRuntime", "ConfigMap"]
    first = answer["items"][0]["metadata"]
    assert (first["labels"]["team"], first["annotations"]) == ("nlp", {"internal.config.kubernetes.io/path": "job.yaml"})


def test_marks_of_the_runner_reach_no_object(tmp_path: Path) -> None:
    answer = krm(tmp_path, marked(EXPERIMENT, path="bert.yaml", index="0"))
    assert "config.kubernetes.io" not in yaml.safe_dump(answered(answer)["items"][1:])


def test_what_lies_in_a_file_stays_there_and_is_not_applied(tmp_path: Path) -> None:
    mine = marked(EXPERIMENT, path="bert.yaml", index="0")
    first = krm(tmp_path, mine, SETTINGS)
    assert kinds(first) == ["Experiment", "ConfigMap", "TrainingRuntime", "TrainJob"]
    kept = answered(first)["items"][0]
    assert kept["metadata"]["annotations"].pop("config.kubernetes.io/local-config") == "true"
    assert kept == mine
    assert tjgen(tmp_path, "krm", stdin=first.out) == first


def test_documents_of_our_own_are_not_judged_as_manifests(tmp_path: Path) -> None:
    answer = krm(tmp_path, function(), config=function())
    assert (answer.code, answer.err) == (0, "")


def test_overlays_platforms_and_runtimes_of_the_list_count(tmp_path: Path) -> None:
    overlay = {
        "apiVersion": "tjgen.dev/v1alpha1",
        "kind": "Overlay",
        "metadata": {"name": "small", "namespace": "kustomize-says-one"},
        "spec": {"experiment": {"nodes": 3}},
    }
    platform = {
        "apiVersion": "tjgen.dev/v1alpha1",
        "kind": "Platform",
        "metadata": {"name": "main"},
        "spec": {"images": {"rewrite": {"registry.example.com": "mirror.example.com"}}},
    }
    runtime = yaml.safe_load((ROOT / "runtimes" / "tjgen-torch.yaml").read_text(encoding="utf-8"))
    runtime["metadata"]["name"] = "ours"
    experiment = {**EXPERIMENT, "spec": {**EXPERIMENT["spec"], "runtime": "ours"}}
    answer = krm(tmp_path, overlay, platform, runtime, experiment)
    assert kinds(answer) == ["ClusterTrainingRuntime", "TrainingRuntime", "TrainJob"]
    trainer = answered(answer)["items"][2]["spec"]["trainer"]
    assert (trainer["numNodes"], trainer["image"]) == (3, "mirror.example.com/nlp/bert:2")


def test_files_of_an_experiment_are_looked_for_beside_it(tmp_path: Path) -> None:
    (tmp_path / "team" / "src").mkdir(parents=True)
    (tmp_path / "team" / "src" / "pretrain.py").write_text("print(1)\n", encoding="utf-8")
    experiment = {**EXPERIMENT, "spec": {**EXPERIMENT["spec"], "code": {"configMap": {"directory": "src"}}}}
    answer = krm(tmp_path, marked(experiment, path="team/bert.yaml"))
    assert kinds(answer) == ["Experiment", "TrainingRuntime", "ConfigMap", "TrainJob"]


@pytest.mark.parametrize(
    ("config", "said"),
    [
        pytest.param(function(set={"spec.nodes": 2}), "numNodes: 2", id="a Function"),
        pytest.param(
            {
                "apiVersion": "v1",
                "kind": "ConfigMap",
                "metadata": {"name": "f"},
                "data": {"set": "spec.nodes=2", "check": "true"},
            },
            "numNodes: 2",
            id="a ConfigMap",
        ),
        pytest.param(function(namespace="team", experiments=["bert.yaml"]), "namespace: team", id="files and a namespace"),
    ],
)
def test_the_configuration_says_how(tmp_path: Path, config: Any, said: str) -> None:
    named = config.get("spec", {}).get("experiments")
    experiment = {**EXPERIMENT, "metadata": {"name": "bert"}} if named else EXPERIMENT
    (tmp_path / "bert.yaml").write_text(json.dumps(experiment), encoding="utf-8")
    answer = krm(tmp_path, *([] if named else [experiment]), config=config)
    assert answer.code == 0, answer.err
    assert said in yaml.safe_dump(answered(answer)["items"])


def test_the_project_of_the_folder_counts(tmp_path: Path) -> None:
    (tmp_path / "tjgen.yaml").write_text(
        "apiVersion: tjgen.dev/v1alpha1\nkind: Project\nspec: {environments: {dev: {labels: {stage: dev}}, prod: {}}}\n",
        encoding="utf-8",
    )
    answer = krm(tmp_path, EXPERIMENT)
    assert (answer.code, "set environment in the configuration" in answer.err) == (1, True)
    answer = krm(tmp_path, EXPERIMENT, config=function(environment="dev"))
    assert answered(answer)["items"][1]["metadata"]["labels"]["stage"] == "dev"


def test_what_is_wrong_with_an_experiment_is_a_result(tmp_path: Path) -> None:
    wrong = marked({**EXPERIMENT, "spec": {"runtime": "tjgen-torch", "imagee": "x"}}, path="a/bert.yaml", index="2")
    answer = krm(tmp_path, SETTINGS, wrong)
    assert answer.code == 1
    assert answered(answer)["items"] == [SETTINGS, wrong]
    assert answered(answer)["results"] == [
        {
            "message": 'unknown field "imagee"',
            "severity": "error",
            "resourceRef": {
                "apiVersion": "tjgen.dev/v1alpha1",
                "kind": "Experiment",
                "namespace": "nlp",
                "name": "bert",
            },
            "file": {"path": "a/bert.yaml", "index": 2},
            "field": {"path": "spec.imagee"},
            "tags": {"code": "TJ101", "rule": "unknown-field", "hint": 'did you mean "image"?'},
        }
    ]
    assert "error[TJ101] a/bert.yaml:" in answer.err


def test_other_objects_are_judged(tmp_path: Path) -> None:
    wrong = {**SETTINGS, "data": {"a": 1}}
    answer = krm(tmp_path, EXPERIMENT, wrong)
    assert answer.code == 1
    (result,) = answered(answer)["results"]
    assert (result["field"], result["resourceRef"]["kind"]) == ({"path": "data.a"}, "ConfigMap")
    assert krm(tmp_path, EXPERIMENT, wrong, config=function(check=False)).code == 0


def test_a_strict_function_refuses_a_warning(tmp_path: Path) -> None:
    unknown = {"apiVersion": "example.com/v1", "kind": "Strange", "metadata": {"name": "x"}}
    relaxed, strict = (krm(tmp_path, unknown, config=function(strict=one)) for one in (False, True))
    assert (relaxed.code, strict.code) == (0, 1)


@pytest.mark.parametrize(
    ("stdin", "code"),
    [
        pytest.param("", "TJ761", id="nothing"),
        pytest.param("a: [", "TJ0", id="no YAML"),
        pytest.param("apiVersion: v1\nkind: List\nitems: []\n", "TJ761", id="another list"),
        pytest.param("apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems: {}\n", "", id="no items"),
        pytest.param("apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems: [1]\n", "TJ761", id="items that are none"),
        pytest.param("apiVersion: config.kubernetes.io/v9\nkind: ResourceList\nitems: []\n", "TJ761", id="another version"),
    ],
)
def test_what_is_no_list_is_refused(tmp_path: Path, stdin: str, code: str) -> None:
    answer = tjgen(tmp_path, "krm", stdin=stdin)
    assert (answer.code, code in answer.err) == (1 if code else 0, True), answer.err


@pytest.mark.parametrize(
    ("config", "said"),
    [
        pytest.param({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "x"}}, "of kind Secret", id="another kind"),
        pytest.param("text", "of kind None", id="text"),
        pytest.param(function(experiment=["a"]), "has the unknown field experiment", id="an unknown field"),
        pytest.param(function(experiments="a.yaml"), "experiments of functionConfig is 'a.yaml'", id="another shape"),
        pytest.param({"kind": "ConfigMap", "data": {"check": "yes"}}, "check of functionConfig is 'yes'", id="no boolean"),
        pytest.param(function(environment="prod"), "TJ262", id="an environment that does not exist"),
        pytest.param(function(experiments=["none.yaml"]), "TJ020", id="a file that does not exist"),
    ],
)
def test_a_wrong_configuration_is_refused(tmp_path: Path, config: Any, said: str) -> None:
    answer = krm(tmp_path, EXPERIMENT, config=config)
    assert (answer.code, said in answer.err) == (1, True), answer.err
    assert answered(answer)["items"] == [EXPERIMENT]


def in_place(folder: Path) -> None:
    assert KUSTOMIZE is not None
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    words = [KUSTOMIZE, "fn", "run", str(folder), "--enable-exec"]
    answer = subprocess.run(words, capture_output=True, text=True, check=False, env=environment)
    assert (answer.returncode, answer.stderr) == (0, "")


def kustomize(folder: Path) -> subprocess.CompletedProcess[str]:
    assert KUSTOMIZE is not None
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    words = [KUSTOMIZE, "build", "--enable-alpha-plugins", "--enable-exec", str(folder)]
    return subprocess.run(words, capture_output=True, text=True, check=False, env=environment)


needs_kustomize = pytest.mark.skipif(KUSTOMIZE is None, reason="needs kustomize on the path")
EXEC = {"config.kubernetes.io/function": "exec: {path: tjgen, args: [krm]}"}


@needs_kustomize
def test_kustomize_transforms(tmp_path: Path) -> None:
    shutil.copytree(EXAMPLE, tmp_path / "kustomize")
    answer = kustomize(tmp_path / "kustomize" / "prod")
    assert answer.returncode == 0, answer.stderr
    # In this order, or the webhook of Trainer refuses the TrainJob: its runtime is not there yet.
    runtime, job = yaml.safe_load_all(answer.stdout)
    assert (runtime["kind"], job["kind"]) == ("TrainingRuntime", "TrainJob")
    assert job["metadata"]["name"].startswith("prod-mnist-")
    assert {one["metadata"]["namespace"] for one in (job, runtime)} == {"vision"}
    assert job["spec"]["runtimeRef"]["name"] == runtime["metadata"]["name"]
    assert (job["spec"]["trainer"]["numNodes"], job["spec"]["trainer"]["env"]) == (4, [{"name": "STAGE", "value": "prod"}])


@pytest.mark.skipif(shutil.which("kubectl") is None, reason="needs kubectl on the path")
def test_the_example_keeps_the_order_of_objects(tmp_path: Path) -> None:
    """The kustomize in kubectl runs no functions: it gets what the function returns, and the order of the example."""
    (tmp_path / "all.yaml").write_text(yaml.safe_dump_all(answered(krm(tmp_path, EXPERIMENT))["items"]), encoding="utf-8")
    example = yaml.safe_load((EXAMPLE / "prod" / "kustomization.yaml").read_text(encoding="utf-8"))
    orders = {}
    for order, more in {"by default": {}, "as in the example": {"sortOptions": example["sortOptions"]}}.items():
        (tmp_path / "kustomization.yaml").write_text(yaml.safe_dump({"resources": ["all.yaml"], **more}), encoding="utf-8")
        words = ["kubectl", "kustomize", str(tmp_path)]
        built = subprocess.run(words, capture_output=True, text=True, check=True, env={**os.environ, "HOME": str(tmp_path)})
        orders[order] = [one["kind"] for one in yaml.safe_load_all(built.stdout)]
    assert orders == {"by default": ["TrainJob", "TrainingRuntime"], "as in the example": ["TrainingRuntime", "TrainJob"]}


@needs_kustomize
def test_a_folder_is_worked_on_in_place(tmp_path: Path) -> None:
    (tmp_path / "bert.yaml").write_text(yaml.safe_dump(EXPERIMENT), encoding="utf-8")
    local = {"config.kubernetes.io/local-config": "true"}
    config = {**function(), "metadata": {"name": "f", "annotations": {**EXEC, **local}}}
    (tmp_path / "function.yaml").write_text(yaml.safe_dump(config), encoding="utf-8")
    in_place(tmp_path)
    first = {path: path.read_text(encoding="utf-8") for path in tmp_path.rglob("*.yaml")}
    assert yaml.safe_load(first[tmp_path / "bert.yaml"])["spec"] == EXPERIMENT["spec"]
    assert sorted(yaml.safe_load(text)["kind"] for text in first.values()) == [
        "Experiment",
        "Function",
        "TrainJob",
        "TrainingRuntime",
    ]
    in_place(tmp_path)
    assert {path: path.read_text(encoding="utf-8") for path in tmp_path.rglob("*.yaml")} == first


@needs_kustomize
@pytest.mark.parametrize("use", ["generators", "transformers"])
def test_kustomize_runs_it_as(tmp_path: Path, use: str) -> None:
    config: dict[str, Any] = EXPERIMENT if use == "generators" else function()
    (tmp_path / "settings.yaml").write_text(json.dumps(SETTINGS), encoding="utf-8")
    (tmp_path / "function.yaml").write_text(
        json.dumps({**config, "metadata": {**config["metadata"], "annotations": EXEC}}), encoding="utf-8"
    )
    (tmp_path / "kustomization.yaml").write_text(json.dumps({"resources": ["settings.yaml"], use: ["function.yaml"]}))
    answer = kustomize(tmp_path)
    assert answer.returncode == 0, answer.stderr
    made = ["TrainJob", "TrainingRuntime"] if use == "generators" else []
    assert sorted(one["kind"] for one in yaml.safe_load_all(answer.stdout)) == ["ConfigMap", *made]


@needs_kustomize
def test_kustomize_stops_at_what_is_wrong(tmp_path: Path) -> None:
    (tmp_path / "settings.yaml").write_text(
        json.dumps({"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "x"}, "spec": {"parallelism": -1}})
    )
    config = function()
    (tmp_path / "function.yaml").write_text(json.dumps({**config, "metadata": {"name": "f", "annotations": EXEC}}))
    (tmp_path / "kustomization.yaml").write_text(json.dumps({"resources": ["settings.yaml"], "transformers": ["function.yaml"]}))
    answer = kustomize(tmp_path)
    assert (answer.returncode != 0, "spec.parallelism" in answer.stderr) == (True, True), answer.stderr
