"""Pod sets -> the JobSet: what plugins changed copied back, initializers, the trainer's fields, pod labels.

Upstream: pkg/runtime/framework/plugins/jobset, `SyncParallelCount`, `Build` and builder.go, v2.3.0.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tjgen.fields.managed import Origin
from tjgen.fields.path import FieldPath, Tree
from tjgen.trainer.info import DATASET_INITIALIZER, MODEL_INITIALIZER, NODE, TRAINER, Container, Info, PodSet
from tjgen.trainer.job import Job
from tjgen.trainer.objects import Made, made
from tjgen.trainer.plugins.mpi import runs_launcher_as_node
from tjgen.trainer.ports import settled

MANAGER = "trainer:jobset"
_RULE = (Origin(MANAGER, "tjgen"),)
_INITIALIZERS = {DATASET_INITIALIZER: "dataset", MODEL_INITIALIZER: "model"}
_STORAGE_URI = "STORAGE_URI"


def build(info: Info, job: Job) -> Iterator[Made]:
    """The JobSet."""
    for container in info.all_containers():
        _copy_back(container)
    for podset in info.podsets:
        _initializer(podset, job)
        _trainer(podset, info, job)
    jobs = [_job(podset, info) for podset in info.podsets]
    spec: dict[str, Tree] = {**info.spec, "suspend": job.suspend}
    if jobs:
        _sync_parallel_count(jobs, info)
        spec["replicatedJobs"] = jobs
    info.owners[("spec", "suspend")] = (job.origin_of(MANAGER, ("spec", "suspend"), job.suspend),)
    made_ = made(job, "jobset.x-k8s.io/v1alpha2", "JobSet", "", {"spec": spec}, info.owners)
    for field, values in (("labels", info.labels), ("annotations", info.annotations)):
        if values:
            made_.tree["metadata"][field] = values
    yield made_


def _copy_back(container: Container) -> None:
    # The lists that plugins wrote are upserted into the template's, which shows where keys repeat:
    # the first of the equal ones takes the last one's value.
    if container.is_irregular:
        container.env = _first_like_last(container.variables, "name")
        mounts = container.tree.get("volumeMounts", []) if container.mounts is None else container.mounts
        container.mounts = _first_like_last(mounts, "mountPath")
    if container.added_ports or container.is_irregular:
        before = container.tree.get("ports", [])
        after = settled(before, container.added_ports)
        if after != before:
            container.changes["ports"] = after
            _own_ports(container, before, after)


def _own_ports(container: Container, before: list[Any], after: list[Any]) -> None:
    # An element that is no longer what the runtime has in its place says so.
    path = (*container.path, "ports")
    numbers = [port["containerPort"] for port in after]
    for position, port in enumerate(after):
        moved = position >= len(before) or before[position] != port
        if numbers.count(port["containerPort"]) > 1:
            container.info.owners[(*path, position)] = _RULE
        elif moved and (*path, (("containerPort", port["containerPort"]),)) not in container.info.owners:
            container.info.owners[(*path, (("containerPort", port["containerPort"]),))] = _RULE


def _first_like_last(items: list[Any], key: str) -> list[Any]:
    last = {item.get(key): item for item in items}
    seen: set[Any] = set()
    result = []
    for item in items:
        name = item.get(key)
        result.append(item if name in seen else last[name])
        seen.add(name)
    return result


def _initializer(podset: PodSet, job: Job) -> None:
    kind = _INITIALIZERS.get(podset.ancestor or "")
    if kind is None:
        return
    asked = job.spec.get("initializer", {}).get(kind)
    if asked is None:
        return
    path: FieldPath = ("spec", "initializer", kind)
    for container in podset.containers:
        if container.name != podset.ancestor:
            continue
        if "storageUri" in asked:
            variable = {"name": _STORAGE_URI, "value": asked["storageUri"]}
            container.upsert_env([variable], [Origin(MANAGER, "trainjob", (*path, "storageUri"))])
        env = job.variables(asked.get("env", ()))
        container.upsert_env(env, job.env_origins(MANAGER, (*path, "env"), env))
        if "secretRef" in asked:
            sources = container.tree.get("envFrom", [])
            reference = {"secretRef": {"name": asked["secretRef"].get("name", "")}}
            container.changes["envFrom"] = [*sources, reference]
            container.info.owners[(*container.path, "envFrom", len(sources))] = (
                Origin(MANAGER, "trainjob", (*path, "secretRef")),
            )


def _trainer(podset: PodSet, info: Info, job: Job) -> None:
    if job.trainer is None:
        return
    policy = info.policy("mpi")
    is_mpi_node = policy is not None and podset.name == NODE and runs_launcher_as_node(policy)
    is_trainer = podset.ancestor == TRAINER
    if not is_trainer and not is_mpi_node:
        return
    for container in podset.containers:
        if container.name != NODE:
            continue
        if is_trainer:
            if "image" in job.trainer:
                container.change("image", job.trainer["image"], job.origin(MANAGER, "spec", "trainer", "image"))
            if job.command is not None:
                container.change("command", job.command, job.command_origin)
            if job.args is not None:
                container.change("args", job.args, job.args_origin)
        # The TrainJob's variables come last, so they win over everything that plugins set.
        if job.env:
            container.upsert_env(job.env, job.env_origins(MANAGER))


def _job(podset: PodSet, info: Info) -> dict[str, Tree]:
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
    volumes = pod_spec.get("volumes", []) if podset.volumes is None else podset.volumes
    if volumes:
        pod_spec["volumes"] = _first_like_last(volumes, "name")
    metadata = pod["metadata"]
    for field, values in (("labels", info.pod_labels), ("annotations", info.pod_annotations)):
        if values:
            metadata = {**metadata, field: {**metadata.get(field, {}), **values}}
            _own_all(info, (*shape.path, "template", "spec", "template", "metadata", field), values)
    spec = {**template["spec"], "template": {**pod, "metadata": metadata, "spec": pod_spec}}
    job = {**tree, "template": {**template, "spec": spec}}
    if podset.ancestor == TRAINER or podset.ancestor in _INITIALIZERS:
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


def _sync_parallel_count(jobs: list[Any], info: Info) -> None:
    # By name: of two jobs with one name only the first is written, with the last one's count.
    for podset in info.podsets:
        for position, job in enumerate(jobs):
            if job["name"] == podset.name:
                spec = {**job["template"]["spec"], "parallelism": podset.count, "completions": podset.count}
                jobs[position] = {**job, "template": {**job["template"], "spec": spec}}
                for field in ("parallelism", "completions"):
                    info.owners[(*info.podsets[position].shape.path, "template", "spec", field)] = (podset.count_origin,)
                break
