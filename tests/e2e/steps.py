"""What a test of a rule does to a trial: commit, sync, wait, look."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.e2e.rig import kubectl
from tests.e2e.trial import SUCCEEDED, Outcome, Trial

CASE = Path
"""A folder of manifests, those of the state before in `before`."""


def synced(trial: Trial, case: CASE) -> Outcome:
    trial.commit(case)
    return trial.sync()


def changed(trial: Trial, case: CASE) -> Outcome:
    """What becomes of the state before, once it is synced, when that of the case is."""
    assert synced(trial, case / "before").phase == SUCCEEDED, trial.outcomes
    settle(trial)
    return synced(trial, case)


def settle(trial: Trial) -> None:
    """Give controllers the time to start what was applied."""
    soon(lambda: all(trial.live("jobset") for _ in trial.live("trainjob")), 10)
    time.sleep(2)


def soon(what: Callable[[], object], seconds: float = 20) -> bool:
    """Whether it comes about in some seconds."""
    end = time.monotonic() + seconds
    while not what():
        if time.monotonic() > end:
            return False
        time.sleep(0.5)
    return True


def there(trial: Trial, tree: Any) -> bool:
    group, _, version = tree["apiVersion"].rpartition("/")
    kind = f"{tree['kind']}.{version}.{group}" if group else tree["kind"]
    return any(one["metadata"]["name"] == tree["metadata"]["name"] for one in trial.live(kind))


def alive(one: Any) -> bool:
    return "deletionTimestamp" not in one["metadata"]


def finished(one: Any) -> bool:
    conditions = one.get("status", {}).get("conditions") or ()
    return any(each["type"] in ("Complete", "Completed", "Failed") and each["status"] == "True" for each in conditions)


def with_ttl(seconds: int) -> Callable[[Any], Any]:
    """A change of manifests: times to live that a test can wait for."""

    def change(tree: Any) -> Any:
        if isinstance(tree, dict):
            return {key: seconds if key == "ttlSecondsAfterFinished" else change(value) for key, value in tree.items()}
        return [change(one) for one in tree] if isinstance(tree, list) else tree

    return change


def other_runtime(tree: Any) -> Any:
    """A change of manifests that no run can take in."""
    if tree["kind"] != "TrainJob":
        return tree
    return {**tree, "spec": {**tree["spec"], "runtimeRef": {**tree["spec"]["runtimeRef"], "name": "another"}}}


def patch(trial: Trial, one: Any, change: Any) -> None:
    """As a controller does it: Flux takes back what kubectl's own managers wrote."""
    words = ["patch", "trainjob", one["metadata"]["name"], "-n", trial.namespace, "--type", "merge", "-p", json.dumps(change)]
    kubectl(*words, "--field-manager", "kueue.x-k8s.io/manager")
