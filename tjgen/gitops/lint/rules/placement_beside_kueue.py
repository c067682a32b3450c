"""A queued JobSet whose manifest says where its pods go."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.gitops.lint import sources
from tjgen.gitops.lint.kinds import JOBSET
from tjgen.gitops.lint.rule import ARGOCD, DEDUCED, FLUX, WARNING, Finding, Rule
from tjgen.gitops.lint.scene import Scene
from tjgen.gitops.lint.sync import SSA, is_record, mark
from tjgen.trees.fields.path import FieldPath, get
from tjgen.trees.k8s.labels import KUEUE_QUEUE

RULE = Rule(
    code="TJ651",
    name="placement-beside-kueue",
    severity=WARNING,
    evidence=DEDUCED,
    source=f"{sources.KUEUE}/podset/podset.go",
    since="0.1.0",
    title="A queued JobSet in Git has tolerations or a nodeSelector.",
    why="Kueue writes node selectors and tolerations of the chosen flavor into the templates when it starts the JobSet. "
    "Tolerations are one value: a sync takes those of Kueue away, or is refused since the JobSet runs.",
    remedy="Leave placement to the flavors, mark the JobSet `ssa: IfNotPresent`, or let the tool ignore `/spec/replicatedJobs`.",
    effects={
        ARGOCD: "OutOfSync, and a sync that is refused while the JobSet is not suspended.",
        FLUX: "The dry run is refused as long as the JobSet runs.",
    },
    upstream="Kueue `pkg/podset`; JobSet 0.12 `ValidateUpdate`.",
)
_POD: FieldPath = ("template", "spec", "template", "spec")


def check(scene: Scene) -> Iterator[Finding]:
    """A finding for each field of each job."""
    for item in scene.of(JOBSET):
        flux_only = scene.tools == {FLUX} and mark(item, SSA) == "ifnotpresent"
        if KUEUE_QUEUE not in item.labels or flux_only or (scene.leaves(item, is_record)):
            continue
        for path, job in item.maps("spec", "replicatedJobs"):
            for field in ("tolerations", "nodeSelector"):
                if get(job, (*_POD, field), None):
                    message = f"Kueue writes {field} of its own here when it starts the JobSet"
                    yield Finding(item, (*path, *_POD, field), message, hint="leave placement to Kueue's flavors", key=True)
