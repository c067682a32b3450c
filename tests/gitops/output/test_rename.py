"""`tjgen runs rename`: runs, claims and lock get a new name; files and running objects do not change."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest
import yaml

from tests.gitops.output.test_orphans import build, folder, states, tree
from tests.gitops.output.test_runs import edit, snapshot
from tests.program import tjgen

__all__ = ["folder"]
LETTERS = "experiments/letters.yaml"


def of(folder: Path, state: str) -> list[str]:
    return sorted(name for name, found in states(folder).items() if found == state)


def rename(folder: Path, *words: str) -> None:
    answer = tjgen(folder, "runs", "rename", *words)
    assert answer.code == 0, answer.err


def unchanged_runs(folder: Path, before: dict[str, bytes]) -> None:
    now = tree(folder)
    assert {path: now.get(path) for path in before if "/runs/" in path} == {p: b for p, b in before.items() if "/runs/" in p}
    assert {path for path in before if path not in now} == set(), "no file goes"


def test_the_build_suggests_the_command_which_resolves_it(folder: Path) -> None:
    before, current = tree(folder), of(folder, "current")
    edit(folder, "name: letters", "name: glyphs", LETTERS)
    checked = build(folder, "--check")
    assert checked.code == 1
    assert "tjgen runs rename dev/vision/letters dev/vision/glyphs" in checked.err
    rename(folder, "letters", "glyphs")
    assert of(folder, "current") == current
    answer = build(folder)
    assert answer.code == 0, answer.err
    assert "TJ273" not in answer.err
    unchanged_runs(folder, before)
    assert of(folder, "current") == current
    assert build(folder, "--check", "--strict").code == 0


def test_the_next_run_has_the_new_name_and_the_old_claim(folder: Path) -> None:
    edit(folder, "name: letters", "name: glyphs", LETTERS)
    rename(folder, "letters", "glyphs")
    build(folder)
    edit(folder, "letters:1", "letters:2", LETTERS)
    answer = build(folder)
    assert answer.code == 0, answer.err
    assert [name.split("/")[1].split("-")[0] for name in of(folder, "current")] == ["digits", "glyphs", "digits", "glyphs"]
    assert [name.split("/")[1].split("-")[0] for name in of(folder, "superseded")] == ["letters", "letters"]
    claims = {path.name for path in (folder / "out").rglob("persistentvolumeclaim-*")}
    assert claims == {"persistentvolumeclaim-digits-results.yaml", "persistentvolumeclaim-letters-results.yaml"}
    (job,) = (folder / "out/dev/runs/vision/glyphs").rglob("trainjob-*.yaml")
    assert "claimName: letters-results" in job.read_text(encoding="utf-8")
    assert tjgen(folder, "runs", "prune", "letters-*").code == 0
    before = tree(folder)
    assert build(folder).code == 0
    assert tree(folder) == before, "the name of the claim does not depend on runs that exist"


def test_after_a_build_under_the_new_name_the_old_runs_are_current_again(folder: Path) -> None:
    current = of(folder, "current")
    edit(folder, "name: letters", "name: glyphs", LETTERS)
    for words in ((), (), ("--check",)):
        assert "use tjgen runs rename dev/vision/letters dev/vision/glyphs && " in build(folder, *words).err, words
    rename(folder, "letters", "glyphs")
    assert of(folder, "current") == current
    assert [name.split("/")[1].split("-")[0] for name in of(folder, "superseded")] == ["glyphs", "glyphs"]
    before = snapshot(folder)
    assert build(folder).code == 0
    assert {p: b for p, b in snapshot(folder).items() if "/runs/" in p} == {p: b for p, b in before.items() if "/runs/" in p}
    assert of(folder, "current") == current


def test_an_old_name_that_returns_gets_new_runs(folder: Path) -> None:
    text = (folder / LETTERS).read_text(encoding="utf-8")
    names = set(states(folder))
    edit(folder, "name: letters", "name: glyphs", LETTERS)
    rename(folder, "letters", "glyphs")
    build(folder)
    # Its claim has the name of the renamed experiment's, so it needs another one.
    (folder / "experiments/again.yaml").write_text(text.replace("results:", "fresh:"), encoding="utf-8")
    edit(folder, "train.py", "again.py", "experiments/again.yaml")
    answer = build(folder)
    assert answer.code == 0, answer.err
    assert len(set(of(folder, "current")) - names) == 2


def test_an_environment_is_renamed(folder: Path) -> None:
    before, current = tree(folder), of(folder, "current")
    edit(folder, "prod: {}", "production: {}", "tjgen.yaml")
    advice = "keep the name while its runs train, and after that use tjgen runs rename --environment prod production\n"
    assert advice in build(folder).err
    rename(folder, "--environment", "prod", "production")
    answer = build(folder)
    assert answer.code == 0, answer.err
    unchanged_runs(folder, before)
    assert of(folder, "current") == sorted(name.replace("prod/", "production/") for name in current)
    assert build(folder, "--check", "--strict").code == 0


@pytest.mark.parametrize(
    ("other", "name"),
    [("lab: {namespace: other}", "production"), ("lab: {namespace: vision, runs: promoted}", "lab or production")],
    ids=["other namespace", "same namespace"],
)
def test_the_new_name_of_an_environment_has_its_experiments(other: str, name: str, folder: Path) -> None:
    edit(folder, "prod: {}", f"{other}, production: {{namespace: vision}}", "tjgen.yaml")
    edit(folder, "dev: {}", "dev: {namespace: vision}", "tjgen.yaml")
    for file in (folder / "experiments").iterdir():
        text = file.read_text(encoding="utf-8")
        file.write_text(text.replace(", namespace: vision", ""), encoding="utf-8")
    assert f"use tjgen runs rename --environment prod {name}\n" in build(folder).err


def test_a_renamed_environment_names_the_runs_that_stay_with_its_sync(folder: Path) -> None:
    git = ["git", "-c", "user.name=t", "-c", "user.email=t@example.com"]
    for words in (["init", "-q"], ["add", "--all"], ["commit", "-qm", "built"]):
        subprocess.run([*git, *words], cwd=folder, check=True)
    before = snapshot(folder)
    edit(folder, "prod: {}", "production: {}", "tjgen.yaml")
    answer = tjgen(folder, "runs", "rename", "--environment", "prod", "production")
    letters, digits = sorted((name.partition("/")[2] for name in of(folder, "current") if "production" in name), reverse=True)
    assert f"stay with the sync of prod, and may still train: {digits}, {letters}\n" in answer.err
    (undo,) = re.findall(r"until the runs end, use (git .*), and restore the name in the project file\n", answer.err)
    subprocess.run(undo, cwd=folder, check=True, shell=True)
    edit(folder, "production: {}", "prod: {}", "tjgen.yaml")
    assert build(folder, "--check").code == 0
    assert snapshot(folder) == before


def test_a_renamed_environment_without_pods_names_no_runs(folder: Path) -> None:
    assert tjgen(folder, "runs", "archive", "--env", "prod", "*").code == 0
    edit(folder, "prod: {}", "production: {}", "tjgen.yaml")
    answer = tjgen(folder, "runs", "rename", "--environment", "prod", "production")
    assert (answer.code, answer.err) == (0, "runs: 2 renamed\n")
    answer = tjgen(folder, "runs", "rename", "--namespace", "vision", "sight")
    assert "may still train" not in answer.err


def test_a_build_of_the_old_environment_alone_keeps_the_files_of_the_new_one(folder: Path) -> None:
    edit(folder, "prod: {}", "production: {}", "tjgen.yaml")
    rename(folder, "--environment", "prod", "production")
    build(folder)
    before = tree(folder)
    edit(folder, "production: {}", "production: {}, prod: {}", "tjgen.yaml")
    edit(folder, "train:1", "train:2")
    answer = build(folder, "--env", "prod")
    assert answer.code == 0, answer.err
    unchanged_runs(folder, before)


def test_no_environment_with_runs_is_suggested_as_the_new_name(folder: Path) -> None:
    edit(folder, ", prod: {}", "", "tjgen.yaml")
    answer = build(folder)
    assert (answer.code, "error[TJ274]" in answer.err, "rename" in answer.err) == (1, True, False), answer.err


def test_an_environment_that_cannot_be_built_is_not_renamed(folder: Path) -> None:
    edit(folder, "prod: {}", "production: {}", "tjgen.yaml")
    edit(folder, "train.py", "train.py --unclosed 'quote", LETTERS)
    before = snapshot(folder)
    answer = tjgen(folder, "runs", "rename", "--environment", "prod", "production")
    assert (answer.code, answer.out) == (1, "")
    assert "error[TJ" in answer.err
    assert snapshot(folder) == before


def test_a_namespace_is_renamed(folder: Path) -> None:
    before, current = tree(folder), of(folder, "current")
    for name in ("digits", "letters"):
        edit(folder, "namespace: vision", "namespace: sight", f"experiments/{name}.yaml")
    rename(folder, "--namespace", "vision", "sight")
    answer = build(folder)
    assert answer.code == 0, answer.err
    unchanged_runs(folder, before)
    assert of(folder, "current") == current
    assert build(folder, "--check", "--strict").code == 0


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["lettres", "glyphs"], 1, "error[TJ278] no run has that name\n  hint: run tjgen runs list to see experiments"),
        (
            ["letters", "digits"],
            1,
            "error[TJ704] experiment dev/vision/digits exists, and its lock has runs that a source requests",
        ),
        (["letters", "letters"], 1, "error[TJ703] dev/vision/letters already has this name"),
        (["letters", "Glyphs"], 1, 'error[TJ703] "Glyphs" cannot be the name of an experiment: it is not a DNS label'),
        (["letters", "glyphs_2"], 1, 'error[TJ703] "glyphs_2" cannot be'),
        (["letters", "a.b"], 1, 'error[TJ703] "a.b" cannot be'),
        (["letters", "2glyphs"], 1, "begin with a letter and end with a letter or digit"),
        (["letters", ""], 1, "error[TJ703]"),
        (["letters", "g" * 64], 1, "at most 63 characters"),
        (["letters", "g" * 45], 1, "but the names derived from it allow at most"),
        (["--namespace", "vision", "Sight"], 1, 'error[TJ703] "Sight" cannot be the name of a namespace'),
        (["--environment", "dev", "a/b"], 2, "in the same form"),
        (["letters"], 2, "needs OLD and NEW"),
        (["vision/letters", "glyphs"], 2, "in the same form"),
    ],
)
def test_wrong_use_is_refused(folder: Path, words: list[str], code: int, message: str) -> None:
    before = snapshot(folder)
    answer = tjgen(folder, "runs", "rename", *words)
    assert (answer.code, message in answer.err) == (code, True), answer.err
    assert snapshot(folder) == before, "nothing is written"


def test_a_name_that_is_too_long_is_refused_also_after_the_file_has_it(folder: Path) -> None:
    edit(folder, "name: letters", f"name: {'g' * 45}", LETTERS)
    answer = tjgen(folder, "runs", "rename", "letters", "g" * 45)
    assert (answer.code, "error[TJ072]" in answer.err) == (1, True), answer.err


def test_a_namespace_is_renamed_after_a_build(folder: Path) -> None:
    before, current = tree(folder), of(folder, "current")
    for name in ("digits", "letters"):
        edit(folder, "namespace: vision", "namespace: sight", f"experiments/{name}.yaml")
    assert "tjgen runs rename" in build(folder).err
    assert list((folder / "out/dev/runs/sight").rglob("trainjob-*"))
    answer = tjgen(folder, "runs", "rename", "--namespace", "vision", "sight")
    assert answer.code == 0, answer.err
    assert "replaces it" in answer.err
    assert not list((folder / "out").rglob("runs/sight/*/*/*")), "the runs of the build are gone"
    unchanged_runs(folder, before)
    assert build(folder).code == 0
    assert not list((folder / "out").rglob("runs/sight/*/*/*"))
    unchanged_runs(folder, before)
    assert of(folder, "current") == current
    assert build(folder, "--check", "--strict").code == 0
    kept = snapshot(folder)
    assert build(folder, "experiments/digits.yaml").code == 0
    assert snapshot(folder) == kept


@pytest.mark.parametrize(
    ("options", "effect"),
    [
        ("tool: argocd", "Argo CD waits for a confirmation before it deletes them: argocd app confirm-deletion APPLICATION"),
        (
            "tool: argocd, repository: 'https://git.example.com/a.git'",
            "Argo CD waits for a confirmation before it deletes them: argocd app confirm-deletion training-dev "
            "&& argocd app confirm-deletion training-prod",
        ),
        ("tool: flux", "Flux leaves them in the cluster: kubectl delete KIND NAME -n NAMESPACE"),
        ("tool: argocd, removal: sync", "The next sync of Argo CD deletes them, even while they train"),
        ("tool: flux, removal: sync", "The next sync of Flux deletes them, even while they train"),
        ("tool: none", "Unless a sync prunes them, delete them with kubectl delete KIND NAME -n NAMESPACE"),
    ],
)
def test_a_rename_names_what_happens_to_live_duplicates(folder: Path, options: str, effect: str) -> None:
    project = folder / "tjgen.yaml"
    text = project.read_text(encoding="utf-8").replace("{dev: {}, prod: {}}", "{dev: {cluster: lab}, prod: {cluster: main}}")
    project.write_text(f"{text}  gitops: {{{options}}}\n", encoding="utf-8")
    for name in ("digits", "letters"):
        edit(folder, "namespace: vision", "namespace: sight", f"experiments/{name}.yaml")
    built = build(folder)
    assert "error[" not in built.err, built.err
    answer = tjgen(folder, "runs", "rename", "--namespace", "vision", "sight")
    assert answer.code == 0, answer.err
    assert f"they train a second time until they are deleted. {effect}\n" in answer.err


def test_a_rename_without_duplicates_names_no_deletion(folder: Path) -> None:
    for name in ("digits", "letters"):
        edit(folder, "namespace: vision", "namespace: sight", f"experiments/{name}.yaml")
    answer = tjgen(folder, "runs", "rename", "--namespace", "vision", "sight")
    assert (answer.code, "deleted" in answer.err) == (0, False), answer.err


def test_a_commit_of_the_build_before_the_rename_is_a_removal_with_a_tombstone(folder: Path) -> None:
    git = ["git", "-c", "user.name=t", "-c", "user.email=t@example.com"]
    for name in ("digits", "letters"):
        edit(folder, "namespace: vision", "namespace: sight", f"experiments/{name}.yaml")
    build(folder)
    for words in (["init", "-q"], ["add", "--all"], ["commit", "-qm", "built"]):
        subprocess.run([*git, *words], cwd=folder, check=True)
    rename(folder, "--namespace", "vision", "sight")
    assert build(folder).code == 0
    compared = tjgen(folder, "diff", "HEAD", "-o", "out")
    assert "TJ745" not in compared.err
    assert "TJ746" in compared.err


def test_a_run_of_the_same_name_is_not_overwritten(folder: Path) -> None:
    for name in ("digits", "letters"):
        edit(folder, "namespace: vision", "namespace: sight", f"experiments/{name}.yaml")
    build(folder)
    assert tjgen(folder, "runs", "archive", "*").code == 0
    for name in ("digits", "letters"):
        edit(folder, "train:1" if name == "digits" else "letters:1", "other:2", f"experiments/{name}.yaml")
    build(folder)
    before = snapshot(folder)
    answer = tjgen(folder, "runs", "rename", "--namespace", "vision", "sight")
    assert (answer.code, "error[TJ279]" in answer.err) == (1, True)
    assert snapshot(folder) == before


def test_the_tombstone_of_a_replaced_run_has_its_claim_which_stays_until_prune_data_names_it(folder: Path) -> None:
    for name in ("digits", "letters"):
        edit(folder, "namespace: vision", "namespace: sight", f"experiments/{name}.yaml")
    build(folder)
    claims = sorted(str(path.relative_to(folder)) for path in (folder / "out").rglob("data/sight/*.yaml"))
    assert len(claims) == 4
    answer = tjgen(folder, "runs", "rename", "--namespace", "vision", "sight")
    assert answer.code == 0, answer.err
    lines = answer.err.splitlines()
    kept = [line for line in lines if line.startswith("kept: ")]
    assert kept == [
        f"kept: {claim}; only a removed run uses the claim, and tjgen build --prune-data removes it" for claim in claims
    ]
    assert lines.index(kept[-1]) < lines.index("runs: 4 renamed"), "what is removed is printed before it is"
    tombstones = [one for one in json.loads(tjgen(folder, "runs", "--json").out) if one["state"] == "pruned"]
    assert tombstones == [], "a run that was renamed is listed under its new name"
    locks = [path.read_text(encoding="utf-8") for path in (folder / "tjgen.lock.d").rglob("vision/*/*.yaml")]
    recorded = [path for text in locks for path in yaml.safe_load(text)["claims"]]
    assert sorted(f"out/{path}" for path in recorded) == claims
    assert build(folder).code == 0
    assert all((folder / claim).is_file() for claim in claims)
    answer = build(folder, "--prune-data")
    removed = [line for line in answer.err.splitlines() if line.startswith("removed: ")]
    assert removed == [f"removed: {claim}; no run uses the claim" for claim in claims]
    assert "kubectl delete pvc NAME -n NAMESPACE" in answer.err
    assert not any((folder / claim).exists() for claim in claims)
    assert "removed:" not in build(folder, "--prune-data").err


def test_a_namespace_that_has_the_name_of_a_stage_does_not_make_files_of_runs_data(folder: Path) -> None:
    edit(folder, "namespace: vision", "namespace: data", LETTERS)
    build(folder)
    edit(folder, "letters:1", "letters:2", LETTERS)
    build(folder)
    assert build(folder, "--prune-runs").code == 0
    texts = [path.read_text(encoding="utf-8") for path in (folder / "tjgen.lock.d").rglob("data/letters/*.yaml")]
    claims = {claim for text in texts for claim in yaml.safe_load(text).get("claims", ())}
    assert claims == {f"{one}/data/data/persistentvolumeclaim-letters-results.yaml" for one in ("dev", "prod")}
