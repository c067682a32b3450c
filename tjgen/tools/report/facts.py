"""The objects of a run -> its few important facts, and the source of each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tjgen.cluster.kinds.pods import pods_of
from tjgen.cluster.kinds.protocol import Pods
from tjgen.gitops.diff.side import AttributeField
from tjgen.language.platform.computing import is_device
from tjgen.language.runs.lock import LockedRun
from tjgen.tools.report.content import Fact
from tjgen.tools.report.structure import is_job, main_container
from tjgen.tools.report.words import counted
from tjgen.trees.fields.path import MISSING, FieldPath, Tree, get, named
from tjgen.trees.k8s.quantity import parse
from tjgen.trees.manifests.identity import ref_of
from tjgen.trees.manifests.manifest import Manifest
from tjgen.trees.workload.workload import ANCESTOR, INITIALIZERS, NODE

_OF_PODS = ("image", "command", "pods", "devices")
_DAY, _HOUR, _MINUTE = 86400, 3600, 60


def facts(
    applied: Sequence[Tree], previews: Sequence[Tree], locked: LockedRun | None, attribute: AttributeField
) -> Iterator[Fact]:
    """The facts, in the order in which they are read; facts without a value are left out."""
    trees = [*applied, *previews]
    by_kind = {str(tree.get("kind")): tree for tree in reversed(trees)}
    holder: Tree = next((tree for tree in applied if is_job(tree)), {})
    for tree in trees:
        for pods in pods_of(Manifest(tree, {})):
            if get(tree, (*pods.path[:3], "template", "metadata", "labels", ANCESTOR), "") not in INITIALIZERS:
                yield from _of_pods(tree, pods, attribute)
    yield from _runtime(holder, by_kind.get("TrainingRuntime", {}), attribute)
    group = by_kind.get("PodGroup", {})
    yield from _one("Queue", group, ("spec", "queue"), attribute)
    yield from _one("Priority", group, ("spec", "priorityClassName"), attribute)
    deadline: FieldPath = ("spec", "activeDeadlineSeconds")
    seconds = get(holder, deadline)
    if seconds.__class__ is int:
        yield Fact("Deadline", duration(seconds), attribute(ref_of(holder), deadline, seconds))
    if locked is not None:
        if locked.promoted_from:
            yield Fact("Promoted from", locked.promoted_from)
        if locked.number > 1:
            yield Fact("Number", f"{locked.number} of its experiment")
        if locked.renewal:
            yield Fact("Renewed", counted(locked.renewal, "time"))


def _of_pods(tree: Tree, pods: Pods, attribute: AttributeField) -> Iterator[Fact]:
    ref = ref_of(tree)
    container: FieldPath = (*pods.path, "spec", "containers", named(str(main_container(pods).get("name", ""))))
    # Most runs have one kind of pods, which needs no name.
    label = "" if pods.role == NODE else f"{pods.role}: "
    image, command, number, devices = [f"{label}{one}" if label else one.capitalize() for one in _OF_PODS]
    yield from _one(image, tree, (*container, "image"), attribute)
    words = [str(word) for key in ("command", "args") for word in get(tree, (*container, key), None) or []]
    if words:
        path = (*container, "args") if get(tree, (*container, "args"), None) else (*container, "command")
        first = get(tree, path)[0]
        yield Fact(command, " ".join(words), attribute(ref, (*path, 0), first) or attribute(ref, path, get(tree, path)))
    count: FieldPath = (*pods.path[:-1], "parallelism" if tree.get("kind") == "JobSet" else "replicas")
    yield Fact(number, str(pods.number), attribute(ref, count, get(tree, count)))
    for resource, amount in (get(tree, (*container, "resources", "limits"), None) or {}).items():
        if is_device(resource) and parse(amount).value:
            attribution = attribute(ref, (*container, "resources", "limits", resource), amount)
            yield Fact(devices, f"{amount} {resource}", attribution)


def _runtime(trainjob: Tree, runtime: Tree, attribute: AttributeField) -> Iterator[Fact]:
    path: FieldPath = ("spec", "runtimeRef", "name")
    name = get(trainjob, path)
    if name is MISSING:
        return
    catalog = (get(runtime, ("metadata", "annotations"), None) or {}).get("tjgen.dev/runtime")
    yield Fact("Runtime", str(catalog or name), attribute(ref_of(trainjob), path, name))


def _one(label: str, tree: Tree, path: FieldPath, attribute: AttributeField) -> Iterator[Fact]:
    value = get(tree, path)
    if value not in (MISSING, None, ""):
        yield Fact(label, str(value), attribute(ref_of(tree), path, value))


def duration(seconds: int) -> str:
    """Seconds in the largest units that they have: `14 d`, `1 h 30 min`."""
    parts = []
    for size, unit in ((_DAY, "d"), (_HOUR, "h"), (_MINUTE, "min"), (1, "s")):
        count, seconds = divmod(seconds, size)
        if count:
            parts.append(f"{count} {unit}")
    return " ".join(parts) or "0 s"
