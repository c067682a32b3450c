"""Another output folder: a second tree is refused, and `tjgen migrate` has the steps that move the tree."""

from __future__ import annotations

import shlex
import subprocess
from pathlib import Path

import pytest

from tests.gitops.output.test_migrate import LAYOUTS, folder, git, live  # noqa: F401  # pytest finds the fixture by its name
from tests.gitops.output.test_runs import EXPERIMENT, snapshot
from tests.program import tjgen


def name_folder(project: Path, output: str) -> None:
    file = project / "tjgen.yaml"
    file.write_text(file.read_text(encoding="utf-8").replace("directory: out", f"directory: {output}"), encoding="utf-8")


@pytest.mark.parametrize("words", [["build"], ["build", "--check"], ["build", "--force"], ["diff"], ["migrate", "--write"]])
def test_another_folder_is_refused(folder: Path, words: list[str]) -> None:  # noqa: F811
    live(folder, LAYOUTS["one"])
    name_folder(folder, "manifests")
    before = snapshot(folder)
    answer = tjgen(folder, *words)
    assert (answer.code, "error[TJ283] tjgen.yaml:7:23: the runs of the project are in out," in answer.err) == (1, True), (
        answer.err
    )
    assert "use tjgen migrate" in answer.err
    assert snapshot(folder) == before


@pytest.mark.parametrize(
    "words", [["build", "-o", "manifests"], ["build", "-o", "./a/b", "--check"], ["diff", "-o", "manifests"]]
)
def test_another_folder_of_the_command_line_is_refused(folder: Path, words: list[str]) -> None:  # noqa: F811
    live(folder, LAYOUTS["none"])
    before = snapshot(folder)
    answer = tjgen(folder, *words)
    assert (answer.code, "error[TJ283]" in answer.err, "use -o out, or a folder outside" in answer.err) == (1, True, True), (
        answer.err
    )
    assert snapshot(folder) == before


def test_a_preview_is_not_a_second_tree(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:  # noqa: F811
    git(folder, "init", "-q")
    live(folder, LAYOUTS["one"])
    assert tjgen(folder, "build", "-o", str(tmp_path_factory.mktemp("preview") / "x")).code == 0
    assert tjgen(folder, "build", "-o", "preview").code == 1
    (folder / ".gitignore").write_text("/preview/\n", encoding="utf-8")
    answer = tjgen(folder, "build", "-o", "preview")
    assert answer.code == 0, answer.err


def test_a_tree_that_was_moved_or_removed_is_written(folder: Path) -> None:  # noqa: F811
    live(folder, LAYOUTS["flux"])
    (folder / "out").rename(folder / "manifests")
    assert tjgen(folder, "build").code == 1
    name_folder(folder, "manifests")
    assert tjgen(folder, "build").code == 0
    subprocess.run(["rm", "-r", "manifests"], cwd=folder, check=True)
    answer = tjgen(folder, "build")
    assert answer.code == 0, answer.err


def test_previews_are_no_tree(folder: Path) -> None:  # noqa: F811
    live(folder, LAYOUTS["none"])
    assert tjgen(folder, "build", "--expanded", "shown", "-o", "out").code == 0
    subprocess.run(["rm", "-r", "out"], cwd=folder, check=True)
    assert tjgen(folder, "build").code == 0


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_steps_move_the_tree(folder: Path, layout: str) -> None:  # noqa: F811
    git(folder, "init", "-q")
    live(folder, LAYOUTS[layout])
    git(folder, "add", "--all")
    git(folder, "commit", "-qm", "live")
    runs = {path.name for path in (folder / "out").rglob("trainjob-*")}
    name_folder(folder, "manifests/live")
    plan = tjgen(folder, "migrate")
    assert (plan.code, plan.err) == (0, "")
    assert "1. " in plan.out
    assert "(next)" in plan.out
    lines = [line.strip() for line in plan.out.splitlines()]
    moving = [line for line in lines if line.startswith(("mkdir ", "git mv ", "tjgen migrate"))]
    assert moving == ["mkdir -p manifests", "git mv out manifests/live", "tjgen migrate --write"]
    for line in moving:
        words = shlex.split(line)
        done = tjgen(folder, *words[1:]) if words[0] == "tjgen" else subprocess.run(words, cwd=folder, check=True)
        assert getattr(done, "code", 0) == 0
    assert {path.name for path in (folder / "manifests/live").rglob("trainjob-*")} == runs
    assert not (folder / "out").exists()
    for created in [line.split()[-1] for line in lines if line.startswith("kubectl apply")]:
        assert (folder / created).is_file()
    checked = tjgen(folder, "build", "--check")
    assert checked.code == 0, checked.err


def test_owners_are_released_before_the_folder_moves(folder: Path) -> None:  # noqa: F811
    live(folder, LAYOUTS["experiments"])
    name_folder(folder, "manifests")
    lines = [line.strip() for line in tjgen(folder, "migrate").out.splitlines()]
    released = next(at for at, line in enumerate(lines) if line.startswith("kubectl delete applicationset"))
    assert released < lines.index("git mv out manifests")
    assert "--cascade=orphan" in lines[released]


def test_single_files_into_another_folder_are_refused(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:  # noqa: F811
    git(folder, "init", "-q")
    live(folder, LAYOUTS["none"])
    other = (folder / "experiments/digits.yaml").read_text(encoding="utf-8").replace("name: digits", "name: letters")
    (folder / "experiments/letters.yaml").write_text(other, encoding="utf-8")
    before = snapshot(folder)
    for words in (["-o", "manifests"], ["-o", "manifests", "--check"], ["-o", "a/b", "--force"]):
        answer = tjgen(folder, "build", "experiments/digits.yaml", *words)
        assert (answer.code, "error[TJ283] the runs of " in answer.err) == (1, True), answer.err
        assert "digits are in out, so a build into" in answer.err
        assert "use -o out, or a folder outside" in answer.err
    assert snapshot(folder) == before
    assert not (folder / "manifests").exists()
    preview = str(tmp_path_factory.mktemp("preview") / "x")
    for words in (["experiments/digits.yaml", "-o", preview], ["experiments/digits.yaml", "-o", "out"]):
        answer = tjgen(folder, "build", *words)
        assert answer.code == 0, answer.err


def test_a_folder_with_runs_of_another_project_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TJGEN_CACHE", "off")
    git(tmp_path, "init", "-q")
    for team, name in (("vision", "digits"), ("speech", "letters")):
        (tmp_path / team / "experiments").mkdir(parents=True)
        text = EXPERIMENT.replace("digits", name)
        (tmp_path / team / f"experiments/{name}.yaml").write_text(text, encoding="utf-8")
        project = (
            "apiVersion: tjgen.dev/v1alpha1\nkind: Project\nspec: {experiments: [experiments], output: {directory: ../deploy}}\n"
        )
        (tmp_path / team / "tjgen.yaml").write_text(project, encoding="utf-8")
    assert tjgen(tmp_path / "vision", "build").code == 0
    before = {path: path.read_bytes() for path in (tmp_path / "deploy").rglob("*.yaml")}
    for words in (
        ["build"],
        ["build", "--check"],
        ["build", "--force"],
        ["build", "experiments/letters.yaml", "-o", "../deploy"],
    ):
        answer = tjgen(tmp_path / "speech", *words)
        assert (answer.code, "error[TJ288]" in answer.err) == (1, True), answer.err
        assert "../deploy has runs of vision/digits, which belong to the project in ../vision" in answer.err
    assert {path: path.read_bytes() for path in (tmp_path / "deploy").rglob("*.yaml")} == before
    assert not list((tmp_path / "speech").rglob("tjgen.lock.d/*"))
    file = tmp_path / "speech/tjgen.yaml"
    file.write_text(file.read_text(encoding="utf-8").replace("../deploy", "deploy"), encoding="utf-8")
    assert tjgen(tmp_path / "speech", "build").code == 0
    assert tjgen(tmp_path / "vision", "build", "--check").code == 0
