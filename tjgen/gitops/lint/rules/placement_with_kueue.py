"""A queued job whose manifest sets where its pods go, and that the tool applies again."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster.kinds.table import replica_field
from tjgen.gitops.lint import sources
from tjgen.gitops.lint.kinds import JOBSET, OPERATOR_JOBS
from tjgen.gitops.lint.rule import ARGOCD, FLUX, SEEN, WARNING, Finding, Rule
from tjgen.gitops.lint.scene import AppliedObject, Scene
from tjgen.gitops.lint.sync import SSA, is_record, mark
from tjgen.trees.fields.path import FieldPath, get
from tjgen.trees.k8s.labels import KUEUE_QUEUE
from tjgen.trees.typing import Any

RULE = Rule(
    code="TJ651",
    name="placement-with-kueue",
    severity=WARNING,
    evidence=SEEN,
    source=f"{sources.KUEUE}/podset/podset.go",
    since="0.1.0",
    title="A queued JobSet, or a queued job of an operator, in Git has tolerations or a nodeSelector.",
    why="Kueue writes the node selectors and tolerations of the chosen flavor into the pod templates when it starts the job. "
    "JobSet rejects every sync that changes them, from the start of the run, even after its end. The operators "
    "accept it and lose Kueue's placement: a recreated pod can leave the nodes of its flavor.",
    remedy="Leave placement to the flavors. With Flux, you can mark the job `ssa: IfNotPresent` instead: it is applied once.",
    effects={
        ARGOCD: "JobSet: each sync is rejected once the JobSet has started. Other jobs: a later sync removes Kueue's placement.",
        FLUX: "JobSet: the dry run is rejected, which stops the whole Kustomization. Other jobs: as with Argo CD.",
    },
    upstream="Kueue 0.15 and 0.19 `pkg/podset`; JobSet 0.12 `ValidateUpdate`; Training Operator 1.9.3.",
)
_POD: FieldPath = ("template", "spec", "template", "spec")


def check(scene: Scene) -> Iterator[Finding]:
    """A finding for each field of each pod template."""
    for item in scene.of(JOBSET, *OPERATOR_JOBS):
        flux_only = scene.tools == {FLUX} and mark(item, SSA) == "ifnotpresent"
        if KUEUE_QUEUE not in item.labels or flux_only or scene.leaves(item, is_record):
            continue
        for path, pod in _pods(item):
            for field in ("tolerations", "nodeSelector"):
                if get(pod, (field,), None):
                    message = f"Kueue writes its own {field} here when it starts the {item.kind[1]}"
                    yield Finding(item, (*path, field), message, hint="leave placement to Kueue's flavors", key=True)


def _pods(item: AppliedObject) -> Iterator[tuple[FieldPath, Any]]:
    """The pod specs in the manifest, with their paths."""
    if item.kind == JOBSET:
        for path, job in item.maps("spec", "replicatedJobs"):
            yield (*path, *_POD), get(job, _POD, None)
        return
    types: FieldPath = ("spec", replica_field(item.kind[1]))
    for name in get(item.tree, types, None) or {}:
        path = (*types, name, "template", "spec")
        yield path, get(item.tree, path, None)
