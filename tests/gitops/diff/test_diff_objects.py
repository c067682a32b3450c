"""`tjgen check --against`: what becomes of objects that are applied already."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.program import Answer, tjgen

OLD = """\
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: a, namespace: ml}
spec:
  runtimeRef: {name: r}
  trainer: {image: "i:1"}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: c, namespace: ml}
data: {a: b}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: gone, namespace: ml}
"""
NEW = OLD.replace("i:1", "i:2").replace("a: b", "a: c").replace("gone", "come")


def outcomes(done: Answer) -> dict[str, str]:
    return {one["name"]: one["change"] for one in json.loads(done.out)["objects"]}


def git(folder: Path, *words: str) -> None:
    identity = ("-c", "user.name=a", "-c", "user.email=a@b")
    subprocess.run(["git", *identity, *words], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "old").mkdir()
    (tmp_path / "new").mkdir()
    (tmp_path / "old" / "all.yaml").write_text(OLD)
    (tmp_path / "new" / "other-name.yaml").write_text(NEW)
    return tmp_path


EXPECTED = {"a": "needs a new name", "c": "in place", "come": "new", "gone": "removed"}


def test_a_folder(folder: Path) -> None:
    done = tjgen(folder, "check", "new", "--against", "old", "--format", "json")
    assert done.code == 1
    assert outcomes(done) == EXPECTED
    (one,) = [one for one in json.loads(done.out)["objects"] if one["name"] == "a"]
    assert one["refusals"] == ["spec.trainer: Invalid value: field is immutable"]


def test_a_revision(folder: Path) -> None:
    git(folder, "init", "-q")
    git(folder, "add", "old")
    git(folder, "commit", "-qm", "x")
    (folder / "old" / "all.yaml").write_text(NEW)
    for path in ("old", "old/all.yaml"):
        assert outcomes(tjgen(folder, "check", path, "--against", "HEAD", "--format", "json")) == EXPECTED
    done = tjgen(folder, "check", "new", "--against", "HEAD")
    assert done.out.splitlines()[-1] == "3 new"
    done = tjgen(folder, "check", "old", "--against", "nothing")
    assert (done.code, "TJ093" in done.err) == (1, True)


def test_text_says_the_servers_words_with_the_line(folder: Path) -> None:
    done = tjgen(folder, "check", "new", "--against", "old")
    assert "TrainJob/a  needs a new name" in done.out
    assert "  TrainJob spec.trainer.image: i:1 -> i:2  (refused)" in done.out
    assert done.out.endswith("1 new, 1 in place, 1 needs a new name, 1 removed\n")
    assert "error[TJ542] new/other-name.yaml:6:12: TrainJob/a: spec.trainer: Invalid value: field is immutable" in done.err


def test_what_is_refused_under_any_name_needs_no_new_one(folder: Path) -> None:
    (folder / "new" / "other-name.yaml").write_text(NEW.replace("i:2", "i:1").replace("a: c", "a b: c"))
    done = tjgen(folder, "check", "new", "--against", "old", "--format", "json")
    assert outcomes(done)["c"] == "refused"


@pytest.mark.parametrize(("apply", "outcome"), [("client-side", "needs a new name"), ("server-side", "refused")])
def test_the_kind_of_apply_decides_whether_a_new_name_helps(folder: Path, apply: str, outcome: str) -> None:
    """Server-side apply refuses a variable that is set twice under any name; client-side apply sends it to the API server."""
    job = (
        "apiVersion: batch/v1\nkind: Job\nmetadata: {name: j, namespace: ml}\nspec: {template: {spec: {restartPolicy: Never, "
        'containers: [{name: c, image: "i:1", env: [{name: A, value: "1"}]}]}}}\n'
    )
    (folder / "old" / "job.yaml").write_text(job)
    (folder / "new" / "job.yaml").write_text(job.replace("i:1", "i:2").replace("env: [", "env: [{name: A}, "))
    done = tjgen(folder, "check", "new", "--against", "old", "--apply", apply, "--format", "json")
    assert outcomes(done)["j"] == outcome


def test_a_new_name_helps_where_a_webhook_completes_the_object(folder: Path) -> None:
    """JobSet's webhook writes the fields of its Go types, also required ones that the manifest lacks, such as the port."""
    jobset = (
        "apiVersion: jobset.x-k8s.io/v1alpha2\nkind: JobSet\nmetadata: {name: s, namespace: ml}\n"
        "spec: {replicatedJobs: [{name: node, template: {spec: {template: {spec: {restartPolicy: Never, containers: "
        '[{name: c, image: "i:1", readinessProbe: {httpGet: {path: /}}}]}}}}}]}\n'
    )
    (folder / "old" / "jobset.yaml").write_text(jobset)
    (folder / "new" / "jobset.yaml").write_text(jobset.replace("i:1", "i:2"))
    assert outcomes(tjgen(folder, "check", "new", "--against", "old", "--format", "json"))["s"] == "needs a new name"


def test_an_unchanged_folder_is_fine(folder: Path) -> None:
    done = tjgen(folder, "check", "old", "--against", "old")
    assert (done.code, done.out) == (0, "3 unchanged\n")


def test_standard_input_is_in_no_revision(folder: Path) -> None:
    git(folder, "init", "-q")
    done = tjgen(folder, "check", "-", "--against", "HEAD")
    assert "TJ543" in done.err
