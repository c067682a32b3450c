"""Initializers of a run that no Trainer starts -> init containers of its pods, where each of them may fetch for itself.

Under Trainer an initializer is a job that the others wait for. Without one nothing waits, and pods of a gang that waited would
keep the gang from ever being whole. What is left are containers before the others: right where the run has one pod, or
the volume is each pod's own, and wrong where several pods would write to one folder.
"""

from __future__ import annotations

from collections.abc import Sequence

from tjgen.compiler.targets.extra_objects import owners_below
from tjgen.trees.fields.managed import Managed, Origin
from tjgen.trees.fields.path import FieldPath, Tree, get, named
from tjgen.trees.fields.writer import Writer
from tjgen.trees.workload.keys import LIST_KEYS
from tjgen.trees.workload.workload import PodSet, Workload

VOLUME = "initializer"
_OWN = ("emptyDir", "ephemeral")
_URI = "STORAGE_URI"
_RULE = Origin("target", "tjgen")


def initializers(workload: Workload) -> list[PodSet]:
    """The pod sets that fetch, in their order."""
    return [podset for podset in workload.podsets if podset.is_initializer]


def is_of_each_pod(workload: Workload) -> bool:
    """Whether every pod may fetch for itself."""
    members = [podset for podset in workload.podsets if not podset.is_initializer]
    if sum(workload.tree.value["counts"].get(podset.name, 1) for podset in members) == 1:
        return True
    volumes = [get(workload.tree.value, (*podset.pod, "volumes", named(VOLUME)), None) or {} for podset in members]
    return all(any(kind in volume for kind in _OWN) for volume in volumes)


def into(writer: Writer, workload: Workload, pod: FieldPath, fetchers: Sequence[PodSet]) -> None:
    """Write the containers that fetch, those of `initializers`, before those that the pod at `pod` has already."""
    fetching = [_container(workload, podset) for podset in fetchers]
    if not fetching:
        return
    later = writer.get((*pod, "initContainers"), None) or []
    known = writer.done()
    owners = (
        {below: origins for below, origins in owners_below(known, (*pod, "initContainers")).items() if below} if later else {}
    )
    for one in fetching:
        key = named(one.value["name"])
        owners.update({(key, *below): origins for below, origins in one.owners.items()})
    writer.graft((*pod, "initContainers"), [*(one.value for one in fetching), *later], {(): (_RULE,), **owners})


def _container(workload: Workload, podset: PodSet) -> Managed:
    """The container of an initializer with what Trainer's controller would give it (v2.3.0 plugins/jobset, `Initializer`)."""
    value = get(workload.tree.value, podset.main)
    writer = Writer(Managed(value, owners_below(workload.tree, podset.main)), keys=LIST_KEYS)
    field: FieldPath = ("initializer", podset.ancestor.partition("-")[0])
    initializer: Tree = get(workload.tree.value, field, None) or {}
    if "storageUri" in initializer:
        uri = {"name": _URI, "value": initializer["storageUri"]}
        writer.put(("env", named(_URI)), uri, workload.tree.origins((*field, "storageUri"))[0]._replace(mirrors=False))
    for variable in initializer.get("env") or ():
        path: FieldPath = ("env", named(variable["name"]))
        writer.put(path, variable, workload.tree.origins((*field, *path))[0])
    if "secretRef" in initializer:
        sources = [*writer.get(("envFrom",), []), {"secretRef": initializer["secretRef"]}]
        writer.put(("envFrom",), sources, workload.tree.origins((*field, "secretRef"))[0])
    return writer.done()
