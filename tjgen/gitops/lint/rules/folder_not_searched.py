"""Manifests in folders below that of an Application, which does not look there."""

from __future__ import annotations

import os
from collections.abc import Iterator

from tjgen.gitops.lint import sources
from tjgen.gitops.lint.kinds import APPLICATION
from tjgen.gitops.lint.rule import ARGOCD, DOCUMENTED, WARNING, FieldEdit, Finding, RelatedPlace, Rule
from tjgen.gitops.lint.scene import Scene

RULE = Rule(
    code="TJ660",
    name="folder-not-searched",
    severity=WARNING,
    evidence=DOCUMENTED,
    source=f"{sources.ARGOCD_GUIDE}/directory/",
    since="0.1.0",
    title="An Application does not search the folders below its own, and they contain manifests.",
    why="Without `directory.recurse` and without a kustomization.yaml, Argo CD reads only the files of the folder "
    "itself, and silently ignores the rest. Flux reads all folders.",
    remedy="Set `spec.source.directory.recurse: true`, or list the folders in a kustomization.yaml.",
    effects={
        ARGOCD: "Nothing in the folders below is applied, and no status reports it.",
    },
    upstream="argo-cd documentation, directory applications.",
    tools=(ARGOCD,),
)
_OTHER_SOURCES = ("helm", "kustomize", "plugin", "chart")
_LISTS = ("kustomization.yaml", "kustomization.yml", "Kustomization", "Chart.yaml")


def check(scene: Scene) -> Iterator[Finding]:
    """A finding for each Application with one source, with an object that it does not see."""
    for owner in scene.of(APPLICATION):
        source = owner.map("spec", "source")
        recurses = owner.get("spec", "source", "directory", "recurse") is True
        if not source or recurses or any(field in source for field in _OTHER_SOURCES):
            continue
        parts = [part for part in os.path.normpath(str(source.get("path") or "")).split("/") if part not in ("", ".")]
        hidden = [item for item in scene.synced_by(ARGOCD, owner.name) if _below(item.file, parts)]
        if parts and hidden and not _is_listed(scene, parts):
            path = ("spec", "source", "directory", "recurse")
            place = RelatedPlace(hidden[0], ("metadata", "name"), "is not seen")
            message = f"it does not search subfolders, which contain {len(hidden)} of its objects"
            changes = (FieldEdit(owner, path, True),)
            yield Finding(
                owner, ("spec", "source", "path"), message, hint="set directory.recurse: true", changes=changes, related=(place,)
            )


def _below(file: str, parts: list[str]) -> str:
    """Return the folder of a file below the path of the Application; empty if the file is in that folder itself."""
    folder = os.path.dirname(os.path.abspath(file)).split(os.sep)
    starts = [at for at in range(len(folder) - len(parts) + 1) if folder[at : at + len(parts)] == parts]
    return "/".join(folder[starts[-1] + len(parts) :]) if starts else ""


def _is_listed(scene: Scene, parts: list[str]) -> bool:
    files: list[str] = [item.file for item in scene.items] + [one.file for one in scene.others]
    return any(os.path.basename(file) in _LISTS and _ends(os.path.dirname(os.path.abspath(file)), parts) for file in files)


def _ends(folder: str, parts: list[str]) -> bool:
    return folder.split(os.sep)[-len(parts) :] == parts
