"""An object in Git that deletes itself when it has finished."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.gitops.lint import sources
from tjgen.gitops.lint.kinds import JOB, JOBSET, OPERATOR_JOBS, VOLCANO_JOB
from tjgen.gitops.lint.rule import ARGOCD, ERROR, FLUX, SEEN, WARNING, FieldEdit, Finding, Rule
from tjgen.gitops.lint.scene import Scene
from tjgen.gitops.lint.sync import is_record, phases
from tjgen.trees.fields.path import FieldPath

RULE = Rule(
    code="TJ632",
    name="ttl-of-synced-object",
    severity=ERROR,
    evidence=SEEN,
    source=sources.TTL_CONTROLLER,
    since="0.1.0",
    title="A Job, JobSet or Volcano Job in Git has a TTL.",
    why="The controller deletes the finished object, and the tool applies it again, so the run repeats indefinitely.",
    remedy="Remove the TTL. For a TrainJob, you can set it in the JobSet template of its runtime: the TrainJob stays, and a "
    "finished one does not run again. Archive finished runs.",
    effects={
        ARGOCD: "With selfHeal, it is created again within seconds; otherwise, at the next sync.",
        FLUX: "It is created again at the next interval. `ssa: IfNotPresent` does not prevent this, because the "
        "object no longer exists.",
    },
    upstream="Kubernetes `pkg/controller/ttlafterfinished`; JobSet `pkg/controllers/ttl_after_finished.go`; Volcano "
    "`pkg/controllers/garbagecollector`; argo-cd issues 8586 and 13851.",
)
_FIELD: FieldPath = ("spec", "ttlSecondsAfterFinished")
_POLICY: FieldPath = ("spec", "runPolicy", "ttlSecondsAfterFinished")
"""Where the jobs of the Training Operator have it. What its controller does with it was not seen."""


def check(scene: Scene) -> Iterator[Finding]:
    """A finding for each TTL. Hooks are left out: what deletes itself after a phase is not compared with Git."""
    for item in scene.of(JOB, JOBSET, VOLCANO_JOB, *OPERATOR_JOBS):
        field, severity = (_POLICY, WARNING) if item.kind in OPERATOR_JOBS else (_FIELD, "")
        seconds = item.get(*field)
        if seconds is None or scene.leaves(item, is_record):
            continue
        if phases(item) and all(tool.has_hooks for tool in scene.synctools):
            continue
        message = f"it is deleted {seconds} s after it finishes, and every sync creates it again"
        yield Finding(
            item, field, message, hint="remove the field", key=True, changes=(FieldEdit(item, field),), severity=severity
        )
