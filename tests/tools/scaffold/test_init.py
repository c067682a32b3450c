"""`tjgen init`: what it writes builds at once, passes the real pre-commit, and touches nothing that was there."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.admission import binding, policy
from tests.checkout import ROOT, list_entries
from tests.program import Answer, tjgen
from tjgen.tools.scaffold import copies
from tjgen.tools.scaffold.first import FRAMEWORKS

PACKAGE = f"git+https://git.example.com/tools/tjgen@{'0123456789' * 4}"
CI = ("--ci", "github", "--package", PACKAGE)
REPOSITORY = "https://git.example.com/vision.git"
HOST = "127.0.0.1"


def tree(folder: Path) -> dict[str, str]:
    """Path -> text of every file, those of Git aside."""
    files = (path for path in folder.rglob("*") if path.is_file() and ".git" not in path.relative_to(folder).parts)
    return {name: (folder / name).read_text(encoding="utf-8") for name in sorted(str(path.relative_to(folder)) for path in files)}


def made(folder: Path, *words: str) -> Answer:
    answer = tjgen(folder, "init", "vision", *words)
    assert answer.code == 0, answer.err
    return answer


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "HOME": str(folder.parent),
        "PRE_COMMIT_HOME": str(folder.parent / "pre-commit"),
        "TJGEN_CACHE": "off",
    }
    return subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def test_what_is_written_is_built(tmp_path: Path) -> None:
    made(tmp_path)
    assert [name for name in tree(tmp_path / "vision") if not name.startswith(("deploy/", "tjgen.lock.d/"))] == [
        ".gitignore",
        ".pre-commit-config.yaml",
        "README.md",
        "catalog/README.md",
        "experiments/hello.yaml",
        "experiments/hello/hello.py",
        "experiments/train.yaml",
        "experiments/train/checkpoints.py",
        "experiments/train/train.py",
        "overlays/dev.yaml",
        "overlays/prod.yaml",
        "tjgen.yaml",
    ]
    answer = tjgen(tmp_path / "vision", "build", "--check", "--strict")
    assert (answer.code, answer.err) == (0, "runs: 0 new, 2 unchanged, 0 kept, 0 removed\n")
    answer = tjgen(tmp_path / "vision", "check", "--strict", "--no-cache", "deploy")
    assert (answer.code, answer.err) == (0, "6 objects, 0 problems\n")


def test_the_first_overlay_leaves_other_experiments_alone(tmp_path: Path) -> None:
    made(tmp_path)
    folder = tmp_path / "vision"
    hello = (folder / "experiments/hello.yaml").read_text(encoding="utf-8")
    own = hello.replace("name: hello", "name: own").replace("nodes: 2", "nodes: 4")
    (folder / "experiments/own.yaml").write_text(own, encoding="utf-8")
    built = yaml.safe_load_all(tjgen(folder, "build", "--env", "dev").out)
    nodes = {one["metadata"]["name"].rpartition("-")[0]: one["spec"]["trainer"] for one in built if one["kind"] == "TrainJob"}
    assert {name: trainer.get("numNodes") for name, trainer in nodes.items()} == {"hello": 1, "own": 4, "train": None}


def branches_of(folder: Path) -> tuple[str, str]:
    """The branch that the sync reads, and the one whose pushes start the pipeline."""
    texts = tree(folder)
    (source,) = (text for name, text in texts.items() if "/prod/gitops/gitrepository" in name)
    (pipeline,) = (text for name, text in texts.items() if name.startswith(".github/workflows/"))
    ref = yaml.safe_load(source)["spec"]["ref"]["branch"]
    # YAML 1.1 reads the key `on` as true.
    (pushed,) = yaml.safe_load(pipeline)[True]["push"]["branches"]
    return ref, pushed


BRANCHES: list[tuple[str, list[list[str]], str]] = [
    ("no repository", [], "main"),
    ("an empty repository", [["init", "--quiet", "--initial-branch=master"]], "master"),
    ("a feature branch", [["init", "--quiet", "--initial-branch=main"], ["commit"], ["switch", "--quiet", "-c", "try"]], "main"),
    (
        "packed references",
        [["init", "--quiet", "--initial-branch=main"], ["commit"], ["switch", "--quiet", "-c", "try"], ["pack-refs", "--all"]],
        "main",
    ),
    ("a branch of its own", [["init", "--quiet", "--initial-branch=trunk/v2"], ["commit"]], "trunk/v2"),
    (
        "a clone",
        [
            ["init", "--quiet", "--initial-branch=main"],
            ["symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/stable"],
        ],
        "stable",
    ),
]


@pytest.mark.parametrize(("commands", "branch"), [one[1:] for one in BRANCHES], ids=[one[0] for one in BRANCHES])
def test_the_sync_and_the_pipeline_follow_the_default_branch(tmp_path: Path, commands: list[list[str]], branch: str) -> None:
    for words in commands:
        identity = ["-c", "user.name=tests", "-c", "user.email=tests@example.com"]
        whole = [*identity, "commit", "--quiet", "--allow-empty", "-m", "first"] if words == ["commit"] else words
        done = run(tmp_path, "git", *whole)
        assert done.returncode == 0, done.stderr
    answer = tjgen(tmp_path, "init", "--name", "vision", "--gitops", "flux", "--repository", REPOSITORY, *CI)
    assert answer.code == 0, answer.err
    assert branches_of(tmp_path) == (branch, branch)
    assert ("git init -b main" in answer.err) == (not commands)
    assert ("revision:" in (tmp_path / "tjgen.yaml").read_text(encoding="utf-8")) == (branch != "main")


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_a_framework_has_two_experiments_that_build_strictly(tmp_path: Path, framework: str) -> None:
    made(tmp_path, "--framework", framework)
    answer = tjgen(tmp_path / "vision", "build", "--check", "--strict")
    assert answer.code == 0, answer.err
    built = yaml.safe_load_all(tjgen(tmp_path / "vision", "build", "--env", "dev").out)
    runs = [one for one in built if one["kind"] in ("TrainJob", "TFJob", "PaddleJob")]
    assert [one["metadata"]["name"].rpartition("-")[0] for one in runs] == ["hello", "train"]
    assert not [line for line in str(runs).split(",") if "activeDeadlineSeconds" in line]


@pytest.mark.parametrize(
    "program", list_entries(ROOT / "templates" / "init", "**/*.py"), ids=lambda path: "/".join(path.parts[-2:])
)
def test_a_program_is_python(program: Path) -> None:
    compile(program.read_text(encoding="utf-8"), str(program), "exec")


def test_every_framework_has_its_folder() -> None:
    assert sorted(path.name for path in list_entries(ROOT / "templates" / "init") if path.is_dir()) == sorted(FRAMEWORKS)


def test_checkpoints_of_the_programs_count_when_they_are_complete(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TJGEN_CHECKPOINT_PATH", str(tmp_path))
    names: dict[str, Any] = {}
    exec((ROOT / "templates" / "init" / "checkpoints.py").read_text(encoding="utf-8"), names)  # as the program does
    assert names["latest"]() is None
    for step in (90, 100):
        names["save"](step, lambda folder: (folder / "state").write_text("saved"))
    (tmp_path / "step-200").mkdir()
    assert names["latest"]() == (100, tmp_path / "step-100")
    assert not (tmp_path / ".tjgen-run").exists()


def test_checkpoints_of_the_programs_are_those_that_the_experiment_describes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    values = {"PATH": str(tmp_path / "own"), "EVERY": "50", "OWNER": "train-bcdfghjk"}
    for name, value in values.items():
        monkeypatch.setenv(f"TJGEN_CHECKPOINT_{name}", value)
    monkeypatch.setenv("TJGEN_RESUME_FROM", str(tmp_path / "other"))
    (tmp_path / "other" / "step-7").mkdir(parents=True)
    (tmp_path / "other" / "step-7" / "state").write_text("saved")
    (tmp_path / "other" / "step-7" / "_SUCCESS").touch()
    (tmp_path / "other" / "step-8").mkdir()
    (tmp_path / "other" / "step-8" / "_SUCCESS").touch()  # empty
    names: dict[str, Any] = {}
    exec((ROOT / "templates" / "init" / "checkpoints.py").read_text(encoding="utf-8"), names)  # as the program does
    assert (names["every"](200), names["latest"]()) == (50, (7, tmp_path / "other" / "step-7"))
    names["save"](8, lambda folder: (folder / "state").write_text("saved"))
    assert names["latest"]() == (8, tmp_path / "own" / "step-8")
    assert (tmp_path / "own" / ".tjgen-run").read_text(encoding="utf-8") == "train-bcdfghjk"
    for framework in FRAMEWORKS:
        assert "default=checkpoints.every(" in (ROOT / "templates" / "init" / framework / "train.py").read_text(encoding="utf-8")


_PROCESSES = {
    "torch": lambda rank, port: {"RANK": rank, "LOCAL_RANK": rank, "WORLD_SIZE": "2", "MASTER_ADDR": HOST, "MASTER_PORT": port},
    "jax": lambda rank, port: {
        "JAX_PROCESS_ID": rank,
        "JAX_NUM_PROCESSES": "2",
        "JAX_COORDINATOR_ADDRESS": f"{HOST}:{port}",
    },
}


@pytest.mark.parametrize("framework", _PROCESSES)
def test_two_processes_train_one_model_and_one_of_them_saves_it(tmp_path: Path, framework: str) -> None:
    pytest.importorskip(framework)
    for name in ("checkpoints.py", f"{framework}/train.py"):
        text = (ROOT / "templates" / "init" / name).read_text(encoding="utf-8")
        (tmp_path / Path(name).name).write_text(text, encoding="utf-8")
    for steps in ("100", "200"):
        with socket.socket() as listener:
            listener.bind((HOST, 0))
            port = str(listener.getsockname()[1])
        words = [sys.executable, "train.py", "--steps", steps]
        started = [
            subprocess.Popen(
                words,
                cwd=tmp_path,
                env={**os.environ, "TJGEN_CHECKPOINT_EVERY": "50", **_PROCESSES[framework](rank, port)},
                stdout=subprocess.PIPE,
                text=True,
            )
            for rank in ("0", "1")
        ]
        printed = [process.communicate(timeout=120)[0] for process in started]
        assert [process.returncode for process in started] == [0, 0]
        assert [lines.count("loss") for lines in printed] == [2, 0]
    assert sorted(path.name for path in (tmp_path / "checkpoints").iterdir()) == [f"step-{step}" for step in (100, 150, 200, 50)]


def test_runs_come_to_the_last_environment_by_promotion_alone(tmp_path: Path) -> None:
    made(tmp_path, "--env", "dev", "--env", "prod")
    assert not (tmp_path / "vision" / "deploy" / "prod").exists()
    (tmp_path / "one").mkdir()
    made(tmp_path / "one", "--env", "prod")
    assert (tmp_path / "one" / "vision" / "deploy").exists()


def test_the_next_steps_are_printed(tmp_path: Path) -> None:
    answer = made(tmp_path)
    assert answer.err.splitlines()[:2] == ["vision is a repository of experiments. Next:", "  cd vision"]
    assert "tjgen promote NAME --env prod" in answer.err


@pytest.mark.parametrize("option", [(), ("--workspace",)], ids=["repository", "workspace"])
def test_the_working_directory_is_named_in_words(option: tuple[str, ...], tmp_path: Path) -> None:
    answer = tjgen(tmp_path, "init", ".", *option)
    assert answer.err.startswith("This directory is a "), answer.err
    assert "  cd " not in answer.err


def test_the_same_words_give_the_same_files(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        made(tmp_path / name, *CI, "--gitops", "flux", "--repository", REPOSITORY)
    assert tree(tmp_path / "one") == tree(tmp_path / "two")


def test_the_real_pre_commit_passes_at_once(tmp_path: Path) -> None:
    made(tmp_path, "--gitops", "argocd", "--repository", REPOSITORY, *CI)
    repository = tmp_path / "vision"
    for words in (["init", "--quiet"], ["add", "--all"]):
        assert run(repository, "git", *words).returncode == 0
    answer = run(repository, "pre-commit", "run", "--all-files", "--color=never")
    assert (answer.returncode, answer.stdout.count("Passed")) == (0, 1), answer.stdout + answer.stderr
    # And it can fail.
    experiment = repository / "experiments" / "hello.yaml"
    experiment.write_text(experiment.read_text(encoding="utf-8").replace("--steps 10", "--steps 20"), encoding="utf-8")
    assert run(repository, "git", "add", "--all").returncode == 0
    answer = run(repository, "pre-commit", "run", "--all-files", "--color=never")
    assert (answer.returncode, "TJ699" in answer.stdout) == (1, True), answer.stdout


@pytest.mark.parametrize(
    ("tool", "kinds"),
    [
        pytest.param("argocd", {"Application"}, id="Argo CD"),
        pytest.param("flux", {"GitRepository", "Kustomization"}, id="Flux"),
        pytest.param("none", set(), id="no tool"),
    ],
)
def test_the_tool_gets_its_objects(tmp_path: Path, tool: str, kinds: set[str]) -> None:
    made(tmp_path, "--gitops", tool, *(["--repository", REPOSITORY] if kinds else []))
    texts = [text for name, text in tree(tmp_path / "vision").items() if "/gitops/" in name]
    assert {yaml.safe_load(text)["kind"] for text in texts} == kinds


@pytest.mark.parametrize("hooks", ["", "https://git.example.com/tools/tjgen@v0.1.0"])
def test_a_folder_of_a_repository_has_its_checks_at_the_top(tmp_path: Path, hooks: str) -> None:
    repository = tmp_path / "all"
    (repository / "teams").mkdir(parents=True)
    assert run(repository, "git", "init", "--quiet", "--initial-branch=main").returncode == 0
    words = ["--gitops", "argocd", "--repository", REPOSITORY, *CI, *(["--hooks", hooks] if hooks else [])]
    made(repository / "teams", *words)
    texts = tree(repository)
    assert [name for name in texts if not name.startswith("teams/vision/")] == [
        ".github/workflows/training-teams-vision.yaml",
        ".pre-commit-config.yaml",
    ]
    (application,) = (text for name, text in texts.items() if "/prod/gitops/" in name)
    assert yaml.safe_load(application)["spec"]["source"]["path"] == "teams/vision/deploy/prod"
    job = yaml.safe_load(texts[".github/workflows/training-teams-vision.yaml"])["jobs"]["tjgen"]
    assert job["defaults"] == {"run": {"working-directory": "teams/vision"}}
    (described,) = yaml.safe_load(texts[".pre-commit-config.yaml"])["repos"]
    (hook,) = described["hooks"]
    assert (hook["id"], hook["args"]) == ("tjgen-verify", ["-C", "teams/vision"])
    assert run(repository, "git", "add", "--all").returncode == 0
    if not hooks:
        answer = run(repository, "pre-commit", "run", "--all-files", "--color=never")
        assert (answer.returncode, answer.stdout.count("Passed")) == (0, 1), answer.stdout + answer.stderr


def test_hooks_of_a_repository_are_named(tmp_path: Path) -> None:
    made(tmp_path, "--hooks", "git@git.example.com:tools/tjgen@v0.1.0")
    (hooks,) = yaml.safe_load(tree(tmp_path / "vision")[".pre-commit-config.yaml"])["repos"]
    assert (hooks["repo"], hooks["rev"]) == ("git@git.example.com:tools/tjgen", "v0.1.0")


def test_nothing_is_written_over(tmp_path: Path) -> None:
    there = {".gitignore": "mine\n", "README.md": "# Ours\n", "experiments/hello.yaml": "# nothing\n"}
    for name, text in there.items():
        (tmp_path / "vision" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "vision" / name).write_text(text, encoding="utf-8")
    answer = tjgen(tmp_path, "init", "vision")
    assert answer.code == 0
    assert [line.partition(" ")[2] for line in answer.err.splitlines() if line.startswith("info[TJ770]")] == [
        f"vision/{name} exists and stays as it is" for name in ("experiments/hello.yaml", "README.md", ".gitignore")
    ]
    assert {name: tree(tmp_path / "vision")[name] for name in there} == there


def test_a_project_stays_a_project(tmp_path: Path) -> None:
    made(tmp_path)
    before = tree(tmp_path)
    answer = tjgen(tmp_path, "init", "vision", "--env", "lab")
    assert (answer.code, "error[TJ771] vision/tjgen.yaml exists" in answer.err) == (1, True)
    assert tree(tmp_path) == before


def test_environments_have_the_names_that_were_said(tmp_path: Path) -> None:
    made(tmp_path, "--env", "lab", "--env", "Stage", "--env", "live")
    project = yaml.safe_load(tree(tmp_path / "vision")["tjgen.yaml"])
    assert {name: one["namespace"] for name, one in project["spec"]["environments"].items()} == {
        "lab": "vision-lab",
        "Stage": "vision-stage",
        "live": "vision",
    }


@pytest.mark.parametrize(
    ("folder", "name"),
    [("My Experiments (2026)", "my-experiments-2026"), ("42", "training-42"), ("...", "training"), ("x" * 90, "x" * 40)],
)
def test_any_folder_gives_a_name(tmp_path: Path, folder: str, name: str) -> None:
    assert tjgen(tmp_path, "init", folder).code == 0
    assert yaml.safe_load((tmp_path / folder / "tjgen.yaml").read_text(encoding="utf-8"))["metadata"]["name"] == name


@pytest.mark.parametrize(
    "words",
    [
        pytest.param(["--name", "Vision!"], id="a name that is none"),
        pytest.param(["--env", "a b"], id="an environment that is no name"),
        pytest.param(["--env", "dev", "--env", "Dev"], id="an environment twice"),
        pytest.param(["--gitops", "argocd"], id="a tool without a repository"),
        pytest.param(["--hooks", "https://git.example.com/tjgen"], id="hooks without a revision"),
    ],
)
def test_wrong_words_write_nothing(tmp_path: Path, words: list[str]) -> None:
    answer = tjgen(tmp_path, "init", "vision", *words)
    assert (answer.code, answer.err.startswith("Error: --"), tree(tmp_path)) == (2, True, {})


def test_a_file_in_the_way_is_reported(tmp_path: Path) -> None:
    (tmp_path / "vision").write_text("a file", encoding="utf-8")
    answer = tjgen(tmp_path, "init", "vision")
    assert (answer.code, "error[TJ" in answer.err) == (1, True), answer.err


def test_a_folder_may_be_named_by_way_of_one_that_is_not_there(tmp_path: Path) -> None:
    answer = tjgen(tmp_path, "init", "nowhere/../vision")
    assert answer.code == 0, answer.err
    assert [path.name for path in tmp_path.iterdir()] == ["vision"]


@pytest.mark.parametrize(("words", "option"), [(["--name", "on"], "--name on"), (["--env", "No"], "--env No")])
def test_no_name_is_one_that_yaml_reads_as_something_else(words: list[str], option: str, tmp_path: Path) -> None:
    answer = tjgen(tmp_path, "init", "vision", *words)
    assert (answer.code, answer.err.startswith(f"Error: {option}: ")) == (2, True), answer.err
    assert not list(tmp_path.iterdir())


def test_a_folder_that_is_called_like_a_truth_value_gives_another_name(tmp_path: Path) -> None:
    answer = tjgen(tmp_path, "init", "y")
    assert (answer.code, "warning" in answer.err) == (0, False), answer.err
    assert yaml.safe_load((tmp_path / "y" / "tjgen.yaml").read_text(encoding="utf-8"))["metadata"]["name"] == "training-y"


def test_a_catalog_for_manifests_has_to_be_there(tmp_path: Path) -> None:
    job = "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata: {name: a}\nspec: {runtimeRef: {name: plain}}\n"
    (tmp_path / "job.yaml").write_text(job, encoding="utf-8")
    answer = tjgen(tmp_path, "init", "vision", "--from", "job.yaml", "--catalog", "runtimes")
    assert (answer.code, "TJ020" in answer.err) == (1, True), answer.err
    assert not (tmp_path / "vision").exists()


LIVE = """\
apiVersion: trainer.kubeflow.org/v1alpha1
kind: ClusterTrainingRuntime
metadata: {name: plain, labels: {trainer.kubeflow.org/framework: plain}}
spec:
  template:
    spec:
      replicatedJobs:
      - name: node
        template:
          metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}
          spec: {template: {spec: {containers: [{name: node, image: "registry.example.com/a:1"}]}}}
---
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: digits, namespace: ml}
spec: {runtimeRef: {name: plain}, trainer: {image: "registry.example.com/a:1"}}
---
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: orphan, namespace: ml}
spec: {runtimeRef: {name: nowhere}}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: corpus, namespace: ml}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
"""


@pytest.mark.parametrize(
    ("tool", "owner", "protection"),
    [
        ("argocd", "Application", "argocd.argoproj.io/sync-options: ServerSideApply=true,Prune=false,Delete=false"),
        ("flux", "Kustomization", "kustomize.toolkit.fluxcd.io/prune: disabled"),
    ],
)
def test_objects_that_a_sync_of_the_new_tree_would_delete_are_named(
    tmp_path: Path, tool: str, owner: str, protection: str
) -> None:
    (tmp_path / "manifests").mkdir()
    (tmp_path / "manifests/live.yaml").write_text(LIVE, encoding="utf-8")
    words = ["--from", "manifests", "--gitops", tool, "--repository", "https://git.example.com/a.git"]
    answer = tjgen(tmp_path, "init", "vision", *words)
    assert (answer.code, (tmp_path / "vision").exists()) == (1, False), answer.err
    assert "error[TJ284] manifests/live.yaml:3:18: vision/deploy does not contain " in answer.err
    (line,) = [line for line in answer.err.splitlines() if "TJ284" in line]
    for name in ("ClusterTrainingRuntime plain", "TrainJob ml/orphan", "PersistentVolumeClaim ml/corpus"):
        assert name in line
    assert "TrainJob ml/digits" not in line, "the tree has it under its name"
    assert f"if the {owner} of manifests reads vision/deploy instead" in line
    assert f"1. add the annotations {protection}" in answer.err
    assert f"3. repeat the command with --accept-missing, and let the {owner} read vision/deploy" in answer.err
    accepted = tjgen(tmp_path, "init", "vision", *words, "--accept-missing")
    assert (accepted.code, "warning[TJ284]" in accepted.err) == (0, True), accepted.err
    assert f"3. let the {owner} read vision/deploy" in accepted.err
    assert [path.name for path in (tmp_path / "vision/deploy").rglob("*.yaml") if "trainjob" in path.name] == [
        "trainjob-digits.yaml"
    ]


def test_without_a_tool_or_with_all_objects_nothing_is_named(tmp_path: Path) -> None:
    (tmp_path / "manifests").mkdir()
    (tmp_path / "manifests/live.yaml").write_text(LIVE, encoding="utf-8")
    answer = tjgen(tmp_path, "init", "vision", "--from", "manifests")
    assert (answer.code, "TJ284" in answer.err) == (0, False), answer.err
    (tmp_path / "manifests/live.yaml").write_text(LIVE.split("---")[1], encoding="utf-8")
    (tmp_path / "runtime.yaml").write_text(LIVE.split("---", maxsplit=1)[0], encoding="utf-8")
    words = [
        "--from",
        "manifests",
        "--catalog",
        "runtime.yaml",
        "--gitops",
        "argocd",
        "--repository",
        "https://git.example.com/a.git",
    ]
    answer = tjgen(tmp_path, "init", "other", *words)
    assert (answer.code, "TJ284" in answer.err) == (0, False), answer.err


@pytest.mark.parametrize(("tool", "owner"), [("argocd", "Application"), ("flux", "Kustomization")])
def test_an_import_into_a_project_that_is_synced_names_them_too(tmp_path: Path, tool: str, owner: str) -> None:
    (tmp_path / "manifests").mkdir()
    (tmp_path / "manifests/live.yaml").write_text(LIVE, encoding="utf-8")
    project = tmp_path / "tjgen.yaml"
    text = "apiVersion: tjgen.dev/v1alpha1\nkind: Project\nspec:\n  output: {directory: deploy}\n  gitops: {tool: TOOL}\n"
    project.write_text(text.replace("TOOL", tool), encoding="utf-8")
    words = ["import", "manifests", "-o", "experiments"]
    answer = tjgen(tmp_path, *words)
    assert (answer.code, (tmp_path / "experiments").exists()) == (1, False), answer.err
    (line,) = [line for line in answer.err.splitlines() if "error[TJ284]" in line]
    for name in ("ClusterTrainingRuntime plain", "TrainJob ml/orphan", "PersistentVolumeClaim ml/corpus"):
        assert name in line
    assert f"if the {owner} of manifests reads deploy instead" in line
    claim = tmp_path / "deploy/data/ml/persistentvolumeclaim-corpus.yaml"
    claim.parent.mkdir(parents=True)
    claim.write_text(LIVE.split("---")[3], encoding="utf-8")
    again = tjgen(tmp_path, *words)
    assert (again.code, "PersistentVolumeClaim ml/corpus: " in again.err) == (1, False), "the tree has the claim"
    accepted = tjgen(tmp_path, *words, "--accept-missing")
    assert (accepted.code, "warning[TJ284]" in accepted.err) == (0, True), accepted.err
    assert (tmp_path / "experiments/ml/digits.yaml").is_file()
    assert tjgen(tmp_path, "import", "manifests").code == 0, "standard output is not a tree"
    project.write_text(text.replace("TOOL", "none"), encoding="utf-8")
    assert tjgen(tmp_path, "import", "manifests", "-o", "more").code == 0


REFUSING = policy("false", name="none", message="no pods here") + binding("none")


@pytest.fixture
def refusing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of repositories, for a caller whose policies refuse each pod."""
    (tmp_path / "policy.yaml").write_text(REFUSING)
    settings = tmp_path / "settings.yaml"
    settings.write_text("apiVersion: tjgen.dev/v1alpha1\nkind: Settings\nspec: {policies: [policy.yaml]}\n")
    monkeypatch.setenv("TJGEN_SETTINGS", str(settings))
    folder = tmp_path / "repositories"
    folder.mkdir()
    return folder


@pytest.mark.parametrize("words", [(), CI, ("--policies",), ("--workspace",), ("--workspace", *CI)], ids=" ".join)
def test_a_repository_that_the_caller_refuses_leaves_nothing(words: tuple[str, ...], refusing: Path) -> None:
    answer = tjgen(refusing, "init", "a/vision", *words)
    assert (answer.code, answer.out) == (1, "")
    place = "teams/speech/experiments" if "--workspace" in words else "experiments"
    assert f"error[TJ550] {place}/hello.yaml:" in answer.err
    assert "policy none with binding none, validation 1 denies this: no pods here" in answer.err
    assert "a/vision is as before: tjgen init writes all files, or with errors none" in answer.err
    assert list(refusing.iterdir()) == []


def test_a_refused_repository_leaves_what_was_there(refusing: Path) -> None:
    """Files of others, and files for several projects, which are extended."""
    (refusing / ".git").mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("TJGEN_SETTINGS")
        assert tjgen(refusing, "init", "speech", *CI).code == 0
    (refusing / "vision" / "experiments").mkdir(parents=True)
    (refusing / "vision" / "experiments" / "own.yaml").write_text("# mine\n")
    (refusing / "vision" / "README.md").write_text("mine\n")
    before = tree(refusing)
    answer = tjgen(refusing, "init", "vision", *CI)
    assert answer.code == 1
    assert tree(refusing) == before
    assert sorted(path.name for path in (refusing / "vision").iterdir()) == ["README.md", "experiments"]


def test_a_file_in_the_way_leaves_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "vision").mkdir()
    (tmp_path / "vision" / "experiments").write_text("a file\n")
    answer = tjgen(tmp_path, "init", "vision")
    assert answer.code == 1
    assert "Traceback" not in answer.err
    assert tree(tmp_path) == {"vision/experiments": "a file\n"}


WORKSPACES = {
    "without a tool": (),
    "argocd": ("--gitops", "argocd", "--repository", REPOSITORY, *CI),
    "flux": ("--gitops", "flux", "--repository", REPOSITORY, "--ci", "gitlab", "--package", PACKAGE),
    "teams": ("--team", "nlp", "--env", "prod", "--framework", "jax"),
}


@pytest.mark.parametrize("words", WORKSPACES.values(), ids=WORKSPACES)
def test_a_workspace_builds_checks_and_lints_clean(words: tuple[str, ...], tmp_path: Path) -> None:
    answer = tjgen(tmp_path, "init", "lab", "--workspace", *words)
    assert answer.code == 0, answer.err
    folder = tmp_path / "lab"
    teams = ["nlp"] if "--team" in words else ["speech", "vision"]
    number = "1 team" if "--team" in words else "2 teams"
    assert answer.err.startswith(f"lab is a workspace of {number}. Next:\n  cd lab\n  git init -b main\n")
    assert sorted(path.name for path in (folder / "teams").iterdir()) == teams
    (folder / ".git").mkdir()
    assert tjgen(folder, "build", "--check", "--strict").code == 0
    lint = tjgen(folder, "lint", "--strict")
    assert (lint.code, "[TJ" in lint.err) == (0, False), lint.err
    checked = tjgen(folder, "check", "--strict", "deploy", *(f"teams/{team}/deploy" for team in teams))
    assert checked.err.endswith(" objects, 0 problems\n")
    kinds = {yaml.safe_load(path.read_text())["kind"] for path in (folder / "deploy/platform").rglob("*.yaml")}
    assert kinds == {"Namespace", "ResourceQuota", "RoleBinding", "Role"}, "the workspace builds the objects of the Platform"
    applied = re.findall(r"kubectl apply -f ([^`]+)`", (folder / "README.md").read_text())
    synced = {file.parent.relative_to(folder).as_posix() for file in folder.glob("**/gitops/*.yaml")}
    assert set(applied) == synced, "the README names each folder of sync objects"
    owners = folder / (".gitlab" if "gitlab" in words else ".github") / "CODEOWNERS"
    assert f"/teams/{teams[0]}/ @lab/{teams[0]}" in owners.read_text()
    for team in teams:
        assert tjgen(folder / "teams" / team, "build", "--check", "--strict").code == 0, "each project builds alone"
        assert "deploy" not in (folder / "teams" / team / "tjgen.yaml").read_text()


@pytest.mark.parametrize("words", [(), ("--workspace",)], ids=["project", "workspace"])
def test_the_next_steps_at_the_root_of_a_repository(words: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    answer = tjgen(tmp_path, "init", ".", "--name", "lab", *words)
    assert (answer.code, "git init" in answer.err) == (0, False), answer.err


def test_a_workspace_in_a_repository_of_others(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    answer = tjgen(tmp_path, "init", "training/lab", "--workspace", "--gitops", "flux", "--repository", REPOSITORY, *CI)
    assert answer.code == 0, answer.err
    assert "git init" not in answer.err
    hooks = yaml.safe_load((tmp_path / ".pre-commit-config.yaml").read_text())["repos"]
    places = [hook["hooks"][0]["args"] for hook in hooks]
    assert places == [["-C", "training/lab"]]
    assert "/training/lab/teams/vision/ @lab/vision" in (tmp_path / ".github/CODEOWNERS").read_text()
    assert tjgen(tmp_path / "training/lab", "build", "--check", "--strict").code == 0
    for file in (tmp_path / "training/lab").glob("**/gitops/*.yaml"):
        for one in yaml.safe_load_all(file.read_text()):
            path = one["spec"].get("path", "./training/lab/")
            assert path.startswith("./training/lab/"), file


def test_owners_of_others_are_not_replaced(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".github").mkdir()
    (tmp_path / ".github/CODEOWNERS").write_text("* @me\n")
    answer = tjgen(tmp_path, "init", "--workspace", "--name", "lab")
    assert answer.code == 1
    assert "error[TJ566] tjgen.yaml:" in answer.err
    assert tree(tmp_path) == {".github/CODEOWNERS": "* @me\n"}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--team", "a"), "--team is for --workspace"),
        (("--workspace", "--team", "A"), "--team A: use at most 40 small letters"),
        (("--workspace", "--team", "../a"), "--team ../a: use at most 40 small letters"),
        (("--workspace", "--team", "no"), "--team no: use at most 40 small letters"),
        (("--env", "prod", "--env", "dev"), "--env prod: runs reach the last environment by promotion, so production comes last"),
        (("--workspace", "--team", "a", "--team", "a"), "--team is given twice with one name"),
        (("--workspace", "--from", "."), "--from creates a project: leave --workspace out"),
    ],
)
def test_wrong_words_for_a_workspace_write_nothing(words: tuple[str, ...], message: str, tmp_path: Path) -> None:
    answer = tjgen(tmp_path, "init", "lab", *words)
    assert answer.code == 2
    assert answer.err.startswith(f"Error: {message}")
    assert not (tmp_path / "lab").exists()


def test_a_project_gets_copies_of_what_tjgen_brings(tmp_path: Path) -> None:
    assert tjgen(tmp_path, "init", "vision").code == 0
    folder = tmp_path / "vision"
    answer = tjgen(folder, "init", "--copy", "spot", "--copy", "airgap-platform")
    assert answer.code == 0, answer.err
    assert "edit platforms/airgap-platform.yaml, and name it or its folder in platforms of tjgen.yaml" in answer.err + answer.out
    for name, source in (("overlays/spot.yaml", "overlays"), ("platforms/airgap-platform.yaml", "overlays")):
        assert (folder / name).read_bytes() == (ROOT / source / Path(name).name).read_bytes()
    assert "TJ770" in tjgen(folder, "init", "--copy", "spot").err
    assert tjgen(tmp_path, "init", "other", "--copy", "spot").code == 2
    assert not (tmp_path / "other").exists()


def test_every_file_for_projects_can_be_copied() -> None:
    names = {path.stem for folder in ("overlays", "platforms") for path in list_entries(ROOT / folder)}
    assert names == {*copies.OVERLAYS, *copies.PLATFORMS}
