"""A project: its file, with its overlays and platforms as they were read; and where its file is."""

from __future__ import annotations

import os
from collections.abc import Sequence

from tjgen.language.resolve.files import named
from tjgen.language.spec.objects import Environment, Overlay, Platform, ProjectSpec
from tjgen.trees.ceilings import ceiling
from tjgen.trees.diagnostics.model import CompileError, Diagnostic
from tjgen.trees.fields.path import FieldPath, Tree
from tjgen.trees.files.repository import PROJECT_FILE
from tjgen.trees.files.sandbox import Sandbox, around, is_below
from tjgen.trees.k8s.nearest import nearest
from tjgen.trees.source.document import Document
from tjgen.trees.typing import NamedTuple

FILE = PROJECT_FILE


class OverlayDocument(NamedTuple):
    """An overlay as it was read."""

    document: Document
    overlay: Overlay


class PlatformDocument(NamedTuple):
    """A platform as it was read."""

    document: Document
    platform: Platform

    @property
    def is_generated(self) -> bool:
        """Whether it creates objects (see bundle/bundle.py), rather than only describing existing ones."""
        spec = self.platform.spec
        if spec.flavors or spec.priority_classes or spec.namespaces or spec.runtimes or spec.manifests or spec.patches:
            return True
        classes = any(one.create is not None for one in spec.storage_classes.values())
        return classes or any(one.create is not None for one in spec.queues.values())

    @property
    def completes_claims(self) -> bool:
        """Whether it has settings for the claims that experiments create."""
        spec = self.platform.spec
        claims = spec.new_claims
        return bool(spec.profiles or claims.labels) or claims.size is not None or claims.storage_class_name is not None


class Platforms(tuple[PlatformDocument, ...]):
    """The platforms of a project, in order."""

    def named(self, name: str) -> PlatformDocument | None:
        """The first platform of that name."""
        known: dict[str, PlatformDocument] | None = self.__dict__.get("_by_name")
        if known is None:
            known = self.__dict__["_by_name"] = {}
            for one in self:
                known.setdefault(one.platform.metadata.name, one)
        return known.get(name)


class LoadedWorkspace(NamedTuple):
    """A project file with `projects`: what all of them inherit."""

    directory: str
    """Its folder, from the working directory."""
    document: Document
    tree: Tree
    """The document in long form."""
    spec: ProjectSpec
    members: tuple[str, ...]
    """The folders of its projects, from the working directory."""


class LoadedProject(NamedTuple):
    """The settings of a project, and the documents that it names. `alone` are the defaults without a project file."""

    directory: str
    """The folder that names in the project file are relative to."""
    spec: ProjectSpec
    sandbox: Sandbox
    """What reads the files that the project and its experiments name."""
    document: Document | None = None
    overlays: tuple[OverlayDocument, ...] = ()
    """Overlays for all environments."""
    overlays_of: dict[str, tuple[OverlayDocument, ...]] = {}  # noqa: RUF012  # a value
    """Environment -> the overlays that it names itself."""
    platforms: Platforms = Platforms()  # a value
    is_root: bool = False
    """Whether the caller named this project, so that it may extend what tjgen reads and runs.

    True for the project file in the working directory or above it, up to the root of the Git repository, and for the project
    whose folder is the path of the command or `--project`. False for a project that was found only because a path of the
    command line is below it, and if there is no project file.
    """
    workspace: LoadedWorkspace | None = None
    """The workspace that the project belongs to, or is."""
    owned_platforms: tuple[str, ...] | None = None
    """The files of Platforms whose objects this project builds; None for all."""
    shared_overlays: frozenset[str] = frozenset()
    """The files of the overlays that the workspace sets for all of its projects."""
    sets_limits: bool = False
    """Whether its budgets, readable folders and exceptions apply: those of the root project, or of a workspace that is it."""

    @property
    def name_in_workspace(self) -> str:
        """The folder of the project from that of its workspace; empty without a workspace, and for the workspace itself."""
        if self.workspace is None or self.is_workspace:
            return ""
        return os.path.relpath(self.directory or ".", self.workspace.directory or ".").replace(os.sep, "/")

    @property
    def is_workspace(self) -> bool:
        """Whether the project file lists projects."""
        return self.workspace is not None and self.workspace.document is self.document

    @property
    def allowances(self) -> list[str]:
        """What its policy allows, within the settings of the caller.

        A project that was found only through a path below it cannot allow itself more than the caller's project does.
        """
        if not self.sets_limits:
            return []
        limit = ceiling()
        return [one for one in self.spec.policy.allow if limit is None or limit.allow is None or one in limit.allow]

    @property
    def slicers(self) -> dict[str, str]:
        """Slicing strategies of the project -> the files that they are in."""
        return {name: os.path.join(self.directory, file) for name, file in self.spec.slicers.items()}

    def environment(self, name: str | None) -> Environment | None:
        """One of the project's environments."""
        return self.spec.environments.get(name) if name else None

    def unknown_environment(self, name: str) -> Diagnostic:
        """TJ262 for an environment that the project does not have."""
        if self.document is None:
            message = f'there is no environment "{name}", because neither this folder nor one above has a tjgen.yaml'
            return Diagnostic("TJ262", message, hint="remove --env, or run the command in the folder of a project")
        known = self.spec.environments
        near = nearest(name, known)
        hint = f'did you mean "{near}"?' if near else f"use one of {', '.join(known)}" if known else "remove --env"
        return Diagnostic("TJ262", f'the project has no environment "{name}"', hint=hint)

    def on_supersede(self, environment: str | None) -> str:
        """Whether superseded runs of an environment continue ("keep") or stop ("stop"), if the experiment does not set it."""
        own = self.environment(environment)
        return str((own.on_supersede if own is not None else None) or self.spec.history.on_supersede)

    def platform(self, environment: str | None) -> PlatformDocument | None:
        """The platform that an environment names; the only one of the project where none is named."""
        chosen = self.environment(environment)
        if chosen is not None and chosen.platform is not None:
            return self.platforms.named(chosen.platform)
        return self.platforms[0] if len(self.platforms) == 1 else None

    def cluster(self, environment: str | None) -> str:
        """The name of the cluster of an environment: the one that it names, its Platform, or else the environment itself."""
        own, platform = self.environment(environment), self.platform(environment)
        if own is not None and own.cluster:
            # One Platform may describe several clusters, which environments then name.
            return str(own.cluster)
        return str(platform.platform.metadata.name) if platform is not None else environment or ""

    def builds(self, platform: PlatformDocument) -> bool:
        """Whether this project builds the objects of a Platform: it creates some, and the Platform is not of another project."""
        is_own = self.owned_platforms is None or platform.document.file in self.owned_platforms
        return platform.is_generated and is_own

    @property
    def schemas(self) -> str | None:
        """The folder with the schemas of the clusters' own kinds; None for one outside of the repository (`load` reports it)."""
        named = self.spec.schemas
        folder = None if named is None else os.path.normpath(os.path.join(self.directory, named))
        return folder if folder is None or self.sandbox.resolved(folder) is not None else None

    @property
    def catalogs(self) -> list[str]:
        """The files and folders of the project's runtimes, from the working directory."""
        return [os.path.join(self.directory, place) for place in self.spec.catalogs]

    def outside_catalogs(self, files: Sequence[str]) -> list[str]:
        """The files that are not in a folder of `catalogs`, each once."""
        catalogs = tuple(os.path.join(os.path.normpath(one), "") for one in self.catalogs)
        return [one for one in dict.fromkeys(files) if not os.path.normpath(one).startswith(catalogs)]

    @property
    def output(self) -> str | None:
        """The folder that trees go to. Raises CompileError where it is outside of the repository (TJ038)."""
        if self.spec.output.directory is None:
            return None
        folder = os.path.normpath(os.path.join(self.directory, self.spec.output.directory))
        if not is_below(os.path.realpath(folder), self.sandbox.root):
            raise CompileError([_leaves(folder, self.document)])
        return folder

    def files(self, entries: Sequence[str]) -> list[str]:
        """The files that entries of the project file mean, each once."""
        return list(dict.fromkeys(file for entry in entries for file in named(self.sandbox, self.directory, entry)[0]))


def alone(paths: Sequence[str] = ()) -> LoadedProject:
    """What holds without a project file, for paths of a command line."""
    return LoadedProject("", ProjectSpec({}), around(paths, start=_folder_of(paths[0]) if paths else "."))


def find(start: str) -> str | None:
    """The project file for the file or folder `start`: in its folder or the nearest one above, as a relative path."""
    folder = os.path.abspath(_folder_of(start))
    while True:
        file = os.path.join(folder, FILE)
        # A broken link stays in the list: reading it reports the error.
        if os.path.lexists(file):
            return os.path.relpath(file)
        above = os.path.dirname(folder)
        if above == folder:
            return None
        folder = above


def _folder_of(path: str) -> str:
    return path if os.path.isdir(path) else os.path.dirname(path) or "."


def _leaves(folder: str, document: Document | None) -> Diagnostic:
    path: FieldPath = ("spec", "output", "directory")
    message = f"output.directory leads to {folder}, which is outside of the repository"
    span = document.locate(path) if document is not None else None
    hint = "name a folder of the repository, or give another one on the command line with -o"
    return Diagnostic("TJ038", message, path=path, span=span, hint=hint)
