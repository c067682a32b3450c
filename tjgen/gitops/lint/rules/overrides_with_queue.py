"""A queued TrainJob of Trainer 2.1 with overrides of its own, which Kueue rewrites."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster.releases import POD_TEMPLATE_OVERRIDES
from tjgen.gitops.lint import sources
from tjgen.gitops.lint.kinds import TRAINJOB
from tjgen.gitops.lint.rule import ARGOCD, ERROR, FLUX, SEEN, Finding, Rule
from tjgen.gitops.lint.scene import Scene
from tjgen.gitops.lint.sync import is_record
from tjgen.trees.k8s.labels import KUEUE_QUEUE

RULE = Rule(
    code="TJ690",
    name="overrides-with-queue",
    severity=ERROR,
    evidence=SEEN,
    source=f"{sources.TRAINER_21}/runtime/framework/plugins/jobset/jobset.go",
    since="0.1.0",
    release="Trainer 2.1",
    title="A queued TrainJob of Trainer 2.1 has podTemplateOverrides.",
    why="In Trainer 2.1, `podTemplateOverrides` is one atomic value. Kueue 0.15 and 0.16 add an entry when they admit the run, "
    "so every later sync changes the value back. Trainer rejects this while the run is not suspended, even after it has ended. A "
    "server-side apply does not help.",
    remedy="Write the overrides into a TrainingRuntime of the run, and refer to it in `spec.runtimeRef`. For the "
    "fields of an experiment, a build for Trainer 2.1 does this.",
    effects={
        ARGOCD: "The first sync succeeds, and every later one fails.",
        FLUX: "Every later dry run fails, so no object of the Kustomization is applied.",
    },
    upstream="Trainer 2.1 `pkg/runtime/framework/plugins/jobset`; Kueue 0.15 `pkg/controller/jobs/trainjob`.",
)


def check(scene: Scene) -> Iterator[Finding]:
    """A finding for each queued TrainJob, at its overrides."""
    if scene.release.overrides != POD_TEMPLATE_OVERRIDES:
        return
    for run in scene.of(TRAINJOB):
        queued = KUEUE_QUEUE in run.labels
        if queued and run.get("spec", POD_TEMPLATE_OVERRIDES) and not scene.leaves(run, is_record):
            message = "Kueue adds an entry to these, and Trainer rejects every sync that removes it"
            hint = "write the overrides into a TrainingRuntime, and refer to it in spec.runtimeRef"
            yield Finding(run, ("spec", POD_TEMPLATE_OVERRIDES), message, hint=hint, key=True)
