"""A run that is removed while it may be training."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.gitops.lint import sources
from tjgen.gitops.lint.applied import stays
from tjgen.gitops.lint.kinds import RUNS
from tjgen.gitops.lint.rule import ARGOCD, ERROR, FLUX, SEEN, Finding, Rule
from tjgen.gitops.lint.scene import Scene
from tjgen.gitops.lint.sync import is_record

RULE = Rule(
    code="TJ635",
    name="run-removed",
    severity=ERROR,
    evidence=SEEN,
    source=f"{sources.FLUX_SSA}/manager_delete.go",
    since="0.1.0",
    title="The manifest of a run was removed.",
    why="The tool deletes what is no longer in Git: TrainJob, JobSet, Jobs and pods, within seconds, whether or not "
    "the run has ended.",
    remedy="Archive the run first (`tjgen runs archive`, or the marks `hook: Skip` and `ssa: Ignore`), and remove it "
    "after a sync; if the run has ended, use `--ignore TJ635`.",
    effects={
        ARGOCD: "With automated pruning, it is deleted in the foreground; otherwise, at the next sync that prunes.",
        FLUX: "It is deleted in the background.",
    },
    upstream="argo-cd `gitops-engine/pkg/sync/sync_context.go`; fluxcd/pkg `ssa/manager_delete.go`.",
    against=True,
)


def check(scene: Scene) -> Iterator[Finding]:
    """A finding for each run of before that some tool prunes, where it stood."""
    for run in scene.removed(*RUNS):
        tools = [tool for tool in sorted(scene.tools) if not stays(run, tool) and not is_record(run, tool)]
        if tools:
            message = "it was removed, so it is deleted with its pods, whether or not it has ended"
            yield Finding(run, ("metadata", "name"), message, hint="archive it first, or use --ignore TJ635 if it has ended")
