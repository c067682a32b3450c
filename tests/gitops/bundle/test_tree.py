"""What a build leaves of platforms in an output tree: folders, locks, and what keeps either from being wrong."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from tests.program import tjgen

PLATFORM = """\
apiVersion: tjgen.dev/v1alpha1
kind: Platform
metadata: {{name: {name}}}
spec:
  storageClasses: {{fast: {{create: {{provisioner: files.csi.example.com, parameters: {{type: {kind}}}}}}}}}
  priorityClasses: {{urgent: {{value: {value}}}}}
  namespaces: {{vision: {{trainers: [{{group: team}}]}}}}
"""
EXPERIMENT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Experiment
metadata: {name: plain, namespace: vision}
spec: {runtime: tjgen-torch, image: "registry.example.com/train:1", script: train.py}
"""


def project(folder: Path, spec: str = "{platforms: [platform.yaml], experiments: [experiment.yaml]}") -> Path:
    (folder / "tjgen.yaml").write_text(f"apiVersion: tjgen.dev/v1alpha1\nkind: Project\nmetadata: {{name: lab}}\nspec: {spec}\n")
    (folder / "experiment.yaml").write_text(EXPERIMENT)
    platform(folder)
    return folder


def platform(folder: Path, *, name: str = "lab", kind: str = "ssd", value: int = 1000) -> None:
    (folder / f"{'platform' if name == 'lab' else name}.yaml").write_text(PLATFORM.format(name=name, kind=kind, value=value))


def files(folder: Path, top: str) -> list[str]:
    return sorted(str(path.relative_to(folder / top)) for path in (folder / top).rglob("*.yaml"))


def test_objects_lie_in_a_folder_of_their_own(tmp_path: Path) -> None:
    assert tjgen(project(tmp_path), "build", "-o", "deploy").code == 0
    assert files(tmp_path, "deploy/platform") == [
        "lab/namespace-vision.yaml",
        "lab/priorityclass-urgent.yaml",
        "lab/storageclass-fast.yaml",
        "lab/vision/role-tjgen-trainers.yaml",
        "lab/vision/rolebinding-tjgen-trainers.yaml",
    ]
    assert files(tmp_path, "tjgen.lock.d/_platforms") == ["lab.yaml"]
    assert tjgen(tmp_path, "build", "-o", "deploy", "--check").code == 0
    assert tjgen(tmp_path, "check", "deploy", "--strict").code == 0
    assert tjgen(tmp_path, "check", "--closed", "--strict", ".").code == 0, "locks are not manifests"
    assert "plain" in tjgen(tmp_path, "runs", "list").out


def test_a_priority_class_that_exists_is_not_created(tmp_path: Path) -> None:
    path = project(tmp_path) / "platform.yaml"
    path.write_text(path.read_text().replace("{value: 1000}", "{value: 1000, exists: true}"))
    assert tjgen(tmp_path, "build", "-o", "deploy").code == 0
    assert files(tmp_path, "deploy/platform") == [
        "lab/namespace-vision.yaml",
        "lab/storageclass-fast.yaml",
        "lab/vision/role-tjgen-trainers.yaml",
        "lab/vision/rolebinding-tjgen-trainers.yaml",
    ]


def test_a_stream_of_the_project_holds_runs_alone(tmp_path: Path) -> None:
    kinds = [one["kind"] for one in yaml.safe_load_all(tjgen(project(tmp_path), "build").out)]
    assert kinds == ["TrainingRuntime", "TrainJob"]


def test_a_named_platform_is_built_alone(tmp_path: Path) -> None:
    project(tmp_path)
    assert tjgen(tmp_path, "build", "platform.yaml", "-o", "deploy").code == 0
    assert not (tmp_path / "deploy/runs").exists()
    assert files(tmp_path, "deploy")[0] == "platform/lab/namespace-vision.yaml"


def test_a_platform_without_a_project_is_built(tmp_path: Path) -> None:
    platform(tmp_path)
    answer = tjgen(tmp_path, "build", "platform.yaml")
    assert answer.code == 0
    assert {one["kind"] for one in yaml.safe_load_all(answer.out)} >= {"StorageClass", "PriorityClass", "Namespace"}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"kind": "hdd"}, 'StorageClass fast: parameters.type is "ssd" in the cluster and cannot change to "hdd"'),
        ({"value": 2}, "PriorityClass urgent: value is 1000 in the cluster and cannot change to 2"),
    ],
    ids=["a parameter of a class", "the value of a priority"],
)
def test_what_is_fixed_does_not_change(tmp_path: Path, change: dict[str, str], words: str) -> None:
    tjgen(project(tmp_path), "build", "-o", "deploy")
    platform(tmp_path, **change)  # type: ignore[arg-type]  # of two types
    before = {path: path.read_bytes() for path in (tmp_path / "deploy").rglob("*.yaml")}
    answer = tjgen(tmp_path, "build", "-o", "deploy")
    assert answer.code == 1
    assert f"error[TJ912] platform.yaml:{5 if 'kind' in change else 6}" in answer.err
    assert words in answer.err
    assert {path: path.read_bytes() for path in (tmp_path / "deploy").rglob("*.yaml")} == before
    assert tjgen(tmp_path, "build", "-o", "deploy", "--force").code == 0
    assert tjgen(tmp_path, "build", "-o", "deploy").code == 0


def test_diff_says_what_the_server_refuses(tmp_path: Path) -> None:
    tjgen(project(tmp_path), "build", "-o", "deploy")
    platform(tmp_path, kind="hdd", value=2)
    answer = tjgen(tmp_path, "diff", "-o", "deploy")
    assert answer.code == 1
    assert "StorageClass parameters.type: ssd -> hdd  (refused)" in answer.out
    assert "the server rejects: value: Forbidden: may not be changed in an update." in answer.out
    assert "platform: 2 refused, 3 unchanged" in answer.out


def test_a_platform_that_goes_takes_its_files_and_lock(tmp_path: Path) -> None:
    tjgen(project(tmp_path), "build", "-o", "deploy")
    project(tmp_path, "{experiments: [experiment.yaml]}")
    assert tjgen(tmp_path, "build", "-o", "deploy").code == 0
    assert files(tmp_path, "deploy/platform") == files(tmp_path, "tjgen.lock.d/_platforms") == []


def test_a_part_of_a_project_leaves_platforms_alone(tmp_path: Path) -> None:
    tjgen(project(tmp_path), "build", "-o", "deploy")
    known = files(tmp_path, "deploy")
    assert tjgen(tmp_path, "build", "experiment.yaml", "-o", "deploy").code == 0
    assert files(tmp_path, "deploy") == known


def test_an_environment_brings_its_platform_alone(tmp_path: Path) -> None:
    spec = "{platforms: [platform.yaml, other.yaml], environments: {dev: {platform: lab}, prod: {platform: other}}}"
    project(tmp_path, spec)
    platform(tmp_path, name="other")
    tjgen(tmp_path, "build", "-o", "deploy", "--env", "dev")
    assert [path.name for path in (tmp_path / "deploy/platform").iterdir()] == ["lab"]
    tjgen(tmp_path, "build", "-o", "deploy")
    tjgen(tmp_path, "build", "-o", "deploy", "--env", "dev")
    assert sorted(path.name for path in (tmp_path / "deploy/platform").iterdir()) == ["lab", "other"]


def test_an_environment_cannot_be_called_platform(tmp_path: Path) -> None:
    project(tmp_path, "{platforms: [platform.yaml], environments: {platform: {}}}")
    answer = tjgen(tmp_path, "build", "-o", "deploy")
    assert answer.code == 1
    assert "error[TJ913] tjgen.yaml:4:" in answer.err


def test_other_commands_want_experiments(tmp_path: Path) -> None:
    answer = tjgen(project(tmp_path), "diagnose", "platform.yaml")
    assert (answer.code, "error[TJ263]" in answer.err) == (1, True)


@pytest.mark.parametrize("name", ["../evil", "a/b", "Lab One"])
def test_a_name_that_is_no_folder_is_refused(tmp_path: Path, name: str) -> None:
    platform(tmp_path)
    file = tmp_path / "platform.yaml"
    file.write_text(file.read_text().replace("name: lab", f"name: {name}"))
    answer = tjgen(tmp_path, "build", "platform.yaml", "-o", "deploy")
    assert (answer.code, "error[TJ924] platform.yaml:3:" in answer.err) == (1, True)
    assert not list((tmp_path / "deploy").rglob("*.yaml"))


def test_a_damaged_lock_is_reported(tmp_path: Path) -> None:
    tjgen(project(tmp_path), "build", "-o", "deploy")
    for text in ("[]", "a: b", "kind: LockedPlatform\nobjects: [{kind: 1}]", "<<<<<<< ours\n"):
        (tmp_path / "tjgen.lock.d/_platforms/lab.yaml").write_text(text)
        answer = tjgen(tmp_path, "build", "-o", "deploy")
        assert (answer.code, "error[TJ921]" in answer.err) == (1, True), text


@pytest.mark.parametrize("tool", ["argocd", "flux"])
def test_a_tool_syncs_it_before_runs_and_prunes_nothing_of_it(tmp_path: Path, tool: str) -> None:
    spec = f"{{platforms: [platform.yaml], experiments: [experiment.yaml], gitops: {{tool: {tool}, path: deploy, repository: 'https://git.example.com/a.git'}}}}"
    project(tmp_path, spec)
    answer = tjgen(tmp_path, "build", "-o", "deploy")
    assert answer.code == 0, answer.err
    trees = [yaml.safe_load(path.read_text()) for path in (tmp_path / "deploy/platform").rglob("*.yaml")]
    for tree in trees:
        annotations = tree["metadata"]["annotations"]
        if tool == "flux":
            assert annotations == {"kustomize.toolkit.fluxcd.io/prune": "disabled"}
        else:
            assert "Prune=false,Delete=false" in annotations["argocd.argoproj.io/sync-options"]
    waves = {tree["kind"]: tree["metadata"]["annotations"].get("argocd.argoproj.io/sync-wave") for tree in trees}
    syncs = {
        (one["kind"], one["metadata"]["name"]): one["spec"]
        for one in map(yaml.safe_load, (path.read_text() for path in (tmp_path / "deploy/gitops").iterdir()))
    }
    if tool == "flux":
        assert syncs["Kustomization", "lab-platform"]["path"] == "./deploy/platform/lab"
        assert "dependsOn" not in syncs["Kustomization", "lab-platform"]
        for stage in ("runtimes", "data", "runs"):
            assert {"name": "lab-platform"} in syncs["Kustomization", f"lab-{stage}"]["dependsOn"]
    else:
        assert int(waves["Namespace"]) < int(waves["StorageClass"]) < 0
        assert syncs["Application", "lab-platform"]["source"]["path"] == "deploy/platform/lab"
        assert syncs["Application", "lab-platform"]["syncPolicy"]["automated"]["prune"] is False
        assert "platform/*" in syncs["Application", "lab"]["source"]["directory"]["exclude"]


@pytest.mark.parametrize("applications", ["experiments", "environments"])
def test_nothing_else_applies_it(tmp_path: Path, applications: str) -> None:
    repository = f"{{tool: argocd, path: deploy, repository: 'https://git.example.com/a.git', applicationSet: {applications}}}"
    project(tmp_path, f"{{platforms: [platform.yaml], experiments: [experiment.yaml], gitops: {repository}}}")
    assert tjgen(tmp_path, "build", "-o", "deploy").code == 0
    texts = {path.name: path.read_text() for path in (tmp_path / "deploy/gitops").glob("application*.yaml")}
    whole = texts["applicationset-lab.yaml" if applications == "environments" else "application-lab.yaml"]
    assert "platform/*" in whole
    assert "path: deploy/platform/lab" in texts["application-lab-platform.yaml"]


def test_environments_of_one_cluster_sync_it_once(tmp_path: Path) -> None:
    gitops = "gitops: {tool: argocd, path: deploy, repository: 'https://git.example.com/a.git'}"
    project(
        tmp_path,
        f"{{platforms: [platform.yaml], environments: {{a: {{cluster: x}}, b: {{cluster: x}}, c: {{cluster: y}}}}, {gitops}}}",
    )
    assert tjgen(tmp_path, "build", "-o", "deploy").code == 0
    found = sorted(path.relative_to(tmp_path / "deploy").as_posix() for path in (tmp_path / "deploy").rglob("*-platform.yaml"))
    assert found == ["a/gitops/application-lab-a-platform.yaml", "c/gitops/application-lab-c-platform.yaml"]


def test_a_child_queue_under_flux_is_warned_of(tmp_path: Path) -> None:
    project(tmp_path, "{platforms: [platform.yaml], gitops: flux}")
    queues = "{a: {create: {volcano: {}}}, b: {create: {volcano: {parent: a}}}}"
    (tmp_path / "platform.yaml").write_text(
        f"apiVersion: tjgen.dev/v1alpha1\nkind: Platform\nmetadata: {{name: lab}}\nspec: {{queues: {queues}}}\n"
    )
    assert "warning[TJ918] platform.yaml:4:" in tjgen(tmp_path, "build", "-o", "deploy").err
