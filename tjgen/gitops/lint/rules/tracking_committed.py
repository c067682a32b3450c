"""Marks in Git that the tools write themselves."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster.synctools.table import TRACKING_ANNOTATIONS, TRACKING_LABELS
from tjgen.gitops.lint import sources
from tjgen.gitops.lint.rule import ARGOCD, ERROR, FLUX, SOURCE, FieldEdit, Finding, Rule
from tjgen.gitops.lint.scene import Scene

RULE = Rule(
    code="TJ643",
    name="tracking-committed",
    severity=ERROR,
    evidence=SOURCE,
    source=f"{sources.ARGOCD}/util/argo/resource_tracking.go",
    since="0.1.0",
    title="A manifest contains annotations or labels with which a tool identifies its own objects.",
    why="A copied mark assigns the object to another Application or Kustomization, which can prune it. A committed "
    "last-applied annotation is an outdated manifest from which the next changes are computed.",
    remedy="Remove them: tools write them when they apply.",
    effects={
        ARGOCD: "An object with another object's tracking-id does not count as part of the Application; the "
        "last-applied annotation breaks three-way comparison.",
        FLUX: "Owner labels of another Kustomization make it the owner: the two prune each other's objects.",
    },
    upstream="argo-cd `util/argo/resource_tracking.go`; fluxcd/pkg `ssa/manager.go` (owner labels).",
)


def check(scene: Scene) -> Iterator[Finding]:
    """A finding for each mark."""
    for item in scene.items:
        for field, keys, metadata in (
            ("annotations", TRACKING_ANNOTATIONS, item.annotations),
            ("labels", TRACKING_LABELS, item.labels),
        ):
            for key in keys:
                if key in metadata:
                    path = ("metadata", field, key)
                    message = f"{key} is written by the tool that applies it"
                    yield Finding(item, path, message, hint="remove it", key=True, changes=(FieldEdit(item, path),))
