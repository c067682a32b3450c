"""A namespace and a run -> what the cluster showed of it over time: its identities, the starts of its pods, and how it ended."""

from __future__ import annotations

import json
import subprocess
import tempfile
import threading
from collections import defaultdict
from contextlib import ExitStack
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple, Self

from tests.e2e.lifecycle.manifests import RESOURCE
from tests.e2e.rig import environment, kubectl

_ENDS = ("Complete", "Completed", "Succeeded", "Failed")
_INDEX = "batch.kubernetes.io/job-completion-index"
_STARTED = ("Running", "Succeeded", "Failed")


class Seen(NamedTuple):
    """What a run did up to now."""

    identities: int
    """How many objects of its kind and name there were, one after the other."""
    starts: dict[str, int]
    """Place of a pod -> how often its containers started."""
    end: str
    """The condition with which it ended, now; empty while it goes on."""
    age: float
    """Seconds from its creation to its end."""
    seconds: float
    """From the start of its first pod to its end."""
    last: float
    """From the start of its last pod to its end."""
    message: str
    """Of that condition."""
    running: int
    """Its pods that run now."""
    removed: int
    """How many of its identities, and of the objects that its controller created, were deleted."""


class Recorder:
    """Watches on runs and pods in all namespaces, from the start of the context to its end."""

    def __enter__(self) -> Self:
        self._stack = ExitStack()
        self._folder = Path(self._stack.enter_context(tempfile.TemporaryDirectory()))
        served = kubectl("get", "customresourcedefinitions", "-o", "name")
        self._resources = ["pods", "jobs.batch", *(name for name in RESOURCE.values() if f"/{name}\n" in served)]
        self._processes = {name: self._started(name) for name in self._resources}
        self._streams = {
            name: self._stack.enter_context((self._folder / name).open(encoding="utf-8")) for name in self._resources
        }
        self._rest = dict.fromkeys(self._resources, "")
        self._lock = threading.Lock()
        self._objects: dict[str, Any] = {}
        """UID -> the last state."""
        self._deleted: set[str] = set()
        self._starts: dict[str, int] = {}
        """UID of a pod -> starts of its containers."""
        self._first: dict[str, str] = {}
        """UID of a pod -> when the kubelet started it."""
        self._ends: dict[str, str] = {}
        """UID of a run -> when it ended for the first time."""
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def _started(self, resource: str) -> subprocess.Popen[bytes]:
        words = ["kubectl", "get", resource, "-A", "-o", "json", "--watch", "--output-watch-events"]
        with (self._folder / resource).open("a", encoding="utf-8") as file:
            process = subprocess.Popen(words, stdout=file, stderr=subprocess.DEVNULL, env=environment())
        self._stack.callback(process.wait)
        self._stack.callback(process.kill)
        return process

    def _read(self) -> None:
        decoder = json.JSONDecoder()
        for resource, stream in self._streams.items():
            if self._processes[resource].poll() is not None:
                self._processes[resource] = self._started(resource)  # the server has ended the watch
            text, start = self._rest[resource] + stream.read(), 0
            while start < len(text):
                if text[start].isspace():
                    start += 1  # between two objects, and possibly not yet written when the first was read
                    continue
                try:
                    event, start = decoder.raw_decode(text, start)
                except json.JSONDecodeError:
                    break  # kubectl has not written the end
                self._take(event["object"], deleted=event["type"] == "DELETED")
            self._rest[resource] = text[start:]

    def _take(self, tree: Any, *, deleted: bool) -> None:
        uid, status = tree["metadata"]["uid"], tree.get("status") or {}
        self._objects[uid] = tree
        if deleted:
            self._deleted.add(uid)
        if tree["kind"] == "Pod":
            counts = [one["restartCount"] for one in status.get("containerStatuses") or ()]
            if counts and status.get("phase") in _STARTED:
                self._starts[uid] = max(self._starts.get(uid, 0), 1 + max(counts))
                self._first.setdefault(uid, status["startTime"])
        condition = _end(tree)
        if condition is not None:
            self._ends.setdefault(uid, condition["lastTransitionTime"])

    def seen(self, namespace: str, kind: str, name: str) -> Seen:
        """What the run did up to now."""
        with self._lock:
            self._read()
            roots = [
                uid
                for uid, tree in self._objects.items()
                if (tree["kind"], tree["metadata"]["namespace"], tree["metadata"]["name"]) == (kind, namespace, name)
            ]
            pods = {uid: tree for uid, tree in self._objects.items() if tree["kind"] == "Pod" and self._root(tree) in roots}
            starts: dict[str, int] = defaultdict(int)
            for uid, pod in pods.items():
                # The workers of an MPIJob only serve its launcher.
                if kind != "MPIJob" or "-launcher" in pod["metadata"]["name"]:
                    starts[_place(pod)] += self._starts.get(uid, 0)
            last = self._objects[roots[-1]] if roots else {}
            condition = _end(last) or {}
            firsts = [self._first[uid] for uid in pods if uid in self._first]
            ends = [self._ends[uid] for uid in roots if uid in self._ends]
            alive = [pod for uid, pod in pods.items() if uid not in self._deleted and "deletionTimestamp" not in pod["metadata"]]
            return Seen(
                identities=len(roots),
                starts=dict(sorted(starts.items())),
                end=condition.get("type", ""),
                age=_time(min(ends)) - _time(self._objects[roots[0]]["metadata"]["creationTimestamp"]) if ends else 0.0,
                seconds=_time(min(ends)) - _time(min(firsts)) if ends and firsts else 0.0,
                last=_time(min(ends)) - _time(max(firsts)) if ends and firsts else 0.0,
                message=condition.get("message", ""),
                running=sum(1 for pod in alive if pod["status"].get("phase") == "Running"),
                removed=sum(1 for uid in self._deleted if uid in roots or _owner(self._objects[uid]) in roots),
            )

    def pods(self, namespace: str, kind: str, name: str) -> list[Any]:
        """The last states of the pods of the run that are in the cluster."""
        with self._lock:
            self._read()
            return [
                tree
                for uid, tree in self._objects.items()
                if tree["kind"] == "Pod"
                and uid not in self._deleted
                and tree["metadata"]["namespace"] == namespace
                and (owner := self._objects.get(self._root(tree)))
                and (owner["kind"], owner["metadata"]["name"]) == (kind, name)
            ]

    def children(self, namespace: str, kind: str, name: str) -> list[Any]:
        """The objects that the controller of the run created and that are in the cluster."""
        with self._lock:
            self._read()
            return [
                tree
                for uid, tree in self._objects.items()
                if uid not in self._deleted
                and tree["metadata"]["namespace"] == namespace
                and (owner := self._objects.get(_owner(tree)))
                and (owner["kind"], owner["metadata"]["name"]) == (kind, name)
            ]

    def _root(self, tree: Any) -> str:
        uid: str = tree["metadata"]["uid"]
        while (owner := _owner(self._objects[uid])) in self._objects:
            uid = owner
        return uid


def _owner(tree: Any) -> str:
    return next((one["uid"] for one in tree["metadata"].get("ownerReferences") or () if one.get("controller")), "")


def _place(pod: Any) -> str:
    """What a pod and those that replace it have in common."""
    owner: str = next(one["name"] for one in pod["metadata"]["ownerReferences"] if one.get("controller"))
    index = (pod["metadata"].get("annotations") or {}).get(_INDEX)
    if index is not None:
        return f"{owner}-{index}"
    of_job = (pod["metadata"].get("labels") or {}).get("job-name") == owner
    return owner if of_job else str(pod["metadata"]["name"])


def _end(tree: Any) -> Any:
    conditions = (tree.get("status") or {}).get("conditions") or ()
    return next((one for one in conditions if one["type"] in _ENDS and one["status"] == "True"), None)


def _time(text: str) -> float:
    return datetime.fromisoformat(text).timestamp()
