"""A template that sets the tracking label of Argo CD on the objects created from it."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.gitops.lint import sources
from tjgen.gitops.lint.kinds import JOBSET, RUNTIMES, TRAINJOB, VOLCANO_JOB
from tjgen.gitops.lint.rule import ARGOCD, DEDUCED, WARNING, FieldEdit, Finding, Rule
from tjgen.gitops.lint.scene import Scene
from tjgen.trees.fields.path import FieldPath, Tree

RULE = Rule(
    code="TJ644",
    name="instance-label-in-template",
    severity=WARNING,
    evidence=DEDUCED,
    source=f"{sources.ARGOCD}/gitops-engine/pkg/cache/cluster.go",
    since="0.1.0",
    title="A template inside a runtime or a run has the label app.kubernetes.io/instance.",
    why="If Argo CD tracks by label, objects that a controller creates from the template appear to be part of the "
    "Application. Objects without an owner reference, such as a claim that is retained, are not in Git and are pruned.",
    remedy="Remove the label from templates, or configure Argo CD to track by annotation.",
    effects={
        ARGOCD: "With `application.resourceTrackingMethod: label` an object without owner that carries the label is pruned.",
    },
    upstream="argo-cd `gitops-engine/pkg/cache/cluster.go`, `util/argo/resource_tracking.go`.",
    tools=(ARGOCD,),
)
_KEY = "app.kubernetes.io/instance"


def check(scene: Scene) -> Iterator[Finding]:
    """A finding for each label below `spec`."""
    for item in scene.of(*RUNTIMES, JOBSET, TRAINJOB, VOLCANO_JOB):
        for path in _labelled(item.tree.get("spec"), ("spec",)):
            message = "objects created from this template appear to be part of the Application"
            yield Finding(item, path, message, hint="remove the label", key=True, changes=(FieldEdit(item, path),))


def _labelled(tree: Tree, path: FieldPath) -> Iterator[FieldPath]:
    if tree.__class__ is dict:
        for key, value in tree.items():
            if key == "labels" and value.__class__ is dict and _KEY in value:
                yield (*path, key, _KEY)
            elif value.__class__ is dict or value.__class__ is list:
                yield from _labelled(value, (*path, key))
    elif tree.__class__ is list:
        for position, value in enumerate(tree):
            yield from _labelled(value, (*path, position))
