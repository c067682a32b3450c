"""A runtime's jobs -> the roles of a run that no Trainer starts, each with its own number of pods.

Trainer has one job of nodes and counts them in the TrainJob. Other kinds have roles that count for themselves (master and worker,
chief, worker and ps), so one job of the runtime may become several of them, equal except for the experiment's settings of each.
"""

from __future__ import annotations

from collections.abc import Sequence

from tjgen.compiler.targets.direct import RequestedSize
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.managed import Managed, Origin, Owners
from tjgen.trees.fields.path import FieldPath, Tree, get, named, render
from tjgen.trees.typing import NamedTuple
from tjgen.trees.workload.roles import at_once, nodes, workers
from tjgen.trees.workload.workload import JOBS, TRAINER, PodSet, Workload, podsets

SPEC: FieldPath = ("spec",)
RULE = Origin("target", "tjgen")
_JOB = len(JOBS) + 1


class Group(NamedTuple):
    """A role of the run."""

    name: str
    source: PodSet
    """The job of the runtime that it comes from."""
    pods: int


def as_they_are(workload: Workload, size: RequestedSize) -> list[Group]:
    """Return every job of the runtime as a role of the same name; the training role has the requested nodes."""
    result = []
    computing = workers(workload)
    for podset in workload.podsets:
        if podset.is_initializer:
            continue
        requested = size.roles.get(podset.name)
        count = at_once(workload, [podset])
        if requested is None and podset in computing and size.nodes is not None:
            # Of several that compute, as launcher and node of MPI, the first is the one that there are many of.
            others = sum(at_once(workload, [one]) for one in computing[1:])
            count = max(size.nodes - others, 1) if podset == computing[0] else count
        result.append(Group(podset.name, podset, count if requested is None else requested))
    return result


def unlike_nodes(workload: Workload, size: RequestedSize, groups: Sequence[Group]) -> list[Diagnostic]:
    """TJ412 if `nodes` is another number than the pods of the jobs that compute, as they are."""
    computing = [one for one in groups if one.source in workers(workload)]
    pods, names = sum(one.pods for one in computing), [one.name for one in computing]
    is_counted = any(size.roles.get(name) is not None for name in names)
    return [_unlike_nodes(size, names, pods)] if is_counted and size.nodes not in (None, pods) else []


def split(
    workload: Workload, size: RequestedSize, names: Sequence[str], single: Sequence[str] = ()
) -> tuple[list[Group], list[Diagnostic]]:
    """The job that trains as several roles, and the other jobs as they are. `single`: roles that never have several pods.

    # Set counts apply; of the roles without a count, the last has the remaining nodes, and the others one each.
    """
    [job] = [podset for podset in workload.podsets if podset.ancestor == TRAINER]
    total = size.nodes if size.nodes is not None else nodes(workload)
    requested = {name: count for name in names if (count := size.roles.get(name)) is not None}
    open_ones = [name for name in names if name not in requested]
    counts = {**dict.fromkeys(names, 1), **requested}
    if open_ones:
        last = open_ones[-1]
        least = 1 if last in size.roles or not requested else 0
        rest = max(total - sum(counts[name] for name in names if name != last), least)
        counts[last] = min(rest, 1) if last in single and requested else rest
    problems: list[Diagnostic] = []
    if size.nodes is not None and sum(counts.values()) != size.nodes:
        problems.append(_unlike_nodes(size, names, sum(counts.values())))
    mine = [Group(name, job, counts[name]) for name in names if counts[name]]
    others = [one for one in as_they_are(workload, size._replace(nodes=None)) if one.source != job]
    return [*mine, *others], problems


def _unlike_nodes(size: RequestedSize, names: Sequence[str], pods: int) -> Diagnostic:
    stated, hint = f"nodes is {size.nodes}", "remove nodes, or replicas of one of the roles"
    if size.because != (*SPEC, "nodes"):
        stated = f"{render(size.because[1:])} is {size.nodes} nodes"
        hint = "add a role for these nodes, such as worker, or remove replicas of one of the roles"
    return Diagnostic("TJ412", f"the roles {', '.join(names)} have {pods} pods, but {stated}", path=size.because, hint=hint)


def new_roles(workload: Workload, size: RequestedSize) -> list[str]:
    """The roles of the experiment that the runtime does not have, where one job trains and so can become them."""
    known = {podset.name for podset in workload.podsets}
    trainers = [podset for podset in workload.podsets if podset.ancestor == TRAINER]
    return [name for name in size.roles if name not in known] if len(trainers) == 1 else []


def arranged(workload: Workload, groups: Sequence[Group], size: RequestedSize, index: str) -> Workload:
    """`workload` with the groups as its jobs; `index` is the field of a pod that holds its number in its group.

    Nodes are numbered through all groups. A field of a pod can be passed on, but not added to: the one group with several pods
    comes first, and those of one pod have the next numbers. Of more such groups only the first one's pods can know their number.
    """
    jobs = {podset.name: get(workload.tree.value, podset.path) for podset in workload.podsets}
    tree, owners = workload.tree.value, workload.tree.owners
    renamed: Owners = {path: origins for path, origins in owners.items() if path[: len(JOBS)] != JOBS}
    jobs_of_group = []
    for podset in workload.podsets:
        if podset.is_initializer:
            jobs_of_group.append(jobs[podset.name])
            renamed.update(_moved(workload, podset, podset.name))
    for group in groups:
        jobs_of_group.append({**jobs[group.source.name], "name": group.name})
        renamed.update(_moved(workload, group.source, group.name))
    runtime: Tree = {**tree["runtime"], "template": {**tree["runtime"]["template"]}}
    runtime["template"]["spec"] = {**runtime["template"]["spec"], "replicatedJobs": jobs_of_group}
    for group in groups:
        renamed[("counts", group.name)] = (_because(size, group.name),)
    counts = {group.name: group.pods for group in groups}
    templates = podsets(runtime)
    workload = workload._replace(tree=Managed({**tree, "runtime": runtime, "counts": counts}, renamed), podsets=templates)
    return workload._replace(numbers=_numbers(workload, index))


def _because(size: RequestedSize, name: str) -> Origin:
    """Who decided how many pods a role has."""
    if name in size.topologies:
        return Origin("experiment", "experiment", size.topologies[name])
    if size.roles.get(name) is not None:
        return Origin("experiment", "experiment", (*SPEC, "roles", name, "replicas"), True)
    return Origin("experiment", "experiment", size.because) if size.nodes is not None else RULE


def _moved(workload: Workload, source: PodSet, name: str) -> Owners:
    """Return the owners of a job's parts, for a job of another name that is copied from it."""
    because = (*SPEC, *JOBS[1:], named(source.name))
    path = (*JOBS, named(name))
    owners: Owners = {path: (Origin("runtime", "runtime", because, True),)}
    if name != source.name:
        owners[(*path, "name")] = (RULE,)
    for known, origins in workload.tree.owners.items():
        if len(known) > _JOB and known[:_JOB] == source.path:
            owners[path + known[_JOB:]] = origins
    return owners


def _numbers(workload: Workload, index: str) -> dict[str, Tree]:
    counts = workload.tree.value["counts"]
    computing = workers(workload)
    several = [podset.name for podset in computing if counts[podset.name] > 1]
    numbers: dict[str, Tree] = {name: {"valueFrom": {"fieldRef": {"fieldPath": index}}} for name in several[:1]}
    first = counts[several[0]] if several else 0
    for position, name in enumerate(podset.name for podset in computing if counts[podset.name] == 1):
        numbers[name] = {"value": str(first + position)}
    return numbers
