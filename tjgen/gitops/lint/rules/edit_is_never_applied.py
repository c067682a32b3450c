"""An edit that Flux never applies."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.gitops.diff.fields import changed
from tjgen.gitops.lint import sources
from tjgen.gitops.lint.rule import FLUX, SEEN, WARNING, Finding, Rule
from tjgen.gitops.lint.scene import Scene
from tjgen.gitops.lint.sync import PRUNE, SSA, annotation, mark
from tjgen.trees.fields.path import render

RULE = Rule(
    code="TJ630",
    name="edit-is-never-applied",
    severity=WARNING,
    evidence=SEEN,
    source=f"{sources.FLUX_SSA}/manager_apply.go",
    since="0.1.0",
    title="An object with `ssa: IfNotPresent` has changed.",
    why="With this mark, an existing object stays as it is, so the edit is never applied, and no status reports it.",
    remedy="Give the changed object another name, or remove the mark if the change must reach the existing object.",
    effects={
        FLUX: "The object is skipped, and the Kustomization is ready.",
    },
    upstream="fluxcd/pkg `ssa/manager_apply.go` (`IfNotPresent`).",
    tools=(FLUX,),
    against=True,
)


def check(scene: Scene) -> Iterator[Finding]:
    """A finding for each field that differs; protection that comes too late has a rule of its own (TJ631)."""
    for pair in scene.pairs():
        if mark(pair.new, SSA) != "ifnotpresent":
            continue
        for one in changed(pair.old.tree, pair.new.tree):
            if one.path not in (annotation(SSA), annotation(PRUNE)) and one.path != ("metadata", "annotations"):
                message = f"the change of {render(one.path)} is not applied to the object in the cluster"
                yield Finding(pair.new, one.path, message, hint="give it another name", key=True)
