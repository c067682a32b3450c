"""A queued run whose manifest sets `suspend`."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.gitops.lint import sources
from tjgen.gitops.lint.applied import ignores_suspend
from tjgen.gitops.lint.kinds import JOB, RUNS, suspend_of
from tjgen.gitops.lint.rule import ARGOCD, ERROR, FLUX, SEEN, FieldEdit, Finding, Rule
from tjgen.gitops.lint.scene import AppliedObject, Scene
from tjgen.gitops.lint.sync import SSA, is_record, mark
from tjgen.trees.k8s.labels import KUEUE_QUEUE

RULE = Rule(
    code="TJ648",
    name="suspend-with-kueue",
    severity=ERROR,
    evidence=SEEN,
    source=f"{sources.KUEUE}/controller/jobframework/reconciler.go",
    since="0.1.0",
    title="The manifest of a queued run sets spec.suspend, or spec.runPolicy.suspend.",
    why="Kueue suspends the run until the queue has capacity, and then resumes it. The sync overwrites this with the "
    "value in Git: `false` starts the run without admission, and `true` stops it while it runs and deletes its pods.",
    remedy="Remove the field.",
    effects={
        ARGOCD: "With selfHeal, the value is written back within seconds; otherwise, at the next sync.",
        FLUX: "The value is written back at every interval, unless the object is marked `ssa: IfNotPresent`.",
    },
    upstream="Kueue `pkg/controller/jobframework`.",
)


def check(scene: Scene) -> Iterator[Finding]:
    """Yield a finding for each queued object that sets it."""
    for run in scene.of(*RUNS, JOB):
        field = suspend_of(run.kind)
        value = run.get(*field)
        if value is None or KUEUE_QUEUE not in run.labels or not writes_back(scene, run):
            continue
        outcome = "stops it while it runs" if value is True else "starts it without admission"
        message = f"Kueue decides when it is suspended, and every sync {outcome}"
        yield Finding(run, field, message, hint="remove the field", key=True, changes=(FieldEdit(run, field),))


def writes_back(scene: Scene, run: AppliedObject) -> bool:
    """Whether some tool writes the field again after it was changed in the cluster."""
    if not scene.tools:
        return True
    by_argocd = ARGOCD in scene.tools and not is_record(run, ARGOCD) and not ignores_suspend(scene, run)
    by_flux = FLUX in scene.tools and not is_record(run, FLUX) and mark(run, SSA) != "ifnotpresent"
    return by_argocd or by_flux
