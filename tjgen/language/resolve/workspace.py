"""A project -> the workspace that it belongs to, and a workspace -> its projects.

A workspace is a project file with `projects`. Only the one in a folder above a project that lists the project counts, and only
in the same Git work tree, or if the caller works in it: a file of other people above it has no effect.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Sequence

from tjgen.language.resolve.project import FILE, LoadedWorkspace
from tjgen.language.resolve.reading import of_kind
from tjgen.language.spec.objects import ProjectSpec
from tjgen.trees.diagnostics.model import WARNING, Diagnostic, Note
from tjgen.trees.fields.path import FieldPath, Tree
from tjgen.trees.files.repository import repository_of
from tjgen.trees.files.sandbox import Sandbox, is_below
from tjgen.trees.files.search import is_pattern, matching
from tjgen.trees.k8s.nearest import nearest
from tjgen.trees.source.document import Document

_KEY = b"projects"
_AT: FieldPath = ("spec", "projects")


def workspace_of(
    project: Document, above: Sequence[str], trusted: Collection[str | None], sandbox: Sandbox
) -> tuple[LoadedWorkspace | None, list[Diagnostic]]:
    """The workspace that lists a project, None without one.

    `above`: the real paths of the project files above it, the nearest first. `trusted`: those that the caller works in or names.
    Errors: what is wrong with a file that may be the workspace, nested workspaces (TJ561), and a workspace that is neither in
    the same Git work tree nor trusted (TJ561). A workspace that does not list the project is a warning (TJ560).
    """
    folder = os.path.realpath(os.path.dirname(project.file) or ".")
    workspaces: list[LoadedWorkspace] = []
    for file in above:
        reader = sandbox if sandbox.is_inside(file) else Sandbox([os.path.dirname(file)])
        workspace, problems = read_workspace(os.path.relpath(file), reader)
        if problems:
            return None, problems
        if workspace is not None:
            workspaces.append(workspace)
    if not workspaces:
        return None, []
    workspace = workspaces[0]
    has_projects = bool((project.value.get("spec") or {}).get("projects"))
    if len(workspaces) > 1 or has_projects:
        inner, outer = (project, workspace) if has_projects else (workspace.document, workspaces[1])
        return None, [_nested(inner, outer)]
    folder_of_workspace = os.path.realpath(workspace.directory or ".")
    members, _ = members_of(workspace, sandbox if sandbox.is_inside(folder_of_workspace) else Sandbox([folder_of_workspace]))
    if folder not in [os.path.realpath(one) for one in members]:
        return None, [_unlisted(project, workspace)]
    if repository_of(folder) is None and os.path.realpath(workspace.document.file) not in trusted:
        return None, [_untrusted(project, workspace)]
    return workspace._replace(members=tuple(members)), []


def read_workspace(file: str, sandbox: Sandbox) -> tuple[LoadedWorkspace | None, list[Diagnostic]]:
    """The workspace in a project file; None for a file without `projects`, also if something else is wrong with it."""
    content = sandbox.content(file)
    if isinstance(content, Diagnostic) or _KEY not in content:
        return None, []
    of_project = of_kind("Project", [file], sandbox)
    if not of_project.good:
        return None, of_project.diagnostics
    document, tree = of_project.good[0]
    spec = ProjectSpec(tree["spec"])
    return (LoadedWorkspace(os.path.dirname(file), document, tree, spec, ()) if spec.projects else None), []


def of_document(document: Document, tree: Tree, sandbox: Sandbox) -> tuple[LoadedWorkspace, list[Diagnostic]]:
    """The workspace that a project file with `projects` is, and what is wrong with its entries (TJ560, TJ561)."""
    workspace = LoadedWorkspace(os.path.dirname(document.file), document, tree, ProjectSpec(tree["spec"]), ())
    members, diagnostics = members_of(workspace, sandbox)
    return workspace._replace(members=tuple(members)), diagnostics


def members_of(workspace: LoadedWorkspace, sandbox: Sandbox) -> tuple[list[str], list[Diagnostic]]:
    """The folders of the projects, in the order of the entries, and what is wrong with the entries (TJ560, TJ561)."""
    known: dict[str, int] = {}
    diagnostics: list[Diagnostic] = []
    for position, entry in enumerate(workspace.spec.projects):
        at: FieldPath = (*_AT, position)
        folders = 0
        for one in matching(sandbox, workspace.directory, f"{entry}/{FILE}"):
            if isinstance(one, Diagnostic):
                diagnostics.append(one._replace(span=workspace.document.locate(at), path=at))
                continue
            folders += 1
            folder = os.path.normpath(os.path.dirname(one))
            problem = _refused(workspace, folder, at)
            if problem is not None:
                diagnostics.append(problem)
            elif folder in known:
                diagnostics.append(_twice(workspace, folder, at, known[folder]))
            else:
                known[folder] = position
        if not folders and not any(one.path == at for one in diagnostics):
            diagnostics.append(_nothing(workspace, entry, at, sandbox))
    return list(known), diagnostics


def _refused(workspace: LoadedWorkspace, folder: str, at: FieldPath) -> Diagnostic | None:
    top = os.path.realpath(workspace.directory or ".")
    real = os.path.realpath(folder)
    if real == top:
        message, hint = "a workspace cannot list its own folder", "remove the entry: experiments of the workspace need no entry"
    elif os.path.normpath(os.path.join(top, os.path.relpath(folder, workspace.directory or "."))) != real:
        message, hint = f"project {folder} is a link, or in a folder that is one", "list the folder that it leads to"
    elif not is_below(real, top):
        message, hint = f"project {folder} is not below the workspace", "move the workspace to a folder above all projects"
    elif os.path.lexists(os.path.join(real, ".git")):
        message, hint = f"project {folder} is another Git work tree", "give it a workspace of its own, or move its files here"
    else:
        return None
    return Diagnostic("TJ561", message, path=at, span=workspace.document.locate(at), hint=hint)


def _twice(workspace: LoadedWorkspace, folder: str, at: FieldPath, first: int) -> Diagnostic:
    note = Note("first listed here", workspace.document.locate((*_AT, first)))
    message, hint = f"project {folder} is listed twice", "remove one of the entries"
    span = workspace.document.locate(at)
    return Diagnostic("TJ560", message, path=at, span=span, related=(note,), hint=hint, severity=WARNING)


def _nothing(workspace: LoadedWorkspace, entry: str, at: FieldPath, sandbox: Sandbox) -> Diagnostic:
    path = os.path.join(workspace.directory, entry)
    message, hint = f"no folder that matches {entry} contains a {FILE}", f"correct the pattern, or add {FILE} to the folders"
    if not is_pattern(entry):
        message, hint = f"folder {entry} does not exist", "correct the entry, or remove it"
        if os.path.isfile(path):
            message, hint = f"{entry} is a file", "list the folder of the project"
        elif os.path.isdir(path):
            message, hint = f"folder {entry} contains no {FILE}", f"add {entry}/{FILE}, or remove the entry"
        elif (near := nearest(entry, list(_folders_near(path, workspace.directory, sandbox)))) is not None:
            hint = f'did you mean "{near}"?'
    return Diagnostic("TJ560", message, path=at, span=workspace.document.locate(at), hint=hint)


def _folders_near(path: str, directory: str, sandbox: Sandbox) -> Iterator[str]:
    for one in matching(sandbox, os.path.dirname(path), f"*/{FILE}"):
        if isinstance(one, str):
            yield os.path.relpath(os.path.dirname(one), directory or ".")


def _nested(inner: Document, outer: LoadedWorkspace) -> Diagnostic:
    message = f"{inner.file} is a workspace inside workspace {outer.document.file}"
    note = Note("the outer workspace", outer.document.locate(_AT, key=True))
    hint = "list all projects in the outer workspace, and remove projects here"
    return Diagnostic("TJ561", message, path=_AT, span=inner.locate(_AT, key=True), related=(note,), hint=hint)


def _unlisted(project: Document, workspace: LoadedWorkspace) -> Diagnostic:
    message = f"workspace {workspace.document.file} does not list this project, so the project inherits nothing"
    note = Note("its projects", workspace.document.locate(_AT, key=True))
    folder = os.path.relpath(os.path.dirname(project.file) or ".", workspace.directory or ".")
    hint = f"add {folder} to its projects, or move the project out of the workspace"
    return Diagnostic("TJ560", message, span=project.locate(()), related=(note,), hint=hint, severity=WARNING)


def _untrusted(project: Document, workspace: LoadedWorkspace) -> Diagnostic:
    message = f"workspace {workspace.document.file} lists this project, but no Git work tree contains both"
    hint = "run git init in the folder of the workspace, or build from there"
    note = Note("its projects", workspace.document.locate(_AT, key=True))
    return Diagnostic("TJ561", message, span=project.locate(()), related=(note,), hint=hint)
