"""Gangs of handwritten manifests -> those that wait for more pods than there are (TJ528).

A PodGroup starts its pods when `minMember` of them exist. Pods join the PodGroup of Volcano by an annotation, and that of the
coscheduling plugin by a label. The Training Operator and the MPI Operator make a PodGroup of `schedulingPolicy.minAvailable`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from tjgen.cluster.kinds.table import group_and_kind, kind_of, replica_field
from tjgen.cluster.validate.report import subject_of
from tjgen.trees.diagnostics.model import Diagnostic, ObjectRef
from tjgen.trees.fields.path import FieldPath, Tree, get
from tjgen.trees.typing import NamedTuple, Protocol

_LEAST: FieldPath = ("spec", "runPolicy", "schedulingPolicy", "minAvailable")
_MEMBERS = {
    "scheduling.volcano.sh": ("annotations", "scheduling.k8s.io/group-name"),
    "scheduling.x-k8s.io": ("labels", "scheduling.x-k8s.io/pod-group"),
}
"""API group of a PodGroup -> where the metadata of a pod names it."""


class Located(Protocol):
    """An object with its place in a file."""

    @property
    def tree(self) -> Tree: ...

    @property
    def kind(self) -> Tree: ...

    def at(self, diagnostic: Diagnostic) -> Diagnostic: ...


class _Pods(NamedTuple):
    """Pods of one template: their number, None where it is not known."""

    number: int | None
    template: Tree


class Gang(NamedTuple):
    """A PodGroup, or pods of one template that join it."""

    is_group: bool
    group: str
    """API group of the PodGroup."""
    namespace: str
    name: str
    """Name of the PodGroup."""
    number: int | None
    """minMember of the PodGroup, or the number of pods, None where it is not known."""


def own(tree: Tree) -> Iterator[Diagnostic]:
    """TJ528 for a job of an operator whose own gang is larger than the job."""
    least = get(tree, _LEAST, None)
    if least.__class__ is not int:
        return
    kind = kind_of(tree)
    pods = list(kind.run.pods(tree)) if kind is not None and kind.run is not None and kind.run.pods is not None else []
    total = sum(one.number for one in pods)
    if pods and least > total:
        yield _too_large(subject_of(tree), _LEAST, "minAvailable", least, total)


def waiting(objects: Sequence[Located]) -> Iterator[Diagnostic]:
    """TJ528 for each PodGroup whose pods are among the objects, and fewer than it waits for."""
    if not any(each.kind == "PodGroup" for each in objects):
        return
    owners = {one: each for each in objects for one in gangs(each.tree) if one.is_group}
    members = [one for each in objects for one in gangs(each.tree) if not one.is_group]
    for group, total in too_large([*owners, *members]):
        yield owners[group].at(of_group(group, subject_of(owners[group].tree), total))


def gangs(tree: Tree) -> Iterator[Gang]:
    """A PodGroup, or the pods of an object that join one."""
    if tree.__class__ is not dict:
        return
    (group, kind), namespace = group_and_kind(tree), _namespace(tree)
    if kind == "PodGroup" and group in _MEMBERS:
        name, least = get(tree, ("metadata", "name"), None), get(tree, ("spec", "minMember"), None)
        if name.__class__ is str and least.__class__ is int:
            yield Gang(True, group, namespace, name, least)
        return
    for pods in _pods(tree):
        for group, (field, key) in _MEMBERS.items():
            name = get(pods.template, ("metadata", field, key), None)
            if name.__class__ is str:
                yield Gang(False, group, namespace, name, pods.number)


def too_large(gangs: Iterable[Gang]) -> Iterator[tuple[Gang, int]]:
    """The PodGroups with known pods that are fewer than minMember, each with the number of pods."""
    groups: list[Gang] = []
    members: dict[tuple[str, str, str], list[int | None]] = {}
    for one in gangs:
        if one.is_group:
            groups.append(one)
        else:
            members.setdefault((one.group, one.namespace, one.name), []).append(one.number)
    for group in groups:
        counts = members.get((group.group, group.namespace, group.name), [])
        known = [count for count in counts if count is not None]
        if known and len(known) == len(counts) and group.number is not None and group.number > sum(known):
            yield group, sum(known)


def of_group(group: Gang, subject: ObjectRef | None, total: int) -> Diagnostic:
    """TJ528 for a PodGroup that has `total` pods."""
    return _too_large(subject, ("spec", "minMember"), "minMember", group.number, total)


def _too_large(subject: ObjectRef | None, path: FieldPath, field: str, least: int | None, total: int) -> Diagnostic:
    pods = "1 pod" if total == 1 else f"{total} pods"
    message = f"{field} is {least}, but the gang has {pods}: none of them ever starts"
    return Diagnostic("TJ528", message, subject, path, hint=f"write {field}: {total}, or add pods")


def _pods(tree: dict[str, Tree]) -> Iterator[_Pods]:
    group, kind = group_and_kind(tree)
    spec = tree.get("spec")
    if spec.__class__ is not dict:
        return
    template = spec.get("template")
    if (group, kind) == ("", "Pod"):
        yield _Pods(1, tree)
    elif (group, kind) == ("batch", "Job"):
        yield _Pods(_of_job(spec), template)
    elif group == "apps" and kind in ("Deployment", "ReplicaSet", "StatefulSet"):
        yield _Pods(_number(spec.get("replicas")), template)
    elif (group, kind) == ("jobset.x-k8s.io", "JobSet"):
        jobs = spec.get("replicatedJobs")
        for job in jobs if jobs.__class__ is list else ():
            each = get(job, ("template", "spec"), None) or {}
            replicas, parallel = _number(get(job, ("replicas",), None)), _of_job(each)
            yield _Pods(None if replicas is None or parallel is None else replicas * parallel, each.get("template"))
    elif replica_field(kind) and group == "kubeflow.org":
        roles = spec.get(replica_field(kind))
        for role in roles.values() if roles.__class__ is dict else ():
            yield _Pods(_number(get(role, ("replicas",), None)), get(role, ("template",), None))
    else:
        # Pods of another kind: they may join the group, in a number that is not known here.
        yield _Pods(None, template)


def _of_job(spec: Tree) -> int | None:
    """The pods that a Job has at a time, at most."""
    parallel, completions = _number(get(spec, ("parallelism",), None)), get(spec, ("completions",), None)
    return min(parallel, completions) if parallel is not None and completions.__class__ is int else parallel


def _number(value: Tree) -> int | None:
    """A number of replicas: 1 where it is left out, None where it is not a number."""
    return 1 if value is None else value if value.__class__ is int else None


def _namespace(tree: Tree) -> str:
    return str(get(tree, ("metadata", "namespace"), None) or "default")
