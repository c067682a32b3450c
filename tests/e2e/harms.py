"""What can be seen of the harm that a rule of lint speaks of: each looks, after one sync or a few, whether it is there."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from typing import Any

from tests.e2e.steps import (
    CASE,
    changed,
    finished,
    other_runtime,
    patch,
    settle,
    soon,
    synced,
    there,
)
from tests.e2e.trial import RUNNING, SUCCEEDED, Trial

See = Callable[[Trial, CASE], bool]


def failing(trial: Trial, case: CASE) -> bool:
    """The sync does not succeed."""
    return synced(trial, case).phase != SUCCEEDED


def refused(words: str) -> See:
    """The first sync fails, in these words."""

    def seen(trial: Trial, case: CASE) -> bool:
        outcome = synced(trial, case)
        return outcome.phase != SUCCEEDED and words in outcome.words

    return seen


def refused_at_first(words: str) -> See:
    """The first attempt of the first sync fails, in these words; Argo CD's next may not."""

    def seen(trial: Trial, case: CASE) -> bool:
        trial.commit(case)
        return words in trial.sync("--retry", "0").words

    return seen


def refused_again(words: str) -> See:
    """The second sync of what nobody changed fails."""

    def seen(trial: Trial, case: CASE) -> bool:
        first = synced(trial, case)
        assert first.phase == SUCCEEDED, first
        settle(trial)
        second = trial.sync()
        return second.phase != SUCCEEDED and words in second.words

    return seen


def refused_change(words: str) -> See:
    """The commit is refused."""

    def seen(trial: Trial, case: CASE) -> bool:
        outcome = changed(trial, case)
        return outcome.phase != SUCCEEDED and words in outcome.words

    return seen


def endless(trial: Trial, case: CASE) -> bool:
    """The sync waits for something that never comes."""
    trial.commit(case)
    return trial.sync(seconds=40).phase == RUNNING


def never_well(trial: Trial, case: CASE) -> bool:
    """The sync succeeds, and Argo CD shows the application as in progress for ever."""
    trial.commit(case)
    return trial.sync("--settle", "15s").phase == SUCCEEDED and bool(trial.state["health"] == "Progressing")


def in_wave_zero(trial: Trial, case: CASE) -> bool:
    """It is applied in another wave than it says."""
    synced(trial, case)
    said = {
        (tree["kind"], tree["metadata"]["name"]): tree["metadata"].get("annotations", {}).get("argocd.argoproj.io/sync-wave")
        for tree in trial.manifests()
    }
    waves = {(one["kind"], one["name"]): str(one["wave"]) for one in trial.state["resources"]}
    return any(wave is not None and waves.get(key) != str(wave) for key, wave in said.items())


def left_out(trial: Trial, case: CASE) -> bool:
    """The sync succeeds, and an object of the folder is not in the cluster."""
    outcome = synced(trial, case)
    return outcome.phase == SUCCEEDED and any(not there(trial, tree) for tree in trial.manifests())


def not_waited_for(trial: Trial, case: CASE) -> bool:
    """What stands behind the training begins while it still goes on."""
    assert synced(trial, case).phase == SUCCEEDED
    training = [one for one in (*trial.live("trainjob"), *trial.live("jobset")) if not finished(one)]
    begun = min(one["metadata"]["creationTimestamp"] for one in training)
    others = [one for one in trial.live("jobs.batch") if not one["metadata"].get("ownerReferences")]
    return any(one["metadata"]["creationTimestamp"] >= begun for one in others)


def without_effect(trial: Trial, case: CASE) -> bool:
    """The commit is applied, and what runs is as before."""

    def specs() -> list[Any]:
        return [one["spec"] for one in trial.live("jobset")]

    assert synced(trial, case / "before").phase == SUCCEEDED, trial.outcomes
    settle(trial)
    before, jobs = specs(), [one["spec"] for one in trial.live("trainjob")]
    outcome = synced(trial, case)
    time.sleep(3)
    return outcome.phase == SUCCEEDED and jobs != [one["spec"] for one in trial.live("trainjob")] and specs() == before


def stopped_by_an_edit(trial: Trial, case: CASE) -> bool:
    """An edit of what cannot be changed stops the whole stage."""
    assert synced(trial, case).phase == SUCCEEDED
    settle(trial)
    trial.commit(case, other_runtime)
    return "immutable" in trial.sync().words


def not_reached(trial: Trial, case: CASE) -> bool:
    """The commit is applied, and does not reach an object that it changes."""
    trial.commit(case / "before")
    earlier = trial.manifests()
    assert trial.sync().phase == SUCCEEDED
    settle(trial)
    assert synced(trial, case).phase == SUCCEEDED
    edited = [f"{tree['kind']}/{tree['metadata']['name']}" for tree in trial.manifests() if tree not in earlier]
    assert edited
    return any(trial.done.get(name) == "skipped" for name in edited)


def not_started(trial: Trial, case: CASE) -> bool:
    """The tool is content, and the run has no JobSet of its own."""
    assert synced(trial, case).phase == SUCCEEDED, trial.outcomes
    assert soon(lambda: trial.live("trainjob"), 10)
    return not soon(lambda: [one for one in trial.live("jobset") if one["metadata"].get("ownerReferences")], 12)


def undone(*words: str) -> See:
    """What another client did to `suspend` is taken back by the next sync."""

    def seen(trial: Trial, case: CASE) -> bool:
        assert synced(trial, case).phase == SUCCEEDED
        settle(trial)
        for one in trial.live("trainjob"):
            patch(trial, one, {"spec": {"suspend": not one["spec"].get("suspend", False)}})
        wanted = [one["spec"]["suspend"] for one in trial.live("trainjob")]
        trial.sync(*words)
        return [one["spec"]["suspend"] for one in trial.live("trainjob")] != wanted

    return seen


def refused_beside_kueue(trial: Trial, case: CASE) -> bool:
    """With the entry that Kueue adds to runtimePatches, a later sync is refused, or the application differs for ever."""
    assert synced(trial, case).phase == SUCCEEDED
    settle(trial)
    for one in trial.live("trainjob"):
        entry = {"manager": "kueue.x-k8s.io/manager"}
        patch(trial, one, {"spec": {"suspend": True}})
        soon(lambda: not trial.live("pod"), 10)
        patch(trial, one, {"spec": {"runtimePatches": [*one["spec"].get("runtimePatches", ()), entry]}})
        patch(trial, one, {"spec": {"suspend": False}})
    settle(trial)
    outcome = trial.sync()
    return outcome.phase != SUCCEEDED or bool(trial.state["status"] == "OutOfSync")


def waits_for_more_than_there_is(trial: Trial, case: CASE) -> bool:
    """The gang wants more pods than there are at one time."""
    assert synced(trial, case).phase == SUCCEEDED
    soon(lambda: trial.live("pod"), 15)
    groups = [*trial.live("podgroups.scheduling.volcano.sh"), *trial.live("podgroups.scheduling.x-k8s.io")]
    most = max((one["spec"].get("minMember", 0) for one in groups), default=0)
    return most > len(trial.live("pod"))


def stops_everything(trial: Trial, case: CASE) -> bool:
    """One refused object keeps all others from being applied. Of the case is the Application, the objects are of TJ620."""
    change = case.parent.parent / "TJ620" / "bad"
    trial.commit(change / "before")
    below_application(trial, case)
    assert trial.sync().phase == SUCCEEDED
    trial.commit(change)
    (trial.folder / "other.yaml").write_text(OTHER, encoding="utf-8")
    below_application(trial, case)
    trial.sync()
    return "other" not in {one["metadata"]["name"] for one in trial.live("configmap")}


OTHER = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: other}\n"


def below_application(trial: Trial, case: CASE) -> None:
    """Move what is in the folder to where the Application of a case looks."""
    (trial.folder / "team").mkdir()
    for path in list(trial.folder.glob("*.yaml")):
        path.rename(trial.folder / "team" / path.name)
    shutil.copy(case / "app.yaml", trial.folder / "app.yaml")


def warned(words: str) -> See:
    """Argo CD warns, in these words."""

    def seen(trial: Trial, case: CASE) -> bool:
        assert synced(trial, case).phase == SUCCEEDED
        return any(words in one for one in trial.warnings)

    return seen


def out_of_sync(trial: Trial, case: CASE) -> bool:
    """The sync succeeds, and Argo CD shows a difference for ever."""
    assert synced(trial, case).phase == SUCCEEDED
    return bool(trial.state["status"] == "OutOfSync")
