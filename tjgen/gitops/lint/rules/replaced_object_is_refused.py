"""An object that cannot be replaced, with the option to replace it."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.gitops.lint import sources
from tjgen.gitops.lint.kinds import APPLICATION, CLAIM, JOB, JOBSET
from tjgen.gitops.lint.order import application_of, options_of
from tjgen.gitops.lint.rule import ARGOCD, ERROR, MISSING, SEEN, FieldEdit, Finding, Rule
from tjgen.gitops.lint.scene import Scene
from tjgen.gitops.lint.sync import OPTIONS, annotation, has_option, with_options

RULE = Rule(
    code="TJ626",
    name="replaced-object-is-refused",
    severity=ERROR,
    evidence=SEEN,
    source=f"{sources.ARGOCD_SYNC}/sync_context.go",
    since="0.1.0",
    title="A claim, a Job or a JobSet has the sync option Replace=true.",
    why="The object in the cluster has fields that the server and its webhooks filled in: the volume, the selector, "
    "defaults in lists. The replacement does not have them, so the server rejects it, even without a change.",
    remedy="Remove the option; `ServerSideApply=true` applies objects that are too large for an annotation.",
    effects={
        ARGOCD: "The first sync succeeds; every later one fails.",
    },
    upstream="argo-cd `gitops-engine/pkg/sync/sync_context.go`; Kubernetes `pkg/apis/batch/validation`, "
    "`pkg/apis/core/validation`.",
    tools=(ARGOCD,),
)


def check(scene: Scene) -> Iterator[Finding]:
    """A finding for each object, at its options or those of its Application. With Force it is deleted first (TJ625)."""
    reported: set[int] = set()
    for item in scene.of(CLAIM, JOB, JOBSET):
        if has_option(item, "Force=true") or has_option(item, "Replace=false"):
            continue
        message = "with Replace=true, every sync after the first is rejected"
        if has_option(item, "Replace=true"):
            rest = with_options(item, remove=("Replace=true",))
            changes = (FieldEdit(item, annotation(OPTIONS), rest or MISSING),)
            yield Finding(item, annotation(OPTIONS), message, hint="remove Replace=true", changes=changes)
        elif "Replace=true" in options_of(scene, item):
            application = application_of(scene, item)
            if application is not None and application.kind == APPLICATION and id(application) not in reported:
                reported.add(id(application))
                path = ("spec", "syncPolicy", "syncOptions")
                yield Finding(application, path, f"{item}: {message}", hint="remove Replace=true", key=True)
