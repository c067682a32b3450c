"""Entries of a project file, or files of a command line -> the experiments, overlays, and platforms that they hold."""

from __future__ import annotations

import os
from collections.abc import Sequence

from tjgen.language.resolve.files import with_skipped
from tjgen.language.resolve.project import LoadedProject, OverlayDocument, PlatformDocument, Platforms
from tjgen.language.resolve.reading import of_kind
from tjgen.language.spec.objects import Overlay, Platform
from tjgen.trees.diagnostics.model import ERROR, WARNING, Diagnostic, Note, has_errors
from tjgen.trees.fields.path import FieldPath
from tjgen.trees.files.problems import is_problem
from tjgen.trees.files.search import is_pattern
from tjgen.trees.source.document import Document


def experiments(project: LoadedProject) -> tuple[list[str], list[Diagnostic]]:
    """The files that `experiments` means, each once, and what is wrong with its entries: TJ202 if one means no file.

    Files in folders of `catalogs` are left out.
    """
    files: list[str] = []
    diagnostics: list[Diagnostic] = []
    for position, entry in enumerate(project.spec.experiments):
        assert project.document is not None, "only a project file has entries"
        path: FieldPath = ("spec", "experiments", position)
        paths, problems = with_skipped(project.sandbox, project.directory, entry)
        files += paths
        diagnostics += at_entry(problems, project.document, path)
        if not paths and not has_errors(problems):
            diagnostics.append(_nothing(project, project.document, entry, path))
    return project.outside_catalogs(files), diagnostics


def with_overlays(project: LoadedProject, files: Sequence[str]) -> tuple[LoadedProject, list[Diagnostic]]:
    """Return the project with additional files of overlays and platforms.

    Errors TJ020, TJ029 to TJ033, TJ203, TJ701, and what is wrong in the overlays.
    """
    for file in files:
        project.sandbox.name(file)
    reader = Members(project, [])
    own = [*project.overlays, *(item for group in project.overlays_of.values() for item in group)]
    known = {os.path.realpath(item.document.file) for item in own}
    added: list[OverlayDocument] = []
    platforms: list[PlatformDocument] = []
    for file in files:
        if os.path.realpath(file) not in known:
            overlays_of_file = reader.read_overlays([file])
            if not reader.diagnostics:
                described = reader.read_platforms([file])
                platforms += described
                if not overlays_of_file and not described and not reader.diagnostics:
                    reader.diagnostics.append(_no_overlay(file))
            added += overlays_of_file
    reader.same_names([item.document for item in (*own, *added)])
    reader.same_names([item.document for item in (*project.platforms, *platforms)])
    everything = project._replace(overlays=(*project.overlays, *added), platforms=Platforms((*project.platforms, *platforms)))
    return everything, reader.diagnostics


class Members:
    """Reads what the project file names, and collects what is wrong with it."""

    def __init__(self, project: LoadedProject, diagnostics: list[Diagnostic]) -> None:
        self.project = project
        self.diagnostics = diagnostics

    def overlays(self, entries: Sequence[str], path: FieldPath) -> tuple[OverlayDocument, ...]:
        overlays: list[OverlayDocument] = []
        for position, (entry, files) in enumerate(self._files(entries, path)):
            of_entry = of_kind("Overlay", files, self.project.sandbox)
            self.diagnostics += self._blamed(of_entry.diagnostics, (*path, position))
            self.diagnostics += [_other(one, entry, (*path, position), self.project) for one in of_entry.others if _is_other(one)]
            overlays += [OverlayDocument(document, Overlay(tree)) for document, tree in of_entry.good]
        return tuple(overlays)

    def read_overlays(self, files: list[str]) -> tuple[OverlayDocument, ...]:
        documents = of_kind("Overlay", files, self.project.sandbox)
        self.diagnostics += documents.diagnostics
        return tuple([OverlayDocument(document, Overlay(tree)) for document, tree in documents.good])

    def platforms(self, entries: Sequence[str], path: FieldPath) -> Platforms:
        platforms: list[PlatformDocument] = []
        for position, (_, files) in enumerate(self._files(entries, path)):
            of_entry = of_kind("Platform", files, self.project.sandbox)
            self.diagnostics += self._blamed(of_entry.diagnostics, (*path, position))
            platforms += [PlatformDocument(document, Platform(tree)) for document, tree in of_entry.good]
        return Platforms(platforms)

    def read_platforms(self, files: list[str]) -> Platforms:
        documents = of_kind("Platform", files, self.project.sandbox)
        self.diagnostics += documents.diagnostics
        return Platforms([PlatformDocument(document, Platform(tree)) for document, tree in documents.good])

    def same_names(self, documents: list[Document]) -> None:
        """Report documents that share their name with an earlier one."""
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
            paths, problems = with_skipped(self.project.sandbox, self.project.directory, entry)
            self.diagnostics += self._blamed(problems, (*path, position))
            if not paths and not has_errors(problems):
                self.diagnostics.append(_nothing(self.project, document, entry, (*path, position)))
            result.append((entry, [file for file in paths if file not in known]))
            known.update(paths)
        return result

    def _blamed(self, diagnostics: list[Diagnostic], path: FieldPath) -> list[Diagnostic]:
        assert self.project.document is not None, "only a project file has entries"
        return at_entry(diagnostics, self.project.document, path)


def at_entry(diagnostics: list[Diagnostic], document: Document, path: FieldPath) -> list[Diagnostic]:
    """Diagnostics of files that are not read, at the entry that names them; others as they are."""
    return [one._replace(span=document.locate(path), path=path) if is_problem(one) else one for one in diagnostics]


def _nothing(project: LoadedProject, document: Document, entry: str, path: FieldPath) -> Diagnostic:
    message = f"no file matches {entry}"
    if os.path.isdir(os.path.join(project.directory, entry)):
        message = f"folder {entry} contains no YAML file"
    elif not is_pattern(entry):
        message = f"file or folder {entry} does not exist"
    hint = "correct or remove the entry; runs that no source requests stay, and the build reports them"
    return Diagnostic("TJ202", message, path=path, span=document.locate(path), hint=hint)


def _is_other(document: Document) -> bool:
    """Whether a document is not one that a project keeps next to its overlays."""
    return document.value.__class__ is not dict or document.value.get("kind") not in _NEIGHBORS


def _other(document: Document, entry: str, path: FieldPath, project: LoadedProject) -> Diagnostic:
    """TJ040: an error for a file that is named, a warning for one that a folder or a pattern brings along."""
    kind = document.value.get("kind") if document.value.__class__ is dict else None
    what = f"has kind {kind}" if isinstance(kind, str) else "has no kind"
    is_named = os.path.normpath(os.path.join(project.directory, entry)) == document.file
    named_at = project.document.locate(path) if project.document is not None else None
    return Diagnostic(
        "TJ040",
        f"{document.file} is listed as an overlay, but {what}",
        span=document.locate(("kind",)),
        related=(Note("listed here", named_at),),
        hint="write apiVersion: tjgen.dev/v1alpha1 and kind: Overlay, or move the file",
        severity=ERROR if is_named else WARNING,
    )


_NEIGHBORS = ("Experiment", "Platform", "Project")


def _no_overlay(file: str) -> Diagnostic:
    hint = "begin it with apiVersion: tjgen.dev/v1alpha1 and kind: Overlay"
    return Diagnostic("TJ701", f"{file} contains no Overlay document", hint=hint)


def _same_name(name: str, earlier: Document, later: Document) -> Diagnostic:
    path: FieldPath = ("metadata", "name")
    return Diagnostic(
        "TJ203",
        f'{later.value["kind"]} "{name}" exists twice',
        path=path,
        span=later.locate(path),
        related=(Note("first defined here", earlier.locate(path)),),
        hint="give one of them another name",
    )
