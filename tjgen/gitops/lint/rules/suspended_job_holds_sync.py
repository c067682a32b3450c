"""A suspended Job that something comes after."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.gitops.lint import sources
from tjgen.gitops.lint.kinds import JOB
from tjgen.gitops.lint.order import applications, kustomization_of, waiting
from tjgen.gitops.lint.rule import ARGOCD, ERROR, FLUX, SEEN, Finding, Rule
from tjgen.gitops.lint.scene import AppliedObject, Scene
from tjgen.gitops.lint.sync import is_record
from tjgen.trees.k8s.labels import KUEUE_QUEUE

RULE = Rule(
    code="TJ611",
    name="suspended-job-holds-sync",
    severity=ERROR,
    evidence=SEEN,
    source=f"{sources.ARGOCD_HEALTH}/health_job.go",
    since="0.1.0",
    title="A suspended or queued Job is not in the last wave.",
    why="A suspended Job is not done. Kueue suspends every Job with a queue until the queue has capacity.",
    remedy="Put it into the last wave or into a separate Application. Do not queue Jobs that must run first.",
    effects={
        ARGOCD: "Suspended is not Healthy, so the sync waits for it without limit, and nothing later is applied.",
        FLUX: "A suspended Job counts as ready, so a Kustomization that depends on it starts too early.",
    },
    upstream="argo-cd `gitops-engine/pkg/health/health_job.go`, issues 10600 and 19126; fluxcd/cli-utils kstatus.",
)


def check(scene: Scene) -> Iterator[Finding]:
    """A finding for each such Job that something waits for."""
    jobs = [job for job in scene.of(JOB) if job.get("spec", "suspend") is True or KUEUE_QUEUE in job.labels]
    if any(tool.wave for tool in scene.synctools) and jobs:
        known = {id(job) for job in jobs}
        for members in applications(scene).values():
            last = max(members, key=lambda one: one[0])
            for when, job in members:
                if id(job) in known and when < last[0]:
                    message = f"{_state(job)}, but the sync waits for it before it applies {last[1]}"
                    yield _finding(job, message, "put it into the last wave, or into a separate Application")
    if any(tool.waits_for_units for tool in scene.synctools):
        waiting_jobs: dict[int, list[AppliedObject]] = {}
        for job in jobs:
            waiting_jobs.setdefault(id(kustomization_of(scene, job)), []).append(job)
        for later, earlier in waiting(scene) if jobs else ():
            for job in waiting_jobs.get(id(earlier), ()):
                if not is_record(job, FLUX):
                    message = f"{_state(job)}, which counts as ready, so {later} does not wait for it"
                    yield _finding(job, message, "do not queue a Job that others wait for")


def _state(job: AppliedObject) -> str:
    return "it is suspended" if job.get("spec", "suspend") is True else f"it waits in queue {job.labels[KUEUE_QUEUE]}"


def _finding(job: AppliedObject, message: str, hint: str) -> Finding:
    path = ("spec", "suspend") if job.get("spec", "suspend") is True else ("metadata", "labels", KUEUE_QUEUE)
    return Finding(job, path, message, hint=hint)
