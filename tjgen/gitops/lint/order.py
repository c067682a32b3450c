"""The items of a unit -> what Argo CD applies before what, and what Flux waits for; the options of those who sync."""

from __future__ import annotations

import os
from collections.abc import Iterator

from tjgen.gitops.lint.kinds import APPLICATION, APPLICATION_SET, KUSTOMIZATION
from tjgen.gitops.lint.rule import ARGOCD, FLUX
from tjgen.gitops.lint.scene import AppliedObject, Scene
from tjgen.gitops.lint.sync import is_record, phase, wave
from tjgen.gitops.lint.units import OF_SET

_PHASES = ("PreSync", "Sync", "PostSync")
Step = tuple[int, int]
"""Phase and wave: a sync goes from lower to higher."""


def step(item: AppliedObject) -> Step | None:
    """When a sync of Argo CD applies it; None for what no sync applies, or only one that fails."""
    named = phase(item)
    return (_PHASES.index(named), wave(item)) if named in _PHASES and not is_record(item, ARGOCD) else None


def applications(scene: Scene) -> dict[str, list[tuple[Step, AppliedObject]]]:
    """Application -> what it applies, each with its step."""
    steps: dict[str, list[tuple[Step, AppliedObject]]] = {}
    for item in scene.items:
        when = step(item)
        if when is not None and item.kind not in (APPLICATION, KUSTOMIZATION):
            steps.setdefault(item.unit(ARGOCD), []).append((when, item))
    return steps


def application_of(scene: Scene, item: AppliedObject) -> AppliedObject | None:
    """The Application that syncs an item, where it is in the scene."""
    return scene.named(APPLICATION, item.unit(ARGOCD))


def kustomization_of(scene: Scene, item: AppliedObject) -> AppliedObject | None:
    """The Kustomization that syncs an item, where it is in the scene."""
    return scene.named(KUSTOMIZATION, item.unit(FLUX))


def options_of(scene: Scene, item: AppliedObject) -> list[str]:
    """The sync options of the Application that syncs an item."""
    application = application_of(scene, item)
    if application is not None:
        options = application.get("spec", "syncPolicy", "syncOptions")
    else:
        name = item.unit(ARGOCD).partition(OF_SET)[0]
        owner = scene.named(APPLICATION_SET, name)
        options = owner.get("spec", "template", "spec", "syncPolicy", "syncOptions") if owner is not None else None
    return [str(word) for word in options] if options.__class__ is list else []


def waiting(scene: Scene) -> Iterator[tuple[AppliedObject, AppliedObject]]:
    """Kustomizations that depend on others of the scene: the one that waits, and the one that it waits for."""
    known = {(one.namespace, one.name): one for one in scene.of(KUSTOMIZATION)}
    for one in scene.of(KUSTOMIZATION):
        for _, dependency in one.maps("spec", "dependsOn"):
            other = known.get((str(dependency.get("namespace") or one.namespace), str(dependency.get("name"))))
            if other is not None:
                yield one, other


def applied_with(scene: Scene, item: AppliedObject) -> tuple[str, ...]:
    """What objects have in common that are applied together: their owners; their folder where no owner is known."""
    owners = {ARGOCD: application_of(scene, item), FLUX: kustomization_of(scene, item)}
    known = tuple([item.unit(tool) for tool, owner in owners.items() if owner is not None])
    return known or (os.path.dirname(item.file), item.unit(ARGOCD), item.unit(FLUX))
