"""Pod sets -> the JobSet: what plugins changed copied back, initializers, the trainer's fields, pod labels.

Upstream: pkg/runtime/framework/plugins/jobset, `SyncParallelCount`, `Build` and builder.go, v2.3.0.
"""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster.trainer.info import (
    DATASET_INITIALIZER,
    KNOWN_ANCESTORS,
    MODEL_INITIALIZER,
    NODE,
    TRAINER,
    Container,
    Info,
    PodSet,
)
from tjgen.cluster.trainer.job import DecodedTrainJob, owners_of, variables
from tjgen.cluster.trainer.objects import CreatedObject, created_object
from tjgen.cluster.trainer.plugins.mpi import runs_launcher_as_node
from tjgen.cluster.trainer.ports import settled
from tjgen.cluster.trainer.runtimes import POD_SPEC
from tjgen.trees.fields.managed import Origin
from tjgen.trees.fields.path import FieldPath, Tree, get
from tjgen.trees.manifests.leaves import selectors_of
from tjgen.trees.typing import Any

MANAGER = "trainer:jobset"
_RULE = (Origin(MANAGER, "tjgen"),)
_INITIALIZERS = {DATASET_INITIALIZER: "dataset", MODEL_INITIALIZER: "model"}
_IMAGE = Origin(MANAGER, "trainjob", ("spec", "trainer", "image"), mirrors=True)
_SUSPEND: FieldPath = ("spec", "suspend")
_STORAGE_URI = "STORAGE_URI"


def build(info: Info, job: DecodedTrainJob) -> Iterator[CreatedObject]:
    """The JobSet."""
    for podset in info.podsets:
        for container in podset.containers:
            _copy_back(container)
        if info.release.writes_init_containers:
            for container in podset.init_containers:
                _copy_back(container)
    for podset in info.podsets:
        _initializer(podset, job)
        _trainer(podset, info, job)
    spec: dict[str, Tree] = {**info.spec, "suspend": job.suspend}
    if info.podsets:
        spec["replicatedJobs"] = [_job(podset, info, counted) for podset, counted in _sync_parallel_count(info)]
    info.owners[("spec", "suspend")] = (job.origin_of(MANAGER, _SUSPEND, job.suspend),)
    jobset = created_object(job, "jobset.x-k8s.io/v1alpha2", "JobSet", "", {"spec": spec}, info.owners)
    for field, values in (("labels", info.labels), ("annotations", info.annotations)):
        if values:
            jobset.tree["metadata"][field] = values
    yield jobset


def _sync_parallel_count(info: Info) -> list[tuple[PodSet, PodSet | None]]:
    """Each pod set with the one whose count it gets.

    It goes by name: of two jobs with one name only the first is written, with the last one's count.
    """
    if not info.release.counts_by_name:
        return [(podset, _counted(podset, info)) for podset in info.podsets]
    last = {podset.name: podset for podset in info.podsets}
    return [(podset, last.pop(podset.name, None)) for podset in info.podsets]


def _counted(podset: PodSet, info: Info) -> PodSet | None:
    # Release 2.0 gives every trainer job the count of the first one.
    if info.release.counts_each_trainer or podset.ancestor != TRAINER:
        return podset
    return info.podset_of_ancestor(TRAINER)


def _copy_back(container: Container) -> None:
    # The lists that plugins wrote are upserted into the template's, which shows where keys repeat:
    # the first of the equal ones takes the last one's value.
    if container.is_irregular:
        env, mounts = container.variables, container.volume_mounts
        container.replace_env(_first_like_last(env, "name"))
        container.mounts = _first_like_last(mounts, "mountPath")
        for field, before, after in (("env", env, container.variables), ("volumeMounts", mounts, container.mounts)):
            if before != after:
                container.owners[(*container.path, field)] = _RULE
    if container.added_ports or container.is_irregular:
        before = container.tree.get("ports", [])
        after = settled(before, container.added_ports)
        if after != before:
            container.changes["ports"] = after
            if before:
                _own_ports(container, before, after)


def _own_ports(container: Container, before: list[Any], after: list[Any]) -> None:
    # An element that differs from the runtime's is recorded.
    owners = container.owners
    path = (*container.path, "ports")
    steps = selectors_of(after, "ports")
    if steps is None:
        owners[path] = _RULE
        return
    for position, (step, port) in enumerate(zip(steps, after, strict=True)):
        moved = position >= len(before) or before[position] != port
        if moved and (*path, step) not in owners:
            owners[(*path, step)] = _RULE


def _first_like_last(items: list[Any], key: str) -> list[Any]:
    last = {item.get(key): item for item in items}
    seen: set[Any] = set()
    result = []
    for item in items:
        name = item.get(key)
        result.append(item if name in seen else last[name])
        seen.add(name)
    return result


def _initializer(podset: PodSet, job: DecodedTrainJob) -> None:
    kind = _INITIALIZERS.get(podset.ancestor or "")
    if kind is None:
        return
    section = job.spec.get("initializer", {}).get(kind)
    if section is None:
        return
    path: FieldPath = ("spec", "initializer", kind)
    for container in podset.containers:
        if container.name != podset.ancestor:
            continue
        if "storageUri" in section:
            variable = {"name": _STORAGE_URI, "value": section["storageUri"]}
            container.upsert_env([variable], [(Origin(MANAGER, "trainjob", (*path, "storageUri")),)])
        if "env" in section:
            env = variables(section["env"])
            container.upsert_env(env, owners_of(get(job.tree, (*path, "env")), (*path, "env"), env))
        if "secretRef" in section:
            sources = container.tree.get("envFrom", [])
            reference = {"secretRef": {"name": section["secretRef"].get("name", "")}}
            container.changes["envFrom"] = [*sources, reference]
            container.owners[(*container.path, "envFrom", len(sources))] = (Origin(MANAGER, "trainjob", (*path, "secretRef")),)


def _trainer(podset: PodSet, info: Info, job: DecodedTrainJob) -> None:
    if job.trainer is None:
        return
    policy = info.policy("mpi")
    is_mpi_node = policy is not None and podset.name == NODE and runs_launcher_as_node(policy) and info.release.sets_up_mpi_nodes
    is_trainer = podset.ancestor == TRAINER
    if not is_trainer and not is_mpi_node:
        return
    for container in podset.containers:
        if container.name != NODE:
            continue
        if is_trainer:
            if "image" in job.trainer:
                container.change("image", job.trainer["image"], _IMAGE)
            if job.command is not None:
                container.change("command", job.command, job.command_origin)
            if job.args is not None:
                container.change("args", job.args, job.args_origin)
        if not info.release.merges_resources:
            _replace_resources(container, job)
        # The TrainJob's variables come last, so they win over everything that plugins set.
        if job.env:
            container.upsert_env(job.env, job.env_owners)


def _replace_resources(container: Container, job: DecodedTrainJob) -> None:
    # In early releases the TrainJob's requests and limits replace all those of the container.
    kept = job.resource_lists
    if kept:
        container.change("resources", kept, job.origin_of(MANAGER, ("spec", "trainer", "resourcesPerNode"), kept))


def _job(podset: PodSet, info: Info, counted: PodSet | None) -> dict[str, Tree]:
    shape = podset.shape
    tree: dict[str, Any] = shape.tree
    template = tree["template"]
    pod = template["spec"]["template"]
    pod_spec: dict[str, Tree] = {**shape.pod_spec}
    containers = [_container(container) for container in podset.containers]
    if containers:
        pod_spec["containers"] = containers
    if podset.init_containers:
        pod_spec["initContainers"] = [_container(container) for container in podset.init_containers]
    volumes: Any = shape.pod_spec.get("volumes") if podset.volumes is None else podset.volumes
    if volumes:
        pod_spec["volumes"] = _first_like_last(volumes, "name") if len(volumes) > 1 else volumes
        if pod_spec["volumes"] != volumes:
            info.owners[(*shape.path, *POD_SPEC, "volumes")] = _RULE
    metadata = pod["metadata"]
    for field, values in (("labels", info.pod_labels), ("annotations", info.pod_annotations)):
        if values:
            metadata = {**metadata, field: {**metadata.get(field, {}), **values}}
            _own_all(info, (*shape.path, "template", "spec", "template", "metadata", field), values)
    spec = {**template["spec"], "template": {**pod, "metadata": metadata, "spec": pod_spec}}
    if counted is not None:
        spec["parallelism"] = spec["completions"] = counted.count
        path = (*shape.path, "template", "spec")
        info.owners[(*path, "parallelism")] = info.owners[(*path, "completions")] = (counted.count_origin,)
    job = {**tree, "template": {**template, "spec": spec}}
    if podset.ancestor in KNOWN_ANCESTORS:
        job["replicas"] = 1
        if tree.get("replicas") != 1:
            info.owners[(*shape.path, "replicas")] = _RULE
    return job


def _own_all(info: Info, path: FieldPath, values: dict[str, str]) -> None:
    manager = "trainer:coscheduling" if path[-1] == "labels" else "trainer:volcano"
    for key in values:
        info.owners[(*path, key)] = (Origin(manager, "trainjob", ("metadata", "name"), mirrors=True),)


def _container(container: Container) -> dict[str, Tree]:
    changes = container.changes
    tree = container.tree
    if container.env is None and container.mounts is None and not changes:
        return tree
    result: dict[str, Tree] = {**tree, **changes}
    if container.env:
        result["env"] = container.env
    if container.mounts:
        result["volumeMounts"] = container.mounts
    for field in ("command", "args"):
        if field in changes and not changes[field]:
            del result[field]
    return result
