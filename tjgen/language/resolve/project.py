"""A path -> the project that it lies in: `tjgen.yaml`, with its overlays and platforms as they were read."""

from __future__ import annotations

import os
from collections.abc import Sequence

from tjgen import __version__
from tjgen.language.resolve import policy
from tjgen.language.resolve.files import named
from tjgen.language.resolve.reading import of_kind
from tjgen.language.spec.objects import Environment, Overlay, Platform, ProjectSpec
from tjgen.trees.budgets import Budgets
from tjgen.trees.diagnostics.model import ERROR, WARNING, CompileError, Diagnostic, Note
from tjgen.trees.fields.path import FieldPath
from tjgen.trees.files.problems import UnreadableError, is_problem
from tjgen.trees.files.repository import PROJECT_FILE, callers_project, repository_of
from tjgen.trees.files.sandbox import Sandbox, around, is_below
from tjgen.trees.files.search import is_pattern
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
    def is_made(self) -> bool:
        """Whether it makes anything (see bundle/bundle.py), rather than only describing what is there."""
        spec = self.platform.spec
        if spec.flavors or spec.priority_classes or spec.namespaces or spec.runtimes:
            return True
        classes = any(one.create is not None for one in spec.storage_classes.values())
        return classes or any(one.create is not None for one in spec.queues.values())


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


class Project(NamedTuple):
    """What a project says, and the documents that it names. `alone` is what holds without a project file."""

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
    command line lies below it, and where there is no project file.
    """

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
            return self.platforms.named(chosen.platform)
        return self.platforms[0] if len(self.platforms) == 1 else None

    @property
    def schemas(self) -> str | None:
        """The folder with the schemas of the clusters' own kinds; None for one outside of the repository (`load` reports it)."""
        named = self.spec.schemas
        folder = None if named is None else os.path.normpath(os.path.join(self.directory, named))
        return folder if folder is None or self.sandbox.resolved(folder) is not None else None

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


def alone(paths: Sequence[str] = ()) -> Project:
    """What holds without a project file, for paths of a command line."""
    return Project("", ProjectSpec({}), around(paths, start=_folder_of(paths[0]) if paths else "."))


def find(start: str) -> str | None:
    """The project file for the file or folder `start`: in its folder or the nearest one above, as a relative path."""
    folder = os.path.abspath(_folder_of(start))
    while True:
        file = os.path.join(folder, FILE)
        # A broken link is not passed over: whoever reads the file reports it.
        if os.path.lexists(file):
            return os.path.relpath(file)
        above = os.path.dirname(folder)
        if above == folder:
            return None
        folder = above


def load(
    file: str, paths: Sequence[str] = (), *, is_named: bool = False, sandbox: Sandbox | None = None
) -> tuple[Project, list[Diagnostic]]:
    """What a project file says and names. Where something is wrong, what could be read, and errors.

    `paths`: what the caller names on the command line, which may be read wherever it is. `is_named`: whether the caller named
    the project itself. `sandbox`: what reads the files; where it is None, one for the repository around the project.
    """
    directory = os.path.dirname(file)
    callers = callers_project()
    is_root = is_named or os.path.realpath(file) == callers
    sandbox = _sandbox(directory, callers) if sandbox is None else sandbox
    if callers is not None and not is_root:
        _extend_by(callers, sandbox)
    for path in paths:
        sandbox.name(path)
    of_project = of_kind("Project", [file], sandbox)
    diagnostics = of_project.diagnostics
    if not of_project.good:
        if not diagnostics:
            diagnostics = [Diagnostic("TJ204", ERROR, f"{file} holds no document of kind Project", name="no-project")]
        return alone(paths)._replace(directory=directory, sandbox=sandbox), diagnostics
    document, tree = of_project.good[0]
    project = Project(directory, ProjectSpec(tree["spec"]), sandbox, document, is_root=is_root)
    if is_root:
        sandbox.budgets = Budgets.of(project.spec.budgets)
    diagnostics += _extended(project, document)
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


def _sandbox(directory: str, callers: str | None) -> Sandbox:
    """The repository around a project; without Git, the caller's project where it contains this one, else the project itself."""
    repository = repository_of(directory or ".")
    if repository is not None:
        return Sandbox([repository])
    real = os.path.realpath(directory)
    outer = os.path.dirname(callers) if callers is not None else real
    return Sandbox([outer if is_below(real, outer) else real])


def _extend_by(callers: str, sandbox: Sandbox) -> None:
    """Let the budgets and the readable folders of the caller's project hold for a project below it."""
    for _, tree in of_kind("Project", [callers], around([callers])).good:
        spec = ProjectSpec(tree["spec"])
        sandbox.budgets = Budgets.of(spec.budgets)
        for entry in spec.readable:
            sandbox.allow(os.path.join(os.path.dirname(callers), entry))


def _extended(project: Project, document: Document) -> list[Diagnostic]:
    """Let the root project name more folders to read; TJ037 for another one, TJ202 for a folder that does not exist."""
    diagnostics = []
    for position, entry in enumerate(project.spec.readable):
        path: FieldPath = ("spec", "readable", position)
        folder = os.path.join(project.directory, entry)
        if not project.is_root:
            message = f"only the root project can list folders to read, and {document.file} is not it"
            hint = "move the entry to the project file in the working directory, or build this project from its own folder"
            diagnostics.append(
                Diagnostic("TJ037", ERROR, message, path=path, span=document.locate(path), hint=hint, name="readable-not-allowed")
            )
        elif not os.path.isdir(folder):
            message = f"there is no folder {entry}"
            diagnostics.append(Diagnostic("TJ202", ERROR, message, path=path, span=document.locate(path), name="no-such-file"))
        else:
            project.sandbox.allow(folder)
    if project.spec.schemas is not None and project.schemas is None:
        try:
            project.sandbox.check_folder(os.path.normpath(os.path.join(project.directory, project.spec.schemas)))
        except UnreadableError as problem:
            diagnostics += _at([problem.diagnostic], document, ("spec", "schemas"))
    return diagnostics


def _folder_of(path: str) -> str:
    return path if os.path.isdir(path) else os.path.dirname(path) or "."


def experiments(project: Project) -> tuple[list[str], list[Diagnostic]]:
    """The files that `experiments` means, each once, and what is wrong with its entries.

    TJ202 for entries that mean no file is a warning: Git keeps no empty folders.
    """
    files: list[str] = []
    diagnostics: list[Diagnostic] = []
    for position, entry in enumerate(project.spec.experiments):
        assert project.document is not None, "only a project file has entries"
        path: FieldPath = ("spec", "experiments", position)
        found, problems = named(project.sandbox, project.directory, entry)
        files += found
        diagnostics += _at(problems, project.document, path)
        if not found and not problems:
            diagnostics.append(_nothing(project, project.document, entry, path)._replace(severity=WARNING))
    return list(dict.fromkeys(files)), diagnostics


def with_overlays(project: Project, files: Sequence[str]) -> tuple[Project, list[Diagnostic]]:
    """The project with files of overlays, and of platforms, beside its own.

    Errors TJ020, TJ029 to TJ033, TJ203, TJ701, and what is wrong in the overlays.
    """
    for file in files:
        project.sandbox.name(file)
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
    everything = project._replace(overlays=(*project.overlays, *added), platforms=Platforms((*project.platforms, *platforms)))
    return everything, reader.diagnostics


class _Reader:
    """Reads what the project file names, and collects what is wrong with it."""

    def __init__(self, project: Project, diagnostics: list[Diagnostic]) -> None:
        self.project = project
        self.diagnostics = diagnostics

    def overlays(self, entries: Sequence[str], path: FieldPath) -> tuple[OverlayDocument, ...]:
        found: list[OverlayDocument] = []
        for position, (entry, files) in enumerate(self._files(entries, path)):
            of_entry = of_kind("Overlay", files, self.project.sandbox)
            self.diagnostics += self._blamed(of_entry.diagnostics, (*path, position))
            self.diagnostics += [_other(one, entry, (*path, position), self.project) for one in of_entry.others if _is_other(one)]
            found += [OverlayDocument(document, Overlay(tree)) for document, tree in of_entry.good]
        return tuple(found)

    def read_overlays(self, files: list[str]) -> tuple[OverlayDocument, ...]:
        found = of_kind("Overlay", files, self.project.sandbox)
        self.diagnostics += found.diagnostics
        return tuple([OverlayDocument(document, Overlay(tree)) for document, tree in found.good])

    def platforms(self, entries: Sequence[str], path: FieldPath) -> Platforms:
        found: list[PlatformDocument] = []
        for position, (_, files) in enumerate(self._files(entries, path)):
            of_entry = of_kind("Platform", files, self.project.sandbox)
            self.diagnostics += self._blamed(of_entry.diagnostics, (*path, position))
            found += [PlatformDocument(document, Platform(tree)) for document, tree in of_entry.good]
        return Platforms(found)

    def read_platforms(self, files: list[str]) -> Platforms:
        found = of_kind("Platform", files, self.project.sandbox)
        self.diagnostics += found.diagnostics
        return Platforms([PlatformDocument(document, Platform(tree)) for document, tree in found.good])

    def same_names(self, documents: list[Document]) -> None:
        """Report documents that share their name with an earlier one: nobody could tell them apart."""
        first: dict[str, Document] = {}
        for document in documents:
            name = document.value["metadata"]["name"]
            earlier = first.setdefault(name, document)
            if (earlier.file, earlier.index) != (document.file, document.index):
                self.diagnostics.append(_same_name(name, earlier, document))

    def _files(self, entries: Sequence[str], path: FieldPath) -> list[tuple[str, list[str]]]:
        """Each entry with its files, a file only where it is named first."""
        document = self.project.document
        assert document is not None, "only a project file has entries"
        known: set[str] = set()
        result = []
        for position, entry in enumerate(entries):
            found, problems = named(self.project.sandbox, self.project.directory, entry)
            self.diagnostics += self._blamed(problems, (*path, position))
            if not found and not problems:
                self.diagnostics.append(_nothing(self.project, document, entry, (*path, position)))
            result.append((entry, [file for file in found if file not in known]))
            known.update(found)
        return result

    def _blamed(self, diagnostics: list[Diagnostic], path: FieldPath) -> list[Diagnostic]:
        assert self.project.document is not None, "only a project file has entries"
        return _at(diagnostics, self.project.document, path)


def _at(diagnostics: list[Diagnostic], document: Document, path: FieldPath) -> list[Diagnostic]:
    """Diagnostics of files that are not read, at the entry that names them; others as they are."""
    return [one._replace(span=document.locate(path), path=path) if is_problem(one) else one for one in diagnostics]


def _nothing(project: Project, document: Document, entry: str, path: FieldPath) -> Diagnostic:
    severity, message = WARNING, f"no file matches {entry}"
    if os.path.isdir(os.path.join(project.directory, entry)):
        message = f"folder {entry} holds no YAML file"
    elif not is_pattern(entry):
        severity, message = ERROR, f"there is no file or folder {entry}"
    return Diagnostic("TJ202", severity, message, path=path, span=document.locate(path), name="no-such-file")


def _leaves(folder: str, document: Document | None) -> Diagnostic:
    path: FieldPath = ("spec", "output", "directory")
    message = f"output.directory leads to {folder}, which is outside of the repository"
    span = document.locate(path) if document is not None else None
    hint = "name a folder of the repository, or give another one on the command line with -o"
    return Diagnostic("TJ038", ERROR, message, path=path, span=span, hint=hint, name="output-outside-repository")


def _is_other(document: Document) -> bool:
    """Whether a document is not one that a project keeps next to its overlays."""
    return document.value.__class__ is not dict or document.value.get("kind") not in _NEIGHBORS


def _other(document: Document, entry: str, path: FieldPath, project: Project) -> Diagnostic:
    """TJ040: an error for a file that is named, a warning for one that a folder or a pattern brings along."""
    kind = document.value.get("kind") if document.value.__class__ is dict else None
    what = f"has kind {kind}" if isinstance(kind, str) else "has no kind"
    is_named = os.path.normpath(os.path.join(project.directory, entry)) == document.file
    named_at = project.document.locate(path) if project.document is not None else None
    return Diagnostic(
        "TJ040",
        ERROR if is_named else WARNING,
        f"{document.file} is listed as an overlay, but {what}",
        span=document.locate(("kind",)),
        related=(Note("listed here", named_at),),
        hint="write apiVersion: tjgen.dev/v1alpha1 and kind: Overlay, or move the file",
        name="not-an-overlay",
    )


_NEIGHBORS = ("Experiment", "Platform", "Project")


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
    from tjgen.language.resolve.requires import is_met  # few projects say what they require

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
        if environment.platform is not None and project.platforms.named(environment.platform) is None:
            path: FieldPath = ("spec", "environments", name, "platform")
            near = nearest(environment.platform, known)
            hint = f'did you mean "{near}"?' if near else "name its file under spec.platforms"
            message = f'the project has no platform "{environment.platform}"'
            span = document.locate(path)
            diagnostics.append(Diagnostic("TJ205", ERROR, message, path=path, span=span, hint=hint, name="unknown-platform"))
    return diagnostics
