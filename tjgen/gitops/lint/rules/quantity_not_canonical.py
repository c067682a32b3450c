"""A TrainJob with a quantity that its webhooks rewrite."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster.releases import RUNTIME_PATCHES
from tjgen.cluster.validate.wording import quote, shown
from tjgen.gitops.lint import sources
from tjgen.gitops.lint.kinds import TRAINJOB
from tjgen.gitops.lint.rule import ARGOCD, ERROR, FLUX, SOURCE, FieldEdit, Finding, Rule
from tjgen.gitops.lint.scene import Scene
from tjgen.gitops.lint.sync import is_record
from tjgen.trees.manifests.canonical_quantities import noncanonical

RULE = Rule(
    code="TJ668",
    name="quantity-not-canonical",
    severity=ERROR,
    evidence=SOURCE,
    source=f"{sources.CONTROLLER_RUNTIME}/pkg/webhook/admission/defaulter_custom.go",
    since="0.1.0",
    release="Trainer 2.2",
    title="A TrainJob has a quantity that is not in canonical form.",
    why="A mutating webhook that changes any field of a TrainJob writes the whole object in canonical form: `cpu: 1` becomes "
    '`"1"`, `1000m` becomes `"1"`, `1024Mi` becomes `1Gi`. The webhook of Kueue 0.19 does so for every TrainJob that is '
    "created, and the webhook of Trainer does so when `runtimePatches` are added or changed. Trainer compares "
    "`spec.trainer` as text, so the next sync of the unchanged manifest is rejected with `field is immutable`.",
    remedy="Write the quantity in canonical form. `tjgen lint --fix` does it. A run that the cluster has already rewritten "
    "accepts the corrected manifest.",
    effects={
        ARGOCD: "Each later sync of the object is SyncFailed, also with ServerSideApply.",
        FLUX: "The dry run fails, so no object of the Kustomization is applied.",
    },
    upstream="controller-runtime 0.24 `pkg/webhook/admission/defaulter_custom.go:Handle`; Trainer 2.3 "
    "`pkg/webhooks/trainjob_webhook.go`; Kueue 0.19 `pkg/controller/jobs/trainjob`.",
)


def check(scene: Scene) -> Iterator[Finding]:
    """A finding for each quantity."""
    if scene.release.overrides != RUNTIME_PATCHES:
        return
    for run in scene.of(TRAINJOB):
        if scene.leaves(run, is_record):
            continue
        for path, value, text in noncanonical(run.get("spec")):
            place = ("spec", *path)
            message = (
                f"the API server stores {quote(text)} instead of {shown(value)}, and a later sync of {shown(value)} is rejected"
            )
            hint = f"write {quote(text)}"
            yield Finding(run, place, message, hint=hint, changes=(FieldEdit(run, place, text),))
