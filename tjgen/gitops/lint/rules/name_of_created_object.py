"""An object with the name of one that a controller makes."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster.trainer.objects import SNAPSHOT_SUFFIX
from tjgen.cluster.trainer.warnings.clashes import ClashingRun, clashes
from tjgen.gitops.lint import sources
from tjgen.gitops.lint.kinds import TRAINJOB
from tjgen.gitops.lint.rule import ARGOCD, ERROR, FLUX, SEEN, Finding, RelatedPlace, Rule
from tjgen.gitops.lint.scene import AppliedObject, Scene

RULE = Rule(
    code="TJ656",
    name="name-of-created-object",
    severity=ERROR,
    evidence=SEEN,
    source=f"{sources.JOBSET}/controllers/jobset_controller.go",
    since="0.1.0",
    title="An object in Git has the name of an object that a controller creates for a run.",
    why="A controller does not adopt the object, and no status reports it. A JobSet is treated as the run's own. A "
    "ConfigMap with the name of the snapshot keeps the run from starting. A Service leaves the pods without host names."
    " A PodGroup keeps its own minMember.",
    remedy="Rename one of them.",
    effects={
        ARGOCD: "Synced and healthy in all cases.",
        FLUX: "Applied and ready in all cases.",
    },
    upstream="Trainer 2.3 `pkg/runtime/core` (snapshot), JobSet 0.12 `pkg/controllers/jobset_controller.go`.",
)


def check(scene: Scene) -> Iterator[Finding]:
    """A finding for each object that is in the way of a run, and for each run that is in the way of another."""
    trainjobs = scene.of(TRAINJOB)
    if not trainjobs:
        return
    items = {id(item.tree): item for item in scene.items}
    by_name = {item.name: item for item in trainjobs}
    runs = [scene.clashing_run(run) or ClashingRun(run.tree, list(_created_trees(scene, run))) for run in trainjobs]
    for tree, clash in clashes(runs, [item.tree for item in scene.items]):
        item = items[id(tree)]
        run = next((run for name, run in by_name.items() if f"TrainJob {name}" in clash.message and run is not item), None)
        related = (RelatedPlace(run, ("metadata", "name"), "the run"),) if run is not None else ()
        message = clash.message.replace(f"{item.kind[1]} {item.name} has", "it has", 1)
        yield Finding(item, ("metadata", "name"), message, hint=clash.hint or "use another name", related=related)


def _created_trees(scene: Scene, run: AppliedObject) -> Iterator[dict[str, object]]:
    """The objects that are created for every run."""
    metadata = {"namespace": run.namespace, "name": run.name}
    yield {"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet", "metadata": metadata}
    if scene.release.keeps_snapshot:
        yield {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {**metadata, "name": f"{run.name}{SNAPSHOT_SUFFIX}"}}
