"""The objects of a run -> the few facts of it that people look for, and who asked for each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tjgen.diff.compare import ref_of
from tjgen.diff.side import Ask
from tjgen.fields.path import MISSING, FieldPath, Tree, get, named
from tjgen.k8s.quantity import parse
from tjgen.report.anatomy import is_device
from tjgen.report.content import Fact
from tjgen.report.words import counted
from tjgen.runs.lock import LockedRun
from tjgen.workload.workload import ANCESTOR, INITIALIZERS, NODE

_OF_PODS = ("image", "command", "pods", "devices")
_DAY, _HOUR, _MINUTE = 86400, 3600, 60


def facts(applied: Sequence[Tree], previews: Sequence[Tree], locked: LockedRun | None, ask: Ask) -> Iterator[Fact]:
    """The facts, in the order in which they are read; what nobody said is left out."""
    by_kind = {str(tree.get("kind")): tree for tree in reversed([*applied, *previews])}
    jobset = by_kind.get("JobSet", {})
    for job in get(jobset, ("spec", "replicatedJobs"), None) or []:
        if get(job, ("template", "metadata", "labels", ANCESTOR), "") not in INITIALIZERS:
            yield from _of_pods(jobset, job, ask)
    holder = by_kind.get("TrainJob") or jobset
    yield from _runtime(holder, by_kind.get("TrainingRuntime", {}), ask)
    group = by_kind.get("PodGroup", {})
    yield from _one("Queue", group, ("spec", "queue"), ask)
    yield from _one("Priority", group, ("spec", "priorityClassName"), ask)
    deadline: FieldPath = ("spec", "activeDeadlineSeconds")
    seconds = get(holder, deadline)
    if seconds.__class__ is int:
        yield Fact("Deadline", duration(seconds), ask(ref_of(holder), deadline, seconds))
    if locked is not None:
        if locked.promoted_from:
            yield Fact("Promoted from", locked.promoted_from)
        if locked.number > 1:
            yield Fact("Number", f"{locked.number} of its experiment")
        if locked.renewal:
            yield Fact("Renewed", counted(locked.renewal, "time"))


def _of_pods(jobset: Tree, job: Tree, ask: Ask) -> Iterator[Fact]:
    name = str(job.get("name", ""))
    base: FieldPath = ("spec", "replicatedJobs", named(name), "template", "spec")
    pod: FieldPath = (*base, "template", "spec")
    ref = ref_of(jobset)
    containers = get(job, ("template", "spec", "template", "spec", "containers"), None) or []
    names = [one.get("name") for one in containers]
    main = name if name in names else NODE if NODE in names else names[0] if names else ""
    container: FieldPath = (*pod, "containers", named(main))
    # Most runs have one kind of pods, which needs no name.
    label = "" if name == NODE else f"{name}: "
    image, command, pods, devices = [f"{label}{one}" if label else one.capitalize() for one in _OF_PODS]
    yield from _one(image, jobset, (*container, "image"), ask)
    words = [str(word) for key in ("command", "args") for word in get(jobset, (*container, key), None) or []]
    if words:
        path = (*container, "args") if get(jobset, (*container, "args")) else (*container, "command")
        first = get(jobset, path)[0]
        yield Fact(command, " ".join(words), ask(ref, (*path, 0), first) or ask(ref, path, get(jobset, path)))
    yield from _one(pods, jobset, (*base, "parallelism"), ask)
    for resource, amount in (get(jobset, (*container, "resources", "limits"), None) or {}).items():
        if is_device(resource) and parse(amount).value:
            said = ask(ref, (*container, "resources", "limits", resource), amount)
            yield Fact(devices, f"{amount} {resource}", said)


def _runtime(trainjob: Tree, runtime: Tree, ask: Ask) -> Iterator[Fact]:
    path: FieldPath = ("spec", "runtimeRef", "name")
    name = get(trainjob, path)
    if name is MISSING:
        return
    catalog = (get(runtime, ("metadata", "annotations"), None) or {}).get("tjgen.dev/runtime")
    yield Fact("Runtime", str(catalog or name), ask(ref_of(trainjob), path, name))


def _one(label: str, tree: Tree, path: FieldPath, ask: Ask) -> Iterator[Fact]:
    value = get(tree, path)
    if value not in (MISSING, None, ""):
        yield Fact(label, str(value), ask(ref_of(tree), path, value))


def duration(seconds: int) -> str:
    """Seconds in the largest units that they have: `14 d`, `1 h 30 min`."""
    parts = []
    for size, unit in ((_DAY, "d"), (_HOUR, "h"), (_MINUTE, "min"), (1, "s")):
        count, seconds = divmod(seconds, size)
        if count:
            parts.append(f"{count} {unit}")
    return " ".join(parts) or "0 s"
