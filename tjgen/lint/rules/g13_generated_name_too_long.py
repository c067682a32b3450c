"""G13: a hook whose generated name leaves no room for those of its pods."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.fields.path import Tree, get
from tjgen.k8s.names import longest_trainjob_name
from tjgen.lint.kinds import JOBSET, TRAINJOB
from tjgen.lint.rule import ARGOCD, ERROR, SEEN, Finding, Rule
from tjgen.lint.scene import Item, Scene
from tjgen.lint.sync import phases

RULE = Rule(
    code="TJ613",
    name="generated-name-too-long",
    severity=ERROR,
    evidence=SEEN,
    title="The name that Argo CD makes for a hook is too long for the JobSet of a run.",
    why="Argo CD forms the name of such a hook from the prefix, seven characters of the revision, the phase and the time: 23 "
    "to 27 characters more. JobSet refuses a name that leaves no room for those of its pods, and of a TrainJob only an "
    "event tells.",
    remedy="Shorten the prefix; better, give the run a name and no hook.",
    argocd="The hook is created and counts as successful; no pod ever runs.",
    upstream="argo-cd `gitops-engine/pkg/sync/sync_context.go`; JobSet v0.12 `pkg/webhooks/jobset_webhook.go`.",
    tools=(ARGOCD,),
)

_ADDED = 7 + 1 + 1 + 10
"""Revision, two hyphens and seconds; the phase comes beside them."""


def check(scene: Scene) -> Iterator[Finding]:
    """A finding for each run whose name is made by Argo CD and too long in one of its phases."""
    for run in scene.of(TRAINJOB, JOBSET):
        prefix = str(run.map("metadata").get("generateName") or "")
        if not prefix or run.name or not phases(run):
            continue
        room = longest_trainjob_name(_jobs(scene, run))
        length = len(prefix) + _ADDED + max(len(phase) for phase in phases(run))
        if length > room:
            message = f'the name that is made from "{prefix}" has {length} characters, and its pods leave room for {room}'
            hint = f"shorten the prefix to {max(0, room - length + len(prefix))} characters, or write metadata.name"
            yield Finding(run, ("metadata", "generateName"), message, hint=hint)


def _jobs(scene: Scene, run: Item) -> list[tuple[str, int, int]]:
    """Name, replicas and completions of the jobs of its JobSet, as far as they are known."""
    if run.kind == JOBSET:
        return _counted(run.map("spec"))
    expansion = scene.expansion(run)
    jobsets = [made.tree for made in expansion.objects if made.tree.get("kind") == "JobSet"] if expansion is not None else []
    return [job for jobset in jobsets for job in _counted(jobset.get("spec") or {})]


def _counted(spec: dict[str, Tree]) -> list[tuple[str, int, int]]:
    jobs = spec.get("replicatedJobs")
    return [
        (str(job.get("name")), _number(job.get("replicas")), _number(get(job, ("template", "spec", "completions"), None)))
        for job in (jobs if jobs.__class__ is list else ())
        if job.__class__ is dict
    ]


def _number(value: Tree) -> int:
    return value if value.__class__ is int else 1
