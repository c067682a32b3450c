"""An object that goes from one Application or Kustomization to another."""

from __future__ import annotations

import os
from collections.abc import Iterator
from fnmatch import fnmatchcase

from tjgen.gitops.lint import sources
from tjgen.gitops.lint.applied import stays
from tjgen.gitops.lint.kinds import APPLICATION_SET, SYNCED_BY
from tjgen.gitops.lint.rule import ARGOCD, DOCUMENTED, FLUX, WARNING, Finding, RelatedPlace, Rule
from tjgen.gitops.lint.scene import Scene

RULE = Rule(
    code="TJ640",
    name="moved-to-another-owner",
    severity=WARNING,
    evidence=DOCUMENTED,
    source=f"{sources.ARGOCD}/controller/state.go",
    since="0.1.0",
    title="An object has moved to the folder of another Application or Kustomization.",
    why="The previous Application no longer finds the object and deletes it, before or after the new one applies it. "
    "A run is stopped, and the data of a claim is lost.",
    remedy="Keep the folder, or protect the object from pruning, sync, and then move it.",
    effects={
        ARGOCD: "The new owner reports a shared resource; the old one prunes what it no longer finds. An "
        "ApplicationSet over folders deletes the Application of a folder that was renamed, with everything in it.",
        FLUX: "The old Kustomization prunes it, unless the new one has already written its owner labels.",
    },
    upstream="argo-cd `controller/state.go` (SharedResourceWarning); fluxcd/kustomize-controller `prune`.",
    against=True,
)

_KEEP = ("create-only", "create-update")
"""Policies under which an ApplicationSet deletes no Application."""


def check(scene: Scene) -> Iterator[Finding]:
    """A finding for each object that has another owner than before, where both are known."""
    if ARGOCD in scene.tools:
        yield from _in_sets(scene)
    for tool, kind in SYNCED_BY:
        if tool not in scene.tools:
            continue
        before = {item.name: item for item in scene.before or () if item.kind == kind}
        now = {item.name: item for item in scene.of(kind)}
        for item in scene.items:
            old = scene.find_before(item)
            if old is None or old.unit(tool) == item.unit(tool) or stays(old, tool):
                continue
            if old.unit(tool) in before and item.unit(tool) in now:
                source, owner = before[old.unit(tool)], now[item.unit(tool)]
                message = f"it moves from {source} to {owner}, and {source} deletes what it no longer finds"
                related = (RelatedPlace(owner, ("metadata", "name"), "applies it now"),)
                yield Finding(
                    item, ("metadata", "name"), message, hint="protect it from pruning first, sync, then move it", related=related
                )


def _in_sets(scene: Scene) -> Iterator[Finding]:
    """What has moved between folders of which an ApplicationSet makes an Application each."""
    for owner in scene.of(APPLICATION_SET):
        policy = owner.map("spec", "syncPolicy")
        if policy.get("preserveResourcesOnDeletion") is True or policy.get("applicationsSync") in _KEEP:
            continue
        patterns = [
            str(generator.get("path") or "")
            for path, _ in owner.maps("spec", "generators")
            for _, generator in owner.maps(*path, "git", "directories")
            if generator.get("exclude") is not True
        ]
        for item in scene.items:
            old = scene.find_before(item)
            if old is None or old.file == item.file or stays(old, ARGOCD):
                continue
            for pattern in patterns:
                before, now = _folder(old.file, pattern), _folder(item.file, pattern)
                if before and before != now:
                    message = f"it was in {before}, whose Application is deleted with everything in it"
                    hint = "keep the folder, or protect the object first, sync, then move it"
                    related = (RelatedPlace(owner, ("metadata", "name"), "creates an Application for each folder"),)
                    yield Finding(item, ("metadata", "name"), message, hint=hint, related=related)
                    break


def _folder(file: str, pattern: str) -> str:
    """The folder of a file that a pattern of an ApplicationSet means; empty where it means another."""
    wanted = [part for part in pattern.split("/") if part not in ("", ".")]
    parts = os.path.dirname(os.path.abspath(file)).split(os.sep)
    for at in range(len(parts) - len(wanted) + 1):
        segment = parts[at : at + len(wanted)]
        if wanted and all(fnmatchcase(one, glob) for one, glob in zip(segment, wanted, strict=True)):
            return "/".join(segment)
    return ""
