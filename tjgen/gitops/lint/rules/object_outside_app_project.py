"""An object, a namespace or a repository that the AppProject of its Application does not permit."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.gitops.lint import sources
from tjgen.gitops.lint.rule import ARGOCD, ERROR, SOURCE, Finding, RelatedPlace, Rule
from tjgen.gitops.lint.scene import AppliedObject, Scene
from tjgen.gitops.lint.tenancy import (
    Sync,
    app_project_of,
    permits_destination,
    permits_kind,
    permits_source,
    resource_of,
    syncs,
)

RULE = Rule(
    code="TJ691",
    name="object-outside-app-project",
    severity=ERROR,
    evidence=SOURCE,
    source=f"{sources.ARGOCD}/pkg/apis/application/v1alpha1/app_project_types.go",
    since="0.1.0",
    title="The AppProject does not permit an object of its Application.",
    why="Argo CD applies only objects whose kind and namespace the AppProject lists. One object that it does not list makes "
    "the sync fail, and the objects of later waves are not applied.",
    remedy="Add the kind or the namespace to the AppProject, or remove the object. `appProject` of a project writes an "
    "AppProject that fits its runs.",
    effects={ARGOCD: "The sync fails: resource KIND is not permitted in project NAME."},
    upstream="argo-cd v3.5 `IsGroupKindNamePermitted`, `IsDestinationPermitted`, `IsSourcePermitted`.",
    tools=(ARGOCD,),
)

_ADD = "build the project again if tjgen writes the AppProject; otherwise add it to"


def check(scene: Scene) -> Iterator[Finding]:
    """A finding for each Application with another repository, and for the first object of each kind and namespace."""
    for sync in syncs(scene):
        project = app_project_of(scene, sync)
        if project is None:
            continue
        source = sync.spec.get("source")
        url = str(source.get("repoURL") or "") if source.__class__ is dict else ""
        if url and "{{" not in url and not permits_source(project, url):
            path = (*sync.path, "source", "repoURL")
            place = RelatedPlace(project, ("spec", "sourceRepos"), "permits others")
            yield Finding(sync.owner, path, f"{project} does not permit this repository", related=(place,))
        yield from _objects(sync, project)


def _objects(sync: Sync, project: AppliedObject) -> Iterator[Finding]:
    reported: set[tuple[str, str, bool]] = set()
    for item in sync.items:
        resource = resource_of(item)
        if resource is None:
            continue
        if not permits_kind(project, item, resource):
            field = f"{'namespace' if resource.is_namespaced else 'cluster'}ResourceWhitelist"
            key = (*item.kind, resource.is_namespaced)
            if key not in reported:
                reported.add(key)
                place = RelatedPlace(project, ("spec", field), "permits other kinds")
                message = f"{project} of {sync.owner} does not permit the kind {item.kind[1]}"
                hint = f"{_ADD} {field}, or remove the object"
                yield Finding(item, ("kind",), message, hint=hint, related=(place,))
        elif resource.is_namespaced and not permits_destination(project, sync, item.namespace):
            key = ("", item.namespace, True)
            if key not in reported:
                reported.add(key)
                place = RelatedPlace(project, ("spec", "destinations"), "permits others")
                message = f"{project} of {sync.owner} does not permit the namespace {item.namespace} of that cluster"
                yield Finding(item, ("metadata", "namespace"), message, hint=f"{_ADD} destinations", related=(place,))
