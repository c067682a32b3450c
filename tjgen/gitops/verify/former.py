"""A workspace and its base -> the projects of the base that the workspace does not have any more, and what is wrong with that.

Nothing builds or verifies such a project, so its runs must be pruned before it leaves, and its output leaves with it. The same
holds for the earlier output folder of a project that has another one now.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from tempfile import TemporaryDirectory

from tjgen.compiler.building.plan import Plan
from tjgen.compiler.building.projects import folders
from tjgen.gitops.diff.compare import DiffEntry, compare
from tjgen.gitops.diff.reference import Base
from tjgen.gitops.diff.renamed import folder_at
from tjgen.gitops.diff.revision import Repository
from tjgen.gitops.output.neighbors import Neighbor, neighbor_at
from tjgen.gitops.verify import findings
from tjgen.gitops.verify.differences import TreeDifference, finding, odd_files
from tjgen.gitops.verify.evaluate import side_of
from tjgen.gitops.verify.snapshot import Blobs, Folder, Snapshot, is_pin, snapshot
from tjgen.gitops.verify.state import StoredLocks
from tjgen.gitops.verify.verify import is_ignored
from tjgen.language.resolve.project import FILE, LoadedProject
from tjgen.language.resolve.reading import of_kind
from tjgen.language.resolve.workspace import members_of, read_workspace
from tjgen.language.runs.lock import DIRECTORY
from tjgen.language.spec.objects import ProjectSpec
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.files.sandbox import Sandbox, is_below
from tjgen.trees.typing import NamedTuple


class FormerProject(NamedTuple):
    """A project of the base that is not in the workspace now, or has another folder or another output folder."""

    folder: str
    """From the working directory."""
    both: Snapshot
    """Its output and its locks."""
    is_renamed: bool
    """Whether a project of the workspace has its runs now, in another folder."""
    output: str | None
    """Its output folder now, which can be below the earlier one."""

    @property
    def entries(self) -> list[DiffEntry]:
        """The changes of its runs and shared objects."""
        return compare(side_of(self.both.old, "the base"), side_of(self.both.new, "this tree")) if not self.is_renamed else []


def former_projects(plan: Plan, repository: Repository, base: Base) -> Iterator[FormerProject]:
    """The projects that have left `plan`, a workspace or what was one, and the projects with another output folder.

    Raises CompileError if the repository cannot be read.
    """
    top = plan.project.directory or "."
    if base.commit is None:
        return
    own = {os.path.realpath(one) for one in (top, *folders(plan))}
    known = [(one, os.path.normpath(os.path.join(top, one.folder))) for one in _projects_at(repository, base.commit, top)]
    removed = [folder for _, folder in known if os.path.realpath(folder) not in own]
    renamed = {folder_at(repository, base.commit, one).then for one in folders(plan)} if removed else set()
    blobs = Blobs(repository)
    for one, folder in known:
        is_removed = folder in removed
        before = os.path.normpath(os.path.join(folder, one.spec.output.directory or ""))
        output = _output(plan, folder, before) if not is_removed else None
        if one.spec.output.directory is not None and output != before:
            both = snapshot(repository, base.commit, before, os.path.join(folder, DIRECTORY), blobs)
            is_renamed = not is_removed or repository.path_of(folder) in renamed
            yield FormerProject(folder, both if is_removed else both.of_tree, is_renamed, output)


def problems(plan: Plan, repository: Repository, base: Base, former: FormerProject) -> Iterator[Diagnostic]:
    """TJ293 for runs, TJ292 and TJ295 for files that are not as at the base, and TJ295 for output that stays without runs."""
    both = former.both
    locks = StoredLocks("", both.old.records).all() if not former.is_renamed else ()
    runs = sorted(name for _, lock in locks for name in lock.runs)
    restore = _restoring(plan, former, base.name)
    if runs:
        yield findings.without_project(former.folder, runs, base.name, restore)
    files = [one for folder in (both.tree, both.records) for one in _files(folder, former.output)]
    left = [one for one in files if not is_ignored(one, repository)]
    places = [folder.place for folder in (both.tree, both.records) if any(one.folder is folder for one in left)]
    if former.is_renamed:
        yield from (findings.left_output(place) for place in places)
        return
    unknown = [one for one in left if one.before is None]
    yield from (findings.foreign(one.place) for one in unknown)
    yield from (finding(one, base.name, None) for one in left if one.before is not None and one.actual != one.before)
    yield from (*odd_files(both.tree), *odd_files(both.records))
    if not runs and not unknown:
        yield from (findings.left_output(place, restore) for place in places)


def _projects_at(repository: Repository, commit: str, top: str) -> list[Neighbor]:
    """The project in folder `top` at a commit, and if it was a workspace, its projects; without those that have errors."""
    place = repository.path_of(top)
    file = f"{place}/{FILE}" if place else FILE
    if not repository.has(commit, file):
        return []
    contents = repository.contents({FILE: f"{commit}:{file}"}, commit[:12])
    if b"projects" in contents[FILE]:
        contents = repository.files(commit, place, wanted=lambda path: path.rpartition("/")[2] == FILE)
    with TemporaryDirectory(prefix="tjgen-") as folder:
        for path, content in contents.items():
            os.makedirs(os.path.dirname(os.path.join(folder, path)), exist_ok=True)
            with open(os.path.join(folder, path), "wb") as stream:
                stream.write(content)
        sandbox = Sandbox([folder])
        file = os.path.join(folder, FILE)
        workspace, _ = read_workspace(file, sandbox)
        if workspace is not None:
            members, _ = members_of(workspace, sandbox)
            neighbors = [neighbor_at(workspace, one, sandbox) for one in (folder, *members)]
            return [one for one in neighbors if one is not None]
        read = of_kind("Project", [file], sandbox).good
        return [Neighbor(".", LoadedProject(folder, ProjectSpec(tree["spec"]), sandbox, one)) for one, tree in read]


def _output(plan: Plan, folder: str, before: str) -> str | None:
    """The output folder of a project of the workspace, or of the project of `plan`; `before` if its project file has errors."""
    workspace = plan.project.workspace
    if workspace is None or os.path.realpath(folder) == os.path.realpath(plan.project.directory or "."):
        return plan.output
    own = neighbor_at(workspace, folder, plan.sandbox)
    return own.tree if own is not None else before


def _files(folder: Folder, output: str | None) -> Iterator[TreeDifference]:
    """The files of a folder that exist now, except pins and what is in `output`."""
    for path, content in sorted(folder.new.contents.items()):
        if not is_pin(path) and (output is None or not is_below(f"{folder.place}/{path}", output)):
            before = folder.old.contents.get(path)
            yield TreeDifference(folder, path, before, content, before)


def _restoring(plan: Plan, former: FormerProject, base: str) -> str:
    """What brings a project back into the workspace."""
    folder = former.folder
    places = [os.path.join(folder, FILE), former.both.tree.place, former.both.records.place]
    missing = [place for place in places if not os.path.lexists(place)]
    if not missing or (missing != places and places[0] not in missing):
        document = plan.project.document
        file = document.file if document is not None else FILE
        return f"list {os.path.relpath(folder, plan.project.directory or '.')} in projects of {file} again"
    return f"use git checkout {base} -- {' '.join([folder] if len(missing) == len(places) else missing)}"
