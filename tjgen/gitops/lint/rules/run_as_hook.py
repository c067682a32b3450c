"""An object of a run that is a hook."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.gitops.lint import sources
from tjgen.gitops.lint.kinds import RUNS
from tjgen.gitops.lint.rule import ARGOCD, ERROR, SEEN, Finding, Rule
from tjgen.gitops.lint.rules.run_deleted_on_success import no_hook
from tjgen.gitops.lint.scene import Scene
from tjgen.gitops.lint.sync import annotation, hook_key, phases, policies

RULE = Rule(
    code="TJ602",
    name="run-as-hook",
    severity=ERROR,
    evidence=SEEN,
    source=f"{sources.ARGOCD_ISSUES}/5882",
    since="0.1.0",
    title="A run is a hook.",
    why="By default, Argo CD deletes a hook before it creates it again, so every full sync stops the run and starts "
    "it again. Argo CD does not compare a hook with Git, so it does not detect changes. It also does not prune a removed hook.",
    remedy="Use an ordinary object with its own name for each run; use waves for the order.",
    effects={
        ARGOCD: "With BeforeHookCreation, the default, each full sync deletes and creates it. With only HookFailed, a "
        "second sync fails or finds the run finished.",
    },
    upstream="argo-cd `gitops-engine/pkg/sync/hook` (`DeletePolicies`), `sync_context.go`; issue 5882.",
    tools=(ARGOCD,),
)


def check(scene: Scene) -> Iterator[Finding]:
    """A finding for each run, at the hook; those that are deleted at once have a rule of their own (TJ601)."""
    for run in scene.of(*RUNS):
        if phases(run) and "HookSucceeded" not in policies(run):
            key = hook_key(run)
            again = (
                "each full sync deletes it and runs it again" if "BeforeHookCreation" in policies(run) else "no sync compares it"
            )
            message = f"it is a {phases(run)[0]} hook: {again}"
            yield Finding(run, annotation(key), message, hint=f"remove the annotation {key}", changes=no_hook(run))
