"""A Kustomization of a team that reads a source in another namespace."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.gitops.lint import sources
from tjgen.gitops.lint.kinds import KUSTOMIZATION
from tjgen.gitops.lint.rule import FLUX, SOURCE, WARNING, Finding, Rule
from tjgen.gitops.lint.scene import Scene

RULE = Rule(
    code="TJ692",
    name="source-in-other-namespace",
    severity=WARNING,
    evidence=SOURCE,
    source=f"{sources.FLUX_CONTROLLER}/internal/controller/kustomization_controller.go",
    since="0.1.0",
    title="A Kustomization with an account reads a source in another namespace.",
    why="In clusters of several teams, Flux usually runs with `--no-cross-namespace-refs`. It then denies the "
    "Kustomization access to the source and applies nothing.",
    remedy="Create the source in the namespace of the Kustomization, or move the Kustomization.",
    effects={FLUX: "With `--no-cross-namespace-refs`, the Kustomization stays unready: cross-namespace references are blocked."},
    upstream="fluxcd/kustomize-controller 1.9 `getSource`.",
    tools=(FLUX,),
)


def check(scene: Scene) -> Iterator[Finding]:
    """A finding for each Kustomization that names an account and a source elsewhere."""
    for item in scene.of(KUSTOMIZATION):
        namespace = item.get("spec", "sourceRef", "namespace")
        if item.get("spec", "serviceAccountName") and namespace and namespace != item.namespace:
            path = ("spec", "sourceRef", "namespace")
            message = f"Flux with --no-cross-namespace-refs denies {item.namespace} a source in {namespace}"
            yield Finding(item, path, message, hint=f"create the source in {item.namespace}")
