"""Two projects of a workspace -> objects of the sync, such as AppProjects, that both write under the same name."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.gitops.sync.access import GITOPS, is_synced, name_of, setting
from tjgen.language.resolve.project import LoadedProject
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import FieldPath

_REPLACED = "the last one applied replaces the other"


def same_objects(own: LoadedProject, other: LoadedProject, folder: str) -> Iterator[Diagnostic]:
    """TJ564 for the name of a project, and of an AppProject, that another project has, too. `folder` is that of the other."""
    name = name_of(own)
    is_same = name is not None and name == name_of(other) and _writes_objects(own) and _writes_objects(other)
    if is_same:
        message = f"project {folder} is also named {name}: the objects of their syncs have the same names, and {_REPLACED}"
        hint = "set a different metadata.name in each project, or none to use the name of the folder"
        yield _at(own, message, hint, ("metadata", "name"))
    for _, app_project in sorted(_app_projects(own) & _app_projects(other)):
        if not (is_same and app_project == name):
            message = f"AppProject {app_project} also belongs to project {folder}: {_REPLACED}"
            hint = "set a different gitops.project in each project, or none to use the name of the project"
            yield _at(own, message, hint, (*GITOPS, "project"))


def _writes_objects(project: LoadedProject) -> bool:
    """Whether a project may write objects of a sync. A workspace does for own experiments, its Platforms and its AppProject."""
    spec = project.spec
    has_own = bool(spec.experiments or spec.platforms) or spec.gitops.app_project is not None
    return is_synced(project) and (has_own or not spec.projects)


def _app_projects(project: LoadedProject) -> set[tuple[str, str]]:
    """The namespace and the name of each AppProject that a project writes."""
    app_project = project.spec.gitops.app_project
    if app_project is None or not is_synced(project):
        return set()
    names = set()
    environments: list[str | None] = [*project.spec.environments]
    for environment in environments or [None]:
        name = setting(project, environment, "project")[0] or name_of(project)
        namespace = app_project.namespace or setting(project, environment, "namespace")[0] or ""
        if name is not None:
            names.add((namespace, name))
    return names


def _at(project: LoadedProject, message: str, hint: str, path: FieldPath) -> Diagnostic:
    document = project.document
    places = (path, GITOPS, ("spec",))
    span = next((span for one in places if document is not None and (span := document.locate(one)) is not None), None)
    return Diagnostic("TJ564", message, span=span, hint=hint)
