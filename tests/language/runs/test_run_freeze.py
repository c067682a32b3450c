"""What becomes of a run's files: a table of what is locked, what is built and what stands."""

from __future__ import annotations

from typing import Any

import pytest

from tjgen.language.runs.freeze import carry, carry_all, content_digest, decide, fixed_name_problem, settings_digest
from tjgen.language.runs.lock import LockedRun

LOCKED = LockedRun(
    name="a-5k25scfv",
    identity="v1:one",
    number=1,
    state="active",
    runtime="tjgen-torch",
    runtime_digest="sha256:r",
    content="locked",
    settings="said",
)


@pytest.mark.parametrize(
    ("locked", "content", "standing", "options", "kind", "code"),
    [
        pytest.param(None, "built", None, {}, "new", None, id="a run that no lock knows"),
        pytest.param(None, "built", "other", {}, "new", None, id="the same over files that nobody knows"),
        pytest.param(LOCKED, "locked", "locked", {}, "unchanged", None, id="nothing changed"),
        pytest.param(LOCKED, "locked", None, {}, "unchanged", None, id="files gone that are built the same"),
        pytest.param(LOCKED, "locked", "locked", {"renew": True}, "unchanged", None, id="renewal of what would not change"),
        pytest.param(LOCKED, "built", "locked", {}, "frozen", "TJ076", id="the catalog changed"),
        pytest.param(LOCKED, "built", "locked", {"renew": True}, "renewed", None, id="the catalog changed and that is wanted"),
        pytest.param(LOCKED, "built", "locked", {"settings": "other"}, "in-place", None, id="a label of the experiment changed"),
        pytest.param(LOCKED, "built", None, {}, "rebuilt", "TJ077", id="files gone that are built otherwise now"),
        pytest.param(LOCKED, "built", "built", {}, "unchanged", None, id="the lock is behind"),
        pytest.param(LOCKED, "built", "other", {}, "frozen", "TJ075", id="files that nobody knows"),
        pytest.param(LOCKED, "built", "other", {"force": True}, "rebuilt", "TJ077", id="files that nobody knows, given up"),
    ],
)
def test_decisions(
    locked: LockedRun | None, content: str, standing: str | None, options: dict[str, Any], kind: str, code: str | None
) -> None:
    decision = decide(locked, content=content, digest_on_disk=lambda: standing, **{"settings": "said", **options})
    assert (decision.kind, decision.diagnostic.code if decision.diagnostic else None) == (kind, code)


def test_the_disk_is_not_read_where_nothing_changed() -> None:
    def standing() -> str | None:
        raise AssertionError("read")

    assert decide(LOCKED, content="locked", settings="other", digest_on_disk=standing).kind == "unchanged"
    assert decide(None, content="locked", settings="other", digest_on_disk=standing).kind == "new"


def test_a_fixed_name_refuses_other_content_and_names_both_ways_out() -> None:
    assert fixed_name_problem(None, "v1:two") is None
    assert fixed_name_problem(LOCKED, "v1:one") is None
    problem = fixed_name_problem(LOCKED, "v1:two")
    assert problem is not None
    assert (problem.code, problem.path) == ("TJ074", ("spec", "naming"))
    assert "attempt" in str(problem.hint)
    assert "restore the earlier content" in str(problem.hint)
    assert "lock" not in str(problem.hint)


def test_digests_of_content_stay() -> None:
    assert (
        content_digest({"trainjob.yaml": "kind: TrainJob\n", "configmap.yaml": "kind: ConfigMap\n"})
        == "sha256:a72b60ff5631da820811bdbdaebf70e890a28678d01a4632fbb5225e4d197c2b"
    )
    assert content_digest({}) == "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


@pytest.mark.parametrize(
    "other",
    [
        pytest.param({"a": "2", "b": "1"}, id="bodies exchanged"),
        pytest.param({"a": "1"}, id="a file less"),
        pytest.param({"a": "1", "c": "2"}, id="another name"),
    ],
)
def test_other_files_have_another_digest(other: dict[str, str]) -> None:
    assert content_digest({"b": "2", "a": "1"}) == content_digest({"a": "1", "b": "2"})
    assert content_digest(other) != content_digest({"a": "1", "b": "2"})


def test_settings_are_labels_annotations_and_state() -> None:
    nothing = "sha256:4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945"
    plain = settings_digest({"metadata": {"name": "a"}, "spec": {"nodes": 2}})
    assert plain == settings_digest({"metadata": {"name": "b", "labels": {}}, "spec": {"nodes": 3, "state": None}}) == nothing
    others = {
        settings_digest({"metadata": {"labels": {"x": "y"}}}),
        settings_digest({"metadata": {"annotations": {"x": "y"}}}),
        settings_digest({"spec": {"tasks": {"left": {"monitor": {"x": "y"}}}}}),
        settings_digest({"spec": {"state": "suspended"}}),
        settings_digest({"spec": {"monitor": {"preset": "x"}}}),
    }
    assert len(others | {plain}) == 6


def manifest(kind: str, api: str, metadata: Any, **rest: Any) -> Any:
    return {"apiVersion": api, "kind": kind, "metadata": {"name": "a", **metadata}, **rest}


class TestCarry:
    """What of a new build gets into files that stay."""

    def test_labels_and_suspension_of_a_train_job(self) -> None:
        old = manifest(
            "TrainJob", "trainer.kubeflow.org/v1alpha1", {"labels": {"team": "a", "tjgen.dev/run": "r"}}, spec={"x": 1}
        )
        labels = {"team": "b", "tjgen.dev/run": "s"}
        new = manifest(
            old["kind"], old["apiVersion"], {"labels": labels, "annotations": {"n": "m"}}, spec={"x": 2, "suspend": True}
        )
        assert carry(old, new) == manifest(
            "TrainJob",
            "trainer.kubeflow.org/v1alpha1",
            {"labels": {"team": "b", "tjgen.dev/run": "r"}, "annotations": {"n": "m"}},
            spec={"x": 1, "suspend": True},
        )

    def test_what_is_taken_away_goes(self) -> None:
        old = manifest("JobSet", "jobset.x-k8s.io/v1alpha2", {"labels": {"a": "b"}}, spec={"suspend": True, "network": {}})
        new = manifest("JobSet", "jobset.x-k8s.io/v1alpha2", {}, spec={"network": {"x": 1}})
        assert carry(old, new) == manifest("JobSet", "jobset.x-k8s.io/v1alpha2", {}, spec={"network": {}})

    def test_the_trees_stay_as_they_were(self) -> None:
        old = manifest("Job", "batch/v1", {"labels": {"a": "b"}}, spec={"suspend": True})
        new = manifest("Job", "batch/v1", {"labels": {"a": "c"}}, spec={})
        carry(old, new)
        assert (old["metadata"]["labels"], old["spec"]) == ({"a": "b"}, {"suspend": True})

    def test_a_volcano_job_cannot_be_suspended_in_place(self) -> None:
        old, new = ({**manifest("Job", "batch.volcano.sh/v1alpha1", {}), "spec": {"suspend": value}} for value in (1, 2))
        assert carry(old, new) == old

    @pytest.mark.parametrize("kind", ["PersistentVolumeClaim", "PrometheusRule", "Service"])
    def test_kinds_that_can_be_changed_are_new(self, kind: str) -> None:
        assert carry(manifest(kind, "v1", {}, spec={"size": 1}), manifest(kind, "v1", {}, spec={"size": 2}))["spec"] == {
            "size": 2
        }

    def test_only_an_immutable_config_map_keeps_its_data(self) -> None:
        new = manifest("ConfigMap", "v1", {}, data={"a": "2"})
        assert carry(manifest("ConfigMap", "v1", {}, data={"a": "1"}), new) == new
        assert carry(manifest("ConfigMap", "v1", {}, data={"a": "1"}, immutable=True), new)["data"] == {"a": "1"}

    def test_neighbours_come_and_go_only_where_nothing_that_stays_refers_to_them(self) -> None:
        def config(name: str) -> Any:
            return manifest("ConfigMap", "v1", {}, data={"is": name}, immutable=True)

        def rule(name: str) -> Any:
            return manifest("PrometheusRule", "monitoring.coreos.com/v1", {}, spec={"is": name})

        job, other = ({**manifest("TrainJob", "trainer.kubeflow.org/v1alpha1", {}), "spec": {"x": x}} for x in (1, 2))
        old = {"job": job, "config-old": config("old"), "rule-both": rule("old"), "rule-old": rule("old")}
        new = {"job": other, "config-new": config("new"), "rule-both": rule("new"), "rule-new": rule("new")}
        assert carry_all(old, new) == {
            "job": job,
            "config-old": config("old"),
            "rule-both": rule("new"),
            "rule-new": rule("new"),
        }


@pytest.mark.parametrize(
    ("content", "standing", "message", "hint"),
    [
        pytest.param(
            *("built", "locked"),
            'run "a-5k25scfv" would change, but is locked and stays as it is',
            "use --renew a-5k25scfv to run it again under another name: it trains from the start, in an empty checkpoint folder, "
            "and the old run is superseded",
            id="would change",
        ),
        pytest.param(
            *("built", None),
            'run "a-5k25scfv" is locked and its files are missing, and a build now produces different files',
            "restore the files from Git to keep the run as it was",
            id="rebuilt",
        ),
        pytest.param(
            *("built", "other"),
            'the files of run "a-5k25scfv" match neither the lock nor the current build',
            "restore the files and the lock from Git; use --force only if no cluster has the run, as a sync cannot change it",
            id="unknown files",
        ),
    ],
)
def test_what_a_decision_reports(content: str, standing: str | None, message: str, hint: str) -> None:
    found = decide(LOCKED, content=content, settings="said", digest_on_disk=lambda: standing).diagnostic
    assert found is not None
    assert (found.message, found.hint) == (message, hint)


@pytest.mark.parametrize(
    ("old", "new", "labels"),
    [
        pytest.param({}, {"team": "a"}, {"team": "a"}, id="a label of the user comes"),
        pytest.param({"team": "a"}, {}, None, id="one goes"),
        pytest.param({"team": "a"}, {"team": "b"}, {"team": "b"}, id="one changes"),
        pytest.param({"tjgen.dev/run": "1"}, {"tjgen.dev/run": "2"}, {"tjgen.dev/run": "1"}, id="ours stays as it was"),
        pytest.param({"tjgen.dev/run": "1"}, {}, {"tjgen.dev/run": "1"}, id="ours stays"),
        pytest.param({"team": "a"}, {"team": "a", "tjgen.dev/run": "2"}, {"team": "a"}, id="none of ours comes"),
    ],
)
def test_the_labels_of_a_frozen_run(old: dict[str, str], new: dict[str, str], labels: dict[str, str] | None) -> None:
    def job(found: dict[str, str]) -> dict[str, Any]:
        return {"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet", "metadata": {"name": "a", "labels": found}}

    assert carry(job(old), job(new))["metadata"].get("labels") == labels
