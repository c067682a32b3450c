"""A Job that is deleted before a sync sees it complete."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.gitops.lint import sources
from tjgen.gitops.lint.kinds import JOB
from tjgen.gitops.lint.order import applications, kustomization_of
from tjgen.gitops.lint.rule import ARGOCD, FLUX, SEEN, WARNING, FieldEdit, Finding, Rule
from tjgen.gitops.lint.scene import Scene
from tjgen.gitops.lint.sync import phases

RULE = Rule(
    code="TJ634",
    name="short-ttl-on-awaited-job",
    severity=WARNING,
    evidence=SEEN,
    source=f"{sources.ARGOCD_ISSUES}/6880",
    since="0.1.0",
    title="A Job that a sync waits for has a TTL of less than a minute.",
    why="A Job that is deleted before the tool reads its status counts as missing, not as done.",
    remedy="Raise the TTL, or remove it.",
    effects={
        ARGOCD: "The sync fails with `is missing, it might have been deleted`; older releases hang. A finalizer keeps "
        "a hook until Argo CD has read its final status.",
        FLUX: "With `wait: true` the health check fails, or finds nothing.",
    },
    upstream="argo-cd issues 6880 and 21055.",
)

_FIELD = ("spec", "ttlSecondsAfterFinished")
_SHORT = 60


def check(scene: Scene) -> Iterator[Finding]:
    """A finding for each Job with a short TTL that is in a wave that others follow, or in a Kustomization that waits."""
    short = [job for job in scene.of(JOB) if job.get(*_FIELD).__class__ is int and job.get(*_FIELD) < _SHORT]
    awaited = set(_awaited(scene)) if short else set()
    for job in short:
        if id(job) in awaited:
            message = f"it is deleted {job.get(*_FIELD)} s after it finishes, possibly before the tool reads its status"
            changes = (FieldEdit(job, _FIELD),)
            yield Finding(job, _FIELD, message, hint="raise the TTL, or remove it", changes=changes)


def _awaited(scene: Scene) -> Iterator[int]:
    if any(tool.wave for tool in scene.synctools):
        for members in applications(scene).values():
            last = max(when for when, _ in members)
            yield from (id(item) for when, item in members if when < last and not phases(item))
    if any(tool.waits_for_units for tool in scene.synctools):
        for job in scene.of(JOB):
            own = kustomization_of(scene, job)
            if own is not None and own.get("spec", "wait") is True:
                yield id(job)
