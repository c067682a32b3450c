"""The output of `kubectl get -o json`, and the runs of a tree -> the state of each run in the cluster.

The rules are those of the health checks for the GitOps tools (sync/health.py): words, messages, and when a run has ended.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from tjgen.cluster.kinds.protocol import Kind
from tjgen.cluster.kinds.table import kind_of
from tjgen.gitops.output.damaged import manifest_in
from tjgen.gitops.output.data_sets import CachedData, Key, cached_data
from tjgen.gitops.output.inventory import ProjectRuns, RunEntry, own_files
from tjgen.gitops.output.kubectl import not_kubectl, objects_of
from tjgen.gitops.output.layout import namespace_of
from tjgen.gitops.output.pods import PodSummary, look_of
from tjgen.gitops.sync.health import HEALTHY, SUSPENDED, health_of
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
    """Key of the experiment in the lock; for an object that is in no lock, the name that its label has."""
    state: str
    """The state of the run in the tree (runs/states.py), or NOT_IN_TREE."""
    health: str
    """A word of sync/health.py, MISSING or UNKNOWN; empty for an archived run that is not in the cluster."""
    message: str
    since: str
    """When it got its health: the last transition, or else the start of its first pod; empty if unknown."""
    restarts: int
    """Restarts of its containers, and of its JobSet as a whole."""
    has_ended: bool
    look: PodSummary | None
    """The pod to look at; None without pods."""
    project: str | None = None
    """The folder of its project in the workspace; empty without a workspace, None for an object that is in no lock."""
    cluster: str = ""
    """The name of the cluster of its environment; empty for an object that is in no lock."""
    data_sets: tuple[CachedData, ...] = ()
    """The Datasets of Fluid that the run mounts."""


class ClusterObjects(NamedTuple):
    """The objects of a cluster."""

    objects: Mapping[Key, Tree]
    pods: Mapping[tuple[str, str, str], list[Tree]]
    """Namespace, label and value of the label -> pods."""
    workloads: Mapping[tuple[str, str, str], Tree] = MappingProxyType({})
    """Namespace, kind and name of an object that Kueue queues -> its Workload."""


def reported(text: str, source: str) -> ClusterObjects:
    """The objects of a list that kubectl printed as JSON. Raises CompileError (TJ041) if the text is something else."""
    items = objects_of(text, source)
    if items and not any(one["kind"] == "Pod" or _is_run(one) for one in items):
        raise CompileError(
            [not_kubectl(source, "it contains neither Pods nor objects of a kind that runs pods, such as TrainJob")]
        )
    pods: dict[tuple[str, str, str], list[Tree]] = {}
    for pod in (one for one in items if one["kind"] == "Pod"):
        metadata = pod.get("metadata") or {}
        for label, value in (metadata.get("labels") or {}).items():
            pods.setdefault((metadata.get("namespace") or "default", label, value), []).append(pod)
    workloads = {owner: one for one in items if one["kind"] == "Workload" for owner in _owners(one)}
    return ClusterObjects({_key(one): one for one in items}, pods, workloads)


def with_data_sets(known: ClusterObjects, trees: Sequence[Tree]) -> ClusterObjects:
    """The same with Datasets of Fluid, which were read separately."""
    return known._replace(objects={**known.objects, **{_key(one): one for one in trees}})


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
    pruned_runs = {(namespace_of(*entry), entry[1].name): (one.project, entry[0]) for one in projects for entry in one.pruned}
    for key in sorted(set(known.objects) - seen):
        tree = known.objects[key]
        run_kind = kind_of(tree)
        labels = get(tree, ("metadata", "labels"), None) or {}
        is_created = labels.get(MANAGED_BY) == "tjgen" and not get(tree, ("metadata", "ownerReferences"), None)
        if run_kind is not None and run_kind.run is not None and is_created:
            removed = pruned_runs.get((key[2], key[3]))
            if removed is None:
                yield _status(tree, run_kind, known, labels.get(EXPERIMENT_LABEL, ""), NOT_IN_TREE)
            else:
                project, place = removed
                yield _in_project(_status(tree, run_kind, known, place.key, PRUNED), project, place)


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
        message = "archived" if archived else "not in the cluster"
        return Status(*identity, "" if archived else MISSING, message, "", 0, has_ended=False, look=None)
    label = kind.run.pod_label if kind.run is not None else ""
    pods = known.pods.get((key[2], label, key[3]), [])
    jobset = known.objects.get(("jobset.x-k8s.io", "JobSet", key[2], key[3])) or {}
    restarts = get(jobset, ("status", "restarts"), None) or 0
    if kind.status is None:
        return Status(*identity, UNKNOWN, "", "", restarts, has_ended=False, look=look_of(pods))
    health = health_of(live, kind.status)
    starts = sorted(start for pod in pods if (start := get(pod, ("status", "startTime"), None)))
    since = health.since or next(iter(starts), "") or str(get(live, ("metadata", "creationTimestamp"), None) or "")
    look = look_of(pods)
    restarts += look.restarts if look is not None else 0
    message = health.message
    if health.status == SUSPENDED:
        message = _queued(known.workloads.get((key[2], key[1], key[3]))) or message
    elif health.status == HEALTHY and not health.has_ended and look is not None and look.reason and not look.has_logs:
        message = "a pod has not started"
    return Status(*identity, health.status, message, since, restarts, has_ended=health.has_ended, look=look)


def _owners(tree: Tree) -> Iterator[tuple[str, str, str]]:
    """Namespace, kind and name of the owners of an object."""
    for one in get(tree, ("metadata", "ownerReferences"), None) or ():
        yield _key(tree)[2], str(one.get("kind")), str(one.get("name"))


def _queued(workload: Tree | None) -> str:
    """Why Kueue has not admitted a workload; empty if it has, or if nothing is known of it."""
    conditions = get(workload, ("status", "conditions"), None) or ()
    waiting = {one.get("type"): str(one.get("message") or "") for one in conditions if one.get("status") == "False"}
    message = waiting.get("QuotaReserved") or waiting.get("Admitted")
    return f"waits for queue {get(workload, ('spec', 'queueName'), '')}: {message}" if message else ""


def _key(tree: Tree) -> Key:
    metadata = tree.get("metadata") or {}
    group = str(tree.get("apiVersion", "")).rpartition("/")[0]
    return group, str(tree.get("kind")), str(metadata.get("namespace") or "default"), str(metadata.get("name") or "")
