"""A run or a claim that every sync deletes and creates again."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.gitops.lint import sources
from tjgen.gitops.lint.kinds import CLAIM, RUNS
from tjgen.gitops.lint.order import options_of
from tjgen.gitops.lint.rule import ARGOCD, ERROR, MISSING, SEEN, FieldEdit, Finding, Rule
from tjgen.gitops.lint.scene import Scene
from tjgen.gitops.lint.sync import OPTIONS, annotation, has_option, is_record, with_options

RULE = Rule(
    code="TJ625",
    name="replaced-at-every-sync",
    severity=ERROR,
    evidence=SEEN,
    source=f"{sources.ARGOCD_ISSUES}/22952",
    since="0.1.0",
    title="A run or a claim has the sync options Force=true and Replace=true.",
    why="Together they delete and recreate the object at every full sync, whether or not it has changed.",
    remedy="Remove both: a changed run gets another name. `ApplyOutOfSyncOnly=true` of the Application limits this to "
    "changed objects: then only an in-place change is reported, for example of a label.",
    effects={
        ARGOCD: "Each sync stops the run and starts it again. The data of a claim is lost.",
    },
    upstream="argo-cd `gitops-engine/pkg/sync/sync_context.go`; issue 22952.",
    tools=(ARGOCD,),
)

_BOTH = ("Force=true", "Replace=true")


def check(scene: Scene) -> Iterator[Finding]:
    """A finding for each object, at its options. If only changed objects are applied, for each that has changed."""
    for item in scene.of(*RUNS, CLAIM):
        if not has_option(item, "Force=true"):
            continue
        of_application = options_of(scene, item)
        if not has_option(item, "Replace=true") and "Replace=true" not in of_application:
            continue
        message = "Force=true and Replace=true delete and recreate it at every full sync"
        if "ApplyOutOfSyncOnly=true" in of_application:
            old = scene.find_before(item)
            if old is None or old.tree == item.tree or is_record(item, ARGOCD):
                continue
            message = "it has changed, and Force=true and Replace=true delete and recreate it"
        rest = with_options(item, remove=_BOTH)
        change = FieldEdit(item, annotation(OPTIONS), rest or MISSING)
        yield Finding(item, annotation(OPTIONS), message, hint="remove both", changes=(change,))
