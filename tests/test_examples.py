"""The examples, and the overlays to copy: all build without diagnostics, except those listed, and their output is valid."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest
import yaml

from tests.checkout import ROOT, list_entries, tracked
from tests.program import tjgen

EXAMPLES = ROOT / "examples"
OVERLAYS = ROOT / "overlays"
ALONE = sorted(
    str(path.relative_to(EXAMPLES))
    for path in list_entries(EXAMPLES, "**/*.yaml")
    if "kind: Experiment\n" in path.read_text()
    and not any((folder / "tjgen.yaml").exists() or (folder / "Chart.yaml").exists() for folder in path.parents)
)
ENVIRONMENTS = ("dev", "prod")
EXPECTED = {
    "large.yaml": ["warning[TJ399"],  # it is built without the Platform that declares the plugin of Volcano's scheduler
    "inside/kustomize/base/experiment.yaml": ["info[TJ766"],  # kustomize sets the namespace
}


def built(folder: Path, *words: str, expected: Sequence[str] = ()) -> str:
    """The stream that `tjgen build` writes: no diagnostics but those expected, and valid to `tjgen check`."""
    answer = tjgen(folder, "build", *words)
    reported = [line.partition("]")[0] for line in answer.err.splitlines() if "[TJ" in line]
    assert (answer.code, reported) == (0, [*expected]), answer.err
    (folder / "built.yaml").write_text(answer.out)
    judged = tjgen(folder, "check", "--strict", "built.yaml")
    assert judged.code == 0, judged.err
    assert re.fullmatch(r"\d+ objects?, 0 problems\n", judged.err)
    return answer.out


@pytest.mark.parametrize("example", ALONE)
def test_an_example_builds_as_it_stands(example: str, tmp_path: Path) -> None:
    shutil.copytree(EXAMPLES, tmp_path / "examples")
    of_another_target = "\n  target: " in (EXAMPLES / example).read_text(encoding="utf-8")
    assert of_another_target or "kind: TrainJob\n" in built(tmp_path, f"examples/{example}", expected=EXPECTED.get(example, ()))


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_the_project_builds_for_each_environment(environment: str, tmp_path: Path) -> None:
    shutil.copytree(EXAMPLES / "project", tmp_path / "project")
    assert built(tmp_path / "project", "--env", environment).count("kind: TrainJob\n") == 3


def test_runs_of_the_topology_get_domains(tmp_path: Path) -> None:
    shutil.copytree(EXAMPLES / "topology", tmp_path / "topology")
    answer = tjgen(tmp_path / "topology", "fit", "--format", "json")
    (lab,) = json.loads(answer.out)
    assert (answer.code, {run["run"]: run["domains"] for run in lab["runs"]}) == (
        0,
        {"distill": "a100-0: 1", "pretrain": "a100-4: 1, a100-5: 1, a100-6: 1, 1 more", "tune": "a100-2: 1, a100-3: 1"},
    )
    assert built(tmp_path / "topology").count("kind: TrainJob\n") == 3


def test_devices_of_all_kinds_build(tmp_path: Path) -> None:
    shutil.copytree(EXAMPLES / "devices", tmp_path / "devices")
    answer = tjgen(tmp_path / "devices", "build")
    assert (answer.code, answer.out.count("kind: TrainJob\n")) == (0, 5)
    # What a build has chosen is the one thing that it says.
    assert [line.partition("]")[0] for line in answer.err.splitlines() if "[TJ" in line] == ["info[TJ371"]


def test_teams_build_what_their_policies_allow(tmp_path: Path) -> None:
    workspace = tmp_path / "teams"
    shutil.copytree(EXAMPLES / "teams", workspace)
    (workspace / ".git").mkdir()
    for team in ("vision", "speech", "text"):
        assert built(workspace / "teams" / team, "--env", "prod").count("kind: TrainJob\n") == 1
    answer = tjgen(workspace, "build")
    assert (answer.code, "[TJ" in answer.err) == (0, False), answer.err
    trees = ["deploy", *(f"teams/{team}/deploy" for team in ("vision", "speech", "text"))]
    assert tjgen(workspace, "check", "--strict", *trees).code == 0
    assert len((workspace / ".github/CODEOWNERS").read_text().splitlines()) == 5
    case = ROOT / "tests" / "rejects" / "policies-of-three-teams"
    for name in ("platform.yaml", "policies.yaml"):
        assert (case / name).read_bytes() == (EXAMPLES / "teams" / name).read_bytes()


def test_policies_refuse_what_a_team_may_not(tmp_path: Path) -> None:
    shutil.copytree(EXAMPLES / "teams", tmp_path / "teams")
    (tmp_path / "teams/.git").mkdir()
    team = tmp_path / "teams/teams/vision"
    allowed = (team / "experiments/vision.yaml").read_text()
    for old, new, place in (
        ("registry.example.com/", "docker.io/", "[TJ550] experiments/vision.yaml:6:10"),  # another registry
        ("name: vision}", "name: vision, namespace: text}", "[TJ550] tjgen.yaml:7:18"),  # the namespace of another team
        ("  gpu: 4\n", "  gpu: 8\n  nodes: 4\n", "[TJ383] experiments/vision.yaml:"),  # more than the quota
    ):
        assert old in allowed
        (team / "experiments/vision.yaml").write_text(allowed.replace(old, new))
        answer = tjgen(team, "build")
        assert (answer.code, place in answer.err) == (1, True), answer.err
    (team / "experiments/vision.yaml").write_text(allowed)
    assert tjgen(team, "build").code == 0


def test_a_platform_and_a_run_on_it_build(tmp_path: Path) -> None:
    shutil.copytree(EXAMPLES / "platform", tmp_path / "platform")
    assert built(tmp_path / "platform").count("kind: TrainJob\n") == 1
    assert built(tmp_path / "platform", "platform.yaml").count("kind: StorageClass\n") == 2


def test_runs_of_fit_start_wait_and_never_start(tmp_path: Path) -> None:
    shutil.copytree(EXAMPLES / "fit", tmp_path / "fit")
    answer = tjgen(tmp_path / "fit", "fit", "--format", "json")
    (cluster,) = json.loads(answer.out)
    assert answer.code == 1
    assert {run["run"]: run["result"] for run in cluster["runs"]} == {
        "classify": "starts",
        "segment": "waits",
        "pretrain": "never",
    }
    for name in ("classify", "segment"):
        built(tmp_path / "fit", f"experiments/{name}.yaml")
    pretrain = tmp_path / "fit/experiments/pretrain.yaml"
    pretrain.write_text(pretrain.read_text().replace("nodes: 6", "nodes: 4"))
    assert built(tmp_path / "fit").count("kind: TrainJob\n") == 3


def test_the_project_is_written_where_argo_cd_looks_for_it(tmp_path: Path) -> None:
    project = tmp_path / "project"
    shutil.copytree(EXAMPLES / "project", project)
    answer = tjgen(project, "build", "-o", yaml.safe_load((project / "tjgen.yaml").read_text())["spec"]["output"]["directory"])
    assert answer.code == 0
    for environment in ENVIRONMENTS:
        (application,) = (project / "deploy" / environment / "gitops").glob("application-*.yaml")
        source = yaml.safe_load(application.read_text())["spec"]["source"]
        assert list((project / source["path"]).rglob("trainjob-*.yaml"))


def test_every_example_is_listed() -> None:
    assert ALONE
    listed = (EXAMPLES / "README.md").read_text()
    # Python leaves compiled files of the programs that other tests import.
    names = {name.split("/")[1] for name in tracked() if name.startswith("examples/")} - {"README.md"}
    assert [name for name in sorted(names) if f"]({name})" not in listed] == []


def test_every_document_to_copy_is_used_here() -> None:
    kinds = {path.name: yaml.safe_load(path.read_text())["kind"] for path in list_entries(OVERLAYS)}
    overlays = sorted(name for name, kind in kinds.items() if kind == "Overlay")
    assert overlays == ["dev.yaml", "nccl-debug.yaml", "prod-volcano.yaml", "spot.yaml"]
    assert sorted(set(kinds) - set(overlays)) == ["airgap-platform.yaml"]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project that uses every document of overlays/."""
    shutil.copytree(OVERLAYS, tmp_path / "overlays")
    (tmp_path / "platform").mkdir()
    (tmp_path / "overlays" / "airgap-platform.yaml").rename(tmp_path / "platform" / "airgap.yaml")
    (tmp_path / "tjgen.yaml").write_text(
        "apiVersion: tjgen.dev/v1alpha1\n"
        "kind: Project\n"
        "spec:\n"
        "  experiments: [experiment.yaml]\n"
        "  overlays: [overlays]\n"
        "  platforms: [platform]\n"
        "  environments: {dev: {}, prod: {platform: airgap}}\n"
    )
    (tmp_path / "experiment.yaml").write_text(
        "apiVersion: tjgen.dev/v1alpha1\n"
        "kind: Experiment\n"
        "metadata: {name: trial, namespace: team, labels: {debug: nccl, capacity: spot}}\n"
        "spec:\n"
        "  runtime: tjgen-torch\n"
        "  image: pytorch/pytorch:2.13.0-cuda13.0-cudnn9-runtime\n"
        "  script: train.py\n"
        "  nodes: 4\n"
        "  gpu: h100:8\n"
        "  sharedMemory: 16Gi\n"
        "  schedule: {queue: training}\n"
    )
    return tmp_path


def objects(text: str) -> dict[str, dict[str, object]]:
    return {document["kind"]: document for document in yaml.safe_load_all(text)}


def test_dev_is_small(project: Path) -> None:
    answer = tjgen(project, "build", "--env", "dev")
    assert (answer.code, answer.err) == (0, "")
    made = objects(answer.out)
    job = yaml.safe_dump(made["TrainJob"])
    assert "numNodes: 1" in job
    assert "activeDeadlineSeconds: 3600" in job
    assert "NVIDIA-L4" in job
    assert "podGroupPolicy" not in answer.out


def test_prod_waits_in_the_queue_that_the_experiment_names(project: Path) -> None:
    answer = tjgen(project, "build", "--env", "prod")
    assert answer.code == 0
    made = objects(answer.out)
    job, runtime = yaml.safe_dump(made["TrainJob"]), yaml.safe_dump(made["TrainingRuntime"])
    assert "scheduling.volcano.sh/queue-name: training" in job
    assert "priorityClassName: training" in runtime
    assert "volcano: {}" in runtime
    assert "name: NCCL_DEBUG\n" in job
    assert "cloud.google.com/gke-spot: 'true'" in job
    assert "image: registry.example.com/docker/pytorch/pytorch:2.13.0-cuda13.0-cudnn9-runtime" in job
