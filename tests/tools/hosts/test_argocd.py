"""The plugin of Argo CD: its commands, and the same through the real server of plugins."""

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

EXAMPLE = ROOT / "examples" / "inside" / "argocd"
PLUGIN = ROOT / "integrations" / "argocd"
SERVER = shutil.which("cmprig")
"""tests/tools/hosts/cmprig, built as it says: the server of plugins that Argo CD has, and its client."""


def generate(folder: Path, monkeypatch: pytest.MonkeyPatch, **variables: str) -> Answer:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    return tjgen(folder, "cmp", "generate")


def parameters(*said: dict[str, Any]) -> str:
    return json.dumps(list(said))


def objects(answer: Answer) -> list[Any]:
    assert answer.code == 0, answer.err
    return list(yaml.safe_load_all(answer.out))


@pytest.fixture
def project(tmp_path: Path) -> Path:
    shutil.copytree(EXAMPLE, tmp_path / "project")
    return tmp_path / "project"


def test_a_folder_with_a_project_is_discovered(project: Path) -> None:
    assert tjgen(project, "cmp", "discover") == Answer(0, "tjgen.yaml\n", "")


def test_a_folder_with_experiments_is_discovered_and_built(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (project / "tjgen.yaml").unlink()
    assert tjgen(project, "cmp", "discover").out == "experiments/mnist.yaml\n"
    made = objects(generate(project, monkeypatch, ARGOCD_APP_NAMESPACE="team"))
    assert {one["metadata"]["namespace"] for one in made} == {"team"}


@pytest.mark.parametrize("name", ["deploy/runs/trainjob.yaml", "Chart.yaml", "notes.txt"])
def test_other_folders_are_not(tmp_path: Path, name: str) -> None:
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / name).write_text("apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\n# tjgen.dev/\n", encoding="utf-8")
    assert tjgen(tmp_path, "cmp", "discover") == Answer(0, "", "")


def test_what_can_be_said_is_announced(project: Path) -> None:
    answer = tjgen(project, "cmp", "parameters")
    announced = {one["name"]: one for one in json.loads(answer.out)}
    assert list(announced) == ["environment", "experiments", "set", "trainer", "strict"]
    assert announced["environment"]["required"] is True
    assert announced["environment"]["tooltip"].endswith(": dev, prod")
    assert announced["experiments"]["array"] == ["experiments/mnist.yaml"]
    assert {name: one["collectionType"] for name, one in announced.items() if one["collectionType"] != "string"} == {
        "experiments": "array",
        "set": "map",
    }


def test_a_project_that_is_wrong_announces_nothing(project: Path) -> None:
    (project / "tjgen.yaml").write_text("kind: Project\nspec: {experimnts: []}\n", encoding="utf-8")
    answer = tjgen(project, "cmp", "parameters")
    assert (answer.code, answer.out, "TJ101" in answer.err) == (1, "", True)


def test_parameters_choose(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said = parameters(
        {"name": "environment", "string": "prod"},
        {"name": "set", "map": {"spec.nodes": "3", "env.A": "1"}},
        {"name": "experiments", "array": ["experiments/mnist.yaml"]},
    )
    made = objects(generate(project, monkeypatch, ARGOCD_APP_PARAMETERS=said))
    assert [one["kind"] for one in made] == ["TrainingRuntime", "TrainJob"]
    assert made[1]["metadata"]["namespace"] == "vision"
    assert made[1]["spec"]["trainer"]["numNodes"] == 3
    assert {"name": "A", "value": "1"} in made[1]["spec"]["trainer"]["env"]


def test_variables_choose_and_parameters_go_before_them(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    variables = {
        "ARGOCD_ENV_TJGEN_ENVIRONMENT": "prod",
        "ARGOCD_ENV_TJGEN_EXPERIMENTS": "experiments/mnist.yaml\n",
        "ARGOCD_ENV_TJGEN_SET": "spec.nodes=2\nenv.A=x=y\n",
        "ARGOCD_ENV_OTHER": "of another plugin",
    }
    made = objects(generate(project, monkeypatch, **variables))
    assert made[1]["metadata"]["namespace"] == "vision"
    assert made[1]["spec"]["trainer"]["numNodes"] == 2
    assert {"name": "A", "value": "x=y"} in made[1]["spec"]["trainer"]["env"]
    said = parameters({"name": "environment", "string": "dev"})
    made = objects(generate(project, monkeypatch, ARGOCD_APP_PARAMETERS=said))
    assert made[1]["metadata"]["namespace"] == "vision-dev"


@pytest.mark.parametrize(
    ("variables", "said"),
    [
        pytest.param({}, "error[TJ266] the project has several environments: dev, prod", id="no environment"),
        pytest.param({"ARGOCD_APP_PARAMETERS": "[{]"}, "error[TJ763] ARGOCD_APP_PARAMETERS is not JSON", id="no JSON"),
        pytest.param({"ARGOCD_APP_PARAMETERS": '{"a": 1}'}, "TJ763] ARGOCD_APP_PARAMETERS is not a list", id="no list"),
        pytest.param(
            {"ARGOCD_APP_PARAMETERS": parameters({"name": "enviroment", "string": "dev"})},
            'hint: did you mean "environment"?',
            id="a parameter that is not known",
        ),
        pytest.param(
            {"ARGOCD_APP_PARAMETERS": parameters({"name": "set", "string": "spec.nodes=2"})},
            "error[TJ763] parameter set is given as string",
            id="a parameter of another shape",
        ),
        pytest.param({"ARGOCD_ENV_TJGEN_ENV": "dev"}, "error[TJ763] unknown variable TJGEN_ENV", id="a variable"),
        pytest.param({"ARGOCD_ENV_TJGEN_STRICT": "yes"}, 'error[TJ763] strict is "yes"', id="neither true nor false"),
        pytest.param({"ARGOCD_ENV_TJGEN_ENVIRONMENT": "live"}, "error[TJ262]", id="an environment that does not exist"),
        pytest.param(
            {"ARGOCD_ENV_TJGEN_ENVIRONMENT": "dev", "ARGOCD_ENV_TJGEN_SET": "spec.nodes=x"}, "error[TJ", id="a wrong value"
        ),
    ],
)
def test_what_is_wrong_generates_nothing(
    project: Path, monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], said: str
) -> None:
    answer = generate(project, monkeypatch, **variables)
    assert (answer.code, answer.out, said in answer.err) == (1, "", True), answer.err


def test_an_empty_answer_is_refused(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (project / "experiments" / "mnist.yaml").write_text("# no experiment yet\n", encoding="utf-8")
    answer = generate(project, monkeypatch, ARGOCD_ENV_TJGEN_ENVIRONMENT="dev")
    assert (answer.code, answer.out, "error[TJ764]" in answer.err) == (1, "", True)
    (project / "experiments" / "mnist.yaml").unlink()
    answer = generate(project, monkeypatch, ARGOCD_ENV_TJGEN_ENVIRONMENT="dev")
    assert (answer.code, answer.out, "error[TJ202]" in answer.err) == (1, "", True)


def test_strict_refuses_a_warning(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (project / "overlay.yaml").write_text(
        "apiVersion: tjgen.dev/v1alpha1\nkind: Overlay\nmetadata: {name: none}\n"
        "spec: {match: {labels: {a: b}}, experiment: {nodes: 2}}\n",
        encoding="utf-8",
    )
    file = project / "tjgen.yaml"
    file.write_text(file.read_text(encoding="utf-8") + "  overlays: [overlay.yaml]\n", encoding="utf-8")
    assert generate(project, monkeypatch, ARGOCD_ENV_TJGEN_ENVIRONMENT="dev").code == 0
    answer = generate(project, monkeypatch, ARGOCD_ENV_TJGEN_STRICT="true")
    assert (answer.code, "error[TJ211]" in answer.err) == (1, True)


def test_another_word_is_wrong_use(project: Path) -> None:
    assert tjgen(project, "cmp", "init").code == 2


def test_the_plugin_runs_these_commands() -> None:
    plugin = yaml.safe_load((PLUGIN / "plugin.yaml").read_text(encoding="utf-8"))
    assert (plugin["apiVersion"], plugin["kind"]) == ("argoproj.io/v1alpha1", "ConfigManagementPlugin")
    assert plugin["spec"] == {
        "discover": {"find": {"command": ["tjgen", "cmp", "discover"]}},
        "parameters": {"dynamic": {"command": ["tjgen", "cmp", "parameters"]}},
        "generate": {"command": ["tjgen", "cmp", "generate"]},
    }


def served(repository: Path, path: str, source: Any) -> Any:
    """What the real server answers about a folder of a repository."""
    assert SERVER is not None
    asked = {"config": str(PLUGIN), "repo": str(repository), "path": path, "plugin": source, "app": ["ARGOCD_APP_NAMESPACE=x"]}
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    answer = subprocess.run(
        [SERVER], input=json.dumps(asked), capture_output=True, text=True, check=True, env=environment, cwd=repository
    )
    return json.loads(answer.stdout)


needs_server = pytest.mark.skipif(SERVER is None, reason="needs cmprig on the path: see tests/tools/hosts/cmprig")


@needs_server
def test_the_real_server_takes_the_plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(EXAMPLE, tmp_path / "repository" / "team")
    application = yaml.safe_load((EXAMPLE / "application.yaml").read_text(encoding="utf-8"))
    answer = served(tmp_path / "repository", "team", application["spec"]["source"]["plugin"])
    assert answer.get("error") is None
    assert answer["matched"]
    assert [one["name"] for one in answer["parameters"]] == ["environment", "experiments", "set", "trainer", "strict"]
    said = parameters({"name": "environment", "string": "dev"}, {"name": "set", "map": {"spec.nodes": "2"}})
    assert answer["manifests"] == objects(generate(EXAMPLE, monkeypatch, ARGOCD_APP_PARAMETERS=said))


@needs_server
@pytest.mark.parametrize(
    ("path", "source", "key", "said"),
    [
        pytest.param("team", None, "generateError", "TJ266", id="recognised without a name, no environment chosen"),
        pytest.param(".", None, "error", "could not find plugin supporting", id="a folder of something else"),
    ],
)
def test_the_real_server_hands_errors_on(tmp_path: Path, path: str, source: Any, key: str, said: str) -> None:
    shutil.copytree(EXAMPLE, tmp_path / "repository" / "team")
    (tmp_path / "repository" / "team").rename(tmp_path / "repository" / ("team" if path == "team" else ".hidden"))
    answer = served(tmp_path / "repository", path, source)
    assert said in answer[key]
    assert "manifests" not in answer


def test_the_image_is_built_from_pinned_inputs() -> None:
    lines = (PLUGIN / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", " ").splitlines()
    words = [line.split() for line in lines if line and not line.startswith("#")]
    assert [one[1] for one in words if one[0] == "FROM"] == ["${BASE}"]
    assert ["ARG", "BASE"] in words, "a base without a digest must not be the default"
    (refusal,) = [line.removeprefix("RUN ") for line in lines if line.startswith("RUN case")]
    for base, code in (("python:3.13", 1), (f"python:3.13@sha256:{'a' * 64}", 0)):
        ran = subprocess.run(["sh", "-c", refusal], env={"BASE": base}, capture_output=True, text=True, check=False)
        assert (ran.returncode, "requires a digest" in ran.stderr) == (code, code == 1)
    installs = [part.split() for line in lines if line.startswith("RUN") for part in line.removeprefix("RUN").split("&&")]
    installs = [one for one in installs if "install" in one]
    assert [one[0] for one in installs] == ["pip", "pip"], "packages of the operating system have no pinned release"
    assert all("--require-hashes" in one or {"--no-index", "--no-deps"} <= set(one) for one in installs)
    for one in words:
        if one[0] == "COPY" and not one[1].startswith("dist/"):
            assert (ROOT / one[1]).exists()
