"""A run that is suspended in Git, and is to be resumed by hand."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.gitops.lint import sources
from tjgen.gitops.lint.kinds import RUNS, suspend_of
from tjgen.gitops.lint.rule import ARGOCD, FLUX, SEEN, WARNING, Finding, Rule
from tjgen.gitops.lint.rules.suspend_with_kueue import writes_back
from tjgen.gitops.lint.scene import Scene
from tjgen.trees.k8s.labels import KUEUE_QUEUE

RULE = Rule(
    code="TJ649",
    name="suspend-as-gate",
    severity=WARNING,
    evidence=SEEN,
    source=f"{sources.ARGOCD_GUIDE}/diffing/",
    since="0.1.0",
    title="A run is suspended in Git.",
    why="The tool reverts a run that a user resumes in the cluster: it writes `true` back, and the pods of the run are deleted.",
    remedy="Resume it with a commit. To resume it manually, configure the tool to ignore the field.",
    effects={
        ARGOCD: "Needs `ignoreDifferences` for `/spec/suspend` (`/spec/runPolicy/suspend` of a PyTorchJob), and "
        "`RespectIgnoreDifferences=true`, without which a sync overwrites the field.",
        FLUX: "Needs `spec.ignore` of the Kustomization (1.9 and later), or the mark `ssa: IfNotPresent`.",
    },
    upstream="argo-cd documentation, diffing and sync options; fluxcd/kustomize-controller 1.9 `spec.ignore`.",
)


def check(scene: Scene) -> Iterator[Finding]:
    """A finding for each run that is suspended and not queued, and written by hand: an experiment is resumed by its `state`."""
    for run in scene.of(*RUNS):
        field = suspend_of(run.kind)
        if (
            run.document is not None
            and run.get(*field) is True
            and KUEUE_QUEUE not in run.labels
            and scene.tools
            and writes_back(scene, run)
        ):
            message = "the next sync suspends it again if you resume it in the cluster, and deletes its pods"
            yield Finding(
                run, field, message, hint="resume it with a commit, or configure the tool to ignore the field", key=True
            )
