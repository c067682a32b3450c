"""An event and the kinds of its scenarios -> what the rig did, played in a namespace of its own."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import datetime
from typing import Any, NamedTuple

from tests.e2e.lifecycle import verdicts
from tests.e2e.lifecycle.manifests import RESOURCE, Wanted
from tests.e2e.lifecycle.recorder import Recorder, Seen
from tests.e2e.lifecycle.stage import Stage, staged
from tests.e2e.rig import kubectl
from tjgen.cluster.outcomes import (
    CHILD_DELETED_COMPLETED,
    CHILD_DELETED_FAILED,
    DEADLINE,
    DEADLINE_SUSPENDED,
    EVERY_POD_FAILS,
    EXPLICIT,
    OPERATOR_JOBS,
    POD_DEADLINES,
    POD_DEADLINES_EXIT_CODE,
    RESUMED_AFTER_KUBECTL,
    RESUMED_BY_GIT,
    SUSPENDED_BY_KUBECTL,
    TTL_COMPLETED,
    TTL_FAILED,
)

LIMITS = (0, 1, 3)
TTL = 4
LIMIT = 24
"""Seconds of a deadline."""
_FAILS_AT = 10
"""Seconds after which a pod fails in a run that has a deadline."""
_ENDS = 180
"""Seconds within which a run ends: a Job starts a pod again after 10, 20, and 40."""
_KUBELETS = 8
"""How many statuses of pods are written at a time."""
_FAILURES = "a kubelet reports that the programs of all pods failed"
_POD_DEADLINES = "a kubelet ends a pod at its activeDeadlineSeconds"
_QUIET = 15
"""Seconds in which what would happen again does."""


class Played(NamedTuple):
    """What the rig did with one kind."""

    result: str
    seen: dict[str, Any]
    imitated: str = ""
    """What the scenario did in place of a program that the rig does not have."""


def _ttl(recorder: Recorder, kinds: Sequence[str], means: str, *, code: int) -> dict[str, Played]:
    """The run ends, its time to live elapses, and later its folder is synced again."""
    wanted = [Wanted(kind, kind.lower(), seconds="2", code=code, limit=0, ttl=TTL, means=means) for kind in kinds]
    with staged(recorder) as stage:
        stage.sync(wanted)
        before = stage.first(wanted, lambda seen: bool(seen.end), _ENDS)
        stage.first(wanted, lambda seen: seen.removed > 0, TTL + _QUIET)
        time.sleep(2 * _QUIET)
        stage.sync(wanted)
        time.sleep(_QUIET)
        return {one.kind: _after(before[one.name], stage.seen(one)) for one in wanted}


def _deletion(recorder: Recorder, kinds: Sequence[str], means: str, *, code: int) -> dict[str, Played]:
    """The run ends, and what its controller created is deleted."""
    wanted = [Wanted(kind, kind.lower(), seconds="2", code=code, limit=0, means=means) for kind in kinds]
    with staged(recorder) as stage:
        stage.apply(wanted)
        before = stage.first(wanted, lambda seen: bool(seen.end), _ENDS)
        time.sleep(2)
        for one in wanted:
            for child in recorder.children(stage.namespace, one.kind, one.name):
                kind = RESOURCE.get(child["kind"], child["kind"])
                kubectl("delete", kind, child["metadata"]["name"], "-n", stage.namespace, "--wait=false", "--ignore-not-found")
        time.sleep(2 * _QUIET)
        return {one.kind: _after(before[one.name], stage.seen(one)) for one in wanted}


def _after(before: Seen, after: Seen) -> Played:
    seen = {"starts": [_counts(before), _counts(after)], "ends": [before.end, after.end]}
    return Played(verdicts.after_end(before, after), seen)


def _counts(seen: Seen) -> list[int]:
    return list(seen.starts.values())


def _deadline(recorder: Recorder, kinds: Sequence[str], means: str) -> dict[str, Played]:
    """One run of which no pod ends, and one in which each pod fails once before the deadline."""
    # The containers of an operator's job, which fail alone, restart in their pods.
    runs = {
        name: [
            Wanted(kind, f"{kind.lower()}-{name}", deadline=LIMIT, limit=limit, means=means, policy=_policy(kind, means))
            for kind in kinds
        ]
        for name, limit in (("quiet", 1), ("failing", 9))
    }
    every = [one for some in runs.values() for one in some]
    with staged(recorder) as stage:
        stage.apply(every)
        stage.first(every, lambda seen: seen.running > 0, _ENDS)
        with _kubelets_deadline(stage, every) if means in (POD_DEADLINES, POD_DEADLINES_EXIT_CODE) else _nothing():
            _fail_once(stage, runs["failing"])
            stage.first(every, lambda seen: bool(seen.end), 2 * LIMIT + 2 * verdicts.LATE)
            quiet, failing = stage.each(runs["quiet"]), stage.each(runs["failing"])
            for one in runs["quiet"]:
                for pod in stage.of(one)[:1]:
                    kubectl("annotate", "pod", pod["metadata"]["name"], "-n", stage.namespace, "example.com/changed=true")
            touched = stage.first(runs["quiet"], lambda seen: bool(seen.end), LIMIT + verdicts.LATE)
        played = {}
        for kind, one, other in zip(kinds, runs["quiet"], runs["failing"], strict=True):
            now = (quiet[one.name], touched[one.name], failing[other.name])
            names = ("no pod ends", "then a pod changes", f"each pod fails after {_FAILS_AT} s")
            seen = {
                name: {
                    "end": some.end,
                    "seconds": round(some.seconds),
                    "age": round(some.age),
                    "starts": _counts(some),
                    "message": some.message,
                }
                for name, some in zip(names, now, strict=True)
            }
            of_pods = means in (POD_DEADLINES, POD_DEADLINES_EXIT_CODE)
            imitated = f"{_FAILURES}; {_POD_DEADLINES}" if of_pods else _FAILURES
            played[kind] = Played(verdicts.deadline(LIMIT, *now), seen, imitated)
        return played


def _suspended_deadline(recorder: Recorder, kinds: Sequence[str], means: str) -> dict[str, Played]:
    """A run of which no pod ends is suspended for longer than its deadline, then resumed."""
    wanted = [Wanted(kind, kind.lower(), deadline=LIMIT, limit=0, means=means) for kind in kinds]
    with staged(recorder) as stage:
        stage.apply(wanted)
        stage.first(wanted, lambda seen: seen.running > 0, _ENDS)
        for suspend in (True, False):
            for one in wanted:
                stage.suspend(one, suspend=suspend)
            if suspend:
                stage.first(wanted, lambda seen: seen.running == 0, _QUIET)
                time.sleep(LIMIT + 2)
        resumed = stage.first(wanted, lambda seen: bool(seen.end), 2 * LIMIT)
        return {
            one.kind: Played(
                verdicts.suspended_deadline(LIMIT, seen := resumed[one.name]),
                {"end": seen.end, "seconds": [round(seen.seconds), round(seen.last)], "starts": _counts(seen)},
            )
            for one in wanted
        }


def _policy(kind: str, means: str) -> str:
    if kind not in OPERATOR_JOBS:
        return ""
    return "ExitCode" if means == POD_DEADLINES_EXIT_CODE else "OnFailure"


@contextmanager
def _nothing() -> Iterator[None]:
    yield


@contextmanager
def _kubelets_deadline(stage: Stage, wanted: Sequence[Wanted]) -> Iterator[None]:
    """End pods at their `activeDeadlineSeconds`, as a kubelet does (kubernetes v1.36 pkg/kubelet/active_deadline.go)."""
    over = threading.Event()

    def watch() -> None:
        ended = set()
        while not over.wait(0.5):
            for one in wanted:
                for pod in stage.of(one):
                    uid, limit = pod["metadata"]["uid"], pod["spec"].get("activeDeadlineSeconds")
                    if uid not in ended and limit is not None and time.time() >= _since(pod) + limit:
                        ended.add(uid)
                        message = "Pod was active on the node longer than the specified deadline"
                        status = {"phase": "Failed", "reason": "DeadlineExceeded", "message": message}
                        pool.submit(stage.patch, pod, {**status, **_terminated(pod, 143)})

    with ThreadPoolExecutor(_KUBELETS) as pool:
        watching = pool.submit(watch)
        try:
            yield
        finally:
            over.set()
        watching.result()


def _since(pod: Any) -> float:
    return datetime.fromisoformat(pod["status"]["startTime"]).timestamp()


def _terminated(pod: Any, code: int) -> Any:
    ended = {"running": None, "terminated": {"exitCode": code, "reason": "Error"}}
    return {"containerStatuses": [{**one, "ready": False, "state": ended} for one in pod["status"]["containerStatuses"]]}


def _fail_once(stage: Stage, wanted: Sequence[Wanted]) -> None:
    """What the kubelet reports if the programs of all pods of each run fail after a while."""
    left, end = list(wanted), time.monotonic() + _ENDS
    while left and time.monotonic() < end:
        time.sleep(0.5)
        for one in list(left):
            pods = [pod for pod in stage.of(one) if one.kind != "MPIJob" or "-launcher" in pod["metadata"]["name"]]
            if not pods or time.time() < max(map(_since, pods)) + _FAILS_AT:
                continue
            left.remove(one)
            for pod in pods:
                if pod["spec"]["restartPolicy"] == "OnFailure":
                    again = [{**status, "restartCount": 1} for status in pod["status"]["containerStatuses"]]
                    stage.patch(pod, {"containerStatuses": again})
                else:
                    stage.patch(pod, {"phase": "Failed", **_terminated(pod, 143)})


def _starts(recorder: Recorder, kinds: Sequence[str], means: str) -> dict[str, Played]:
    """Each pod fails each time, under several limits."""
    runs = {
        kind: {limit: Wanted(kind, f"{kind.lower()}-{limit}", "4", 1, limit=limit, means=means) for limit in LIMITS}
        for kind in kinds
    }
    with staged(recorder) as stage:
        every = [one for limits in runs.values() for one in limits.values()]
        stage.apply(every)
        stage.first(every, lambda seen: bool(seen.end), _ENDS)
        time.sleep(5)
        played = {}
        for kind, limits in runs.items():
            seen = {limit: stage.seen(one) for limit, one in limits.items()}
            played[kind] = Played(verdicts.starts(seen), {"starts": {limit: _counts(one) for limit, one in seen.items()}})
        return played


def _resumption(recorder: Recorder, kinds: Sequence[str], means: str, tool: str, event: str) -> dict[str, Played]:
    """kubectl, or Git, or both suspend the run, and Git resumes it."""
    wanted = [Wanted(kind, kind.lower()) for kind in kinds]
    with staged(recorder, tool) as stage:
        stage.sync(wanted)
        stage.first(wanted, lambda seen: seen.running > 0, _ENDS)
        if event != RESUMED_BY_GIT:
            for one in wanted:
                stage.suspend(one, suspend=True)
            stage.first(wanted, lambda seen: seen.running == 0, _QUIET)
        if event != SUSPENDED_BY_KUBECTL:
            stage.sync([one._replace(suspend=True) for one in wanted])
        suspended = stage.first(wanted, lambda seen: seen.running == 0, _QUIET)
        stage.sync([one._replace(suspend=False if means == EXPLICIT else None) for one in wanted])
        resumed = stage.first(wanted, lambda seen: seen.running > 0, _QUIET)
        return {
            one.kind: Played(
                verdicts.resumption(suspended[one.name], resumed[one.name]),
                {"running": [suspended[one.name].running, resumed[one.name].running]},
            )
            for one in wanted
        }


def play(recorder: Recorder, event: str, means: str, tool: str, kinds: Sequence[str]) -> Mapping[str, Played]:
    """Kind -> what happened. `tool` syncs, if the event is about a tool."""
    if event in (TTL_COMPLETED, TTL_FAILED):
        return _ttl(recorder, kinds, means, code=int(event == TTL_FAILED))
    if event in (CHILD_DELETED_COMPLETED, CHILD_DELETED_FAILED):
        return _deletion(recorder, kinds, means, code=int(event == CHILD_DELETED_FAILED))
    if event == DEADLINE:
        return _deadline(recorder, kinds, means)
    if event == DEADLINE_SUSPENDED:
        return _suspended_deadline(recorder, kinds, means)
    if event == EVERY_POD_FAILS:
        return _starts(recorder, kinds, means)
    assert event in (SUSPENDED_BY_KUBECTL, RESUMED_BY_GIT, RESUMED_AFTER_KUBECTL), event
    return _resumption(recorder, kinds, means, tool, event)
