"""What a pull request can write into a repository does not reach files outside of it, and does not use up the machine."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.program import Answer, tjgen
from tests.trees.files.test_bad_paths import no_longer_than

SECRET = "root-password-of-the-host"
SECONDS = 10


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository next to a folder with a secret, the project in its root."""
    folder = tmp_path / "repository"
    (folder / ".git").mkdir(parents=True)
    (folder / "experiments").mkdir()
    project(folder, experiments=["experiments"])
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.yaml").write_text(f"a: {SECRET}\n", encoding="utf-8")
    (outside / "list.txt").write_text(f"{SECRET}\n", encoding="utf-8")
    (outside / "experiment.yaml").write_text(yaml.safe_dump(experiment()), encoding="utf-8")
    return folder


def project(folder: Path, **spec: Any) -> None:
    tree = {"apiVersion": "tjgen.dev/v1alpha1", "kind": "Project", "spec": spec}
    folder.mkdir(exist_ok=True, parents=True)
    (folder / "tjgen.yaml").write_text(yaml.safe_dump(tree), encoding="utf-8")


def experiment(**spec: Any) -> dict[str, Any]:
    whole = {"runtime": "tjgen-plain", "image": "registry.example.com/a:1", "script": "train.py", **spec}
    return {
        "apiVersion": "tjgen.dev/v1alpha1",
        "kind": "Experiment",
        "metadata": {"name": "a", "namespace": "vision"},
        "spec": whole,
    }


def write(repository: Path, **spec: Any) -> None:
    (repository / "experiments" / "a.yaml").write_text(yaml.safe_dump(experiment(**spec)), encoding="utf-8")


def run(repository: Path, *words: str, stdin: str = "") -> Answer:
    with no_longer_than(SECONDS):
        answer = tjgen(repository, *words, stdin=stdin)
    assert SECRET not in answer.out + answer.err
    return answer


def refused(repository: Path, code: str, *words: str) -> str:
    answer = run(repository, *(words or ("build",)))
    assert answer.code == 1, answer
    assert f"error[{code}]" in answer.err, answer.err
    return answer.err


@pytest.mark.parametrize("directory", ["/etc", "../../outside", "link", "inner/../../../outside", "/proc/self"])
@pytest.mark.parametrize("way", ["configMap", "workspace", "build"])
def test_code_outside_of_the_repository_is_not_taken(repository: Path, way: str, directory: str) -> None:
    (repository / "experiments" / "link").symlink_to("../../outside")
    (repository / "experiments" / "inner").mkdir()
    ways: dict[str, dict[str, Any]] = {
        "configMap": {"configMap": {"directory": directory}},
        "workspace": {"workspace": {"pvc": "code", "directory": directory}},
        "build": {"build": {"image": "registry.example.com/a", "directory": directory}},
    }
    write(repository, code=ways[way])
    answer = run(repository, "build")
    assert answer.code == 1
    assert "outside of the repository" in answer.err


def test_a_file_of_the_code_that_is_a_link_out_is_not_packed(repository: Path) -> None:
    (repository / "experiments" / "src").mkdir()
    (repository / "experiments" / "src" / "train.py").symlink_to("../../../outside/secret.yaml")
    write(repository, code={"configMap": {"directory": "src"}})
    assert "outside the folder" in refused(repository, "TJ446")


@pytest.mark.parametrize(
    "manifest", ["../../outside/list.txt", "/etc/shadow", "link.txt", "folder/list.txt", "/dev/zero", "/proc/self/environ"]
)
def test_a_list_of_items_outside_of_the_repository_is_not_read(repository: Path, manifest: str) -> None:
    (repository / "experiments" / "link.txt").symlink_to("../../outside/list.txt")
    (repository / "experiments" / "folder").symlink_to("../../outside")
    data = {"volume": "d", "items": {"manifest": manifest}, "slices": {"by": "round-robin"}}
    write(repository, nodes=2, volumes={"d": {"pvc": "d", "mountPath": "/d", "readOnly": True}}, data=data)
    assert "experiments/a.yaml:" in refused(repository, "TJ029")


@pytest.mark.parametrize("directory", ["/etc", "/", "../../outside", "link"])
def test_items_are_not_matched_in_folders_outside_of_the_repository(repository: Path, directory: str) -> None:
    (repository / "experiments" / "link").symlink_to("../../outside")
    data = {"volume": "d", "items": {"glob": "**/*", "directory": directory}, "slices": {"by": "round-robin"}}
    write(repository, nodes=2, volumes={"d": {"pvc": "d", "mountPath": "/d", "readOnly": True}}, data=data)
    assert "experiments/a.yaml:" in refused(repository, "TJ029")


@pytest.mark.parametrize("command", ["build", "lint", "report", "diagnose", "pin", "explain"])
def test_an_experiment_that_is_a_link_out_is_not_shown(repository: Path, command: str) -> None:
    (repository / "experiments" / "p.yaml").symlink_to("../../outside/secret.yaml")
    words = {
        "explain": ["explain", "experiments/p.yaml", "TrainJob"],
        "pin": ["pin", "--check"],
        "diagnose": ["diagnose", "experiments"],
    }
    assert "experiments/p.yaml" in refused(repository, "TJ029", *words.get(command, [command]))


@pytest.mark.parametrize(
    "spec",
    [
        pytest.param({"experiments": ["../outside"]}, id="experiments"),
        pytest.param({"experiments": ["/**/*.yaml"]}, id="a pattern at the root"),
        pytest.param({"experiments": ["../**/*.yaml"]}, id="a pattern above"),
        pytest.param({"overlays": ["/**/*.yaml"]}, id="overlays by a pattern"),
        pytest.param({"overlays": ["../outside/secret.yaml"]}, id="overlays"),
        pytest.param({"overlays": ["link"]}, id="overlays through a link"),
        pytest.param({"platforms": ["../outside/secret.yaml"]}, id="platforms"),
        pytest.param({"environments": {"prod": {"overlays": ["../outside/secret.yaml"]}}}, id="overlays of an environment"),
        pytest.param({"catalogs": ["/"]}, id="the root as a catalog"),
        pytest.param({"catalogs": ["../outside"]}, id="catalogs"),
        pytest.param({"catalogs": ["link"]}, id="a catalog that is a link"),
        pytest.param({"schemas": "../outside"}, id="schemas"),
        pytest.param({"slicers": {"mine": "../outside/secret.yaml"}}, id="slicers"),
    ],
)
@pytest.mark.parametrize("command", ["build", "lint", "report"])
def test_a_project_does_not_read_outside_of_the_repository(repository: Path, command: str, spec: dict[str, Any]) -> None:
    (repository / "link").symlink_to("../outside")
    write(repository, runtime="tjgen-plain-of-ours")
    project(repository, **{"experiments": ["experiments"], **spec})
    refused(repository, "TJ029", command)


def test_the_root_project_lists_folders_that_may_be_read(repository: Path) -> None:
    project(repository, experiments=["../outside/experiment.yaml"], readable=["../outside"])
    assert run(repository, "build").code == 0


def test_a_nested_project_cannot_list_folders(repository: Path) -> None:
    project(repository / "nested", experiments=["../../outside/experiment.yaml"], readable=["../../outside"])
    (repository / "nested" / "a.yaml").write_text(yaml.safe_dump(experiment()), encoding="utf-8")
    assert "nested/tjgen.yaml:" in refused(repository, "TJ037", "build", "nested/a.yaml")


def test_the_folders_of_the_root_project_hold_for_a_nested_one(repository: Path) -> None:
    project(repository, readable=["../outside"])
    project(repository / "nested", experiments=["../../outside/experiment.yaml"])
    (repository / "nested" / "a.yaml").symlink_to("../../outside/experiment.yaml")
    assert run(repository, "build", "nested/a.yaml").code == 0


def test_what_the_caller_names_may_be_anywhere(repository: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    assert run(repository, "build", "../outside/experiment.yaml").code == 0
    assert run(repository, "build", str(outside / "experiment.yaml")).code == 0
    (outside / "secret.yaml").unlink()
    assert run(repository, "build", str(outside)).code == 0


def test_an_experiment_outside_does_not_read_more_than_its_folder(repository: Path, tmp_path: Path) -> None:
    code = {"configMap": {"directory": "../inner"}}
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "train.py").write_text(SECRET, encoding="utf-8")
    (tmp_path / "outside" / "experiment.yaml").write_text(yaml.safe_dump(experiment(code=code)), encoding="utf-8")
    assert "outside of the repository" in refused(repository, "TJ446", "build", "../outside/experiment.yaml")


@pytest.mark.parametrize("place", ["../outside/experiment.yaml", "OUTSIDE/experiment.yaml", "link.yaml"])
def test_a_function_of_kustomize_reads_the_repository_alone(repository: Path, place: str, tmp_path: Path) -> None:
    (repository / "link.yaml").symlink_to("../outside/experiment.yaml")
    function = {
        "apiVersion": "tjgen.dev/v1alpha1",
        "kind": "Function",
        "metadata": {"name": "f"},
        "spec": {"experiments": [place.replace("OUTSIDE", str(tmp_path / "outside"))]},
    }
    request = {"apiVersion": "config.kubernetes.io/v1", "kind": "ResourceList", "items": [], "functionConfig": function}
    answer = run(repository, "krm", stdin=json.dumps(request))
    assert answer.code == 1
    assert "TJ029" in answer.err


def test_a_plugin_of_argo_cd_reads_the_repository_alone(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARGOCD_APP_PARAMETERS", json.dumps([{"name": "experiments", "array": ["../outside/experiment.yaml"]}]))
    refused(repository, "TJ029", "cmp", "generate")


def test_an_experiment_of_a_chart_does_not_name_files_outside(repository: Path) -> None:
    chart = yaml.safe_dump(experiment(code={"configMap": {"directory": "../outside"}}))
    answer = run(repository, "postrender", stdin=chart)
    assert answer.code == 1
    assert "outside of the repository" in answer.err


def test_output_does_not_leave_the_repository(repository: Path) -> None:
    write(repository)
    project(repository, experiments=["experiments"], output={"directory": "../outside/deploy"})
    for words in (["build", "--check"], ["diff"], ["runs", "list"], ["promote", "x", "--env", "prod"], ["report"]):
        assert "tjgen.yaml:" in refused(repository, "TJ038", *words)


@pytest.mark.parametrize("link", ["deploy", "above", "tjgen.lock.d"])
def test_output_does_not_follow_a_link_of_the_repository(repository: Path, tmp_path: Path, link: str) -> None:
    write(repository)
    (repository / link).symlink_to("../outside")
    before = sorted((tmp_path / "outside").iterdir())
    target = "above/deploy" if link == "above" else "deploy"
    for option in ([], ["--check"]):
        assert "is a link" in refused(repository, "TJ039", "build", "-o", target, *option)
    assert sorted((tmp_path / "outside").iterdir()) == before


@pytest.mark.parametrize(
    "words",
    [
        pytest.param(["build", "-o", "out.yaml"], id="build"),
        pytest.param(["report", "-o", "out.yaml"], id="report"),
        pytest.param(["runtimes", "import", "runtime.yaml"], id="runtimes import"),
    ],
)
def test_a_file_is_not_written_through_a_link_of_the_repository(repository: Path, tmp_path: Path, words: list[str]) -> None:
    write(repository)
    runtime = tjgen(repository, "runtimes", "show", "tjgen-plain").out.replace("tjgen-plain", "out")
    (repository / "runtime.yaml").write_text(runtime, encoding="utf-8")
    (tmp_path / "outside" / "target.yaml").write_text(runtime, encoding="utf-8")
    (repository / "out.yaml").symlink_to("../outside/target.yaml")
    assert run(repository, *words).code == 1
    assert (tmp_path / "outside" / "target.yaml").read_text(encoding="utf-8") == runtime


@pytest.mark.parametrize("command", ["convert", "lint"])
def test_a_temporary_file_is_not_written_through_a_link(repository: Path, tmp_path: Path, command: str) -> None:
    words = {
        "convert": ["convert", "job.yaml", "--in-place", "--trainer", "2.0", "--from", "2.3"],
        "lint": ["lint", "job.yaml", "--fix", "--gitops", "argocd"],
    }
    tree: dict[str, Any] = {
        "apiVersion": "trainer.kubeflow.org/v1alpha1",
        "kind": "TrainJob",
        "metadata": {"name": "a", "namespace": "vision", "annotations": {"argocd.argoproj.io/hook": "Sync"}},
        "spec": {"runtimeRef": {"name": "tjgen-plain"}, "runtimePatches": [{"manager": "a.example.com/b"}]},
    }
    job = repository / "job.yaml"
    job.write_text(yaml.safe_dump(tree), encoding="utf-8")
    before = job.read_text(encoding="utf-8")
    target = tmp_path / "outside" / "list.txt"
    (repository / "job.yaml.tjgen").symlink_to("../outside/list.txt")
    answer = run(repository, *words[command])
    assert job.read_text(encoding="utf-8") != before, answer
    assert target.read_text(encoding="utf-8") == f"{SECRET}\n"


def test_output_outside_of_the_repository_may_be_a_link(repository: Path, tmp_path: Path) -> None:
    write(repository)
    (tmp_path / "there").symlink_to("outside")
    assert run(repository, "build", "-o", "../there/deploy").code == 0


@pytest.mark.parametrize("severity", ["error", "warning"])
def test_an_overlay_that_is_none_is_reported(repository: Path, severity: str) -> None:
    write(repository)
    (repository / "overlays").mkdir()
    (repository / "overlays" / "o.yaml").write_text("kind: Overlays\n", encoding="utf-8")
    project(repository, experiments=["experiments"], overlays=["overlays/o.yaml" if severity == "error" else "overlays"])
    answer = run(repository, "build")
    assert f"{severity}[TJ040] overlays/o.yaml:1:7: overlays/o.yaml is listed as an overlay, but has kind Overlays" in answer.err
    assert answer.code == (1 if severity == "error" else 0)


def test_a_budget_names_its_number_and_how_to_raise_it(repository: Path) -> None:
    write(repository)
    project(repository, experiments=["experiments"], budgets={"fileSize": 10})
    assert "more than the budget of 10" in refused(repository, "TJ046")
    assert "write budgets: {fileSize:" in refused(repository, "TJ046", "check", "experiments")


@pytest.mark.parametrize(
    ("budgets", "code"),
    [({"files": 1}, "TJ047"), ({"totalSize": 300}, "TJ048"), ({"folderDepth": 1}, "TJ049"), ({"entries": 2}, "TJ035")],
)
def test_what_is_read_is_counted(repository: Path, budgets: dict[str, int], code: str) -> None:
    deep = repository / "experiments" / "b" / "c"
    deep.mkdir(parents=True)
    for number in range(3):
        (deep / f"{number}.yaml").write_text(yaml.safe_dump(experiment()) + "#" * 200, encoding="utf-8")
    project(repository, experiments=["experiments"], budgets=budgets)
    refused(repository, code)
    refused(repository, code, "check", "experiments")


def test_a_nested_project_does_not_raise_budgets(repository: Path) -> None:
    project(repository, budgets={"fileSize": 10})
    project(repository / "nested", budgets={"fileSize": 1000000})
    (repository / "nested" / "a.yaml").write_text(yaml.safe_dump(experiment()), encoding="utf-8")
    refused(repository, "TJ046", "build", "nested/a.yaml")


def test_folders_that_link_to_each_other_are_no_endless_tree(repository: Path) -> None:
    for name, other in (("a", "b"), ("b", "a")):
        (repository / "experiments" / name).mkdir()
        (repository / "experiments" / name / "link").symlink_to(f"../{other}")
    write(repository)
    assert run(repository, "build").code == 0
    assert "experiments/a/link" in refused(repository, "TJ033", "check", "experiments")


@pytest.mark.parametrize("command", ["check", "build", "lint", "convert", "import", "expand", "explain", "report"])
def test_a_file_in_utf_16_is_read_or_reported(repository: Path, command: str) -> None:
    for name, text in (("whole.yaml", yaml.safe_dump(experiment())), ("half.yaml", "a: b\n")):
        content = text.encode("utf-16")
        (repository / name).write_bytes(content if name == "whole.yaml" else content[:-1])
        answer = run(repository, command, name)
        assert answer.code in (0, 1), answer.err


def test_a_name_that_no_file_can_have(repository: Path) -> None:
    for path in ('"a\\0b"', '"\\ud800"'):
        for field in ("configMap: {directory: %s}", "workspace: {pvc: code, directory: %s}"):
            (repository / "experiments" / "a.yaml").write_text(
                yaml.safe_dump(experiment()) + "  code: {" + field % path + "}\n", encoding="utf-8"
            )
            assert run(repository, "build").code == 1


def test_the_working_directory_is_gone(repository: Path) -> None:
    gone = repository / "gone"
    gone.mkdir()
    before = Path.cwd()
    for words in (["build"], ["check", "a.yaml"], ["lint"], ["report"], ["cmp", "generate"]):
        os.chdir(gone)
        gone.rmdir()
        try:
            from tjgen.cli.program import run as program

            assert program(words) == 1
        finally:
            os.chdir(before)
            gone.mkdir()


LOCK_COMMANDS = (["build"], ["build", "--check"], ["diff"], ["runs", "list"], ["report"], ["pin", "--check"])


@pytest.mark.parametrize("depth", ["tjgen.lock.d", "tjgen.lock.d/default", "tjgen.lock.d/default/a", "tjgen.lock.d/_images"])
@pytest.mark.parametrize("words", LOCK_COMMANDS, ids=" ".join)
def test_a_lock_that_is_a_link_out_is_not_read(repository: Path, words: list[str], depth: str) -> None:
    """Neither a lock nor a pin: the error of a damaged lock would show its line."""
    project(repository, experiments=["experiments"], output={"directory": "deploy"})
    (repository / "experiments" / "a.yaml").write_text(yaml.safe_dump(experiment()), encoding="utf-8")
    link = repository / depth
    rest = {"tjgen.lock.d": "default/a/a", "tjgen.lock.d/default": "a/a", "tjgen.lock.d/default/a": "a"}
    secret = repository.parent / "outside/locks" / rest.get(depth, "registry.example.com/a") / "1.yaml"
    secret.parent.mkdir(parents=True)
    secret.write_text(f"password: {SECRET}: [\n", encoding="utf-8")
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(os.path.relpath(repository.parent / "outside/locks", link.parent))
    answer = tjgen(repository, *words)
    assert answer.code in (0, 1), answer.err
    assert SECRET not in answer.out + answer.err
    if words[0] == "build" and depth != "tjgen.lock.d/_images":
        assert "error[TJ039]" in answer.err, answer.err


def test_an_output_folder_that_is_a_link_out_is_not_compared(repository: Path) -> None:
    project(repository, experiments=["experiments"], output={"directory": "deploy"})
    (repository / "experiments" / "a.yaml").write_text(yaml.safe_dump(experiment()), encoding="utf-8")
    assert tjgen(repository, "build").code == 0
    os.rename(repository / "deploy/runs", repository.parent / "outside/runs")
    for file in (repository.parent / "outside/runs").rglob("*.yaml"):
        file.write_text(file.read_text(encoding="utf-8").replace("/a:1", f"/{SECRET}:1"), encoding="utf-8")
    (repository / "deploy/runs").symlink_to("../../outside/runs")
    for words in LOCK_COMMANDS[:-1]:
        answer = tjgen(repository, *words)
        assert answer.code in (0, 1), (words, answer.err)
        assert SECRET not in answer.out + answer.err, words
