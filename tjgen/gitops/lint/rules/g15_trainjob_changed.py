"""G15: a field of a TrainJob that may not change has changed."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.gitops.lint.kinds import TRAINJOB
from tjgen.gitops.lint.refusals import refused
from tjgen.gitops.lint.rule import ERROR, SEEN, Finding, Rule
from tjgen.gitops.lint.scene import Scene

RULE = Rule(
    code="TJ615",
    name="trainjob-changed",
    severity=ERROR,
    evidence=SEEN,
    title="A field of a TrainJob that is immutable has changed under the same name.",
    why="The server refuses the update, as long as the TrainJob is in the cluster, and everything behind it in the sync waits.",
    remedy="Give the changed run another name, and keep or remove the old one. tjgen names runs by what they are.",
    argocd="The object is SyncFailed; after five retries nothing happens until the next commit. Later waves are not applied.",
    flux="The dry run fails, so nothing of the whole Kustomization is applied, and it is tried again for ever.",
    upstream="Trainer 2.3 `pkg/apis/trainer/v1alpha1/trainjob_types.go` (CEL `self == oldSelf`).",
    tools=(),
    against=True,
)


def check(scene: Scene) -> Iterator[Finding]:
    """A finding for each field that is refused, but for patches of the runtime (TJ617)."""
    for pair in scene.pairs(TRAINJOB):
        for refusal in refused(scene, pair):
            if refusal.path[:2] != ("spec", "runtimePatches"):
                yield Finding(pair.new, refusal.path, refusal.words, hint="give the run another name")
