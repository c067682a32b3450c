"""Protection that never reaches what it is to protect."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.gitops.lint import sources
from tjgen.gitops.lint.rule import ERROR, FLUX, SEEN, Finding, Rule
from tjgen.gitops.lint.scene import Scene
from tjgen.gitops.lint.sync import PRUNE, SSA, mark, mark_path

RULE = Rule(
    code="TJ631",
    name="protection-never-applied",
    severity=ERROR,
    evidence=SEEN,
    source=f"{sources.FLUX_SSA}/manager_delete.go",
    since="0.1.0",
    title="`prune: disabled` was added to an object with `ssa: IfNotPresent`.",
    why="Flux reads the annotation of the object in the cluster. The object exists, so the edit that adds the "
    "annotation is never applied, and the object is pruned like any other.",
    remedy="Annotate the object in the cluster (kubectl annotate), or remove `IfNotPresent` for one reconciliation.",
    effects={
        FLUX: "The object is skipped; if it is later removed from Git, it is deleted.",
    },
    upstream="fluxcd/pkg `ssa/manager_apply.go`, `ssa/manager_delete.go`.",
    tools=(FLUX,),
    against=True,
)


def check(scene: Scene) -> Iterator[Finding]:
    """A finding for each object."""
    for pair in scene.pairs():
        added = mark(pair.new, PRUNE) == "disabled" and mark(pair.old, PRUNE) != "disabled"
        if added and mark(pair.new, SSA) == "ifnotpresent" and mark(pair.old, SSA) == "ifnotpresent":
            message = "the protection is not applied to the existing object"
            command = f"kubectl annotate {pair.new.kind[1].lower()} {pair.new.name} {PRUNE}=disabled"
            hint = f"annotate the object in the cluster: {command}"
            yield Finding(pair.new, mark_path(pair.new, PRUNE), message, hint=hint, key=True)
