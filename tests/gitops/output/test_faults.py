"""Trees and locks that do not go together, and names that meet: nothing that has finished trains again unnoticed."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from tests.gitops.output.test_runs import MARKS, build, edit, folder, jobs, names, runs, snapshot, states
from tests.program import tjgen

__all__ = ["folder"]

FIXED = """\
apiVersion: tjgen.dev/v1alpha1
kind: Experiment
metadata: {{name: {name}, namespace: vision}}
spec: {{runtime: tjgen-torch, image: "train:1", script: train.py, naming: fixed{more}}}
"""


def two_versions(folder: Path) -> None:
    """An archived run, which is superseded, and an archived one of now."""
    edit(folder, "train:1", "train:2")
    build(folder)
    assert runs(folder, "archive", "digits-*").code == 0


def test_a_lost_lock_trains_and_removes_nothing(folder: Path) -> None:
    two_versions(folder)
    shutil.rmtree(folder / "tjgen.lock.d")
    before = snapshot(folder)
    answer = build(folder)
    assert answer.code == 1
    assert answer.err.count("error[TJ740]") == 2
    assert "hint: restore the folder of locks from Git" in answer.err
    assert snapshot(folder) == before
    assert tjgen(folder, "build", "--check").err.count("error[TJ740]") == 2
    assert tjgen(folder, "diff").code == 1


def test_a_lost_lock_of_one_run(folder: Path) -> None:
    two_versions(folder)
    (old,) = [name for name in names(folder, "archived") if "train:1" in str(trees(folder)[name])]
    (lock,) = (folder / "tjgen.lock.d").rglob(f"{old}.yaml")
    lock.unlink()
    before = snapshot(folder)
    answer = build(folder)
    assert (answer.code, answer.err.count("error[TJ740]")) == (1, 1)
    assert f"out/runs/vision/digits/{old} contains a run that is not in a lock" in answer.err
    assert snapshot(folder) == before


def test_force_forgets_what_no_lock_knows(folder: Path) -> None:
    two_versions(folder)
    shutil.rmtree(folder / "tjgen.lock.d")
    assert build(folder, "--force").code == 0
    assert states(folder) == [("digits", "current")]


def test_a_lost_lock_of_a_run_that_is_built_the_same_is_written_anew(folder: Path) -> None:
    before = snapshot(folder)
    shutil.rmtree(folder / "tjgen.lock.d")
    assert build(folder).code == 0
    assert snapshot(folder) == before


def test_lost_files_come_back_as_they_were(folder: Path) -> None:
    two_versions(folder)
    before = snapshot(folder)
    (current,) = [path for path in (folder / "out").rglob("trainjob-*.yaml") if "train:2" in path.read_text()]
    current.unlink()
    assert tjgen(folder, "build", "--check").code == 1
    assert "TJ081" in runs(folder, "list").err
    assert build(folder).code == 0
    assert snapshot(folder) == before


@pytest.mark.parametrize("edited", ["state: active", "number: 1", "content: sha256:"])
def test_a_lock_that_was_edited_by_hand(folder: Path, edited: str) -> None:
    lock = next((folder / "tjgen.lock.d").rglob("*.yaml"))
    text = lock.read_text(encoding="utf-8")
    assert edited in text
    lock.write_text(text.replace(edited, edited + "0"), encoding="utf-8")
    answer = build(folder)
    if edited == "number: 1":  # any number is one
        assert answer.code == 0
    else:
        assert (answer.code, "error[TJ071] tjgen.lock.d/default/vision/digits/digits-" in answer.err) == (1, True)


def test_a_tree_that_was_edited_by_hand(folder: Path) -> None:
    job = next((folder / "out").rglob("trainjob-*.yaml"))
    job.write_text(job.read_text(encoding="utf-8").replace("train:1", "mine:1"), encoding="utf-8")
    assert "error[TJ051]" in build(folder).err
    edit(folder, "nodes: 2", "nodes: 4", "overlays/bigger.yaml")
    assert "error[TJ075]" in build(folder).err


def test_fixed_names_of_two_experiments_that_meet(folder: Path) -> None:
    sweep = ", sweep: {matrix: {env.SIZE.value: [big, small]}}"
    (folder / "experiments/one.yaml").write_text(FIXED.format(name="net", more=sweep), encoding="utf-8")
    (folder / "experiments/two.yaml").write_text(FIXED.format(name="net-value-big", more=""), encoding="utf-8")
    before = snapshot(folder)
    answer = build(folder)
    assert answer.code == 1
    assert (
        "error[TJ741] experiments/two.yaml:3:18: TrainJob/net-value-big in namespace vision is also created by "
        "experiment vision/net" in (answer.err)
    )
    assert snapshot(folder) == before
    # One after the other they meet all the same.
    assert tjgen(folder, "build", "experiments/one.yaml", "-o", "out").code == 0
    answer = tjgen(folder, "build", "experiments/two.yaml", "-o", "out")
    assert (
        'error[TJ741] experiments/two.yaml:3:18: run "net-value-big" in namespace vision is also a run of experiment vision/net'
        in (answer.err)
    )


def test_the_same_name_in_another_namespace_is_another_object(folder: Path) -> None:
    for name in ("vision", "audio"):
        text = FIXED.format(name="net", more="").replace("namespace: vision", f"namespace: {name}")
        (folder / f"experiments/{name}.yaml").write_text(text, encoding="utf-8")
    assert build(folder).code == 0


def test_a_shallow_clone_and_a_missing_revision(folder: Path, tmp_path: Path) -> None:
    def git(where: Path, *words: str) -> None:
        who = ["-c", "user.name=someone", "-c", "user.email=someone"]
        subprocess.run(["git", *who, *words], cwd=where, check=True, capture_output=True)

    git(folder, "init", "--quiet")
    for version in (2, 3):
        git(folder, "add", "--all")
        git(folder, "commit", "--quiet", "--message=step")
        edit(folder, f"train:{version - 1}", f"train:{version}")
        build(folder)
    git(tmp_path, "clone", "--quiet", "--depth=1", f"file://{folder}", "shallow")
    shallow = tmp_path / "shallow"
    answer = tjgen(shallow, "diff", "HEAD~1")
    assert (answer.code, "TJ093" in answer.err, "git fetch --unshallow" in answer.err) == (1, True, True)
    assert tjgen(shallow, "diff", "HEAD").code == 0
    assert tjgen(shallow, "build", "--check").code == 0
    answer = tjgen(folder, "diff", "HEAD")
    assert "TJ096" in answer.err


def trees(folder: Path) -> dict[str, object]:
    found = [yaml.safe_load(path.read_text(encoding="utf-8")) for path in (folder / "out").rglob("trainjob-*.yaml")]
    return {tree["metadata"]["name"]: tree for tree in found}


class TestNothingThatHasFinishedTrainsAgain:
    """An archived run stays a record through all that happens to what it was made from."""

    def archived(self, folder: Path) -> None:
        assert runs(folder, "archive", "digits-*").code == 0

    def trains(self, folder: Path) -> list[str]:
        """The TrainJobs that a cluster which is built anew from the tree would start."""
        return [name for name, annotations in jobs(folder).items() if not MARKS.items() <= annotations.items()]

    @pytest.mark.parametrize(
        "words",
        [[], ["--renew", "*"], ["--prune-runs"], ["--force"], ["--prune-data", "--renew", "digits-*"]],
        ids=" ".join,
    )
    def test_whatever_a_build_is_asked(self, folder: Path, words: list[str]) -> None:
        self.archived(folder)
        edit(folder, "nodes: 2", "nodes: 4", "overlays/bigger.yaml")
        assert build(folder, *words).code == 0
        assert self.trains(folder) == []

    def test_a_runtime_of_the_catalog_that_changes(self, folder: Path) -> None:
        self.archived(folder)
        shown = tjgen(folder, "runtimes", "show", "tjgen-torch").out
        (folder / "catalog").mkdir()
        (folder / "catalog/torch.yaml").write_text(shown.replace("numNodes: 1", "numNodes: 2"), encoding="utf-8")
        edit(folder, "  output:", "  catalogs: [catalog]\n  output:", "tjgen.yaml")
        assert build(folder).code == 0
        assert self.trains(folder) == []

    def test_another_release_of_tjgen(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.archived(folder)
        before = snapshot(folder)
        monkeypatch.setattr("tjgen.__version__", "9.9.9")
        monkeypatch.setattr("tjgen.gitops.emit.program.digest", lambda: b"another")
        assert build(folder).code == 0
        assert snapshot(folder) == before

    def test_the_file_of_the_experiment_is_renamed(self, folder: Path) -> None:
        self.archived(folder)
        (folder / "experiments/digits.yaml").rename(folder / "experiments/renamed.yaml")
        assert build(folder).code == 0
        assert self.trains(folder) == []

    def test_the_experiment_is_renamed(self, folder: Path) -> None:
        self.archived(folder)
        edit(folder, "name: digits", "name: numbers")
        assert build(folder).code == 0
        assert self.trains(folder) == []

    def test_the_tree_is_lost(self, folder: Path) -> None:
        self.archived(folder)
        shutil.rmtree(folder / "out")
        assert build(folder).code == 0
        assert self.trains(folder) == []

    def test_the_experiment_goes_and_comes_back(self, folder: Path) -> None:
        self.archived(folder)
        text = (folder / "experiments/digits.yaml").read_text(encoding="utf-8")
        (folder / "experiments/digits.yaml").unlink()
        build(folder)
        (folder / "experiments/digits.yaml").write_text(text, encoding="utf-8")
        assert build(folder).code == 0
        assert self.trains(folder) == []

    def test_history_forgets_no_record(self, folder: Path) -> None:
        self.archived(folder)
        edit(folder, "output:", "history: {keep: 0}\n  output:", "tjgen.yaml")
        for version in (2, 3):
            edit(folder, f"train:{version - 1}", f"train:{version}")
            build(folder)
        edit(folder, "train:3", "train:1")
        assert build(folder).code == 0
        assert states(folder) == [("digits", "archived")]

    def test_a_pin_that_is_new(self, folder: Path) -> None:
        self.archived(folder)
        place = folder / "tjgen.lock.d/_images/docker.io/library/train/1.yaml"
        place.parent.mkdir(parents=True)
        from tjgen.language.runs.pins import write

        place.write_text(write("docker.io/library/train:1", f"sha256:{'1' * 64}"), encoding="utf-8")
        assert build(folder).code == 0
        assert self.trains(folder) == []

    def test_a_suspended_run_stays_suspended(self, folder: Path) -> None:
        edit(folder, "spec:\n", "spec:\n  state: suspended\n")
        build(folder)
        edit(folder, "nodes: 2", "nodes: 4", "overlays/bigger.yaml")
        build(folder)
        (job,) = (folder / "out").rglob("trainjob-*.yaml")
        assert yaml.safe_load(job.read_text(encoding="utf-8"))["spec"]["suspend"] is True
        assert states(folder) == [("digits", "suspended")]

    def test_another_attempt_is_another_run(self, folder: Path) -> None:
        self.archived(folder)
        edit(folder, "spec:\n", "spec:\n  attempt: 2\n")
        assert build(folder).code == 0
        assert len(self.trains(folder)) == 1
        edit(folder, "  attempt: 2\n", "")
        answer = build(folder)
        assert "TJ088" in answer.err
