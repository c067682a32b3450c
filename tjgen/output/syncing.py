"""A project with a GitOps tool and a repository -> the objects that make the tool sync each environment."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterator, Sequence

from tjgen.builder import Builder
from tjgen.diagnostics.model import ERROR, Diagnostic
from tjgen.emit.plan import OutputFile
from tjgen.fields.path import FieldPath, Tree
from tjgen.gitops import argocd, flux
from tjgen.gitops.site import Site
from tjgen.manifests.manifest import STAGES
from tjgen.output.directory import SYNC
from tjgen.output.layout import stage_folder
from tjgen.source.writer import dump
from tjgen.typing import Protocol
from tjgen.validate import report
from tjgen.validate.judge import judge

_GITOPS: FieldPath = ("spec", "gitops")
_TOOLS: dict[str, tuple[str, Callable[[Site], list[Tree]]]] = {
    "argocd": (argocd.NAMESPACE, argocd.objects),
    "flux": (flux.NAMESPACE, flux.objects),
}
"""Tool -> the namespace that its objects are in, and what makes them."""


class Present(Protocol):
    """A tree when all that is built has been put."""

    def put(self, file: OutputFile) -> None: ...
    def present(self) -> list[str]: ...


def put(builder: Builder, tree: Present) -> list[Diagnostic]:
    """Put the objects for each environment of the build; what is wrong with what the project says of the tool (TJ680)."""
    gitops = builder.project.spec.gitops
    tool = _TOOLS.get(gitops.tool) if gitops.repository is not None else None
    if tool is None:
        return []
    said = gitops.path if gitops.path is not None else builder.project.spec.output.directory
    path = posixpath.normpath(said) if said is not None else None
    if path is None or path.startswith(("/", "..")):
        return [_nowhere(builder, said)]
    present = tree.present()
    diagnostics = []
    namespace, make = tool
    for environment in builder.environments:
        site = _site(builder, environment, path, gitops.namespace or namespace, present)
        for made in make(site):
            diagnostics += list(_wrong(builder, made))
            name = f"{made['kind'].lower()}-{made['metadata']['name']}.yaml"
            source = posixpath.basename(builder.project.document.file) if builder.project.document is not None else ""
            tree.put(OutputFile(f"{stage_folder(environment, SYNC)}/{name}", dump(made), source))
    return diagnostics


def _site(builder: Builder, environment: str | None, path: str, namespace: str, present: Sequence[str]) -> Site:
    project = builder.project
    gitops, own = project.spec.gitops, project.environment(environment)
    named = project.document.value.get("metadata") if project.document is not None else None
    name = named["name"] if named else "training"
    stages = [stage for stage in STAGES if any(file.startswith(f"{stage_folder(environment, stage)}/") for file in present)]
    return Site(
        name=f"{name}-{environment}" if environment else name,
        namespace=namespace,
        repository=gitops.repository or "",
        revision=gitops.revision,
        path=posixpath.normpath(f"{path}/{environment}" if environment else path),
        project=gitops.project,
        cluster=own.cluster if own is not None else None,
        stages=tuple(stages),
    )


def _wrong(builder: Builder, made: Tree) -> Iterator[Diagnostic]:
    """What the API server would say, at the place of the tool in the project file."""
    verdict = judge(made)
    document = builder.project.document
    for one in report.diagnostics(made, verdict) if verdict.checked else ():
        yield one._replace(span=document.locate(_GITOPS) if document is not None else None, path=None)


def _nowhere(builder: Builder, said: str | None) -> Diagnostic:
    document = builder.project.document
    where = (
        f"gitops.path {said} lies outside of the repository"
        if said is not None
        else "the project does not say where its output lies"
    )
    return Diagnostic(
        "TJ680",
        ERROR,
        f"{where}, so nothing can be told to sync it",
        span=document.locate(_GITOPS) if document is not None else None,
        hint="say spec.gitops.path, the folder of the output in the repository",
        name="output-not-in-repository",
    )
