"""A request -> the plan of the build: the project, its environments, and the files to compile."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping

from tjgen.cluster.trainer.release import Release
from tjgen.compiler.building import policies
from tjgen.compiler.building.environment import EnvironmentSettings, different_trainers, release
from tjgen.compiler.building.inputs import (
    chosen_environments,
    confinement,
    files_at,
    is_platform,
    is_root,
    nothing_to_build,
    project_at,
    taken_names,
    unreadable_slicers,
)
from tjgen.compiler.building.request import Digests, Request
from tjgen.compiler.building.run import DigestOf
from tjgen.language.catalog.find import Catalog
from tjgen.language.platform.prices import PricedDevices
from tjgen.language.resolve.layers import Layer
from tjgen.language.resolve.project import LoadedProject
from tjgen.language.resolve.settings import settings
from tjgen.language.runs.store import IMAGES, Locks
from tjgen.language.setting import ClusterSettings
from tjgen.trees.diagnostics.model import CompileError, Diagnostic, has_errors
from tjgen.trees.fields.path import Tree, get, render
from tjgen.trees.files.sandbox import Sandbox
from tjgen.trees.source.document import Document
from tjgen.trees.source.reader import CORE, read
from tjgen.trees.typing import Any, NamedTuple


class Plan(NamedTuple):
    """What a build compiles, and everything that it needs to know of the project; `make_plan` makes one."""

    request: Request
    project: LoadedProject
    environments: list[str | None]
    """In the order of the project; None for a project that has none."""
    files: list[str]
    """The files to compile, in order; those that are given as text first."""
    platform_files: list[str]
    """Files of the request that hold a Platform, if the request takes them."""
    layers: list[Layer]
    """What the request sets in every experiment."""
    settings: Mapping[str | None, EnvironmentSettings]
    catalog: Catalog
    locks: Locks
    digest_of: DigestOf | None
    """The digest of an image; None if no image has one."""
    diagnostics: list[Diagnostic]
    """Warnings about the project. Errors end in CompileError."""

    @property
    def whole(self) -> bool:
        """Whether the build is of the whole project, so that it sees every experiment."""
        return not self.request.paths and not self.request.given

    @property
    def values(self) -> Mapping[str, Tree]:
        """Field path -> value that the request sets. In a try, they are content of the run, as if they were in the experiment."""
        parts = [part for layer in self.layers for part in layer.parts]
        return {render(part.because): get(part.tree, part.because) for part in parts}

    @property
    def sandbox(self) -> Sandbox:
        """What reads the files of the input."""
        return self.project.sandbox

    @property
    def output(self) -> str | None:
        """The output folder of the project. Raises CompileError if it is outside of the repository."""
        return self.project.output

    def content(self, file: str) -> bytes | Diagnostic:
        """The text of one of `files`, or why it cannot be read."""
        given = self.request.given
        return given[file] if file in given else self.sandbox.content(file)

    def source(self, file: str) -> str:
        """The name of a file relative to the project."""
        return os.path.relpath(file, self.project.directory or ".").replace(os.sep, "/")

    def documents(self, file: str, content: bytes) -> tuple[list[Document], list[Diagnostic]]:
        """The documents of one of `files` with this content, and what is wrong with its text."""
        documents, problems = read(content, file, CORE, self.sandbox.budgets)
        program = self.request.programs.get(file)
        if program is None:
            return documents, problems
        return [program.located(one) for one in documents], [program.placed(one, documents) for one in problems]

    def rewrites(self, environment: str | None) -> Mapping[str, str]:
        """The image prefixes that the platform of an environment rewrites."""
        return self.settings[environment].rewrite

    def release_of(self, environment: str | None) -> Release:
        """The release of Trainer that the cluster of an environment runs."""
        return self.settings[environment].release

    def devices(self, environment: str | None) -> PricedDevices:
        """The devices of the cluster of an environment, and their prices."""
        return self.settings[environment].devices

    def cluster(self, environment: str | None) -> ClusterSettings:
        """The cluster of an environment, as its Platform describes it."""
        return self.settings[environment].cluster

    def only_promoted(self, environment: str | None) -> bool:
        """Whether an environment has only runs that are promoted to it."""
        own = self.project.environment(environment)
        return own is not None and own.runs == "promoted"

    def bound(self, environment: str, field: str, name: str) -> tuple[Any, Document] | None:
        """The limits of a namespace (`quotas`) or queue (`queues`), and the Platform that sets them."""
        surroundings = self.settings[environment or None]
        limits = (surroundings.cluster.quotas if field == "quotas" else surroundings.cluster.queues).get(name)
        return (limits, surroundings.platform) if limits is not None and surroundings.platform is not None else None

    def surroundings(self) -> Iterator[bytes]:
        """The text of everything in addition to a source that its runs depend on: project, overlays, platforms, catalogs."""
        project = self.project
        overlays = [*project.overlays, *(one for group in project.overlays_of.values() for one in group)]
        workspace = project.workspace.document if project.workspace is not None else None
        documents = [
            project.document,
            workspace,
            *(one.document for one in overlays),
            *(one.document for one in project.platforms),
        ]
        yield f"{self.request.trainer}".encode()
        for document in documents:
            if document is not None:
                yield f"{document.file}\n{document.index}\n{document.text}".encode()
        yield from self._texts(project.files(project.spec.catalogs))
        for platform in (None, *project.platforms):
            yield from policies.texts(project, platform)
            if platform is not None and platform.platform.spec.nodes:
                from tjgen.compiler.fit.nodes import files_of  # few platforms name nodes

                yield from self._texts(files_of(project, platform))
        if os.path.isdir(os.path.join(self.locks.folder, IMAGES)):
            from tjgen.language.runs.pins import Pins

            yield from self._texts(Pins(self.locks.folder).files())

    def _texts(self, files: Iterable[str]) -> Iterator[bytes]:
        for file, content in self.sandbox.contents(list(files)):
            yield file.encode(errors="surrogateescape")
            yield content if isinstance(content, bytes) else content.message.encode(errors="surrogateescape")


def make_plan(request: Request) -> Plan:
    """The plan. Raises CompileError if the project itself, or the request, is wrong."""
    if request.project is None and is_root(request.paths):
        # The folder of a project means the project, as it does from inside.
        request = request._replace(project=request.paths[0], paths=())
    whole = not request.paths and not request.given
    confined = confinement() if request.is_confined else None
    project, diagnostics = project_at(request.paths, request.project, confined=confined, workspace=request.workspace)
    if project.document is None and has_errors(diagnostics):
        raise CompileError(diagnostics)  # a project that is not read lacks everything that the request names
    if request.overlays:
        from tjgen.language.resolve.members import with_overlays  # overlays of the command line are rare

        project, problems = with_overlays(project, request.overlays)
        diagnostics = [*diagnostics, *problems]
    # Files in addition to the project are named from here, or from the root.
    root = project.directory or "."
    places = [*(os.path.relpath(one, root) for one in request.catalogs), *project.spec.catalogs]
    for place in request.catalogs:
        project.sandbox.name(os.path.relpath(place, root))
    versions = release(project, None, request.trainer).versions
    layers, problems = settings(list(request.set_values))
    environments, unknown = chosen_environments(project, request.environments)
    diagnostics = [*diagnostics, *problems, *unknown, *taken_names(project), *unreadable_slicers(project)]
    known = {name: EnvironmentSettings(project, name, request.trainer) for name in environments}
    others = [one for one in (settings.release.versions for settings in known.values()) if one != versions]
    catalog = Catalog(places, project.directory, versions=versions, others=others, sandbox=project.sandbox)
    diagnostics += [one for environment in known.values() for one in environment.misfits()]
    diagnostics += different_trainers(project, {name: one.release for name, one in known.items() if name is not None})
    diagnostics += dict.fromkeys(one for environment in known.values() for one in environment.policy_problems)
    diagnostics += dict.fromkeys(one for environment in known.values() for one in environment.node_problems)
    if whole and not has_errors(diagnostics):
        diagnostics += nothing_to_build(project)
    files, problems = _experiments(project) if whole else files_at(request.paths, project)
    diagnostics += problems
    if has_errors(diagnostics):
        raise CompileError(diagnostics)
    locks = Locks(project.directory)
    return Plan(
        request,
        project,
        environments,
        [*request.given, *files],
        _platform_files(request, project.sandbox),
        layers,
        known,
        catalog,
        locks,
        _digest_of(request.digests, locks.folder),
        diagnostics,
    )


def _experiments(project: LoadedProject) -> tuple[list[str], list[Diagnostic]]:
    from tjgen.language.resolve.members import experiments  # only a build of a whole project

    return experiments(project)


def _platform_files(request: Request, sandbox: Sandbox) -> list[str]:
    files = []
    for path in dict.fromkeys(request.paths) if request.takes_platforms else ():
        content = sandbox.content(path) if not os.path.isdir(path) else b""
        # Most files that are named hold experiments: those are read once, when they are compiled.
        if isinstance(content, bytes) and b"Platform" in content:
            documents, _ = read(content, path, CORE, sandbox.budgets)
            if any(map(is_platform, documents)):
                files.append(path)
    return files


def _digest_of(digests: Digests, folder: str) -> DigestOf | None:
    from_pins: DigestOf | None = None
    if os.path.isdir(os.path.join(folder, IMAGES)):
        from tjgen.language.runs.pins import Pins  # many projects pin nothing

        from_pins = Pins(folder).digest
    if not digests.every and not digests.given:
        return from_pins
    from tjgen.language.platform.images import tagged  # few requests give digests

    def digest_of(image: str) -> str | None:
        full = tagged(image)
        if digests.every:
            return digests.every if full is not None else None
        digest = digests.given.get(full or "")
        return digest if digest is not None or from_pins is None else from_pins(image)

    return digest_of
