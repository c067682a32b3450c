"""A path -> the project that it lies in: `tjgen.yaml`, with its overlays and platforms as they were read."""

from __future__ import annotations

import os
from collections.abc import Sequence

from tjgen import __version__
from tjgen.diagnostics.model import ERROR, WARNING, Diagnostic, Note
from tjgen.fields.path import FieldPath
from tjgen.k8s.nearest import nearest
from tjgen.resolve import policy
from tjgen.resolve.files import matching
from tjgen.resolve.reading import of_kind
from tjgen.source.document import Document
from tjgen.spec.objects import Environment, Overlay, Platform, ProjectSpec
from tjgen.typing import NamedTuple

FILE = "tjgen.yaml"


class OverlayDocument(NamedTuple):
    """An overlay as it was read."""

    document: Document
    overlay: Overlay


class PlatformDocument(NamedTuple):
    """A platform as it was read."""

    document: Document
    platform: Platform

    @property
    def is_made(self) -> bool:
        """Whether it makes anything (see bundle/bundle.py), rather than only describing what is there."""
        spec = self.platform.spec
        if spec.flavors or spec.priority_classes or spec.namespaces or spec.runtimes:
            return True
        classes = any(one.create is not None for one in spec.storage_classes.values())
        return classes or any(one.create is not None for one in spec.queues.values())


class Project(NamedTuple):
    """What a project says, and the documents that it names. `ALONE` is what holds without a project file."""

    directory: str
    """The folder that names in the project file are relative to."""
    spec: ProjectSpec
    document: Document | None = None
    overlays: tuple[OverlayDocument, ...] = ()
    """Overlays for all environments."""
    overlays_of: dict[str, tuple[OverlayDocument, ...]] = {}  # noqa: RUF012  # a value
    """Environment -> the overlays that it names itself."""
    platforms: tuple[PlatformDocument, ...] = ()

    @property
    def slicers(self) -> dict[str, str]:
        """Slicing strategies of the project -> the files that they are in."""
        return {name: os.path.join(self.directory, file) for name, file in self.spec.slicers.items()}

    def environment(self, name: str | None) -> Environment | None:
        """One of the project's environments."""
        return self.spec.environments.get(name) if name else None

    def platform(self, environment: str | None) -> PlatformDocument | None:
        """The platform that an environment names; the only one of the project where none is named."""
        chosen = self.environment(environment)
        if chosen is not None and chosen.platform is not None:
            found = [document for document in self.platforms if document.platform.metadata.name == chosen.platform]
            return found[0] if found else None
        return self.platforms[0] if len(self.platforms) == 1 else None

    @property
    def schemas(self) -> str | None:
        """The folder with the schemas of the clusters' own kinds."""
        named = self.spec.schemas
        return None if named is None else os.path.normpath(os.path.join(self.directory, named))

    def files(self, entries: Sequence[str]) -> list[str]:
        """The files that entries of the project file mean, each once."""
        return list(dict.fromkeys(file for entry in entries for file in matching(self.directory, entry)))


ALONE = Project("", ProjectSpec({}))


def find(start: str) -> str | None:
    """The project file for the file or folder `start`: in its folder or the nearest one above, as a relative path."""
    folder = os.path.abspath(start if os.path.isdir(start) else os.path.dirname(start))
    while True:
        file = os.path.join(folder, FILE)
        if os.path.isfile(file):
            return os.path.relpath(file)
        above = os.path.dirname(folder)
        if above == folder:
            return None
        folder = above


def load(file: str) -> tuple[Project, list[Diagnostic]]:
    """What a project file says and names. Where something is wrong, what could be read, and errors TJ201 to TJ208."""
    found, diagnostics = of_kind("Project", [file])
    if not found:
        if not diagnostics:
            diagnostics = [Diagnostic("TJ204", ERROR, f"{file} holds no document of kind Project", name="no-project")]
        return ALONE._replace(directory=os.path.dirname(file)), diagnostics
    document, tree = found[0]
    project = Project(os.path.dirname(file), ProjectSpec(tree["spec"]), document)
    if project.spec.requires is not None:
        diagnostics += _requirement(project.spec.requires, document)
    reader = _Reader(project, diagnostics)
    overlays = reader.overlays(project.spec.overlays, ("spec", "overlays"))
    own = {
        name: reader.overlays(environment.overlays, ("spec", "environments", name, "overlays"))
        for name, environment in project.spec.environments.items()
    }
    platforms = reader.platforms(project.spec.platforms, ("spec", "platforms"))
    project = project._replace(overlays=overlays, overlays_of=own, platforms=platforms)
    reader.same_names([item.document for item in (*overlays, *(item for group in own.values() for item in group))])
    reader.same_names([item.document for item in platforms])
    return project, [*diagnostics, *_unknown_platforms(project, document), *policy.unknown(project.spec.policy, document)]


def without_experiments(project: Project) -> list[Diagnostic]:
    """TJ202 for entries of `experiments` that mean no file. Git keeps no empty folders, so that is no error."""
    if project.document is None:
        return []
    return [
        _nothing(project, project.document, entry, ("spec", "experiments", position))._replace(severity=WARNING)
        for position, entry in enumerate(project.spec.experiments)
        if not matching(project.directory, entry)
    ]


def with_overlays(project: Project, files: Sequence[str]) -> tuple[Project, list[Diagnostic]]:
    """The project with files of overlays, and of platforms, beside its own.

    Errors TJ201, TJ203, TJ701, and what is wrong in the overlays.
    """
    reader = _Reader(project, [])
    own = [*project.overlays, *(item for group in project.overlays_of.values() for item in group)]
    known = {os.path.realpath(item.document.file) for item in own}
    added: list[OverlayDocument] = []
    platforms: list[PlatformDocument] = []
    for file in files:
        if os.path.realpath(file) not in known:
            found = reader.read_overlays([file])
            if not reader.diagnostics:
                described = reader.read_platforms([file])
                platforms += described
                if not found and not described and not reader.diagnostics:
                    reader.diagnostics.append(_no_overlay(file))
            added += found
    reader.same_names([item.document for item in (*own, *added)])
    reader.same_names([item.document for item in (*project.platforms, *platforms)])
    everything = project._replace(overlays=(*project.overlays, *added), platforms=(*project.platforms, *platforms))
    return everything, reader.diagnostics


class _Reader:
    """Reads what the project file names, and collects what is wrong with it."""

    def __init__(self, project: Project, diagnostics: list[Diagnostic]) -> None:
        self.project = project
        self.diagnostics = diagnostics

    def overlays(self, entries: Sequence[str], path: FieldPath) -> tuple[OverlayDocument, ...]:
        return self.read_overlays(self._files(entries, path))

    def read_overlays(self, files: list[str]) -> tuple[OverlayDocument, ...]:
        found, diagnostics = of_kind("Overlay", files)
        self.diagnostics += diagnostics
        return tuple([OverlayDocument(document, Overlay(tree)) for document, tree in found])

    def platforms(self, entries: Sequence[str], path: FieldPath) -> tuple[PlatformDocument, ...]:
        return self.read_platforms(self._files(entries, path))

    def read_platforms(self, files: list[str]) -> tuple[PlatformDocument, ...]:
        found, diagnostics = of_kind("Platform", files)
        self.diagnostics += diagnostics
        return tuple([PlatformDocument(document, Platform(tree)) for document, tree in found])

    def same_names(self, documents: list[Document]) -> None:
        """Report documents that share their name with an earlier one: nobody could tell them apart."""
        first: dict[str, Document] = {}
        for document in documents:
            name = document.value["metadata"]["name"]
            earlier = first.setdefault(name, document)
            if (earlier.file, earlier.index) != (document.file, document.index):
                self.diagnostics.append(_same_name(name, earlier, document))

    def _files(self, entries: Sequence[str], path: FieldPath) -> list[str]:
        document = self.project.document
        assert document is not None, "who has no file names nothing"
        for position, entry in enumerate(entries):
            if not matching(self.project.directory, entry):
                self.diagnostics.append(_nothing(self.project, document, entry, (*path, position)))
        return self.project.files(entries)


def _nothing(project: Project, document: Document, entry: str, path: FieldPath) -> Diagnostic:
    severity, message = WARNING, f"no file matches {entry}"
    if os.path.isdir(os.path.join(project.directory, entry)):
        message = f"folder {entry} holds no YAML file"
    elif not any(sign in entry for sign in "*?["):
        severity, message = ERROR, f"there is no file or folder {entry}"
    return Diagnostic("TJ202", severity, message, path=path, span=document.locate(path), name="no-such-file")


def _no_overlay(file: str) -> Diagnostic:
    hint = "begin it with apiVersion: tjgen.dev/v1alpha1 and kind: Overlay"
    return Diagnostic("TJ701", ERROR, f"{file} holds no overlay", hint=hint, name="no-overlay")


def _same_name(name: str, earlier: Document, later: Document) -> Diagnostic:
    path: FieldPath = ("metadata", "name")
    return Diagnostic(
        "TJ203",
        ERROR,
        f'{later.value["kind"]} "{name}" exists twice',
        path=path,
        span=later.locate(path),
        related=(Note("first defined here", earlier.locate(path)),),
        hint="give one of them another name",
        name="same-name",
    )


def _requirement(requires: str, document: Document) -> list[Diagnostic]:
    from tjgen.resolve.requires import is_met  # few projects say what they require

    path: FieldPath = ("spec", "requires")
    met = is_met(requires, __version__)
    if met is True:
        return []
    if met is None:
        message, hint = f'"{requires}" is no requirement on releases', "write it like ~= 0.1, >= 0.1, < 0.3 or == 0.1.*"
        return [
            Diagnostic("TJ207", ERROR, message, path=path, span=document.locate(path), hint=hint, name="malformed-requirement")
        ]
    message, hint = (
        f"this is tjgen {__version__}, but the project requires {requires}",
        f"install one that it allows: pip install 'tjgen{requires.replace(' ', '')}'",
    )
    return [Diagnostic("TJ206", ERROR, message, path=path, span=document.locate(path), hint=hint, name="requirement-not-met")]


def _unknown_platforms(project: Project, document: Document) -> list[Diagnostic]:
    known = [item.platform.metadata.name for item in project.platforms]
    diagnostics = []
    for name, environment in project.spec.environments.items():
        if environment.platform is not None and environment.platform not in known:
            path: FieldPath = ("spec", "environments", name, "platform")
            near = nearest(environment.platform, known)
            hint = f'did you mean "{near}"?' if near else "name its file under spec.platforms"
            message = f'the project has no platform "{environment.platform}"'
            span = document.locate(path)
            diagnostics.append(Diagnostic("TJ205", ERROR, message, path=path, span=span, hint=hint, name="unknown-platform"))
    return diagnostics
