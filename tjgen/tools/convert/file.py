"""Files of TrainJobs and runtimes for one release -> the files for another, and diagnostics on what is lost or different."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tjgen.cluster.trainer.framework import undecodable
from tjgen.cluster.trainer.inputs import Catalog, is_kind
from tjgen.cluster.trainer.release import NEWEST, RELEASES, Release
from tjgen.tools.convert import shape
from tjgen.tools.convert.proof import ExpansionDifference, differences
from tjgen.tools.convert.rejections import rejected
from tjgen.tools.convert.text import rewritten
from tjgen.trees.diagnostics.model import Diagnostic, has_errors
from tjgen.trees.fields.path import FieldPath, Tree, get
from tjgen.trees.source.document import Document
from tjgen.trees.source.edits import Stream
from tjgen.trees.source.encoding import decode
from tjgen.trees.source.reader import KUBERNETES, read
from tjgen.trees.source.writer import dump
from tjgen.trees.typing import NamedTuple

_RUNTIMES = ("TrainingRuntime", "ClusterTrainingRuntime")
_MOST = 5
"""The number of differences that are listed."""
_LONGEST = 60


class ConvertedFile(NamedTuple):
    """A file by its name and text."""

    name: str
    text: bytes
    is_changed: bool = False


class _One(NamedTuple):
    """A document before and after."""

    document: Document
    tree: Tree
    source: Release
    lost: list[shape.Lost]


def converted(
    files: Sequence[ConvertedFile], source: Release | None, target: Release, catalog: Catalog
) -> tuple[list[ConvertedFile], list[Diagnostic]]:
    """The files for `target`. `source` None: the release is seen by the fields of each TrainJob.

    Errors: a field with a value of another type than every release has for it (TJ800, TJ806), and an object that the cluster of
    `target` rejects (TJ545).
    Warnings: what the release has no place for (TJ404), what expands to something else (TJ405), what
    cannot be compared (TJ406), where comments are lost (TJ407). Everything that is not a TrainJob or a
    runtime stays as it is.
    """
    diagnostics: list[Diagnostic] = []
    documents: list[tuple[ConvertedFile, list[Document]]] = []
    for file in files:
        group, problems = read(file.text, file.name, KUBERNETES)
        diagnostics += problems
        documents.append((file, group))
    diagnostics += [
        wrong for _, group in documents for document in group if (wrong := _undecodable(document, source)) is not None
    ]
    if has_errors(diagnostics):
        return [], diagnostics
    everything = [document for _, group in documents for document in group]
    diagnostics += [
        _experiment(one, target) for _, group in documents for one in group if get(one.value, ("kind",), None) == "Experiment"
    ]
    release = source or _release([document.value for document in everything]) or NEWEST
    ones = [_convert(document, source, release, target) for document in everything]
    by_document = {id(one.document): one for one in ones}
    result = []
    for file, group in documents:
        changed = [by_document[id(document)] for document in group if by_document[id(document)].tree != document.value]
        text, notes = _text(file, group, changed, by_document)
        diagnostics += notes
        result.append(ConvertedFile(file.name, text, bool(changed)))
    for one in ones:
        diagnostics += [_lost(one.document, lost, target) for lost in one.lost]
        if is_kind(one.document.value, "TrainJob"):
            diagnostics += _proof(one, ones, target, catalog)
    diagnostics += rejected([(one.document, one.tree) for one in ones], target, catalog)
    return result, diagnostics


def _undecodable(document: Document, requested: Release | None) -> Diagnostic | None:
    """Why the release that the file is for has no object with such types; where none is known, why no release has one."""
    tree = document.value
    if not any(is_kind(tree, kind) for kind in ("TrainJob", *_RUNTIMES)):
        return None
    known = requested or (shape.source_of(tree) if is_kind(tree, "TrainJob") else None)
    decodings = [undecodable(tree, release) for release in ([known] if known is not None else RELEASES.values())]
    wrong = decodings[0] if all(decodings) else None
    return wrong._replace(span=document.locate(wrong.path or ())) if wrong is not None else None


def _release(trees: Sequence[Tree]) -> Release | None:
    """The release that some TrainJob of the files is for: those of one cluster are for one."""
    sources = [shape.source_of(tree) for tree in trees if is_kind(tree, "TrainJob")]
    return next((release for release in sources if release is not None), None)


def _experiment(document: Document, target: Release) -> Diagnostic:
    """TJ794: an experiment, which has no release of its own."""
    message = (
        f"experiment {get(document.value, ('metadata', 'name'), '')} stays as it is: only TrainJobs and runtimes have a release"
    )
    hint = (
        f"set trainer: '{target.name}' in the spec of tjgen.yaml, and build: a build reports patches of the experiment that the "
        "release refuses; --target changes its target"
    )
    return Diagnostic("TJ794", message, span=document.locate(("kind",)), hint=hint)


def _convert(document: Document, requested: Release | None, common: Release, target: Release) -> _One:
    tree = document.value
    source = requested or common
    if is_kind(tree, "TrainJob"):
        source = requested or shape.source_of(tree) or common
        if get(tree, ("spec",)).__class__ is dict and source is not target:
            changed, lost = shape.trainjob(tree, source, target)
            return _One(document, changed, source, lost)
    elif any(is_kind(tree, kind) for kind in _RUNTIMES):
        changed, lost = shape.runtime(tree, target)
        return _One(document, changed, source, lost)
    return _One(document, tree, source, [])


def _text(
    file: ConvertedFile, documents: list[Document], changed: list[_One], by_document: dict[int, _One]
) -> tuple[bytes, list[Diagnostic]]:
    if not changed:
        return file.text, []
    if len(changed) == 1:
        text = rewritten(changed[0].document, changed[0].tree)
        if text is not None:
            return text.encode(), []
    stream = Stream(decode(file.text, file.name)[0], file.name, KUBERNETES)
    for one in changed:
        own = _own(stream, one.document.index, file.name)
        after = rewritten(own, one.tree) if own is not None else None
        if after is None:
            message = f"{file.name} is written again without its comments, since its entries share lines"
            span = one.document.locate(())
            whole = "---\n".join(dump(by_document[id(document)].tree) for document in documents)
            return whole.encode(), [Diagnostic("TJ407", message, span=span)]
        stream.put(one.document.index, after)
    return stream.text.encode(), []


def _own(stream: Stream, index: int, file: str) -> Document | None:
    """One document of a stream, read from its own text."""
    text = stream.document(index)
    documents = read(text, file, KUBERNETES)[0] if text is not None else []
    return documents[0] if len(documents) == 1 else None


def _lost(document: Document, lost: shape.Lost, target: Release) -> Diagnostic:
    message = f"Trainer {target.name} has no field for {lost.what}, so it is omitted"
    is_runtime = document.value.get("kind") != "TrainJob"
    hint = "remove the field, or keep the release that has it" if is_runtime else "put it into the runtime"
    return Diagnostic("TJ404", message, path=lost.path, span=document.locate(lost.path), hint=hint)


def _proof(one: _One, ones: Sequence[_One], target: Release, catalog: Catalog) -> Iterator[Diagnostic]:
    before, after = [other.document.value for other in ones], [other.tree for other in ones]
    compared = differences(one.document.value, before, one.source, one.tree, after, target, catalog)
    path: FieldPath = ("metadata", "name")
    span = one.document.locate(path)
    name = get(one.tree, path, "")
    if compared is None:
        message = f"the expansions of {name} cannot be compared: one of the two releases creates nothing for it"
        hint = "name the file with its runtime too, or a catalog; tjgen expand reports the problem"
        yield Diagnostic("TJ406", message, span=span, hint=hint)
        return
    for difference in compared[:_MOST]:
        message = f"{name} expands to another {difference.object.partition(' ')[0]} in {target.name}: {_text_of(difference)}"
        hint = "check whether the difference is acceptable"
        yield Diagnostic("TJ405", message, span=span, hint=hint)
    if len(compared) > _MOST:
        message = f"{name} expands differently in {len(compared) - _MOST} more places"
        yield Diagnostic("TJ405", message, span=span, hint="compare tjgen expand of both")


def _text_of(difference: ExpansionDifference) -> str:
    if not difference.place:
        return "only one of the releases creates it"
    return f"{difference.place} was {_short(difference.before)}, is {_short(difference.after)}"


def _short(value: Tree) -> str:
    if value is None:
        return "absent"
    text = str(value)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."
