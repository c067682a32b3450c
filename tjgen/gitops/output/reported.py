"""The output of `kubectl get -o json`, and the runs of a tree -> the state of each run in the cluster.

The states are those of the health checks for the GitOps tools (sync/states.py).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from tjgen.cluster.kinds.protocol import Kind
from tjgen.cluster.kinds.table import kind_of
from tjgen.gitops.output.damaged import manifest_in
from tjgen.gitops.output.data_sets import CachedData, Key, cached_data
from tjgen.gitops.output.inventory import ProjectRuns, RunEntry, own_files
from tjgen.gitops.output.kubectl import not_kubectl, objects_of
from tjgen.gitops.output.layout import namespace_of
from tjgen.gitops.output.observed import RunObjects, restarts_of_run, state_of_run
from tjgen.gitops.output.pods import PodSummary, look_of
from tjgen.gitops.sync.states import ENDED
from tjgen.language.resolve.project import LoadedProject
from tjgen.language.runs.lock import ARCHIVED, PRUNED
from tjgen.language.runs.store import LockKey
from tjgen.trees.diagnostics.model import CompileError
from tjgen.trees.fields.path import Tree, get
from tjgen.trees.k8s.labels import EXPERIMENT_LABEL, MANAGED_BY
from tjgen.trees.typing import NamedTuple

MISSING = "Missing"
"""The health of a run that is in the tree and not in the cluster, as Argo CD calls it."""
UNKNOWN = "Unknown"
"""The health of an object of a kind whose status tjgen cannot read."""
NOT_IN_TREE = "not in the tree"


class Status(NamedTuple):
    """One object that trains, of a run of the tree or of the cluster."""

    run: str
    kind: str
    namespace: str
    experiment: str
    """Key of the experiment in the lock."""
    state: str
    """The state of the run in the tree (runs/states.py), or NOT_IN_TREE."""
    word: str
    """A word of sync/states.py; empty if the run is not in the cluster, or if tjgen cannot read its status."""
    health: str
    """The health of sync/states.py, MISSING or UNKNOWN; empty for an archived run that is not in the cluster."""
    message: str
    since: str
    """When it got its health: the last transition, or else the start of its first pod; empty if unknown."""
    restarts: int | None
    """How often the run, its pods, and their containers have started again; None if unknown."""
    has_ended: bool
    look: PodSummary | None
    """The pod to look at; None without pods."""
    project: str = ""
    """The folder of its project in the workspace; empty without a workspace."""
    cluster: str = ""
    """The name of the cluster of its environment."""
    data_sets: tuple[CachedData, ...] = ()
    """The Datasets of Fluid that the run mounts."""


_Owner = tuple[str, str, str]
"""Namespace, kind and name of an object."""


class ClusterObjects(NamedTuple):
    """The objects of a cluster."""

    objects: Mapping[Key, Tree]
    pods: Mapping[tuple[str, str, str], list[Tree]]
    """Namespace, label and value of the label -> pods."""
    workloads: Mapping[_Owner, Tree]
    """An object that Kueue queues -> its Workload."""
    jobs: Mapping[_Owner, list[Tree]]
    """An object that starts pods by Jobs -> its Jobs."""
    events: Mapping[_Owner, list[Tree]]
    """An object -> the events about it."""


def reported(text: str, source: str) -> ClusterObjects:
    """The objects of a list that kubectl printed as JSON. Raises CompileError (TJ041) if the text is something else."""
    items = objects_of(text, source)
    if items and not any(one["kind"] == "Pod" or _is_run(one) for one in items):
        raise CompileError(
            [not_kubectl(source, "it contains neither Pods nor objects of a kind that runs pods, such as TrainJob")]
        )
    return _collected(items)


def with_more(known: ClusterObjects, trees: Sequence[Tree]) -> ClusterObjects:
    """The same with objects that were read separately."""
    return _collected([*known.objects.values(), *trees])


def _collected(items: Sequence[Tree]) -> ClusterObjects:
    objects = {_key(one): one for one in items}
    pods: dict[tuple[str, str, str], list[Tree]] = {}
    jobs: dict[_Owner, list[Tree]] = {}
    events: dict[_Owner, list[Tree]] = {}
    for (group, kind, namespace, _), one in objects.items():
        if kind == "Pod":
            for label, value in (get(one, ("metadata", "labels"), None) or {}).items():
                pods.setdefault((namespace, label, value), []).append(one)
        elif (group, kind) == ("batch", "Job"):
            for owner in _owners(one):
                jobs.setdefault(owner, []).append(one)
        elif kind == "Event":
            about = one.get("involvedObject") or {}
            events.setdefault((namespace, str(about.get("kind")), str(about.get("name"))), []).append(one)
    workloads = {owner: one for one in objects.values() if one["kind"] == "Workload" for owner in _owners(one)}
    return ClusterObjects(objects, pods, workloads, jobs, events)


def _is_run(tree: Tree) -> bool:
    kind = kind_of(tree)
    return kind is not None and kind.run is not None


def ended(entries: Sequence[RunEntry], directory: str, known: ClusterObjects) -> list[RunEntry]:
    """The runs that have ended, with success or not: of a run of several objects, all of them."""
    ended_runs = []
    for entry in entries:
        trains = [
            _status(tree, kind, known, entry.place.key, entry.run.lifecycle_state) for tree, kind in _trains(entry, directory)
        ]
        if trains and all(one.has_ended for one in trains):
            ended_runs.append(entry)
    return ended_runs


def statuses(projects: Sequence[ProjectRuns], known: ClusterObjects) -> Iterator[Status]:
    """Yield a status for each run of the trees, then for each object of tjgen in the cluster whose run is not in a tree.

    Raises CompileError if a file of a tree cannot be read.
    """
    seen: set[Key] = set()
    for one in projects:
        for entry in one.entries:
            if one.directory is None:
                continue
            data_sets = cached_data(entry, one.directory, known.objects)
            for tree, kind in _trains(entry, one.directory):
                seen.add(_key(tree))
                status = _status(tree, kind, known, entry.place.key, entry.run.lifecycle_state)
                yield _in_project(status, one.project, entry.place)._replace(data_sets=data_sets)
    pruned_runs = {(namespace_of(*entry), entry[1].name) for one in projects for entry in one.pruned}
    experiments = _experiments(projects)
    for tree, kind in _created(known, seen):
        key = _key(tree)
        owner = experiments.get(_experiment(tree))
        if owner is not None:
            project, place = owner
            state = PRUNED if (key[2], key[3]) in pruned_runs else NOT_IN_TREE
            yield _in_project(_status(tree, kind, known, place.key, state), project, place)


def others(projects: Sequence[ProjectRuns], known: ClusterObjects, namespace: str | None) -> int:
    """The number of runs of tjgen in the cluster, or in a namespace, whose experiments none of the projects has."""
    own = {_key(tree) for one in projects for entry in one.entries if one.directory for tree, _ in _trains(entry, one.directory)}
    experiments = _experiments(projects)
    unknown = [tree for tree, _ in _created(known, own) if _experiment(tree) not in experiments]
    return sum(namespace in (None, _key(tree)[2]) for tree in unknown)


def _created(known: ClusterObjects, but: set[Key]) -> Iterator[tuple[Tree, Kind]]:
    """The objects in the cluster that train and that a build wrote, in order, except `but`."""
    for key in sorted(set(known.objects) - but):
        tree = known.objects[key]
        kind = kind_of(tree)
        is_created = (get(tree, ("metadata", "labels"), None) or {}).get(MANAGED_BY) == "tjgen"
        if kind is not None and kind.run is not None and is_created and not get(tree, ("metadata", "ownerReferences"), None):
            yield tree, kind


def _experiments(projects: Iterable[ProjectRuns]) -> dict[tuple[str, str], tuple[LoadedProject, LockKey]]:
    """Namespace and name of each experiment that has or had runs -> its project and its place."""
    experiments: dict[tuple[str, str], tuple[LoadedProject, LockKey]] = {}
    for one in projects:
        places = [(entry.place, entry.namespace) for entry in one.entries]
        places += [(place, namespace_of(place, run)) for place, run in one.pruned]
        for place, namespace in places:
            for name in (place.namespace, namespace):
                experiments.setdefault((name, place.name), (one.project, place))
    return experiments


def _experiment(tree: Tree) -> tuple[str, str]:
    labels = get(tree, ("metadata", "labels"), None) or {}
    return _key(tree)[2], str(labels.get(EXPERIMENT_LABEL) or "")


def _in_project(status: Status, project: LoadedProject, place: LockKey) -> Status:
    return status._replace(project=project.name_in_workspace, cluster=project.cluster(place.environment))


def _trains(entry: RunEntry, directory: str) -> Iterator[tuple[Tree, Kind]]:
    """The objects of a run that train."""
    for file in own_files(directory, entry):
        tree = manifest_in(file.body, file.path)
        kind = kind_of(tree)
        if kind is not None and kind.run is not None:
            yield tree, kind


def _status(tree: Tree, kind: Kind, known: ClusterObjects, experiment: str, state: str) -> Status:
    key = _key(tree)
    identity = (key[3], key[1], key[2], experiment, state)
    live = known.objects.get(key)
    if live is None:
        archived = state == ARCHIVED
        message = ARCHIVED if archived else "not in the cluster"
        return Status(*identity, "", "" if archived else MISSING, message, "", None, has_ended=False, look=None)
    run = _run_objects(live, kind, known)
    look, restarts = look_of(run.pods), restarts_of_run(run, kind)
    if kind.status is None:
        return Status(*identity, "", UNKNOWN, "", "", restarts, has_ended=False, look=look)
    observed = state_of_run(run, kind)
    starts = sorted(start for pod in run.pods if (start := get(pod, ("status", "startTime"), None)))
    since = observed.since or next(iter(starts), "") or str(get(live, ("metadata", "creationTimestamp"), None) or "")
    word, health = observed.state.word, observed.state.health
    return Status(*identity, word, health, observed.message, since, restarts, has_ended=observed.state in ENDED, look=look)


def _run_objects(live: Tree, kind: Kind, known: ClusterObjects) -> RunObjects:
    _, name, namespace, run = _key(live)
    label = kind.run.pod_label if kind.run is not None else ""
    jobset = known.objects.get(("jobset.x-k8s.io", "JobSet", namespace, run))
    owners = dict.fromkeys([(namespace, name, run), (namespace, "JobSet", run)])
    jobs = [job for owner in owners for job in known.jobs.get(owner, ())]
    about = {*owners, (namespace, "RayCluster", str(get(live, ("status", "rayClusterName"), None)))}
    about |= {(namespace, "Job", _key(job)[3]) for job in jobs} | _jobs_of(known, namespace, run, live, jobset)
    events = [event for one in sorted(about) for event in known.events.get(one, ())]
    pods = known.pods.get((namespace, label, run), [])
    return RunObjects(live, jobset, jobs, pods, events, known.workloads.get((namespace, name, run)))


def _jobs_of(known: ClusterObjects, namespace: str, run: str, live: Tree, jobset: Tree | None) -> set[_Owner]:
    """The Jobs of a run about which there are events, by the names that its controllers give them."""
    counts = [*(get(live, ("status", "jobsStatus"), None) or ()), *(get(jobset, ("status", "replicatedJobsStatus"), None) or ())]
    roles = "|".join(sorted({re.escape(str(one.get("name"))) for one in counts}))
    # JobSet: `placement.GenJobName`; mpi-operator: `newLauncherJob`; KubeRay: a submitter has the name of its RayJob.
    pattern = re.compile(rf"{re.escape(run)}(-launcher|-({roles})-\d+)?")
    return {one for one in known.events if one[:2] == (namespace, "Job") and pattern.fullmatch(one[2])}


def _owners(tree: Tree) -> Iterator[_Owner]:
    """Namespace, kind and name of the owners of an object."""
    for one in get(tree, ("metadata", "ownerReferences"), None) or ():
        yield _key(tree)[2], str(one.get("kind")), str(one.get("name"))


def _key(tree: Tree) -> Key:
    metadata = tree.get("metadata") or {}
    group = str(tree.get("apiVersion", "")).rpartition("/")[0]
    return group, str(tree.get("kind")), str(metadata.get("namespace") or "default"), str(metadata.get("name") or "")
