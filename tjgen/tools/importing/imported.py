"""The result of an import: files of experiments and of runtimes, and notes about them."""

from __future__ import annotations

from collections.abc import Sequence

from tjgen.cluster.releases import TrainerRelease
from tjgen.cluster.trainer.release import Release
from tjgen.cluster.validate import registry
from tjgen.trees.diagnostics.model import WARNING, Diagnostic
from tjgen.trees.fields.path import FieldPath, Tree, get
from tjgen.trees.source.compact_writer import dump_compact
from tjgen.trees.source.document import Document
from tjgen.trees.typing import NamedTuple

_MOST = 4
"""Operations of a patch that a message lists."""


class ImportedObject(NamedTuple):
    """An object of a file. `path` is its path in its document: the items of a List are objects of their own."""

    tree: Tree
    document: Document
    path: FieldPath

    @property
    def name(self) -> str:
        return str(get(self.tree, ("metadata", "name"), None) or "")

    @property
    def namespace(self) -> str:
        return str(get(self.tree, ("metadata", "namespace"), None) or "")

    def __str__(self) -> str:
        return f"{self.tree.get('kind')} {self.namespace + '/' if self.namespace else ''}{self.name}"


class Imported(NamedTuple):
    """An experiment that an importer created from an object."""

    subject: ImportedObject
    experiment: Tree
    objects: Sequence[Tree]
    """What a build of the experiment applies."""

    @property
    def file(self) -> str:
        """Where it goes, in a folder of experiments."""
        folder = f"{self.subject.namespace}/" if self.subject.namespace else ""
        return f"{folder}{self.subject.name}.yaml"

    @property
    def text(self) -> str:
        """The file of the experiment."""
        file = self.subject.document.file.replace("\\", "/").rpartition("/")[2]
        head = f"# Imported from {self.subject} ({file}). With naming: fixed, the run keeps its name.\n"
        return head + dump_compact(self.experiment)


def left_out(subjects: Sequence[ImportedObject]) -> list[Diagnostic]:
    """TJ772 with the objects that no part of the import contains, at the first of them; nothing without any."""
    if not subjects:
        return []
    names = ", ".join(map(str, subjects))
    hint = "keep them where they are: experiments refer to them by name"
    return [_about(subjects[0], "TJ772", f"not imported: {names}", hint)]


def taken(places: Sequence[tuple[ImportedObject, str]]) -> list[Diagnostic]:
    """TJ799 with the objects next to jobs that are imported, and the place of each."""
    listed = ", ".join(f"{subject} as {place}" for subject, place in places)
    hint = "change them there: a build writes them to the output tree"
    return [_about(places[0][0], "TJ799", f"imported with the jobs: {listed}", hint)] if places else []


def without_runtime(subject: ImportedObject, kind: str, name: str) -> Diagnostic:
    """TJ773: a TrainJob whose runtime is unknown."""
    plural = f"{kind.lower()}s.trainer.kubeflow.org"
    hint = f"add it to the input: kubectl get {plural} {name} -o yaml"
    message = f"{subject} is left out: its runtime {name} is not among the files"
    return _about(subject, "TJ773", message, hint)


def without_refused_runtime(subject: ImportedObject, name: str) -> Diagnostic:
    """TJ773: a TrainJob whose runtime is among the files, and is left out (TJ775)."""
    message = f"{subject} is left out, like its runtime {name}"
    return _about(subject, "TJ773", message, "correct the runtime, and import both again")


def of_release(subject: ImportedObject, name: str, release: TrainerRelease) -> Diagnostic:
    """TJ791: a TrainJob whose runtime is taken from the release of Trainer."""
    message = f"runtime {name} of {subject} is not among the files: taken from Trainer {release.name}"
    hint = f"if yours differs, add it to the input: kubectl get clustertrainingruntimes.trainer.kubeflow.org {name} -o yaml"
    return _about(subject, "TJ791", message, hint, ("spec", "runtimeRef", "name"))


def different(subject: ImportedObject, what: str, why: str, place: FieldPath = ("metadata", "name")) -> Diagnostic:
    """TJ774: a place in which the build differs from the original."""
    return _about(subject, "TJ774", f"{subject} is built differently: {what}", why, place)


def without_suspension(subject: ImportedObject) -> Diagnostic:
    """TJ400: a suspended job with a queue of Kueue."""
    message = f"Kueue suspends {subject} itself until it admits it, so suspend: true is left out"
    hint = "to keep the run suspended after that, set state: suspended"
    return _about(subject, "TJ400", message, hint)


def by_patch(subject: ImportedObject, places: Sequence[tuple[FieldPath, str]]) -> list[Diagnostic]:
    """TJ950 at the first of the places that the experiment sets only by a patch, with the operations; nothing without any."""
    if not places:
        return []
    hint = "remove an operation that the run does not need, or set its field in a runtime of your own"
    shown = ", ".join(operation for _, operation in places[:_MOST])
    more = f" and {len(places) - _MOST} more" if len(places) > _MOST else ""
    what = "1 part" if len(places) == 1 else f"{len(places)} parts"
    message = f"no field covers {what} of {subject}; kept as a patch: {shown}{more}"
    return [_about(subject, "TJ950", message, hint, places[0][0])]


def not_importable(
    subject: ImportedObject, why: str, hint: str = "run tjgen check on the file, fix what it reports, and import again"
) -> Diagnostic:
    """TJ775: what cannot be an experiment."""
    return _about(subject, "TJ775", f"{subject} is left out: {why}", hint)


def find_warnings(subject: ImportedObject, release: Release) -> list[Diagnostic]:
    """What the rules about objects report of one that the server accepts: warnings, since an import writes another object."""
    diagnostics = registry.of_object(subject.tree, release.versions)
    return [
        one._replace(severity=WARNING, span=subject.document.locate((*subject.path, *(one.path or ())))) for one in diagnostics
    ]


def nothing(folder: str) -> Diagnostic:
    """TJ776: a folder without anything to import."""
    hint = "name the folder of the manifests"
    return Diagnostic("TJ776", f"{folder}: no job or runtime was found", hint=hint)


def _about(subject: ImportedObject, code: str, message: str, hint: str, place: FieldPath = ("metadata", "name")) -> Diagnostic:
    span = subject.document.locate((*subject.path, *place))
    return Diagnostic(code, message, span=span, hint=hint)
