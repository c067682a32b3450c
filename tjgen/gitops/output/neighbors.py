"""The output trees and locks of the other projects of a workspace -> what a project has in common with them, and must not.

The others are not compiled: a name is in the path of a file, and the header of a file names its source.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from tjgen.compiler.building.plan import Plan
from tjgen.gitops.emit.header import read as read_header
from tjgen.gitops.output.neighbor_syncs import same_objects
from tjgen.language.resolve.membership import inheriting
from tjgen.language.resolve.project import FILE, LoadedProject, LoadedWorkspace
from tjgen.language.resolve.reading import of_kind
from tjgen.language.spec.objects import ProjectSpec
from tjgen.trees.diagnostics.model import WARNING, Diagnostic, Note, Span
from tjgen.trees.fields.path import get
from tjgen.trees.files.sandbox import Sandbox
from tjgen.trees.files.search import below
from tjgen.trees.manifests.manifest import DATA, PLATFORM, RUNS, RUNTIMES
from tjgen.trees.source.reader import CORE, read
from tjgen.trees.typing import NamedTuple

_ENDING = ".yaml"
_NAMESPACE = "namespace-"


class ClusterObject(NamedTuple):
    """An object of a tree, as far as the path of its file names it."""

    cluster: str
    namespace: str
    file: str
    """Kind and name, as `layout.file_name` writes them."""


class Neighbor(NamedTuple):
    """A project of a workspace, without its experiments."""

    folder: str
    """From the folder of the workspace; `.` for the workspace itself."""
    project: LoadedProject
    """Its settings, with what it inherits, without the documents that it names."""

    @property
    def directory(self) -> str:
        """From the working directory."""
        return self.project.directory

    @property
    def spec(self) -> ProjectSpec:
        return self.project.spec

    @property
    def tree(self) -> str | None:
        """Its output tree; None if it has none."""
        directory = self.spec.output.directory
        return None if directory is None else os.path.normpath(os.path.join(self.directory, directory))


def neighbors_of(plan: Plan) -> Iterator[Neighbor]:
    """The other projects of the workspace that a project belongs to, and the workspace itself. Those with errors are left out."""
    workspace = plan.project.workspace
    if workspace is None:
        return
    own = os.path.realpath(plan.project.directory or ".")
    for directory in (workspace.directory, *workspace.members):
        if os.path.realpath(directory or ".") != own:
            neighbor = neighbor_at(workspace, directory, plan.sandbox)
            if neighbor is not None:
                yield neighbor


def neighbor_at(workspace: LoadedWorkspace, directory: str, sandbox: Sandbox) -> Neighbor | None:
    """The project of a workspace in a folder; None if it has errors."""
    project = _project_of(workspace, directory, sandbox)
    return Neighbor(os.path.relpath(directory or ".", workspace.directory or "."), project) if project is not None else None


def problems(plan: Plan, directory: str, present: Sequence[str]) -> list[Diagnostic]:
    """TJ563 for a namespace of two projects, and TJ564 for an object that another project has, too.

    `present`: the paths of the files in the output tree of the project.
    """
    own = {one: path for path in present if (one := object_at(path, plan.project.spec)) is not None}
    namespaces = {(one.cluster, one.namespace): path for one, path in own.items() if _is_of_run(path)}
    diagnostics: list[Diagnostic] = []
    for other in neighbors_of(plan):
        diagnostics += same_objects(plan.project, other.project, other.folder)
        tree = other.tree
        if tree is None or not os.path.isdir(tree):
            continue
        theirs = _Theirs(other, tree)
        shared: dict[tuple[str, str], str] = {}
        for path in theirs.paths():
            one = object_at(path, other.spec)
            if one is None:
                continue
            if one in own:
                diagnostics.append(_taken(plan, directory, own[one], one, theirs, path))
            elif (one.cluster, one.namespace) in namespaces and _is_of_run(path):
                shared.setdefault((one.cluster, one.namespace), path)
        for key, path in shared.items():
            diagnostics.append(_shared_namespace(plan, directory, namespaces[key], key[1], theirs, path))
    return diagnostics


def object_at(path: str, spec: ProjectSpec) -> ClusterObject | None:
    """The object in a file of an output tree; None for other files, and for objects of the sync."""
    if not path.endswith(_ENDING):
        return None
    parts = path.split("/")
    if parts[0] == PLATFORM and len(parts) > 2:
        environments = [name for name, one in spec.environments.items() if one.platform in (parts[1], None)]
        cluster = cluster_of(spec, environments[0] if environments else None)
        return ClusterObject(cluster, parts[2] if len(parts) > 3 else "", parts[-1])
    environment = parts.pop(0) if parts[0] in spec.environments else None
    if len(parts) < 3 or parts[0] not in (RUNS, DATA, RUNTIMES):
        return None
    prefix = "trainingruntime-" if parts[0] == RUNTIMES else ""
    return ClusterObject(cluster_of(spec, environment), parts[1], prefix + parts[-1])


def cluster_of(spec: ProjectSpec, environment: str | None) -> str:
    """A name of the cluster of an environment, which is the same for two environments if they are in one cluster."""
    own = spec.environments.get(environment) if environment is not None else None
    if own is None:
        return ""
    return own.cluster or own.platform or ("" if spec.platforms else environment or "")


class _Theirs:
    """The files of a neighbor."""

    def __init__(self, neighbor: Neighbor, tree: str) -> None:
        self.neighbor = neighbor
        self._tree = tree

    def paths(self) -> Iterator[str]:
        """The paths of all files in the output tree."""
        for path in below(Sandbox([self._tree]), self._tree, lambda name: name.endswith(_ENDING)):
            if isinstance(path, str):
                yield os.path.relpath(path, self._tree).replace(os.sep, "/")

    def place(self, path: str, sandbox: Sandbox) -> Span | None:
        """Where the source of a file is; of a runtime, a source of a run that may use it."""
        if RUNTIMES in path.split("/")[:2]:
            namespace = f"/{path.split('/')[-2]}/"
            path = next((one for one in self.paths() if _is_of_run(one) and namespace in one), path)
        return source_place(sandbox, self.neighbor.directory, os.path.join(self._tree, path))


def source_place(sandbox: Sandbox, project: str, file: str) -> Span | None:
    """The place of the experiment or the Platform in the source of an output file; None if the source has none."""
    content = sandbox.content(file)
    header = read_header(content) if isinstance(content, bytes) else None
    source = os.path.normpath(os.path.join(project, header.source)) if header is not None else ""
    text = sandbox.content(source) if source else b""
    if header is None or isinstance(text, Diagnostic):
        return None
    documents, _ = read(text, source, CORE, sandbox.budgets)
    name = header.owner.rpartition("/")[2]
    named = (one for one in documents if not name or get(one.value, ("metadata", "name"), None) == name)
    document = next(named, None)
    return document.locate(("metadata", "name")) if document is not None else None


def _is_of_run(path: str) -> bool:
    parts = path.split("/")
    return RUNS in parts[:2]


def _project_of(workspace: LoadedWorkspace, directory: str, sandbox: Sandbox) -> LoadedProject | None:
    """The settings of a project with what it inherits; None if its file has errors."""
    if directory == workspace.directory:
        return LoadedProject(directory, workspace.spec, sandbox, workspace.document)
    for document, tree in of_kind("Project", [os.path.join(directory, FILE)], sandbox).good:
        joined, merged = inheriting(document, tree, workspace)
        return LoadedProject(directory, ProjectSpec(merged.value["spec"]), sandbox, joined)
    return None


def _taken(plan: Plan, directory: str, own: str, one: ClusterObject, theirs: _Theirs, path: str) -> Diagnostic:
    kind, _, name = one.file.removesuffix(_ENDING).partition("-")
    where = f"namespace {one.namespace}" if one.namespace else "the cluster"
    note = Note("the other project gets it from here", theirs.place(path, plan.sandbox))
    span = _own_place(plan, directory, own)
    if kind == "namespace" and not one.namespace:
        message = f"namespace {name} also belongs to project {theirs.neighbor.folder}"
        hint = "list the Platform in only one project, or only in the workspace"
        return Diagnostic("TJ563", message, span=span, related=(note,), hint=hint)
    message = f"{kind} {name} in {where} also belongs to project {theirs.neighbor.folder}: a sync of one would change the other"
    hint = "give one of them another name or namespace; a superseded run keeps its claims until it is removed"
    return Diagnostic("TJ564", message, span=span, related=(note,), hint=hint)


def _shared_namespace(plan: Plan, directory: str, own: str, namespace: str, theirs: _Theirs, path: str) -> Diagnostic:
    message = f"namespace {namespace} also has runs of project {theirs.neighbor.folder}: they share quotas, claims and names"
    note = Note("the other project gets a run from here", theirs.place(path, plan.sandbox))
    hint = "give each project its own namespace: environments.<name>.namespace"
    span = _own_place(plan, directory, own)
    return Diagnostic("TJ563", message, span=span, related=(note,), hint=hint, severity=WARNING)


def _own_place(plan: Plan, directory: str, path: str) -> Span | None:
    """The place of the source of an own file: of its header, or before the first build of what its path names."""
    place = source_place(plan.sandbox, plan.project.directory, os.path.join(directory, path))
    return (
        place or _source_of_new(plan, path) or (plan.project.document.locate(()) if plan.project.document is not None else None)
    )


def _source_of_new(plan: Plan, path: str) -> Span | None:
    """The Platform, or the experiment whose name the path has: a claim begins with it, and a runtime is of any experiment."""
    parts = path.split("/")
    if parts[0] == PLATFORM:
        platform = plan.project.platforms.named(parts[1])
        return platform.document.locate(("metadata", "name")) if platform is not None else None
    names = [*parts[-3:-2], parts[-1].partition("-")[2]] if _is_of_run(path) or DATA in parts[:2] else []
    for file, content in plan.sandbox.contents(plan.files):
        documents, _ = read(content, file, CORE, plan.sandbox.budgets) if isinstance(content, bytes) else ([], [])
        for document in documents:
            name = get(document.value, ("metadata", "name"), None)
            if not names or any(f"{one}-".startswith(f"{name}-") for one in names):
                return document.locate(("metadata", "name"))
    return None
