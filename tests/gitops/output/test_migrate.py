"""A change of the layout of a live tree: every gate refuses it, and `tjgen migrate` has the steps that keep every object."""

from __future__ import annotations

import subprocess
from itertools import permutations
from pathlib import Path

import pytest
import yaml

from tests.gitops.output.test_runs import EXPERIMENT, snapshot
from tests.program import Answer, tjgen

PROJECT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Project
metadata: {name: site}
spec:
  experiments: [experiments]
  ENVIRONMENTS
  output: {directory: out}
  gitops: {OPTIONS}
"""
REPOSITORY = ', repository: "https://git.example.com/site.git"'
LAYOUTS = {
    "one": "tool: argocd" + REPOSITORY,
    "experiments": "tool: argocd, applicationSet: experiments" + REPOSITORY,
    "environments": "tool: argocd, applicationSet: environments" + REPOSITORY,
    "bootstrap": "tool: argocd, applicationSet: environments, namespace: gitops, bootstrap: true" + REPOSITORY,
    "flux": "tool: flux" + REPOSITORY,
    "flux bootstrap": "tool: flux, namespace: sync, bootstrap: true" + REPOSITORY,
    "argocd without repository": "tool: argocd",
    "flux without repository": "tool: flux",
    "none": "tool: none",
}
CLAIM = "  volumes:\n    results: {pvc: {create: {size: 10Gi}}, mountPath: /results}\n"


@pytest.fixture(
    params=["environments: {dev: {cluster: one}, prod: {cluster: two}}", "catalogs: []"], ids=["environments", "one tree"]
)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Path:
    monkeypatch.setenv("TJGEN_CACHE", "off")
    (tmp_path / "experiments").mkdir()
    (tmp_path / "experiments/digits.yaml").write_text(EXPERIMENT + CLAIM, encoding="utf-8")
    (tmp_path / "template").write_text(PROJECT.replace("ENVIRONMENTS", request.param), encoding="utf-8")
    return tmp_path


def say(folder: Path, options: str) -> None:
    text = (folder / "template").read_text(encoding="utf-8")
    (folder / "tjgen.yaml").write_text(text.replace("OPTIONS", options), encoding="utf-8")


def live(folder: Path, options: str) -> None:
    say(folder, options)
    answer = tjgen(folder, "build")
    assert answer.code == 0, answer.err


def jobs(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in (folder / "out").rglob("*.yaml") if "/gitops/" not in str(path)}


def git(folder: Path, *words: str) -> None:
    subprocess.run(["git", "-c", "user.name=t", "-c", "user.email=t@example.com", *words], cwd=folder, check=True)


def assert_refused(folder: Path, *words: str) -> Answer:
    before = snapshot(folder)
    answer = tjgen(folder, *words)
    assert (answer.code, "error[TJ280] tjgen.yaml:" in answer.err) == (1, True), answer.err
    assert "use tjgen migrate" in answer.err
    assert snapshot(folder) == before
    return answer


# A tree without sync objects shows its tool alone, and a tree for no tool shows nothing.
FREE = {(old, new) for old in ("argocd without repository", "flux without repository", "none") for new in LAYOUTS}
MOVES = [pair for pair in permutations(LAYOUTS, 2) if pair not in FREE]
MOVES += [("argocd without repository", "flux"), ("flux without repository", "one"), ("argocd without repository", "none")]


@pytest.mark.parametrize(("old", "new"), MOVES)
def test_every_gate_refuses_a_change_of_owners(folder: Path, old: str, new: str) -> None:
    live(folder, LAYOUTS[old])
    files = jobs(folder)
    say(folder, LAYOUTS[new])
    for words in (["build"], ["build", "--check"], ["build", "--force"], ["diff"]):
        assert_refused(folder, *words)
    plan = tjgen(folder, "migrate")
    assert (plan.code, plan.err) == (0, "")
    assert "1. List the objects with their UIDs. (next)" in plan.out
    assert tjgen(folder, "migrate", "--write").code == 0
    assert jobs(folder) == files, "the same objects, whatever their owner"
    checked = tjgen(folder, "build", "--check")
    assert checked.code == 0, checked.err


@pytest.mark.parametrize(
    ("old", "new", "place"),
    [
        ("name: site", "name: vision", "tjgen.yaml:3:18"),
        ("tool: argocd", "tool: argocd, namespace: sync", "namespace"),
        (REPOSITORY, "", "gitops"),
    ],
    ids=["the project has another name", "the sync objects have another namespace", "the repository no longer exists"],
)
def test_other_settings_that_move_owners(folder: Path, old: str, new: str, place: str) -> None:
    live(folder, LAYOUTS["one"])
    file = folder / "tjgen.yaml"
    file.write_text(file.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    assert place in assert_refused(folder, "build").err
    assert "kubectl delete application site" in tjgen(folder, "migrate").out


def test_settings_that_move_no_owner_are_accepted(folder: Path) -> None:
    live(folder, LAYOUTS["one"])
    for options in ("revision: release", "project: research", "bootstrap: true", "path: elsewhere/out", "removal: sync"):
        live(folder, f"{LAYOUTS['one']}, {options}")
    assert tjgen(folder, "migrate").err == "no synced object gets another owner\n"


@pytest.mark.parametrize("left", ["superseded", "orphaned"])
def test_runs_that_no_source_requests_do_not_hold_up_a_migration(folder: Path, left: str) -> None:
    live(folder, LAYOUTS["argocd without repository"])
    file = folder / "experiments/digits.yaml"
    text = file.read_text(encoding="utf-8")
    if left == "superseded":
        for version in range(2, 6):
            file.write_text(text.replace("train:1", f"train:{version}"), encoding="utf-8")
            live(folder, LAYOUTS["argocd without repository"])
    else:
        file.write_text(text.replace("name: digits", "name: letters"), encoding="utf-8")
        live(folder, LAYOUTS["argocd without repository"])
    say(folder, LAYOUTS["flux without repository"])
    assert_refused(folder, "build")
    assert tjgen(folder, "migrate", "--write").code == 0
    answer = tjgen(folder, "build")
    assert answer.code == 0, answer.err
    assert tjgen(folder, "migrate").err == "no synced object gets another owner\n"


@pytest.mark.parametrize(("old", "new"), [("one", "flux"), ("flux", "one"), ("none", "argocd without repository")])
def test_claims_of_orphaned_runs_get_the_protection_of_the_new_tool(folder: Path, old: str, new: str) -> None:
    live(folder, LAYOUTS[old])
    claims = sorted((folder / "out").rglob("persistentvolumeclaim-*"))
    file = folder / "experiments/digits.yaml"
    file.write_text(
        file.read_text(encoding="utf-8").replace(CLAIM, "").replace("name: digits", "name: letters"), encoding="utf-8"
    )
    live(folder, LAYOUTS[old])
    say(folder, LAYOUTS[new])
    answer = tjgen(folder, "migrate", "--write")
    assert answer.code == 0, answer.err
    protection = "prune: disabled" if new == "flux" else "Prune=false,Delete=false"
    assert [protection in claim.read_text(encoding="utf-8") for claim in claims] == [True] * len(claims)
    before = snapshot(folder)
    assert tjgen(folder, "build").code == 0
    assert snapshot(folder) == before
    assert claims
    assert tjgen(folder, "build", "--prune-data", "--prune-runs").code == 0
    assert not [claim for claim in claims if claim.exists()]


PROTECTION = {"argocd": "Prune=confirm,Delete=confirm", "flux": "prune: disabled"}


@pytest.mark.parametrize("left", ["superseded", "orphaned", "kept", "stopped"])
@pytest.mark.parametrize(("old", "new"), [("one", "flux"), ("flux", "one"), ("none", "argocd without repository")])
def test_runs_that_no_source_requests_get_the_protection_of_the_new_tool(folder: Path, old: str, new: str, left: str) -> None:
    live(folder, LAYOUTS[old])
    earlier = sorted((folder / "out").rglob("trainjob-*"))
    specs = [yaml.safe_load(job.read_text(encoding="utf-8"))["spec"] for job in earlier]
    file = folder / "experiments/digits.yaml"
    text = file.read_text(encoding="utf-8")
    changed = text.replace("train:1", "train:2") if left in ("superseded", "stopped") else text.replace("digits", "letters")
    file.write_text(changed, encoding="utf-8")
    if left == "stopped":
        # The same build stops the runs and gives them the protection.
        template = (folder / "template").read_text(encoding="utf-8")
        (folder / "template").write_text(template + "  history: {onSupersede: stop}\n", encoding="utf-8")
        specs = [{"suspend": True, **spec} for spec in specs]
    else:
        live(folder, LAYOUTS[old])
    if left == "kept":
        assert tjgen(folder, "runs", "keep", "digits-*").code == 0
    git(folder, "init", "--quiet")
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "--message", "before")
    git(folder, "branch", "base")
    say(folder, LAYOUTS[new])
    answer = tjgen(folder, "migrate", "--write")
    assert answer.code == 0, answer.err
    documents = [yaml.safe_load(job.read_text(encoding="utf-8")) for job in earlier]
    assert [document["spec"] for document in documents] == specs
    protection = PROTECTION["flux" if new == "flux" else "argocd"]
    assert [protection in job.read_text(encoding="utf-8") for job in earlier] == [True] * len(earlier)
    before = snapshot(folder)
    assert tjgen(folder, "build").code == 0
    assert snapshot(folder) == before
    undecided = left == "orphaned"
    assert tjgen(folder, "build", "--check").code == undecided
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "--message", "migrate")
    verified = tjgen(folder, "verify", "--base", "base")
    changed_by_hand = [line for line in verified.err.splitlines() if line.startswith("error") and "TJ273" not in line]
    assert [line for line in changed_by_hand if "TJ281" not in line and "TJ276" not in line] == [], verified.err


def test_a_run_that_is_requested_again_gets_the_annotations_of_the_tool_that_it_has_now(folder: Path) -> None:
    live(folder, LAYOUTS["argocd without repository"])
    run = snapshot(folder)
    file = folder / "experiments/digits.yaml"
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace("train:1", "train:2"), encoding="utf-8")
    live(folder, LAYOUTS["argocd without repository"])
    for tool in ("flux", "argocd"):
        say(folder, f"tool: {tool}")
        assert tjgen(folder, "migrate", "--write").code == 0
    file.write_text(text, encoding="utf-8")
    answer = tjgen(folder, "build")
    assert (answer.code, "TJ076" in answer.err) == (0, False), answer.err
    after = snapshot(folder)
    jobs_of_run = [path for path in run if "/trainjob-" in path]
    assert jobs_of_run
    assert {path: after[path] for path in jobs_of_run} == {path: run[path] for path in jobs_of_run}
    assert tjgen(folder, "build", "--check").code == 0


def test_runs_that_no_source_requests_get_the_safeguard_if_the_project_turns_it_on(folder: Path) -> None:
    live(folder, "tool: argocd, removal: sync")
    earlier = sorted((folder / "out").rglob("trainjob-*"))
    file = folder / "experiments/digits.yaml"
    file.write_text(file.read_text(encoding="utf-8").replace("train:1", "train:2"), encoding="utf-8")
    live(folder, "tool: argocd, removal: sync")
    assert ["Prune=" in job.read_text(encoding="utf-8") for job in earlier] == [False] * len(earlier)
    live(folder, "tool: argocd")
    assert ["Prune=confirm,Delete=confirm" in job.read_text(encoding="utf-8") for job in earlier] == [True] * len(earlier)
    before = snapshot(folder)
    live(folder, "tool: argocd, removal: sync")
    live(folder, "tool: argocd")
    assert snapshot(folder) == before


def test_a_run_that_was_edited_by_hand_stays_as_it_is(folder: Path) -> None:
    live(folder, LAYOUTS["argocd without repository"])
    job = sorted((folder / "out").rglob("trainjob-*"))[0]
    file = folder / "experiments/digits.yaml"
    file.write_text(file.read_text(encoding="utf-8").replace("train:1", "train:2"), encoding="utf-8")
    live(folder, LAYOUTS["argocd without repository"])
    job.write_text(job.read_text(encoding="utf-8").replace("train:1", "train:3"), encoding="utf-8")
    before = job.read_bytes()
    say(folder, LAYOUTS["flux without repository"])
    assert tjgen(folder, "migrate", "--write").code == 0
    assert job.read_bytes() == before


@pytest.mark.parametrize("body", ["<<<<<<< a\n", "a: [\n", "text\n", "metadata: text\n", ""])
def test_a_claim_that_is_no_longer_an_object_stays_as_it_is(folder: Path, body: str) -> None:
    live(folder, LAYOUTS["none"])
    (folder / "experiments/digits.yaml").write_text(EXPERIMENT, encoding="utf-8")
    live(folder, LAYOUTS["none"])
    claim = sorted((folder / "out").rglob("persistentvolumeclaim-*"))[0]
    head = claim.read_text(encoding="utf-8").partition("apiVersion:")[0]
    claim.write_text(head + body, encoding="utf-8")
    say(folder, LAYOUTS["flux"])
    answer = tjgen(folder, "migrate", "--write")
    assert (answer.code in (0, 1), "Traceback" in answer.err) == (True, False), answer.err
    assert claim.read_text(encoding="utf-8") == head + body


def test_a_claim_that_prune_data_keeps_gets_the_protection_too(folder: Path) -> None:
    live(folder, LAYOUTS["none"])
    file = folder / "experiments/digits.yaml"
    file.write_text(EXPERIMENT.replace("name: digits", "name: letters"), encoding="utf-8")
    live(folder, LAYOUTS["none"])
    say(folder, LAYOUTS["flux"])
    assert tjgen(folder, "build", "--prune-data").code == 0
    claims = list((folder / "out").rglob("persistentvolumeclaim-*"))
    assert claims
    assert all("prune: disabled" in claim.read_text(encoding="utf-8") for claim in claims), "orphaned runs use them"
    before = snapshot(folder)
    assert tjgen(folder, "build").code == 0
    assert snapshot(folder) == before


def test_a_tree_without_objects_can_get_any_layout(folder: Path) -> None:
    (folder / "experiments/digits.yaml").rename(folder / "later")
    (folder / "experiments/digits.yaml").write_text("", encoding="utf-8")
    for options in LAYOUTS.values():
        live(folder, options)


def test_a_tool_that_is_named_for_the_first_time_is_accepted(folder: Path) -> None:
    live(folder, LAYOUTS["none"])
    live(folder, LAYOUTS["flux"])


def test_the_hook_refuses_it(folder: Path) -> None:
    git(folder, "init", "-q")
    live(folder, LAYOUTS["one"])
    git(folder, "add", "--all")
    git(folder, "commit", "-qm", "live")
    say(folder, LAYOUTS["experiments"])
    git(folder, "add", "--all")
    assert_refused(folder, "build", "--staged", "--check")


def test_the_plan_marks_the_next_step(folder: Path) -> None:
    git(folder, "init", "-q")
    live(folder, LAYOUTS["one"])
    git(folder, "add", "--all")
    git(folder, "commit", "-qm", "live")
    say(folder, LAYOUTS["experiments"])
    assert tjgen(folder, "migrate", "--write").code == 0
    assert "5. Commit and push. (next)" in tjgen(folder, "migrate").out
    git(folder, "add", "--all")
    git(folder, "commit", "-qm", "moved")
    assert tjgen(folder, "migrate").err == "no synced object gets another owner\n"
    assert "6. Create the new owners. (next)" in tjgen(folder, "migrate", "HEAD~1").out
    compared = tjgen(folder, "diff", "HEAD~1")
    assert "warning[TJ281]" in compared.err
    assert "follow the steps of tjgen migrate HEAD~1" in compared.err
    assert tjgen(folder, "migrate", "nowhere").code == 1
    assert tjgen(folder, "migrate", "HEAD~1", "--write").code == 2


OVERRIDES = "{spec: {podTemplateOverrides: [{targetJobs: [{name: node}], spec: {nodeSelector: {pool: a}}}]}}"


def upgraded(folder: Path, patch: str = OVERRIDES) -> str:
    """A run that was built for Trainer 2.1, in a project that names 2.3; the name of the run."""
    file = folder / "experiments/digits.yaml"
    text = file.read_text(encoding="utf-8")
    file.write_text(text + f"  patches: {{pool: {{target: {{kind: TrainJob}}, merge: {patch}}}}}\n", encoding="utf-8")
    template = (folder / "template").read_text(encoding="utf-8")
    (folder / "template").write_text(template.replace("  output:", '  trainer: "2.1"\n  output:'), encoding="utf-8")
    live(folder, LAYOUTS["flux"])
    file.write_text(text.replace("train:1", "train:2"), encoding="utf-8")
    project = (folder / "tjgen.yaml").read_text(encoding="utf-8")
    (folder / "tjgen.yaml").write_text(project.replace('trainer: "2.1"', 'trainer: "2.3"'), encoding="utf-8")
    return min((folder / "out").rglob("trainjob-*")).parent.name  # the first one, which the hint names


def test_another_trainer_release_is_refused_while_runs_need_the_earlier_one(folder: Path) -> None:
    run = upgraded(folder)
    before = snapshot(folder)
    for words in (["build"], ["build", "--check"], ["diff"], ["migrate", "--write"]):
        answer = tjgen(folder, *words)
        assert (answer.code, snapshot(folder) == before) == (1, True)
        assert "error[TJ282] tjgen.yaml:7:12:" in answer.err
        assert f"use tjgen runs archive {run}" in answer.err
    assert "error[TJ671]" in "".join(tjgen(folder, "lint", "out")[1:])
    plan = tjgen(folder, "migrate").out
    assert "1. Wait until these runs have ended" in plan
    (command,) = [line.split() for line in plan.splitlines() if line.strip().startswith("tjgen runs archive")]
    assert tjgen(folder, *command[1:]).code == 0
    assert tjgen(folder, "migrate").err == "no synced object gets another owner\n"
    assert tjgen(folder, "build").code == 0
    assert tjgen(folder, "build", "--check", "--strict").code == 0
    assert "TJ671" not in "".join(tjgen(folder, "lint", "out")[1:])


@pytest.mark.parametrize("resolves", ["--prune-runs", "the earlier release"])
def test_other_choices_at_another_trainer_release(folder: Path, resolves: str) -> None:
    upgraded(folder)
    if resolves == "the earlier release":
        live(folder, LAYOUTS["flux"])
        assert tjgen(folder, "build", "--check").code == 0
    else:
        assert tjgen(folder, "build", "--prune-runs").code == 0
        assert tjgen(folder, "build", "--check", "--strict").code == 0


def test_a_release_that_reads_every_run_is_accepted(folder: Path) -> None:
    # A claim of an experiment is an override in 2.1, too.
    (folder / "experiments/digits.yaml").write_text(EXPERIMENT, encoding="utf-8")
    upgraded(folder, "{metadata: {labels: {team: search}}}")
    assert tjgen(folder, "build").code == 0


def test_what_a_plan_releases_and_creates(folder: Path) -> None:
    live(folder, LAYOUTS["experiments"] + ", bootstrap: true")
    say(folder, LAYOUTS["flux"])
    lines = [line.strip() for line in tjgen(folder, "migrate").out.splitlines()]
    deleted = [line.split()[2:4] for line in lines if line.startswith("kubectl delete")]
    site = "site-dev" if (folder / "out/dev").exists() else "site"
    namespace = next((folder / "out").rglob("trainjob-*")).parent.parent.parent.name
    assert deleted[0] == ["applicationset", site]
    assert ["application", "site-gitops"] in deleted
    assert ["application", f"{site}.{namespace}.digits"] in deleted
    finalizers = [line.split()[3] for line in lines if "finalizers" in line]
    assert finalizers == [name for kind, name in deleted if kind == "application"], "an Application keeps its objects without one"
    assert [line for line in lines if line.startswith("kubectl annotate")]
    created = [line.split()[-1] for line in lines if line.startswith("kubectl apply")]
    assert created
    assert tjgen(folder, "migrate", "--write").code == 0
    assert {str(path.relative_to(folder)) for path in (folder / "out").rglob("gitops/*.yaml")} == set(created)
