"""YAML that is not a manifest, in a folder that is synced."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

from tjgen.gitops.lint import sources
from tjgen.gitops.lint.rule import ARGOCD, DOCUMENTED, ERROR, FLUX, Finding, Rule
from tjgen.gitops.lint.scene import AppliedObject, Scene
from tjgen.trees.diagnostics.model import Span
from tjgen.trees.fields.path import FieldPath
from tjgen.trees.source.document import Document

RULE = Rule(
    code="TJ659",
    name="no-manifest-in-folder",
    severity=ERROR,
    evidence=DOCUMENTED,
    source=f"{sources.ARGOCD}/reposerver/repository/repository.go",
    since="0.1.0",
    title="A YAML document among the manifests is not a Kubernetes object.",
    why="The tools read every YAML file of a folder as manifests, and fail on a file without apiVersion and kind.",
    remedy="Move the file out of the folder, exclude it (`directory.exclude`, `.sourceignore`), or list the manifests in a "
    "kustomization.yaml.",
    effects={
        ARGOCD: "ComparisonError: nothing of the Application is synced. The comment `+argocd:skip-file-rendering` "
        "excludes a file.",
        FLUX: "The build fails (`failed to decode Kubernetes YAML`), so no object of the Kustomization is applied.",
    },
    upstream="argo-cd `reposerver/repository/repository.go`; fluxcd/pkg `kustomize` (generator).",
)
_TOOLS = ("kustomization.yaml", "kustomization.yml", "Chart.yaml", "values.yaml")
_SKIP = "+argocd:skip-file-rendering"


def check(scene: Scene) -> Iterator[Finding]:
    """Yield a finding for each document; folders with a file that lists their manifests are left out."""
    listed = {os.path.dirname(item.file) for item in scene.items if item.kind[0] == "kustomize.config.k8s.io"}
    listed |= {os.path.dirname(one.file) for one in scene.others if os.path.basename(one.file) in _TOOLS}
    for document in scene.others:
        if document.value is None or document.file.startswith("<") or _SKIP in document.text:
            continue
        if not any(os.path.dirname(document.file) == folder or document.file.startswith(f"{folder}/") for folder in listed):
            yield Finding(_as_item(document), (), "it has no apiVersion and kind, but is read as a manifest", hint="move it away")


def _as_item(document: Document) -> AppliedObject:
    tree = {"kind": "File", "metadata": {"name": os.path.basename(document.file)}}
    return AppliedObject(tree, _located(document), file=document.file, units={}, document=document)


def _located(document: Document) -> Callable[..., Span | None]:
    def locate(path: FieldPath, *, key: bool = False) -> Span | None:
        del path, key  # the whole document is wrong
        return document.locate(())

    return locate
