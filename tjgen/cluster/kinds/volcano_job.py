"""Volcano's Job and PodGroup."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster.kinds.protocol import BY_RUNTIME, MANAGED, METADATA, Kind, Phases, Pods, RunFacts, takes_effect
from tjgen.trees.fields.path import FieldPath, Tree, get, named

TARGET = "volcanojob"
TASKS: FieldPath = ("spec", "tasks")
SIZE: tuple[FieldPath, ...] = (("spec", "minAvailable"), ("spec", "priorityClassName"))
TASK_SIZE = ("replicas", "minAvailable")
"""The fields of a Job, and of each of its tasks, that its webhook lets an update change."""


def _pods(tree: Tree) -> Iterator[Pods]:
    for position, task in enumerate(get(tree, ("spec", "tasks"), None) or []):
        # The webhook names a task that has no name.
        step = named(task["name"]) if "name" in task else position
        name = task.get("name", f"default{position}")
        yield Pods(name, int(task.get("replicas", 0)), ("spec", "tasks", step, "template"), task["template"])


VOLCANO_JOB = Kind(
    api_version="batch.volcano.sh/v1alpha1",
    name="Job",
    plural="jobs",
    changeable=METADATA,
    effect=takes_effect,
    access=MANAGED,
    status=Phases(
        "Completed",
        ("Failed", "Aborted", "Terminated"),
        parent="state",
        waiting=("Pending",),
        starting=("Restarting",),
        restarts="retryCount",
    ),
    run=RunFacts(
        target=TARGET,
        needs="",
        starter="Volcano, with its own PodGroup",
        page="[Volcano Jobs](../how-to/volcano.md)",
        framework="",
        processes=BY_RUNTIME,
        finds_container_by_name=False,
        scheduler="volcano",
        is_preview=False,
        job_owner="",
        pods=_pods,
        replicas="",
        pod_label="volcano.sh/job-name",
    ),
    controller="volcano",
)
POD_GROUP = Kind(
    api_version="scheduling.volcano.sh/v1beta1",
    name="PodGroup",
    plural="podgroups",
    changeable=None,
    effect=takes_effect,
    access=MANAGED,
    status=Phases("Completed", (), parent=""),
    run=None,
    controller="",
)
