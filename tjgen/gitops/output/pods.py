"""The pods of a run, as the cluster reports them -> what they do, their restarts, and the pod that explains the state."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from tjgen.trees.fields.path import Tree, get
from tjgen.trees.typing import NamedTuple

_STARTING = ("ContainerCreating", "PodInitializing")
_FAILED, _WAITING, _UNSCHEDULED, _STARTS, _WELL = range(5)
_CONTROLLER, _INDEX = "batch.kubernetes.io/controller-uid", "batch.kubernetes.io/job-completion-index"
"""Labels of pods of a Job with indexes."""


class PodSummary(NamedTuple):
    """The pod to look at."""

    pod: str
    container: str
    """Container that failed or waits; empty if the pod as a whole does, or nothing is wrong."""
    reason: str
    """Why it failed or waits; empty if nothing is wrong."""
    has_logs: bool
    """Whether a container of it has started."""
    is_previous: bool
    """Whether the container has started again since, so that the logs of the failure are the previous ones."""


def current(pods: Sequence[Tree]) -> list[Tree]:
    """The pods that have not ended and that nothing deletes."""
    return [
        pod
        for pod in pods
        if get(pod, ("status", "phase"), None) not in ("Succeeded", "Failed")
        and not get(pod, ("metadata", "deletionTimestamp"), None)
    ]


def has_node(pod: Tree) -> bool:
    """Whether no scheduler reports that the pod has no node."""
    return not any(one.get("type") == "PodScheduled" and one.get("status") == "False" for one in _conditions(pod))


def has_started(pod: Tree) -> bool:
    """Whether one of its containers runs. A container that fails again and again does not while it waits."""
    status = pod.get("status") or {}
    containers = status.get("containerStatuses") or ()
    states = [one.get("state") or {} for one in containers]
    return status.get("phase") == "Running" and (not states or any(one.get("running") is not None for one in states))


def restarts_of(pods: Sequence[Tree]) -> tuple[int, int]:
    """How often containers of the pods have started again, and how many of the pods replace an earlier one with their index."""
    containers = sum(int(one.get("restartCount") or 0) for pod in pods for one in _containers(pod))
    indexes = Counter(
        (labels.get(_CONTROLLER), labels[_INDEX])
        for pod in pods
        if _INDEX in (labels := get(pod, ("metadata", "labels"), None) or {})
    )
    return containers, sum(count - 1 for count in indexes.values())


def look_of(pods: Sequence[Tree]) -> PodSummary | None:
    """The pod that failed first, or else one that waits, or else the first one by name; None without pods."""
    troubles = [(trouble[:2], name_of(pod), trouble, pod) for pod in pods for trouble in _troubles(pod)]
    if not troubles:
        return None
    _, name, (_, _, container, reason, is_previous), pod = min(troubles, key=lambda one: one[:2])
    started = any((one.get("state") or {}).get(state) for one in _containers(pod) for state in ("running", "terminated"))
    return PodSummary(name, container, reason, started or is_previous, is_previous)


def name_of(pod: Tree) -> str:
    """The name of an object."""
    return str(get(pod, ("metadata", "name"), None) or "")


def _troubles(pod: Tree) -> Iterator[tuple[int, str, str, str, bool]]:
    """Rank (the lowest explains most), time, container and reason of what is wrong, and whether the container started again."""
    status = pod.get("status") or {}
    for one in _containers(pod):
        state = one.get("state") or {}
        waiting = state.get("waiting") or {}
        now, before = state.get("terminated") or {}, (one.get("lastState") or {}).get("terminated") or {}
        ended = now if now.get("exitCode") else before
        if ended.get("exitCode"):
            reason = f"{ended.get('reason') or 'Error'}, exit code {ended['exitCode']}"
            yield _FAILED, str(ended.get("finishedAt") or ""), str(one.get("name")), reason, ended is not now
        elif waiting.get("reason"):
            reason = ": ".join(filter(None, (waiting["reason"], waiting.get("message"))))
            yield _STARTS if waiting["reason"] in _STARTING else _WAITING, "", str(one.get("name")), reason, False
    if status.get("phase") == "Failed":
        reason = ": ".join(filter(None, (status.get("reason"), status.get("message")))) or "the pod failed"
        yield _FAILED, "~", "", reason, False
    for condition in _conditions(pod):
        if condition.get("type") == "PodScheduled" and condition.get("status") == "False":
            reason = ": ".join(filter(None, (condition.get("reason"), condition.get("message"))))
            yield _UNSCHEDULED, "", "", reason, False
    yield _WELL, "", "", "", False


def _conditions(pod: Tree) -> Iterator[Tree]:
    yield from get(pod, ("status", "conditions"), None) or ()


def _containers(pod: Tree) -> Iterator[Tree]:
    for field in ("initContainerStatuses", "containerStatuses"):
        yield from (pod.get("status") or {}).get(field) or ()
