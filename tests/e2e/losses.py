"""What is lost by the harm that a rule of lint speaks of: runs and data that are deleted, or started again, or half deleted."""

from __future__ import annotations

import time

from tests.e2e.harms import See
from tests.e2e.rig import kubectl
from tests.e2e.steps import CASE, alive, changed, other_runtime, settle, soon, synced, with_ttl
from tests.e2e.trial import SUCCEEDED, Trial


def deleted(trial: Trial, case: CASE) -> bool:
    """What trains is gone as soon as it was applied."""
    outcome = synced(trial, case)
    return outcome.phase == SUCCEEDED and soon(lambda: not trial.uids(), 10)


def made_anew(trial: Trial, case: CASE) -> bool:
    """A second sync of what nobody changed starts it again."""
    outcome = synced(trial, case)
    assert outcome.phase == SUCCEEDED, outcome
    settle(trial)
    before = trial.uids()
    trial.sync()
    after = trial.uids()
    return any(after.get(name) != uid for name, uid in before.items())


def made_anew_when_finished(trial: Trial, case: CASE) -> bool:
    """It ends, its TTL deletes it, and the next sync starts it again."""
    # Long enough to be seen after a sync, and short enough to wait for.
    trial.commit(case, with_ttl(20))
    assert trial.sync().phase == SUCCEEDED
    before = trial.uids()
    if before:
        soon(lambda: before.keys() - trial.uids().keys(), 90)
    trial.sync()
    return bool(set(trial.uids().values()) - set(before.values()))


def hangs_when_removed(trial: Trial, case: CASE) -> bool:
    """When its manifests go, the sync succeeds and the run stays, half deleted."""
    assert synced(trial, case).phase == SUCCEEDED
    settle(trial)
    trial.commit(case, lambda tree: None if tree["kind"] in ("TrainJob", "TrainingRuntime", "ClusterTrainingRuntime") else tree)
    trial.sync()
    return hanging(trial)


def hangs(trial: Trial, case: CASE) -> bool:
    """The same, of what the commit removes."""
    return changed(trial, case).phase == SUCCEEDED and hanging(trial)


def cannot_be_removed(trial: Trial, case: CASE) -> bool:
    """After the commit, a run that is removed stays, half deleted."""
    assert changed(trial, case).phase == SUCCEEDED
    trial.commit(case, lambda tree: None if tree["kind"] == "TrainJob" else tree)
    trial.sync()
    return hanging(trial)


def hanging(trial: Trial) -> bool:
    time.sleep(5)
    return any("deletionTimestamp" in one["metadata"] for one in trial.live("trainjob"))


def lost(kind: str) -> See:
    """The commit deletes an object of a kind that was there before it."""

    def seen(trial: Trial, case: CASE) -> bool:
        assert synced(trial, case / "before").phase == SUCCEEDED
        settle(trial)
        before = {one["metadata"]["name"] for one in trial.live(kind)}
        synced(trial, case)
        return soon(lambda: before - {one["metadata"]["name"] for one in trial.live(kind) if alive(one)}, 10)

    return seen


def lost_when_removed(kind: str) -> See:
    """An object of a kind is deleted when its manifest goes."""

    def seen(trial: Trial, case: CASE) -> bool:
        assert synced(trial, case).phase == SUCCEEDED
        before = {one["metadata"]["name"] for one in trial.live(kind)}
        assert before
        trial.commit(case, lambda tree: None if tree["kind"] == kind else tree)
        trial.sync()
        return soon(lambda: before - {one["metadata"]["name"] for one in trial.live(kind) if alive(one)}, 10)

    return seen


def killed_by_an_edit(trial: Trial, case: CASE) -> bool:
    """An edit of what cannot be changed deletes what trains."""
    assert synced(trial, case).phase == SUCCEEDED
    settle(trial)
    before = trial.uids()
    trial.commit(case, other_runtime)
    trial.sync()
    return before.items() - trial.uids().items() != set()


def with_its_namespace(trial: Trial, case: CASE) -> bool:
    """The manifest of the namespace goes, and all in it is deleted."""
    assert synced(trial, case).phase == SUCCEEDED
    trial.commit(case, lambda tree: None if tree["kind"] == "Namespace" else tree)
    trial.sync(seconds=10)
    return "Active" not in kubectl("get", "namespace", trial.namespace, "--ignore-not-found")
