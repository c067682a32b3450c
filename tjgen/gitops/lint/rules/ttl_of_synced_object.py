"""A TTL after which a run starts again."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster import outcomes
from tjgen.cluster.outcomes import describe_repetition, kind_of, starts_again
from tjgen.gitops.lint import sources
from tjgen.gitops.lint.kinds import JOB, JOBSET, OPERATOR_JOBS, RUNTIMES, TRAINJOB, VOLCANO_JOB
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
    title="A run in Git, or a runtime, has a TTL after which the run starts again.",
    why="The controller deletes the finished object, and the tool applies it again, so the run repeats indefinitely. Trainer "
    "itself creates the JobSet of a TrainJob again.",
    remedy="Remove the TTL: pods that have ended hold no devices. Archive finished runs.",
    effects={
        ARGOCD: "With selfHeal, it is created again within seconds; otherwise, at the next sync.",
        FLUX: "It is created again at the next interval. `ssa: IfNotPresent` does not prevent this, because the "
        "object no longer exists.",
    },
    upstream="Kubernetes `pkg/controller/ttlafterfinished`; JobSet `pkg/controllers/ttl_after_finished.go`; Volcano "
    "`pkg/controllers/garbagecollector`; argo-cd issues 8586 and 13851.",
)
_FIELDS: tuple[tuple[tuple[tuple[str, str], ...], FieldPath], ...] = (
    ((JOB, JOBSET, VOLCANO_JOB), ("spec", "ttlSecondsAfterFinished")),
    (OPERATOR_JOBS, ("spec", "runPolicy", "ttlSecondsAfterFinished")),
    (RUNTIMES, ("spec", "template", "spec", "ttlSecondsAfterFinished")),
)
"""Kinds of objects, and their field with the TTL."""


def check(scene: Scene) -> Iterator[Finding]:
    """A finding for each TTL after which something starts again.

    Hooks are left out: what deletes itself after a phase is not compared with Git. For a runtime that has TrainJobs here, their
    expansion reports it.
    """
    used = {id(runtime) for run in scene.of(TRAINJOB) if (runtime := scene.runtime_of(run)) is not None}
    for kinds, field in _FIELDS:
        for item in scene.of(*kinds):
            seconds = item.get(*field)
            if seconds is None or id(item) in used or scene.leaves(item, is_record):
                continue
            if phases(item) and all(tool.has_hooks for tool in scene.synctools):
                continue
            restarted = starts_again(kind_of(item.tree["apiVersion"], item.kind[1]), trainer=scene.release.name)
            if not restarted:
                continue
            message = f"it is deleted {seconds} s after it finishes, and every sync creates it again"
            if restarted[0].result == outcomes.REPEATS:
                message = describe_repetition(restarted)
            severity = "" if restarted[0].evidence == outcomes.SEEN else WARNING
            edit = FieldEdit(item, field)
            yield Finding(item, field, message, hint="remove the field", key=True, changes=(edit,), severity=severity)
