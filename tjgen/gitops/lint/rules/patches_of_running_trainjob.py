"""RuntimePatches of a TrainJob that is not suspended have changed."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.gitops.diff.fields import changed
from tjgen.gitops.lint import sources
from tjgen.gitops.lint.kinds import TRAINJOB
from tjgen.gitops.lint.refusals import refused
from tjgen.gitops.lint.rule import ARGOCD, ERROR, FLUX, SEEN, Finding, Rule
from tjgen.gitops.lint.scene import ItemPair, Scene
from tjgen.gitops.lint.sync import is_record

RULE = Rule(
    code="TJ617",
    name="patches-of-running-trainjob",
    severity=ERROR,
    evidence=SEEN,
    source=f"{sources.TRAINER}/webhooks/trainjob_webhook.go",
    since="0.1.0",
    title="`runtimePatches` of a TrainJob that is not suspended have changed.",
    why="Patches can change only while the TrainJob is suspended, before or after the update, and none of its Jobs is "
    "active. The webhook responds with Forbidden, which no force option overrides.",
    remedy="Give the changed run another name.",
    effects={
        ARGOCD: "The object is SyncFailed; after five retries, Argo CD waits for the next commit. Later waves are not "
        "applied. `Force=true` does nothing about a 403.",
        FLUX: "The dry run fails, so no object of the Kustomization is applied, and the tool retries indefinitely. `force` "
        "does not change a 403.",
    },
    upstream="Trainer 2.3 `pkg/webhooks/trainjob_webhook.go`.",
    tools=(),
    against=True,
)
_HINT = "give the run another name"


def check(scene: Scene) -> Iterator[Finding]:
    """A finding for each field of the patches; where it is suspended, for what is refused even so."""
    for pair in scene.pairs(TRAINJOB):
        if scene.leaves(pair.new, is_record):
            continue
        field = scene.release.overrides
        if _is_suspended(scene, pair):
            for refusal in refused(scene, pair):
                if refusal.path[:2] == ("spec", field):
                    yield Finding(pair.new, refusal.path, refusal.words, hint=_HINT)
            continue
        for one in changed(pair.old.get("spec", field), pair.new.get("spec", field), ("spec", field)):
            yield Finding(pair.new, one.path, "it has changed while the run is not suspended, so Trainer rejects it", hint=_HINT)


def _is_suspended(scene: Scene, pair: ItemPair) -> bool:
    """Whether patches may change: before or after the update, up to 2.2 only after it."""
    after = pair.new.get("spec", "suspend") is True
    return after or (scene.release.patches_may_change_on_resume and pair.old.get("spec", "suspend") is True)
