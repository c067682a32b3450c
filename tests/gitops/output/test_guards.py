"""What keeps a sync from deleting runs and their runtimes, and what a prune reports: each tool, setting and state of a run."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from tests.gitops.verify.repository import commit, git
from tests.program import Answer, tjgen
from tjgen.cluster.synctools.guards import DELETED, STAYS, WAITS
from tjgen.gitops.emit import header

EXPERIMENT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Experiment
metadata: {name: NAME, namespace: NAME}
spec:
  runtime: tjgen-torch
  image: train:1
  script: train.py
  state: active
"""
PROJECT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Project
spec:
  experiments: [experiments]
  output: {directory: out}
  gitops: {tool: TOOL, removal: REMOVAL}
"""
GUARDS = {
    "argocd": {STAYS: "Prune=false", WAITS: "Prune=confirm,Delete=confirm"},
    "flux": {STAYS: "prune: disabled"},
}
TITLES = {"argocd": "Argo CD", "flux": "Flux"}
APPLIED = ("current", "suspended", "superseded", "stopped", "orphaned", "kept")
"""States of runs that a sync applies. The namespace of a run has the name of its state."""
RECORDS = ("archived", "archived-before", "archived-by-source")
"""States in which no sync applies a run, so that the object in the cluster keeps the guard that it had."""
PROTECTED = {"argocd": WAITS, "flux": STAYS}
TABLE = {
    (tool, before, after): {
        **dict.fromkeys(APPLIED, PROTECTED[tool] if after == "confirm" else DELETED),
        **dict.fromkeys(RECORDS, PROTECTED[tool] if before == "confirm" else DELETED),
    }
    for tool in GUARDS
    for before in ("confirm", "sync")
    for after in ("confirm", "sync")
}
"""Tool, and `removal` before and after -> what a sync does with the runs of each state if they leave Git."""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TJGEN_CACHE", "off")
    (tmp_path / "experiments").mkdir()
    write(tmp_path, "rest")
    git(tmp_path, "init", "--quiet")
    return tmp_path


def syncs(folder: Path, tool: str, removal: str, more: str = "") -> None:
    text = PROJECT.replace("TOOL", tool).replace("REMOVAL", removal) + more
    (folder / "tjgen.yaml").write_text(text, encoding="utf-8")


def write(folder: Path, name: str, *changes: tuple[str, str]) -> Path:
    text = EXPERIMENT.replace("NAME", name)
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    file = folder / f"experiments/{name}.yaml"
    file.write_text(text, encoding="utf-8")
    return file


def done(answer: Answer) -> Answer:
    assert answer.code == 0, answer.err
    return answer


def build(folder: Path, *options: str) -> Answer:
    return done(tjgen(folder, "build", "-o", "out", *options))


def first(folder: Path, name: str) -> Path:
    """The file of the first run of an experiment."""
    (number,) = [
        lock.stem
        for lock in (folder / "tjgen.lock.d/default" / name / name).glob("*.yaml")
        if yaml.safe_load(lock.read_text(encoding="utf-8"))["number"] == 1
    ]
    (file,) = (folder / "out/runs" / name / name / number).glob("trainjob-*.yaml")
    return file


def runtime(folder: Path, name: str) -> Path:
    (file,) = (folder / "out/runtimes" / name).glob("*.yaml")
    return file


def outcome(file: Path, tool: str) -> str:
    text = file.read_text(encoding="utf-8")
    return next((one for one, words in GUARDS[tool].items() if words in text), DELETED)


def states(folder: Path, tool: str, removal: str) -> None:
    """A run in each state, in a project with these settings."""
    syncs(folder, tool, removal)
    for name in (*APPLIED, *RECORDS):
        write(folder, name)
    build(folder)
    done(tjgen(folder, "runs", "archive", "archived-??????*"))
    for name in ("superseded", "archived-before"):
        write(folder, name, ("train:1", "train:2"))
    write(folder, "suspended", ("active", "suspended"))
    write(folder, "archived-by-source", ("active", "archived"))
    write(folder, "stopped", ("train:1", "train:2"), ("  state", "  onSupersede: stop\n  state"))
    for name in ("orphaned", "kept"):
        (folder / f"experiments/{name}.yaml").unlink()
    build(folder)
    done(tjgen(folder, "runs", "keep", "kept-*"))
    build(folder)


def verified(folder: Path) -> None:
    """The last commit has what builds and commands leave, apart from the orphaned run."""
    answer = tjgen(folder, "verify", "--base", "HEAD~1")
    assert [line for line in answer.err.splitlines() if line.startswith("error") and "TJ273" not in line] == [], answer.err


@pytest.mark.parametrize(("tool", "before", "after"), TABLE)
def test_runs_and_runtimes_of_each_state(folder: Path, tool: str, before: str, after: str) -> None:
    states(folder, tool, before)
    commit(folder)
    specs = {name: yaml.safe_load(first(folder, name).read_text(encoding="utf-8"))["spec"] for name in (*APPLIED, *RECORDS)}
    syncs(folder, tool, after)
    build(folder)
    expected = TABLE[tool, before, after]
    assert {name: outcome(first(folder, name), tool) for name in expected} == expected
    assert {name: yaml.safe_load(first(folder, name).read_text(encoding="utf-8"))["spec"] for name in expected} == specs
    # With removal: confirm, all runtimes have the guard of Flux. Argo CD holds a sync up, so its runtimes need none.
    needed = {name: one == STAYS or (tool == "flux" and after == "confirm") for name, one in expected.items()}
    assert {name: outcome(runtime(folder, name), tool) == STAYS for name in expected} == needed
    tree = {file: file.read_bytes() for file in (folder / "out").rglob("*.yaml")}
    build(folder)
    assert {file: file.read_bytes() for file in (folder / "out").rglob("*.yaml")} == tree
    commit(folder)
    verified(folder)

    names = {name: first(folder, name).parent.name for name in expected}
    for name in expected:
        (folder / f"experiments/{name}.yaml").unlink(missing_ok=True)
    build(folder)
    commit(folder)
    answer = done(tjgen(folder, "runs", "prune", "--archived", *names.values()))
    title, lines = TITLES[tool], answer.err
    by_outcome = {one: [run for name, run in names.items() if expected[name] == one] for one in (DELETED, WAITS, STAYS)}
    groups = {one: runs for one, runs in by_outcome.items() if runs}
    for one, runs in groups.items():
        words = {
            DELETED: rf"The next sync of {title} deletes (.*), even while they train",
            WAITS: rf"{title} waits for a confirmation before it deletes (.*): argocd app confirm-deletion ",
            STAYS: rf"{title} leaves (.*) in the cluster: ",
        }[one]
        (found,) = re.findall(words, lines)
        assert set(found.split(", ")) == (set(runs) if len(groups) > 1 else {"them"}), lines
    for name, run in names.items():
        delete = f"kubectl delete trainjob/{run} -n {name}"
        assert (delete in lines) == (expected[name] == STAYS), lines
        leaves = not (folder / "out/runtimes" / name).exists()
        of_runtime = re.search(rf"kubectl delete trainingruntime/tjgen-torch-\w+ -n {name}( |$)", lines, re.MULTILINE)
        assert (of_runtime is not None) == (leaves and needed[name]), lines
        if of_runtime is not None and delete in lines:
            assert lines.index(delete) < of_runtime.start()
    commit(folder)
    verified(folder)


def test_a_runtime_has_the_guard_until_its_last_run_is_pruned(folder: Path) -> None:
    """The command of the last run deletes the runtime after it."""
    syncs(folder, "flux", "confirm")
    write(folder, "one", ("namespace: one", "namespace: nlp"))
    write(folder, "two", ("namespace: two", "namespace: nlp"))
    build(folder)
    (file,) = (folder / "out/runtimes/nlp").glob("*.yaml")
    assert outcome(file, "flux") == STAYS
    for name, leaves in (("one", False), ("two", True)):
        commit(folder)
        (folder / f"experiments/{name}.yaml").unlink()
        build(folder)
        answer = done(tjgen(folder, "runs", "prune", f"{name}-*"))
        deleted = f" && kubectl delete trainingruntime/{file.stem} -n nlp\n"
        assert (deleted in answer.err, file.exists()) == (leaves, not leaves), answer.err


def test_a_runtime_keeps_the_guard_after_a_run_that_stays_was_pruned(folder: Path) -> None:
    """The pruned run may still be in the cluster when the project turns the guard off."""
    syncs(folder, "flux", "confirm")
    write(folder, "one", ("namespace: one", "namespace: nlp"))
    write(folder, "two", ("namespace: two", "namespace: nlp"))
    build(folder)
    (folder / "experiments/one.yaml").unlink()
    build(folder)
    done(tjgen(folder, "runs", "prune", "one-*"))
    syncs(folder, "flux", "sync")
    build(folder)
    (file,) = (folder / "out/runtimes/nlp").glob("*.yaml")
    assert outcome(file, "flux") == STAYS
    commit(folder)
    (folder / "experiments/two.yaml").unlink()
    build(folder)
    answer = done(tjgen(folder, "runs", "prune", "two-*"))
    assert "The next sync of Flux deletes them" in answer.err
    assert f"When no run uses them, delete them with kubectl delete trainingruntime/{file.stem} -n nlp\n" in answer.err


def test_a_build_of_one_file_does_not_change_the_guard_that_others_need(folder: Path) -> None:
    syncs(folder, "flux", "confirm")
    write(folder, "one", ("namespace: one", "namespace: nlp"))
    write(folder, "two", ("namespace: two", "namespace: nlp"))
    build(folder)
    done(tjgen(folder, "runs", "archive", "one-*"))
    syncs(folder, "flux", "sync")
    done(tjgen(folder, "build", "-o", "out", "experiments/two.yaml"))
    (file,) = (folder / "out/runtimes/nlp").glob("*.yaml")
    assert outcome(file, "flux") == STAYS
    content = file.read_bytes()
    build(folder)
    assert file.read_bytes() == content


@pytest.mark.parametrize(
    ("tool", "annotation"),
    [("argocd", "argocd.argoproj.io/sync-options: Prune=false"), ("flux", "kustomize.toolkit.fluxcd.io/prune: disabled")],
)
@pytest.mark.parametrize("removal", ["confirm", "sync"])
def test_the_runtime_of_a_run_that_its_author_keeps(folder: Path, tool: str, annotation: str, removal: str) -> None:
    syncs(folder, tool, removal)
    write(folder, "one", ("namespace: one", f"namespace: nlp, annotations: {{{annotation}}}"))
    write(folder, "two", ("namespace: two", "namespace: nlp"))
    build(folder)
    (file,) = (folder / "out/runtimes/nlp").glob("*.yaml")
    assert outcome(file, tool) == STAYS
    assert build(folder).err == "runs: 0 new, 3 unchanged, 0 kept, 0 removed\n"
    assert tjgen(folder, "build", "--check").code == 0


@pytest.mark.parametrize("words", [["runs", "prune"], ["build", "-o", "out", "--prune-runs"]])
def test_a_runtime_without_a_guard_of_an_older_release(folder: Path, words: list[str]) -> None:
    """A prune in the commit that adds the guard does not reach the cluster, and the command names the way out."""
    syncs(folder, "flux", "confirm")
    write(folder, "one")
    build(folder)
    file = runtime(folder, "one")
    content = file.read_bytes()
    known = header.read(content)
    assert known is not None
    body = content[known.length :].decode().replace("    kustomize.toolkit.fluxcd.io/prune: disabled\n", "")
    file.write_bytes(header.stamp(body, known.source, known.owner))
    write(folder, "one", ("tjgen-torch", "tjgen-plain"))
    job = first(folder, "one")
    if words[0] == "runs":
        build(folder)
        file.write_bytes(header.stamp(body, known.source, known.owner))
    commit(folder)
    answer = done(tjgen(folder, *words))
    assert not file.exists() and not job.exists()
    assert f"kubectl delete trainjob/{job.parent.name} -n one\n" in answer.err
    assert f"The next sync deletes their runtime {file.stem}, and then Trainer refuses every change of the runs" in answer.err
    assert "restore the files from Git, and build, commit and sync before you prune the runs" in answer.err
    for command in (["diff", "HEAD"], ["verify", "-o", "out", "--base", "HEAD"]):
        reported = tjgen(folder, *command).err
        assert f"no sync deletes it, but the sync deletes runtime {file.stem}, and then Trainer refuses" in reported, reported
    git(folder, "checkout", "--quiet", "HEAD", "--", ".")
    build(folder)
    commit(folder)
    answer = done(tjgen(folder, *words))
    assert (
        f"kubectl delete trainjob/{job.parent.name} -n one && kubectl delete trainingruntime/{file.stem} -n one\n" in answer.err
    )


@pytest.mark.parametrize(("before", "after"), [("confirm", "sync"), ("sync", "confirm")])
def test_a_prune_reads_the_guard_that_the_last_commit_has(folder: Path, before: str, after: str) -> None:
    """A build changes the guard of the file, and the object in the cluster gets it with the sync of that build."""
    syncs(folder, "flux", before)
    write(folder, "one")
    build(folder)
    commit(folder)
    syncs(folder, "flux", after)
    write(folder, "one", ("train:1", "train:2"))
    build(folder)
    answer = done(tjgen(folder, "runs", "prune"))
    assert ("Flux leaves them in the cluster" in answer.err) == (before == "confirm"), answer.err


def test_a_record_that_runs_again_gets_the_guard_of_the_project(folder: Path) -> None:
    syncs(folder, "flux", "confirm")
    write(folder, "one")
    build(folder)
    done(tjgen(folder, "runs", "archive", "one-*"))
    syncs(folder, "flux", "sync")
    build(folder)
    assert outcome(first(folder, "one"), "flux") == STAYS
    done(tjgen(folder, "runs", "unarchive", "one-*"))
    build(folder)
    assert [outcome(one, "flux") for one in (first(folder, "one"), runtime(folder, "one"))] == [DELETED, DELETED]
    assert "TJ076" not in build(folder).err
