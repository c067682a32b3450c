"""`tjgen diff`, against the folder, another folder, and revisions of real repositories."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.program import Answer, tjgen
from tjgen.compiler.building.run import Run
from tjgen.gitops.output.attributions import Attributions

EXPERIMENT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Experiment
metadata: {name: bert, namespace: nlp, labels: {team: search}}
spec:
  runtime: tjgen-torch
  image: bert:1
  script: train.py
  volumes:
    out: {pvc: {create: {size: 20Gi}}, mountPath: /out}
"""
SWEEP = """\
apiVersion: tjgen.dev/v1alpha1
kind: Experiment
metadata: {name: sweep, namespace: nlp}
spec:
  runtime: tjgen-torch
  image: sweep:1
  script: train.py
  sweep: {matrix: {spec.nodes: [1, 2]}}
"""
PROJECT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Project
spec:
  experiments: [experiments]
  output: {directory: out}
"""


MARKDOWN = """\
## Training runs

- runs: 1 in place, 2 unchanged
- data: 1 unchanged
- runtimes: 1 unchanged

### nlp/bert

- **bert-***: in place

  | field | before | after | effect | set by |
  | --- | --- | --- | --- | --- |
  | `TrainJob metadata.labels.team` | `search` | `ads` | in place | was `experiment metadata.labels.team \
(HEAD:experiments/bert.yaml:3:55)`<br>is `experiment metadata.labels.team (experiments/bert.yaml:3:55)` |

"""


def git(folder: Path, *words: str) -> None:
    command = ["git", "-C", str(folder), "-c", "user.name=tests", "-c", "user.email=tests@example.com", *words]
    subprocess.run(command, check=True, capture_output=True)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project in a repository, built and committed."""
    monkeypatch.setenv("TJGEN_CACHE", "off")
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    project = tmp_path / "project"
    (project / "experiments").mkdir(parents=True)
    for path, text in {"tjgen.yaml": PROJECT, "experiments/bert.yaml": EXPERIMENT, "experiments/sweep.yaml": SWEEP}.items():
        (project / path).write_text(text, encoding="utf-8")
    assert tjgen(project, "build", "-o", "out").code == 0
    git(project, "init", "--quiet", "--initial-branch=main")
    git(project, "add", "--all")
    git(project, "commit", "--quiet", "--message=first")
    return project


def edit(folder: Path, old: str, new: str, file: str = "experiments/bert.yaml") -> None:
    text = (folder / file).read_text(encoding="utf-8")
    assert old in text
    (folder / file).write_text(text.replace(old, new), encoding="utf-8")


def diff(folder: Path, *words: str) -> Answer:
    return tjgen(folder, "diff", *words)


def changes(folder: Path, *words: str) -> dict[str, str]:
    """Name -> what becomes of it, of what is not unchanged."""
    answer = diff(folder, *words, "--format", "json")
    found: dict[str, Any] = json.loads(answer.out)
    return {entry["name"].rpartition("-")[0]: entry["change"] for entry in found["entries"] if entry["change"] != "unchanged"}


def test_nothing_differs(folder: Path) -> None:
    for words in ([], ["HEAD"], ["out"]):
        answer = diff(folder, *words)
        assert (answer.code, answer.err) == (0, "")
        assert answer.out == "runs: 3 unchanged\ndata: 1 unchanged\nruntimes: 1 unchanged\n"


def test_a_label_changes_in_place_and_both_sides_say_who_asked(folder: Path) -> None:
    edit(folder, "search", "ads")
    answer = diff(folder, "HEAD", "-q")
    assert answer.code == 0
    assert answer.err == ""
    head, _, rest = answer.out.partition("  in place\n")
    assert head.startswith("nlp/bert\n  bert-")
    assert rest == (
        "    TrainJob metadata.labels.team: search -> ads\n"
        "      was: experiment metadata.labels.team (HEAD:experiments/bert.yaml:3:55)\n"
        "      is: experiment metadata.labels.team (experiments/bert.yaml:3:55)\n"
        "\n"
        "runs: 1 in place, 2 unchanged\n"
        "data: 1 unchanged\n"
        "runtimes: 1 unchanged\n"
    )
    # Against the folder, or once it is built, the answer is the same but for who asked before.
    assert "was: " not in diff(folder).out
    assert tjgen(folder, "build", "-o", "out").code == 0
    assert diff(folder, "HEAD", "-q").out == answer.out
    assert diff(folder).out.startswith("runs: 3 unchanged")


def test_every_point_of_a_sweep_has_its_own_successor(folder: Path) -> None:
    edit(folder, "sweep:1", "sweep:2", "experiments/sweep.yaml")
    answer = diff(folder, "main", "--format", "json", "-q")
    entries = [entry for entry in json.loads(answer.out)["entries"] if entry["change"] == "new"]
    assert [entry["name"].rpartition("-")[0] for entry in entries] == ["sweep-nodes-1", "sweep-nodes-2"]
    for entry in entries:
        (replaced,) = entry["replaces"]
        assert replaced.rpartition("-")[0] == entry["name"].rpartition("-")[0]
        (one,) = entry["objects"]
        (field,) = one["fields"]
        assert field["path"] == "spec.trainer.image"
        assert field["before"]["value"] == "sweep:1"
        assert (field["before"]["file"], field["before"]["line"]) == ("main:experiments/sweep.yaml", 6)
        assert (field["after"]["file"], field["after"]["line"]) == ("experiments/sweep.yaml", 6)
        assert entry["comparedWith"] == replaced
    superseded = {
        entry["name"]: entry["replacedBy"] for entry in json.loads(answer.out)["entries"] if entry["change"] == "superseded"
    }
    assert superseded == {entry["replaces"][0]: entry["name"] for entry in entries}


GRID = """\
apiVersion: tjgen.dev/v1alpha1
kind: Experiment
metadata: {name: hp, namespace: nlp}
spec:
  runtime: tjgen-torch
  image: hp:1
  script: train.py
  sweep:
    matrix:
      env.BATCH: [32, 64]
      env.LR: [1e-3, 1e-4]
"""


def _points(folder: Path, *words: str) -> dict[str, tuple[list[str], str, list[tuple[Any, Any, int]]]]:
    """Point of a new run -> points that it replaces, point that it is compared with, and its fields: values and line."""
    found = {}
    for entry in json.loads(diff(folder, *words, "--format", "json", "-q").out)["entries"]:
        if entry["change"] == "new" and entry["stage"] == "runs":
            fields = [
                (field["before"]["value"], field["after"]["value"], field["after"]["line"])
                for one in entry["objects"]
                for field in one["fields"]
            ]
            replaces = [run.rpartition("-")[0] for run in entry["replaces"]]
            found[entry["name"].rpartition("-")[0]] = (replaces, entry["comparedWith"].rpartition("-")[0], fields)
    return found


@pytest.fixture
def grid(folder: Path) -> Path:
    """A sweep over two fields, built and committed."""
    (folder / "experiments/hp.yaml").write_text(GRID, encoding="utf-8")
    assert tjgen(folder, "build", "-o", "out").code == 0
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message=grid")
    return folder


def test_a_new_value_of_a_sweep_replaces_nothing_and_shows_its_fields(grid: Path) -> None:
    edit(grid, "1e-4", "5e-4", "experiments/hp.yaml")
    assert _points(grid, "HEAD") == {
        "hp-batch-32-lr-5e-4": ([], "hp-batch-32-lr-1e-4", [("1e-4", "5e-4", 11)]),
        "hp-batch-64-lr-5e-4": ([], "hp-batch-64-lr-1e-4", [("1e-4", "5e-4", 11)]),
    }
    out = diff(grid, "HEAD", "-q").out
    assert "replaces" not in out
    assert "    TrainJob spec.trainer.env[name=LR].value: 1e-4 -> 5e-4\n" in out


def test_an_added_value_of_a_sweep_is_compared_with_its_neighbor(grid: Path) -> None:
    edit(grid, "32, 64", "32, 64, 128", "experiments/hp.yaml")
    assert _points(grid, "HEAD") == {
        "hp-batch-128-lr-1e-3": ([], "hp-batch-32-lr-1e-3", [("32", "128", 10)]),
        "hp-batch-128-lr-1e-4": ([], "hp-batch-32-lr-1e-4", [("32", "128", 10)]),
    }


def test_a_run_that_becomes_a_sweep_is_compared_and_not_replaced(folder: Path) -> None:
    edit(folder, "  script: train.py\n", "  script: train.py\n  sweep: {matrix: {env.LR: [1e-3, 1e-4]}}\n")
    found = json.loads(diff(folder, "HEAD", "--format", "json", "-q").out)
    entries = [entry for entry in found["entries"] if entry["change"] == "new"]
    assert [(entry["replaces"], entry["comparedWith"].rpartition("-")[0]) for entry in entries] == [([], "bert"), ([], "bert")]


def test_every_field_of_a_new_run_is_shown_on_demand(folder: Path) -> None:
    (folder / "experiments/copy.yaml").write_text(EXPERIMENT.replace("name: bert", "name: copy"), encoding="utf-8")
    assert "spec.trainer.image" not in diff(folder, "HEAD").out
    for words in (["HEAD"], []):
        out = diff(folder, *words, "--fields").out
        assert "    TrainJob spec.trainer.image: bert:1\n      is: experiment spec.image (experiments/copy.yaml:6:10)\n" in out, (
            out
        )
        assert "    PersistentVolumeClaim spec.resources.requests.storage: 20Gi\n" in out
    row = "  | `TrainJob spec.trainer.image` |  | `bert:1` | new | is `experiment spec.image (experiments/copy.yaml:6:10)` |\n"
    assert row in diff(folder, "--fields", "--format", "markdown").out
    edit(folder, "bert:1", "bert:2")
    entries = json.loads(diff(folder, "HEAD", "--fields", "--format", "json").out)["entries"]
    (job,) = [one for entry in entries if entry["replaces"] for one in entry["objects"] if one["kind"] == "TrainJob"]
    fields = {field["path"]: field for field in job["fields"]}
    assert job["fields"][0]["path"] == "spec.trainer.image"
    assert (fields["spec.trainer.image"]["before"]["value"], fields["spec.trainer.image"]["after"]["value"]) == (
        "bert:1",
        "bert:2",
    )
    assert "before" not in fields["spec.runtimeRef.name"]


def test_the_exit_code_shows_a_difference_on_demand(folder: Path) -> None:
    assert diff(folder, "HEAD", "--exit-code").code == 0
    edit(folder, "search", "ads")
    assert diff(folder, "HEAD").code == 0
    assert diff(folder, "HEAD", "--exit-code").code == 1


def test_runs_that_are_lost_are_an_error(folder: Path) -> None:
    (job,) = (folder / "out/runs/nlp/bert").iterdir()
    (folder / "experiments/bert.yaml").unlink()
    shutil.rmtree(job)
    shutil.rmtree(folder / "tjgen.lock.d/default/nlp/bert")
    for words in (["HEAD"], ["HEAD", "-q"], ["HEAD", "--format", "json"]):
        answer = diff(folder, *words)
        assert answer.code == 1
        assert f"nlp/bert/{job.name}" in answer.err
        assert "TJ745" in answer.err


def test_a_claim_that_shrinks_is_refused_with_the_line(folder: Path) -> None:
    edit(folder, "20Gi", "10Gi")
    answer = diff(folder, "HEAD")
    assert answer.code == 1
    assert "  persistentvolumeclaim-bert-out  refused\n" in answer.out
    words = "spec.resources.requests.storage: Forbidden: field can not be less than status.capacity"
    assert f"    the server rejects: {words}\n" in answer.out
    assert f"error[TJ540] experiments/bert.yaml:9:32: PersistentVolumeClaim/bert-out: {words}\n" in answer.err
    edit(folder, "10Gi", "30Gi")
    answer = diff(folder, "HEAD")
    assert answer.code == 0
    assert "20Gi -> 30Gi  (refused as long as the claim is not bound, or where its class allows no growth)" in answer.out


def test_a_claim_changes_together_with_a_label(folder: Path) -> None:
    edit(folder, "search", "ads")
    edit(folder, "20Gi", "30Gi")
    assert changes(folder) == {"bert": "in place", "persistentvolumeclaim-bert": "in place"}
    tjgen(folder, "build", "-o", "out")
    assert changes(folder) == {}


def test_what_is_refused_or_without_effect_in_a_run(folder: Path) -> None:
    shutil.copytree(folder / "out", folder / "earlier")
    (job,) = (folder / "earlier/runs/nlp/bert").rglob("trainjob-*.yaml")
    edit(folder, "bert:1", "bert:0", str(job.relative_to(folder)))
    answer = diff(folder, "earlier")
    assert answer.code == 1
    assert "TrainJob spec.trainer.image: bert:0 -> bert:1  (refused)\n" in answer.out
    assert "the server rejects: spec.trainer: Invalid value: field is immutable" in answer.out
    text = job.read_text(encoding="utf-8")
    job.write_text(text[: text.index("  trainer:")] + text[text.index("  runtimePatches:") :], encoding="utf-8")
    answer = diff(folder, "earlier")
    assert answer.code == 0
    assert "warning[TJ541]" in answer.err
    remark = "accepted, but the existing JobSet is never rebuilt"
    assert f"({remark})" in answer.out
    entries = json.loads(diff(folder, "earlier", "--format", "json").out)["entries"]
    fields = [field for entry in entries for one in entry["objects"] for field in one["fields"]]
    assert [field["path"] for field in fields if field.get("remark") == remark] == ["spec.trainer"]
    assert diff(folder, "earlier", "--strict").code == 1


def test_archived_and_removed_runs(folder: Path) -> None:
    tjgen(folder, "runs", "archive", "bert-*")
    (folder / "experiments/sweep.yaml").unlink()
    assert changes(folder, "HEAD") == {"bert": "archived", "sweep-nodes-1": "orphaned", "sweep-nodes-2": "orphaned"}
    assert (
        "orphaned: no source requests it; it stays and keeps running until you keep, archive or prune it"
        in diff(folder, "HEAD").out
    )
    assert tjgen(folder, "build", "-o", "out", "--prune-runs").code == 0
    answer = diff(folder, "HEAD")
    out = answer.out
    assert answer.code == 0
    assert "warning[TJ746] 2 runs (nlp/sweep/sweep-nodes-1-" in answer.err
    assert diff(folder, "HEAD", "--strict").code == 1
    assert "archived: syncs no longer apply it" in out
    assert "removed: a sync that prunes deletes it, even while it runs" in out
    assert "was: " not in out
    assert "is: lock runs.bert-" in out
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message=archived")
    edit(folder, "search", "ads")
    answer = diff(folder, "HEAD")
    assert "  without effect\n" in answer.out
    assert "no sync applies an archived run" in answer.out


@pytest.mark.parametrize(
    ("old", "new", "name"), [("name: bert", "name: roberta", "nlp/roberta"), ("namespace: nlp", "namespace: ads", "ads/bert")]
)
def test_an_experiment_that_is_renamed_or_moved_trains_again(folder: Path, old: str, new: str, name: str) -> None:
    (job,) = (folder / "out/runs/nlp/bert").iterdir()
    edit(folder, old, new)
    (folder / "experiments/bert.yaml").rename(folder / "experiments/other.yaml")
    for words in ([], ["HEAD"]):
        answer = diff(folder, *words)
        assert f"new, repeats nlp/bert/{job.name}, which no source requests: the same content runs again" in answer.out
        assert "orphaned: no source requests it; it stays and keeps running until you keep, archive or prune it" in answer.out
        entries = json.loads(diff(folder, *words, "--format", "json").out)["entries"]
        (found,) = [entry for entry in entries if entry["repeats"]]
        assert (f"{found['namespace']}/{found['experiment']}", found["repeats"]) == (name, f"nlp/bert/{job.name}")


def test_a_copy_of_an_experiment_repeats_nothing(folder: Path) -> None:
    (folder / "experiments/copy.yaml").write_text(EXPERIMENT.replace("name: bert", "name: copy"), encoding="utf-8")
    entries = json.loads(diff(folder, "HEAD", "--format", "json").out)["entries"]
    assert not [entry for entry in entries if entry["repeats"]]


def test_a_shared_object_that_is_gone_is_deleted_by_a_sync(folder: Path) -> None:
    shutil.copytree(folder / "out", folder / "earlier")
    (claim,) = (folder / "earlier/data").rglob("*.yaml")
    claim.with_name("persistentvolumeclaim-old.yaml").write_text(claim.read_text(encoding="utf-8").replace("bert-out", "old"))
    out = diff(folder, "earlier").out
    assert "data of nlp\n  persistentvolumeclaim-old  removed: a sync that prunes deletes it\n" in out


def test_sources_of_then_may_end_in_yml(folder: Path) -> None:
    (folder / "experiments/bert.yaml").rename(folder / "experiments/bert.yml")
    assert tjgen(folder, "build", "-o", "out").code == 0
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message=moved")
    edit(folder, "search", "ads", "experiments/bert.yml")
    assert "was: experiment metadata.labels.team (HEAD:experiments/bert.yml:3:55)" in diff(folder, "HEAD").out


def test_a_moved_file_changes_nothing(folder: Path) -> None:
    (folder / "experiments/bert.yaml").rename(folder / "experiments/moved.yaml")
    assert changes(folder, "HEAD") == {}


def test_a_folder_knows_which_run_is_replaced(folder: Path) -> None:
    shutil.copytree(folder / "out", folder / "earlier")
    edit(folder, "bert:1", "bert:2")
    out = diff(folder, "earlier").out
    assert "new, replaces bert-" in out
    assert "TrainJob spec.trainer.image: bert:1 -> bert:2\n" in out


def test_only_sources_of_what_differs_are_asked(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    edit(folder, "search", "ads")
    asked: list[str] = []
    real = Attributions.add

    def add(self: Attributions, runs: list[Run]) -> None:
        asked.extend(run.name for run in runs)
        real(self, runs)

    monkeypatch.setattr(Attributions, "add", add)
    assert "was: experiment metadata.labels.team" in diff(folder, "HEAD").out
    assert [name.rpartition("-")[0] for name in asked] == ["bert", "sweep-nodes-1", "sweep-nodes-2", "bert"]
    asked.clear()
    edit(folder, "ads", "search")
    diff(folder, "HEAD")
    assert len(asked) == 3


def test_a_change_far_into_a_text_is_shown(folder: Path) -> None:
    edit(folder, "  script: train.py\n", '  script: train.py\n  env: {SETTINGS: "import os\\nprint(1)\\n"}\n')
    assert tjgen(folder, "build", "-o", "out").code == 0
    edit(folder, "print(1)", "print(2)")
    out = diff(folder).out
    assert "line 2: print(1) ... -> line 2: print(2) ..." in out


def test_markdown_has_a_section_for_each_experiment_and_a_table_of_what_changed(folder: Path) -> None:
    edit(folder, "search", "ads")
    assert re.sub("-[0-9a-z]{8}", "-*", diff(folder, "HEAD", "--format", "markdown").out) == MARKDOWN


def test_markdown_escapes_what_it_shows(folder: Path) -> None:
    edit(folder, "script: train.py", "script: train.py --filter 'a|b`c'")
    out = diff(folder, "HEAD", "--format", "markdown").out
    assert out.startswith("## Training runs\n\n- runs: 1 new, 1 superseded, 2 unchanged\n")
    assert "**: new, replaces bert-" in out
    (row,) = [line for line in out.split("\n") if "spec.trainer.args" in line]
    assert "a\\|b`c" in row
    assert row.replace("\\|", "").count("|") == 6


def test_environments_are_compared_one_by_one(folder: Path) -> None:
    edit(folder, "spec:\n", "spec:\n  environments: {dev: {}, prod: {}}\n", "tjgen.yaml")
    shutil.rmtree(folder / "out")
    shutil.rmtree(folder / "tjgen.lock.d")
    tjgen(folder, "build", "-o", "out")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message=environments")
    edit(folder, "search", "ads")
    entries = json.loads(diff(folder, "HEAD", "--env", "prod", "--format", "json").out)["entries"]
    assert {entry["environment"] for entry in entries} == {"prod"}
    assert [entry["change"] for entry in entries].count("in place") == 1


def test_a_file_that_holds_no_manifest_or_the_same_in_another_order(folder: Path) -> None:
    shutil.copytree(folder / "out", folder / "earlier")
    (claim,) = (folder / "earlier/data").rglob("*.yaml")
    text = claim.read_text(encoding="utf-8")
    head, body = text[: text.index("apiVersion:")], text[text.index("apiVersion:") :]
    first, _, rest = body.partition("\n")
    claim.write_text(f"{head}{rest}{first}\n", encoding="utf-8")
    assert changes(folder, "earlier") == {}
    claim.write_text(f"{head}[]\n", encoding="utf-8")
    answer = diff(folder, "earlier")
    assert answer.code == 1
    assert f"the server rejects: {claim.relative_to(folder / 'earlier')} contains no readable manifest" in answer.out


def test_an_object_that_a_partial_clone_lacks(folder: Path) -> None:
    path = "experiments/bert.yaml"
    blob = subprocess.run(["git", "rev-parse", f"HEAD:{path}"], cwd=folder, check=True, capture_output=True, text=True).stdout
    (folder / ".git/objects" / blob[:2] / blob[2:].strip()).unlink()
    edit(folder, "search", "ads")
    answer = diff(folder, "HEAD")
    assert (answer.code, answer.out) == (1, "")
    assert f"error[TJ095] Git cannot read {path} at " in answer.err
    assert "  hint: the clone is partial: fetch the missing objects\n" in answer.err


def test_a_file_that_was_edited_by_hand_differs(folder: Path) -> None:
    (job,) = (folder / "out/runs/nlp/bert").rglob("trainjob-*.yaml")
    edit(folder, "search", "mine", str(job.relative_to(folder)))
    assert changes(folder) == {"bert": "in place"}


def test_sources_of_then_that_cannot_be_built_answer_for_nothing(folder: Path) -> None:
    edit(folder, "bert:1", "bert:2")
    edit(folder, "experiments: [experiments]", "experimentz: [experiments]", "tjgen.yaml")
    git(folder, "commit", "--quiet", "--all", "--message=broken")
    edit(folder, "experimentz", "experiments", "tjgen.yaml")
    answer = diff(folder, "HEAD", "-q")
    assert answer.code == 0
    assert "was: " not in answer.out
    assert "is: experiment spec.image" in answer.out


def test_a_revision_that_is_not_there(folder: Path, tmp_path: Path) -> None:
    answer = diff(folder, "nosuch")
    assert (answer.code, answer.out) == (1, "")
    assert 'error[TJ093] no revision and no folder "nosuch" exists' in answer.err
    assert "-x" not in diff(folder, "--", "-x").out
    git(folder, "commit", "--quiet", "--allow-empty", "--message=second")
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "--quiet", "--depth=1", f"file://{folder}", str(clone))
    answer = diff(clone, "HEAD~1")
    assert answer.code == 1
    assert "the clone is shallow" in answer.err


def test_a_revision_without_output(folder: Path) -> None:
    git(folder, "rm", "-r", "--quiet", "--cached", "out", "tjgen.lock.d")
    git(folder, "commit", "--quiet", "--message=no output")
    answer = diff(folder, "HEAD")
    assert answer.code == 0
    assert "warning[TJ097] revision HEAD contains no output in out, so everything is new" in answer.err
    assert answer.out.endswith("runs: 3 new\ndata: 1 new\nruntimes: 1 new\n")


def test_uncommitted_files_are_told(folder: Path) -> None:
    edit(folder, "search", "ads")
    answer = diff(folder, "HEAD")
    assert "info[TJ096] 1 file of . is not committed; the folder is compared" in answer.err
    assert answer.code == 0


def test_no_repository(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        patched.setenv("PATH", str(folder))
        answer = diff(folder, "HEAD")
    assert (answer.code, "TJ092" in answer.err) == (1, True)
    shutil.rmtree(folder / ".git")
    answer = diff(folder, "HEAD")
    assert (answer.code, "TJ091" in answer.err) == (1, True)


def test_a_repository_of_another_user(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")
    monkeypatch.setenv("GIT_CONFIG_SYSTEM", "/dev/null")
    answer = diff(folder, "HEAD")
    assert (answer.code, "error[TJ702] Git does not work in .: it belongs to another user" in answer.err) == (1, True)


def test_output_outside_of_the_repository(folder: Path, tmp_path: Path) -> None:
    tjgen(folder, "build", "-o", "../elsewhere")
    answer = diff(folder, "HEAD", "-o", str(tmp_path / "elsewhere"))
    assert (answer.code, "TJ094" in answer.err) == (1, True)


def test_a_lock_in_conflict_then_or_now(folder: Path) -> None:
    (lock,) = (folder / "tjgen.lock.d/default/nlp/bert").iterdir()
    whole = lock.read_text(encoding="utf-8")
    lock.write_text(f"<<<<<<< ours\n{whole}", encoding="utf-8")
    assert "TJ070" in diff(folder).err
    git(folder, "commit", "--quiet", "--all", "--message=conflict")
    lock.write_text(whole, encoding="utf-8")
    answer = diff(folder, "HEAD")
    assert answer.code == 1
    assert f"error[TJ070] HEAD:tjgen.lock.d/default/nlp/bert/{lock.name}:1:1" in answer.err


def test_nothing_is_written(folder: Path) -> None:
    edit(folder, "bert:1", "bert:2")
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file() and ".git" not in path.parts}
    diff(folder)
    diff(folder, "HEAD")
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file() and ".git" not in path.parts} == before


def test_wrong_use(folder: Path) -> None:
    assert diff(folder, "HEAD", "main").code == 2
    edit(folder, "  output: {directory: out}\n", "", "tjgen.yaml")
    assert diff(folder).code == 2
    assert diff(folder, "-o", "out").code == 0
    assert "TJ262" in diff(folder, "-o", "out", "--env", "prod").err
