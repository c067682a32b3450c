"""A project file, and those above it -> the project with the settings that it inherits, and the Platforms that it owns."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Sequence

from tjgen.language.resolve import workspace as workspaces
from tjgen.language.resolve.files import named
from tjgen.language.resolve.inherited import InheritedDocument, Merged, merge
from tjgen.language.resolve.project import FILE, LoadedProject, LoadedWorkspace
from tjgen.language.resolve.reading import of_kind
from tjgen.trees.diagnostics.model import Diagnostic, Note
from tjgen.trees.fields.path import FieldPath, Tree
from tjgen.trees.files.repository import repository_of
from tjgen.trees.files.sandbox import Sandbox
from tjgen.trees.source.document import Document
from tjgen.trees.typing import NamedTuple

_PLATFORMS: FieldPath = ("spec", "platforms")


class Membership(NamedTuple):
    """A project with what it inherits. In a project without a workspace, nothing differs from its file."""

    document: Document
    tree: Tree
    workspace: LoadedWorkspace | None
    diagnostics: list[Diagnostic]

    @staticmethod
    def of(document: Document, tree: Tree, above: Sequence[str], trusted: Collection[str | None], sandbox: Sandbox) -> Membership:
        """The membership of the project in `document`; `above` and `trusted` as in `workspace_of`."""
        workspace, diagnostics = workspaces.workspace_of(document, above, trusted, sandbox) if above else (None, [])
        if workspace is not None:
            joined, merged = inheriting(document, tree, workspace)
            return Membership(joined, merged.value, workspace, [*diagnostics, *merged.diagnostics])
        if tree["spec"].get("projects") and not diagnostics:
            workspace, problems = workspaces.of_document(document, tree, sandbox)
            return Membership(document, tree, workspace, problems)
        return Membership(document, tree, None, diagnostics)

    @property
    def workspace_file(self) -> str:
        """The real path of the file of the workspace; empty without one."""
        return os.path.realpath(self.workspace.document.file) if self.workspace is not None else ""

    def joined(self, project: LoadedProject) -> tuple[LoadedProject, list[Diagnostic]]:
        """The project with its workspace and the Platforms that it owns; TJ562 for one that the workspace does not list."""
        if self.workspace is None:
            return project, []
        project = project._replace(workspace=self.workspace, shared_overlays=frozenset(self._shared_overlays(project)))
        if project.document is self.workspace.document:
            of_projects = {os.path.realpath(file) for _, file in owned(self.workspace, project.sandbox)}
            files = [one.document.file for one in project.platforms if os.path.realpath(one.document.file) not in of_projects]
            return project._replace(owned_platforms=tuple(files)), []
        number = len(self.workspace.spec.platforms)
        inherited, own = project.spec.platforms[:number], project.spec.platforms[number:]
        diagnostics = []
        known = project.files(inherited)
        for position, entry in enumerate(own):
            if number and any(file not in known for file in project.files([entry])):
                diagnostics.append(self._refused(project, entry, (*_PLATFORMS, number + position)))
        return project._replace(owned_platforms=tuple(project.files(own))), diagnostics

    def _shared_overlays(self, project: LoadedProject) -> Iterator[str]:
        assert self.workspace is not None, "a workspace shares them"
        spec, own = self.workspace.spec, project.spec
        yield from project.files(own.overlays[: len(spec.overlays)])
        for name, environment in own.environments.items():
            number = len(spec.environments[name].overlays) if name in spec.environments else 0
            yield from project.files(environment.overlays[:number])

    def _refused(self, project: LoadedProject, entry: str, path: FieldPath) -> Diagnostic:
        assert self.workspace is not None, "only a workspace refuses an entry"
        note = Note("set for all projects here", self.workspace.document.locate(_PLATFORMS))
        message = f"{entry} is not a Platform of the workspace, and describes the clusters of this project alone"
        hint = f"remove it, or let the owner of {self.workspace.document.file} list it there"
        span = project.document.locate(path) if project.document is not None else None
        return Diagnostic("TJ562", message, path=path, span=span, related=(note,), hint=hint)


def inheriting(document: Document, tree: Tree, workspace: LoadedWorkspace) -> tuple[InheritedDocument, Merged]:
    """The document of a project, `tree` in long form, with what it inherits."""
    merged = merge((document, tree), (workspace.document, workspace.tree))
    merged = merged._replace(value=_with_place(merged.value, document, workspace))
    return InheritedDocument(document, workspace.document, merged), merged


def _with_place(value: Tree, document: Document, workspace: LoadedWorkspace) -> Tree:
    """The value with a name and a folder in the repository for the sync, where the project sets none: those of its folder."""
    folder = os.path.realpath(os.path.dirname(document.file) or ".")
    top = os.path.realpath(workspace.directory or ".")
    if value.get("metadata") is None:
        value = {**value, "metadata": {"name": os.path.relpath(folder, top).replace(os.sep, "-")}}
    spec = value["spec"]
    gitops, output = spec.get("gitops") or {}, (spec.get("output") or {}).get("directory")
    if gitops.get("repository") is not None and gitops.get("path") is None and output is not None:
        place = os.path.relpath(os.path.join(folder, output), repository_of(top) or top).replace(os.sep, "/")
        value = {**value, "spec": {**spec, "gitops": {**gitops, "path": place}}}
    return value


def owned(workspace: LoadedWorkspace, sandbox: Sandbox) -> Iterator[tuple[str, str]]:
    """The folder of each project that lists files of Platforms itself, with each of the files."""
    for folder in workspace.members:
        file = os.path.join(folder, FILE)
        content = sandbox.content(file)
        # Most projects list none: their files are read when they are built.
        if isinstance(content, Diagnostic) or b"platforms" not in content:
            continue
        for _, tree in of_kind("Project", [file], sandbox).good:
            for entry in tree["spec"].get("platforms", ()):
                for platform in named(sandbox, folder, entry)[0]:
                    yield folder, platform
