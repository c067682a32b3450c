"""action.yml and templates/tjgen.yml: their steps are run, in clones of a real repository, as GitHub and GitLab run them."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.checkout import ROOT

ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
STEPS: list[dict[str, Any]] = ACTION["runs"]["steps"]
TEMPLATE: list[dict[str, Any]] = list(yaml.safe_load_all((ROOT / "templates/tjgen.yml").read_text(encoding="utf-8")))
EXPERIMENT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Experiment
metadata: {name: mnist, namespace: vision, labels: {team: a}}
spec: {runtime: tjgen-torch, image: registry.example/mnist:1, script: train.py}
"""
PROJECT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Project
spec:
  experiments: [experiments]
  output: {directory: deploy}
"""
GH = """\
#!/bin/sh
# Notes what it is asked; answers a list of comments with what $COMMENTS says.
printf '%s\\n' "$*" >> "$CALLS"
case "$*" in *--paginate*) test "$MARK" && printf "$COMMENTS" ;; esac
"""


class Job:
    """A clone of one commit in which steps run, with what GitHub gives them."""

    def __init__(self, folder: Path, base: str) -> None:
        self.folder = folder / "clone"
        self.base = base
        self.calls = folder / "calls"
        self.summary = folder / "summary.md"
        self.outputs = folder / "outputs"
        self.comments = ""
        (folder / "bin").mkdir()
        (folder / "bin/gh").write_text(GH, encoding="utf-8")
        (folder / "bin/gh").chmod(0o755)
        for file in (self.calls, self.summary, self.outputs):
            file.touch()
        git(folder, "clone", "--quiet", "--depth=1", f"file://{folder}/origin", "clone")

    def environment(self) -> dict[str, str]:
        root = self.folder.parent
        return {
            "PATH": f"{root}/bin{os.pathsep}{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            "HOME": str(root),
            "RUNNER_TEMP": str(root),
            "GITHUB_OUTPUT": str(self.outputs),
            "GITHUB_STEP_SUMMARY": str(self.summary),
            "GITHUB_REPOSITORY": "vision/experiments",
            "CALLS": str(self.calls),
            "COMMENTS": self.comments,
        }

    def step(self, name: str) -> tuple[int, str]:
        """Exit code of a step of the action, and what it said."""
        (step,) = [step for step in STEPS if step.get("name") == name]
        values = {
            "inputs.directory": "training",
            "inputs.output": "",
            "inputs.trusted": "false",
            "inputs.base": self.base,
            "inputs.token": "secret",
            "github.event.pull_request.number": "7",
            "steps.summary.outputs.file": self.output(),
        }
        said = {key: re.sub(r"\$\{\{ (.*?) \}\}", lambda found: values[found[1]], value) for key, value in step["env"].items()}
        return self.shell(step["run"], said)

    def shell(self, script: str, variables: dict[str, str]) -> tuple[int, str]:
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script]
        environment = {**self.environment(), **variables}
        answer = subprocess.run(command, cwd=self.folder, env=environment, capture_output=True, text=True, check=False)
        return answer.returncode, answer.stdout + answer.stderr

    def output(self) -> str:
        return self.outputs.read_text(encoding="utf-8").strip().rpartition("=")[2]


def git(folder: Path, *words: str) -> str:
    command = ["git", "-C", str(folder), "-c", "user.name=tests", "-c", "user.email=tests@example.com", *words]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def tjgen(folder: Path) -> None:
    subprocess.run([Path(sys.executable).parent / "tjgen", "build", "-o", "deploy"], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def origin(tmp_path: Path) -> Path:
    """A repository with a project in the folder `training`, and one commit."""
    folder = tmp_path / "origin"
    project = folder / "training"
    (project / "experiments").mkdir(parents=True)
    (project / "tjgen.yaml").write_text(PROJECT, encoding="utf-8")
    (project / "experiments/mnist.yaml").write_text(EXPERIMENT, encoding="utf-8")
    git(tmp_path, "init", "--quiet", "--initial-branch=main", "origin")
    tjgen(project)
    commit(folder)
    return folder


def commit(folder: Path) -> str:
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--allow-empty", "--message=next")
    return git(folder, "rev-parse", "HEAD")


def change(origin: Path, old: str, new: str, *, build: bool = True) -> str:
    """The commit before an experiment was changed and built."""
    base = git(origin, "rev-parse", "HEAD")
    text = (origin / "training/experiments/mnist.yaml").read_text(encoding="utf-8")
    assert old in text
    (origin / "training/experiments/mnist.yaml").write_text(text.replace(old, new), encoding="utf-8")
    if build:
        tjgen(origin / "training")
    commit(origin)
    return base


FETCH, VERIFY, SCAN, SUMMARIZE = "Fetch the history", "Verify", "Report findings to code scanning", "Summarize"


def test_a_correct_change_passes_and_is_summarized(origin: Path, tmp_path: Path) -> None:
    job = Job(tmp_path, change(origin, "team: a", "team: b"))
    assert job.step(FETCH) == (0, "")
    assert job.step(VERIFY)[0] == 0
    code, said = job.step(SUMMARIZE)
    assert code == 0, said
    text = Path(job.output()).read_text(encoding="utf-8")
    assert text.startswith("<!-- tjgen training -->\n**verified 1 run against ")
    assert "- changes in place: 1 (mnist-" in text
    assert "is `experiment metadata.labels.team (experiments/mnist.yaml:3:59)`" in text
    assert job.summary.read_text(encoding="utf-8") == text


def test_a_run_that_the_branch_superseded_passes(origin: Path, tmp_path: Path) -> None:
    """A checkout with one commit does not have the sources of this run."""
    base = change(origin, "mnist:1", "mnist:2")
    change(origin, "mnist:2", "mnist:3")
    job = Job(tmp_path, base)
    assert job.step(FETCH) == (0, "")
    code, said = job.step(VERIFY)
    assert code == 0, said


def test_a_tree_that_the_sources_do_not_produce_is_refused(origin: Path, tmp_path: Path) -> None:
    base = git(origin, "rev-parse", "HEAD")
    (file,) = origin.glob("training/deploy/runs/vision/mnist/*/trainjob-*.yaml")
    file.write_text(file.read_text(encoding="utf-8").replace("mnist:1", "miner:1"), encoding="utf-8")
    commit(origin)
    job = Job(tmp_path, base)
    assert job.step(FETCH) == (0, "")
    code, said = job.step(VERIFY)
    assert (code, "title=TJ292 edited-by-hand::" in said) == (1, True), said


@pytest.mark.parametrize("base", ["", "0" * 40])
def test_a_push_without_a_base_is_verified(origin: Path, tmp_path: Path, base: str) -> None:
    change(origin, "mnist:1", "mnist:2")
    job = Job(tmp_path, base)
    assert job.step(FETCH) == (0, "")
    code, said = job.step(VERIFY)
    assert (code, "compared with HEAD^: HEAD is on the default branch" in said) == (0, True), said


def test_forgotten_output_is_refused_with_annotations(origin: Path, tmp_path: Path) -> None:
    job = Job(tmp_path, change(origin, "mnist:1", "mnist:2", build=False))
    assert job.step(FETCH) == (0, "")
    code, said = job.step(VERIFY)
    assert code == 1
    assert "title=TJ699 " in said
    assert job.step(SCAN)[0] == 0
    found = json.loads(Path(job.output()).read_text(encoding="utf-8"))
    assert {result["ruleId"] for result in found["runs"][0]["results"]} == {"TJ699"}


def test_a_wrong_experiment_is_annotated_at_its_line(origin: Path, tmp_path: Path) -> None:
    job = Job(tmp_path, change(origin, "script:", "scripd:", build=False))
    assert job.step(FETCH) == (0, "")
    code, said = job.step(VERIFY)
    assert code == 1
    assert "::error file=training/experiments/mnist.yaml,line=4," in said


def test_what_is_refused_fails_and_is_shown(origin: Path, tmp_path: Path) -> None:
    base = change(origin, "script: train.py", "script: train.py, volumes: {a: {pvc: {create: {size: 2Gi}}, mountPath: /a}}")
    base = change(origin, "2Gi", "1Gi") or base
    job = Job(tmp_path, base)
    assert job.step(FETCH) == (0, "")
    assert job.step(VERIFY)[0] == 1
    code, said = job.step(SUMMARIZE)
    assert code == 0, said
    assert "the server rejects" in job.summary.read_text(encoding="utf-8")
    assert job.output()


def test_a_base_that_does_not_exist_fails(origin: Path, tmp_path: Path) -> None:
    job = Job(tmp_path, "nosuchbranch")
    assert job.step(FETCH)[0] != 0
    code, said = job.step(VERIFY)
    assert (code, "title=TJ093 " in said) == (1, True), said
    assert job.step(SUMMARIZE)[0] == 0
    assert job.output() == ""


def test_a_long_comparison_is_cut(origin: Path, tmp_path: Path) -> None:
    change(origin, "train.py", f"train.py, sweep: {{matrix: {{spec.nodes: {list(range(1, 31))}}}}}")
    labels = ", ".join(f"label-{number}: a" for number in range(20))
    base = change(origin, "team: a", labels)
    job = Job(tmp_path, base)
    assert job.step(FETCH) == (0, "")
    code, said = job.step(SUMMARIZE)
    assert code == 0, said
    text = Path(job.output()).read_text(encoding="utf-8")
    assert 55_000 < len(text.encode()) < 65_536
    assert "- changes in place: 30 (" in text
    *_, whole, last = filter(None, text.splitlines())
    assert whole.endswith(" |") or whole.startswith("- **")
    assert last == f"... and more: `tjgen verify --base {base}` shows all."


@pytest.mark.parametrize(
    ("comments", "method"),
    [("", "POST repos/vision/experiments/issues/7/comments"), ("41\\n", "PATCH repos/vision/experiments/issues/comments/41")],
)
def test_there_is_one_comment(origin: Path, tmp_path: Path, comments: str, method: str) -> None:
    job = Job(tmp_path, change(origin, "team: a", "team: b"))
    job.comments = comments
    assert job.step(FETCH) == (0, "")
    assert job.step(SUMMARIZE)[0] == 0
    code, said = job.step("Comment")
    assert code == 0, said
    listed, written = job.calls.read_text(encoding="utf-8").splitlines()
    assert "issues/7/comments --jq" in listed
    assert written == f"api --silent --method {method} --field body=@{job.output()}"


def test_no_comment_where_nothing_becomes_of_runs(origin: Path, tmp_path: Path) -> None:
    job = Job(tmp_path, git(origin, "rev-parse", "HEAD"))
    assert job.step(SUMMARIZE)[0] == 0
    assert job.step("Comment")[0] == 0
    assert len(job.calls.read_text(encoding="utf-8").splitlines()) == 1


def test_the_action_can_be_read_by_github() -> None:
    assert ACTION["runs"]["using"] == "composite"
    for step in STEPS:
        assert set(step) <= {"name", "id", "if", "uses", "with", "env", "shell", "run"}
        assert ("uses" in step) != ("run" in step)
        if "run" in step:
            assert step["shell"] == "bash"
            assert "${{" not in step["run"], "what others write must not become a part of the script"
        else:
            assert re.fullmatch(r"[\w-]+/[\w/-]+@[0-9a-f]{40}", step["uses"])
    used = set(re.findall(r"inputs\.([\w-]+)", (ROOT / "action.yml").read_text(encoding="utf-8")))
    assert used == set(ACTION["inputs"])
    known = {step["id"] for step in STEPS if "id" in step}
    assert set(re.findall(r"steps\.([\w-]+)\.", (ROOT / "action.yml").read_text(encoding="utf-8"))) == known
    assert (ROOT / "pyproject.toml").is_file(), "the action installs the folder that it is in"


def gitlab(job: Job, name: str) -> tuple[int, str]:
    """Exit code of a job of the template, and its output."""
    job_of = TEMPLATE[1][name]
    assert job_of["variables"] == {"GIT_DEPTH": "0"}
    git(job.folder, "fetch", "--quiet", "--unshallow")
    script = "\n".join(job_of["script"])
    return job.shell(script, {"TJGEN_DIRECTORY": "training", "CI_MERGE_REQUEST_DIFF_BASE_SHA": job.base})


def test_the_template_writes_a_report_whatever_is_wrong(origin: Path, tmp_path: Path) -> None:
    job = Job(tmp_path, change(origin, "script:", "scripd:", build=False))
    code, said = gitlab(job, "tjgen-verify")
    assert (code, 'unknown field "scripd"' in said) == (1, True)
    name = TEMPLATE[1]["tjgen-verify"]["artifacts"]["reports"]["codequality"]
    (entry,) = json.loads((job.folder / name).read_text(encoding="utf-8"))[:1]
    assert entry["location"] == {"path": "training/experiments/mnist.yaml", "lines": {"begin": 4, "end": 4}}


def test_the_template_passes_and_keeps_a_summary(origin: Path, tmp_path: Path) -> None:
    job = Job(tmp_path, change(origin, "team: a", "team: b"))
    code, said = gitlab(job, "tjgen-verify")
    assert (code, "- changes in place: 1 (" in said) == (0, True), said
    (file,) = TEMPLATE[1]["tjgen-verify"]["artifacts"]["paths"]
    assert (job.folder / file).read_text(encoding="utf-8").startswith("**verified 1 run against ")


def test_the_template_fails_where_the_server_refuses(origin: Path, tmp_path: Path) -> None:
    change(origin, "script: train.py", "script: train.py, volumes: {a: {pvc: {create: {size: 2Gi}}, mountPath: /a}}")
    job = Job(tmp_path, change(origin, "2Gi", "1Gi"))
    code, said = gitlab(job, "tjgen-verify")
    assert (code, "the server rejects" in said) == (1, True), said


def test_the_template_can_be_read_by_gitlab() -> None:
    inputs, jobs = TEMPLATE
    text = (ROOT / "templates/tjgen.yml").read_text(encoding="utf-8")
    assert set(re.findall(r"\$\[\[ inputs\.(\w+) \]\]", text)) == set(inputs["spec"]["inputs"])
    keys = {"extends", "stage", "image", "variables", "before_script", "script", "rules", "artifacts"}
    assert all(set(job) <= keys for job in jobs.values())
    assert all(jobs[job["extends"]] for job in jobs.values() if "extends" in job)
