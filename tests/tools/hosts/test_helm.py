"""The post-renderer of Helm: what Helm hands over, and Helm itself."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.checkout import ROOT
from tests.program import Answer, tjgen
from tjgen import __version__

EXAMPLE = ROOT / "examples" / "inside" / "helm"
HELM = shutil.which("helm")
EXPERIMENT = """\
# Source: mnist/templates/experiment.yaml
apiVersion: tjgen.dev/v1alpha1
kind: Experiment
metadata: {name: mnist, namespace: vision}
spec: {runtime: tjgen-torch, image: registry.example.com/vision/mnist:1.0, script: train.py}
"""
SETTINGS = """\
# Source: mnist/templates/settings.yaml
# a comment
apiVersion: v1
kind: ConfigMap
metadata: {name: settings, namespace: vision}
data:
  text: |
    a
     --- b
"""


def postrender(folder: Path, *documents: str, words: tuple[str, ...] = ()) -> Answer:
    return tjgen(folder, "postrender", *words, stdin="".join(f"---\n{text}" for text in documents))


def kinds(text: str) -> list[str]:
    return [one["kind"] for one in yaml.safe_load_all(text)]


def test_an_experiment_is_expanded_and_all_else_stays(tmp_path: Path) -> None:
    answer = postrender(tmp_path, SETTINGS, EXPERIMENT)
    assert (answer.code, answer.err) == (0, "")
    assert answer.out.startswith(f"---\n{SETTINGS}---\n")
    # The runtime before the run: Trainer refuses a run whose runtime is not there.
    assert kinds(answer.out) == ["ConfigMap", "TrainingRuntime", "TrainJob"]


@pytest.mark.parametrize("text", ["", "---\n", "# a chart without anything\n"])
def test_nothing_stays_nothing(tmp_path: Path, text: str) -> None:
    answer = tjgen(tmp_path, "postrender", stdin=text)
    assert (answer.code, yaml.safe_load(answer.out), answer.err) == (0, None, "")


def test_a_chart_without_experiments_stays_as_it_is(tmp_path: Path) -> None:
    assert postrender(tmp_path, SETTINGS) == Answer(0, f"---\n{SETTINGS}", "")


NAMED = '{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"a": "%s"}}\n'


@pytest.mark.parametrize("text", [NAMED % "1" + NAMED % "2", NAMED % "\\/"])
def test_json_that_only_a_whole_file_can_hold_is_refused(tmp_path: Path, text: str) -> None:
    """In a stream of YAML, kubectl does not read a document as JSON."""
    answer = postrender(tmp_path, SETTINGS, text)
    assert (answer.code, answer.out) == (1, "")
    stream = f"---\n{SETTINGS}---\n{text}"
    assert tjgen(tmp_path, "check", "-", stdin=stream).code == 1


def test_lines_of_windows_and_a_missing_end_are_read(tmp_path: Path) -> None:
    text = f"---\r\n{EXPERIMENT}---\r\n{SETTINGS}".replace("\n", "\r\n").replace("\r\r", "\r").rstrip()
    answer = tjgen(tmp_path, "postrender", stdin=text)
    assert (answer.code, kinds(answer.out)) == (0, ["ConfigMap", "TrainingRuntime", "TrainJob"])


def test_overlays_of_the_chart_count(tmp_path: Path) -> None:
    overlay = "apiVersion: tjgen.dev/v1alpha1\nkind: Overlay\nmetadata: {name: big}\nspec: {experiment: {nodes: 5}}\n"
    answer = postrender(tmp_path, overlay, EXPERIMENT)
    assert (answer.code, "numNodes: 5" in answer.out, "Overlay" in answer.out) == (0, True, False)


def test_options_reach_the_experiments(tmp_path: Path) -> None:
    (tmp_path / "tjgen.yaml").write_text(
        "apiVersion: tjgen.dev/v1alpha1\nkind: Project\nspec: {environments: {dev: {labels: {stage: dev}}, prod: {}}}\n"
    )
    answer = postrender(tmp_path, EXPERIMENT)
    assert (answer.code, answer.out, "--post-renderer-args --env=NAME" in answer.err) == (1, "", True)
    answer = postrender(tmp_path, EXPERIMENT, words=("--env=dev", "--set", "spec.nodes=3"))
    assert (answer.code, "stage: dev" in answer.out, "numNodes: 3" in answer.out) == (0, True, True)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param(
            EXPERIMENT.replace("image:", "imagee:"),
            'error[TJ101] mnist/templates/experiment.yaml (mnist):5:30: unknown field "imagee"',
            id="an experiment",
        ),
        pytest.param(SETTINGS.replace("  text: |", "  text: 1\n  more: |"), "error[TJ501]", id="an object of the chart"),
        pytest.param("a: [", "error[TJ0", id="no YAML"),
    ],
)
def test_what_is_wrong_stops_helm(tmp_path: Path, text: str, said: str) -> None:
    answer = postrender(tmp_path, text)
    assert (answer.code, answer.out, said in answer.err) == (1, "", True), answer.err


def test_objects_are_not_judged_where_nobody_wants_it(tmp_path: Path) -> None:
    wrong = SETTINGS.replace("  text: |", "  text: 1\n  more: |")
    assert postrender(tmp_path, wrong, words=("--no-check",)).out == f"---\n{wrong}"


def test_helm_4_gets_what_it_cannot_sort_wrongly(tmp_path: Path) -> None:
    """As v4.3 hands a chart over: no comments, and the template of each object in an annotation."""
    note = "  annotations: {postrenderer.helm.sh/postrender-filename: mnist/templates/%s.yaml}\n"
    experiment = EXPERIMENT.partition("\n")[2].replace(
        "metadata: {name: mnist, namespace: vision}\n", "metadata:\n  name: mnist\n  namespace: vision\n" + note % "experiment"
    )
    settings = SETTINGS.replace(
        "metadata: {name: settings, namespace: vision}\n",
        "metadata:\n  name: settings\n  namespace: vision\n" + note % "settings",
    )
    answer = postrender(tmp_path, settings, experiment)
    assert (answer.code, answer.err) == (0, "")
    made = list(yaml.safe_load_all(answer.out))
    assert [one["kind"] for one in made] == ["ConfigMap", "List", "TrainJob"]
    assert [one["kind"] for one in made[1]["items"]] == ["TrainingRuntime"]
    assert "postrender-filename" not in yaml.safe_dump_all(made[1:])
    answer = postrender(tmp_path, experiment.replace("image:", "imagee:"))
    assert "error[TJ101] mnist/templates/experiment.yaml (mnist):" in answer.err


def helm(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    assert HELM is not None
    environment = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "HELM_PLUGINS": str(folder / "plugins"),
    }
    version = subprocess.run([HELM, "version", "--short"], capture_output=True, text=True, check=True).stdout
    if version.startswith("v4"):
        shutil.copytree(ROOT / "integrations" / "helm", folder / "plugins" / "tjgen", dirs_exist_ok=True)
        renderer = ["--post-renderer", "tjgen"]
    else:
        renderer = ["--post-renderer", "tjgen", "--post-renderer-args", "postrender"]
    command = [HELM, "template", "mnist", str(EXAMPLE), "--namespace", "vision", *renderer, *words]
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environment, cwd=folder)


needs_helm = pytest.mark.skipif(HELM is None, reason="needs helm on the path")


@needs_helm
def test_helm_renders_the_example(tmp_path: Path) -> None:
    answer = helm(tmp_path, "--set", "nodes=3")
    assert answer.returncode == 0, answer.stderr
    objects = [item for one in yaml.safe_load_all(answer.stdout) for item in one.get("items", [one])]
    assert [one["kind"] for one in objects] == ["ConfigMap", "TrainingRuntime", "TrainJob", "TrainJob"]
    assert answer.stdout.count("numNodes: 3") == 2


@needs_helm
def test_helm_stops_and_says_why(tmp_path: Path) -> None:
    answer = helm(tmp_path, "--set", "nodes=none")
    # Helm 4.3 drops what a plugin says; the how-to page tells what to do then.
    said = "exited with error" if "plugin" in answer.stderr else "error[TJ"
    assert (answer.returncode != 0, answer.stdout, said in answer.stderr) == (True, "", True), answer.stderr


def test_the_plugin_of_helm_runs_the_command() -> None:
    plugin = yaml.safe_load((ROOT / "integrations" / "helm" / "plugin.yaml").read_text(encoding="utf-8"))
    assert (plugin["type"], plugin["runtime"], plugin["version"]) == ("postrenderer/v1", "subprocess", __version__)
    assert plugin["runtimeConfig"]["platformCommand"] == [{"command": "tjgen", "args": ["postrender"]}]
