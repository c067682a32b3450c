"""An Application that lets the server compare."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.gitops.lint import sources
from tjgen.gitops.lint.kinds import APPLICATION, APPLICATION_SET
from tjgen.gitops.lint.rule import ARGOCD, SEEN, WARNING, Finding, Rule
from tjgen.gitops.lint.scene import Scene
from tjgen.gitops.lint.sync import COMPARE
from tjgen.trees.fields.path import FieldPath

RULE = Rule(
    code="TJ673",
    name="comparison-by-the-server",
    severity=WARNING,
    evidence=SEEN,
    source=f"{sources.ARGOCD}/controller/state.go",
    since="0.1.0",
    title="An Application has ServerSideDiff=true.",
    why="To compare, Argo CD applies every object as a dry run. If the server rejects one, such as a run with a "
    "changed image, the comparison of the whole Application fails, and no object is synced.",
    remedy="Remove the option for Applications with runs: without it, only that object and later waves fail.",
    effects={
        ARGOCD: "ComparisonError of the Application.",
    },
    upstream="argo-cd `controller/state.go`, `util/argo/diff`.",
    tools=(ARGOCD,),
)
_KEY = "ServerSideDiff=true"


def check(scene: Scene) -> Iterator[Finding]:
    """A finding for each Application, and for each ApplicationSet that makes such ones."""
    places: dict[tuple[str, str], FieldPath] = {APPLICATION: (), APPLICATION_SET: ("spec", "template")}
    for kind, base in places.items():
        for item in scene.of(kind):
            path: FieldPath = (*base, "metadata", "annotations", COMPARE)
            words = [word.strip() for word in str(item.get(*path, default="")).split(",")]
            if _KEY in words:
                message = "one rejected object stops the sync of all objects"
                yield Finding(item, path, message, hint=f"remove {_KEY}")
