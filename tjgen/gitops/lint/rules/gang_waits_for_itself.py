"""A gang that counts pods which do not exist before others of the gang are done."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.gitops.lint import sources
from tjgen.gitops.lint.kinds import TRAINJOB
from tjgen.gitops.lint.rule import ARGOCD, FLUX, SEEN, WARNING, Finding, Rule
from tjgen.gitops.lint.scene import Scene

RULE = Rule(
    code="TJ675",
    name="gang-waits-for-itself",
    severity=WARNING,
    evidence=SEEN,
    source=f"{sources.TRAINER}/runtime/framework/plugins/volcano/volcano.go",
    since="0.1.0",
    title="A run has a pod group and steps that run one after the other, such as an initializer.",
    why="The field minMember counts the pods of all steps, but the controller creates the pods of a later step only "
    "when the earlier step has ended. A gang scheduler waits for pods that do not exist.",
    remedy="Remove the pod group, or fetch data in a separate run or Job.",
    effects={
        ARGOCD: "Synced and healthy; nothing runs.",
        FLUX: "Applied and ready; nothing runs.",
    },
    upstream="Trainer 2.3 `pkg/runtime/framework/plugins/volcano`, `coscheduling` (minMember); JobSet `dependsOn`.",
)


def check(scene: Scene) -> Iterator[Finding]:
    """A finding for each runtime among the manifests, else for each run of it."""
    reported: set[int] = set()
    for run in scene.of(TRAINJOB):
        runtime = scene.runtime_of(run)
        for one in scene.expansion_diagnostics(run):
            if one.code != "TJ853" or id(runtime) in reported:
                continue
            hint = one.hint or "remove the pod group"
            if runtime is None:
                yield Finding(run, ("spec", "runtimeRef"), one.message, hint=hint)
            else:
                reported.add(id(runtime))
                yield Finding(runtime, one.path or (), one.message, hint=hint)
