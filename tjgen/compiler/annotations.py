"""The manifests of a run, and the tool that syncs them -> the same with the annotations that keep it from doing harm.

A runtime must exist before its runs, and as long as one of them: Trainer 2.3 rejects every
update of a TrainJob whose runtime was removed, so a foreground deletion never ends
(pkg/runtime/core `ValidateObjects`). An earlier wave gives both orders, since Argo CD prunes backwards.
A claim stays in the wave of its runs: one that waits for its first consumer would hold an earlier wave up
forever. Claims are never pruned, from the first sync on: what counts is the annotation in the cluster.
What prepares data or images, a Job, goes before the runs, and Argo CD waits until it has ended. The claims
that it mounts go with it: each of the two waits for the other.
Runs carry no force and no replace, which would delete and train them again. Unless the project sets `removal: sync`, a person
confirms in the cluster that a run is deleted: a tree that lost a run by accident then costs nothing. The runtime of a run
that Flux leaves in the cluster has the same guard.
"""

from __future__ import annotations

from collections.abc import Mapping

from tjgen.cluster.synctools.guards import guard
from tjgen.cluster.synctools.protocol import OUTLIVING, PREPARING
from tjgen.cluster.synctools.table import BY_NAME
from tjgen.language.spec.objects import GitOps
from tjgen.trees.fields.managed import Origin, Owners
from tjgen.trees.fields.path import get
from tjgen.trees.manifests.manifest import DATA, Manifest

_ORIGIN = Origin("gitops", "project", ("spec", "gitops"))
_PREPARES = ("Job", "ConfigMap")


def annotated(manifests: list[Manifest], gitops: GitOps) -> list[Manifest]:
    """The manifests for a tool (a name of `synctools.table`). What the user has annotated otherwise stays so."""
    tool = BY_NAME[gitops.tool]
    by_experiment = gitops.application_set is not None and gitops.application_set.of == "experiments"
    parts = {**tool.stages, **(tool.stages_by_experiment if by_experiment else {})}
    ahead = [one for one in manifests if one.stage == DATA and one.kind == "Job"]
    mounted = {name for job in ahead for name in _claims(job)}
    result = []
    for manifest in manifests:
        part = manifest.stage
        if part == DATA and manifest.kind != "PersistentVolumeClaim":
            part = PREPARING if ahead and manifest.kind in _PREPARES else OUTLIVING
        wanted = parts.get(part)
        if wanted is not None and part == DATA and manifest.name in mounted and PREPARING in parts:
            wanted = {tool.wave: parts[PREPARING][tool.wave], **wanted}
        own_guard = guard(tool, part, confirms=gitops.removal == "confirm")
        wanted = {**(wanted or {}), **own_guard} if own_guard else wanted
        result.append(_annotated(manifest, wanted) if wanted is not None else manifest)
    return result


def _claims(job: Manifest) -> list[str]:
    """The claims that the pods of a Job mount."""
    volumes = get(job.tree, ("spec", "template", "spec", "volumes"), None) or []
    return [name for volume in volumes if (name := get(volume, ("persistentVolumeClaim", "claimName"), None))]


def _annotated(manifest: Manifest, wanted: Mapping[str, str]) -> Manifest:
    metadata = manifest.tree["metadata"]
    annotations = get(metadata, ("annotations",), None) or {}
    missing = {key: value for key, value in wanted.items() if key not in annotations}
    owners: Owners = {("metadata", "annotations", key): (_ORIGIN,) for key in missing}
    tree = {**manifest.tree, "metadata": {**metadata, "annotations": {**annotations, **missing}}}
    return Manifest(tree, {**manifest.owners, **owners}, manifest.stage, expanded=manifest.expanded)
