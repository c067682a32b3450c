"""Workload -> an error for each setting that a Volcano Job has no field for."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster.trainer.job import TORCHTUNE
from tjgen.compiler.targets import elastic, fetching, volcano_elastic
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import FieldPath, get
from tjgen.trees.k8s.labels import KUEUE_POD_SET
from tjgen.trees.workload.workload import Workload, is_runtimes

_CANNOT: tuple[tuple[FieldPath, str, str], ...] = (
    (
        ("run", "suspend"),
        "wait: it has no field suspend",
        "close its queue, or use state: archived. If an overlay stops several experiments, set layer: default in the overlay, "
        "and state: active in this experiment",
    ),
    (("run", "activeDeadlineSeconds"), "have a deadline", "set a time limit in the program"),
    (("schedule", "minResources"), "set the resources of its gang: they are computed from its pods", "remove minResources"),
    (("schedule", "timeoutSeconds"), "wait for its gang for a limited time", "remove timeoutSeconds: it applies to coscheduling"),
    (
        ("runtime", "template", "spec", "volumeClaimPolicies"),
        "create claims as JobSet does",
        "describe the volume under the same name with volumes.NAME.pvc.create",
    ),
)


def unsupported(workload: Workload) -> Iterator[Diagnostic]:
    """An error for each (TJ414), and for what an elastic run cannot have."""
    for path, what, hint in _CANNOT:
        if get(workload.tree.value, path, None):
            yield _cannot(workload, path, what, hint)
    if elastic.bounds(workload) is not None:
        yield from volcano_elastic.unsupported(workload)
    system = get(workload.tree.value, ("schedule", "system"), None)
    if system not in (None, "volcano"):
        hint = "use system: volcano, or another target"
        yield _cannot(workload, ("schedule", "system"), f"be scheduled by {system}: its pods are a gang of Volcano", hint)
    for podset in workload.podsets:
        named: FieldPath = (*podset.pod, "schedulerName")
        scheduler = get(workload.tree.value, named, None)
        if scheduler not in (None, "volcano") and not all(is_runtimes(one) for one in workload.tree.origins(named)):
            what = f"use the scheduler {scheduler}: its pods are a gang of Volcano"
            yield _cannot(workload, named, what, "remove schedulerName")
        if podset.is_initializer and not fetching.is_of_each_pod(workload):
            hint = "fetch it with prefetch, or make initializer.volume an emptyDir or ephemeral, which each pod fills"
            what = f"run a {podset.name} before its tasks: the gang would wait for pods that wait for it"
            field: FieldPath = ("initializer", podset.ancestor.partition("-")[0])
            is_requested = get(workload.tree.value, field, None) is not None
            yield _cannot(workload, field if is_requested else podset.path, what, hint)
        if podset.is_initializer:
            continue
        if (get(workload.tree.value, (*podset.main, "command"), None) or [])[:2] == TORCHTUNE:
            hint = "write the whole command, with recipe and configuration, or use target: jobset"
            yield _cannot(workload, (*podset.main, "command"), "choose recipes of torchtune as Trainer does", hint)
        annotations: FieldPath = (*podset.pod_metadata, "annotations")
        for key in get(workload.tree.value, annotations, None) or {}:
            if key.startswith(f"{KUEUE_POD_SET}-"):
                hint = "use schedule.networkTopology"
                yield _cannot(workload, (*annotations, key), "be placed by Kueue, which does not support the kind", hint)
        for kind in ("labels", "annotations"):
            at: FieldPath = (*podset.path, "template", "metadata", kind)
            for key in get(workload.tree.value, at, None) or {}:
                origins = workload.tree.origins((*at, key))
                if not all(is_runtimes(origin) for origin in origins):
                    hint = "remove it, or use target: jobset"
                    yield _cannot(workload, (*at, key), f"set {key}: its roles have no Jobs of their own", hint)


def _cannot(workload: Workload, path: FieldPath, what: str, hint: str) -> Diagnostic:
    origins = workload.tree.origins(path)
    because = next((one.because for one in origins if one.source == "experiment"), ("spec", "runtime"))
    return Diagnostic("TJ414", f"a Volcano Job cannot {what}", path=because, hint=hint)
