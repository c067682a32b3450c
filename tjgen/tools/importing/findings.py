"""Diagnostics of a build of the converted text -> the diagnostics of the conversion, at their places in the original file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tjgen.cluster.kinds.protocol import MPI
from tjgen.tools.importing.losses import DEFAULT, FormerRun, framework_of
from tjgen.tools.importing.patch import set_by
from tjgen.tools.importing.refusals import not_convertible, of_mpi
from tjgen.trees.diagnostics.model import ERROR, Diagnostic, Span
from tjgen.trees.fields.path import MISSING, FieldPath, Tree, get
from tjgen.trees.source.document import Document
from tjgen.trees.typing import NamedTuple

_ROLES = ("spec", "roles")
_MOST = 5
"""The number of fields of a patch that are listed."""


def in_words_of_conversion(one: Diagnostic, former: Document, facts: FormerRun | None, target: str) -> Diagnostic:
    """A diagnostic of an experiment for `target`, which was not its own: TJ952 or TJ951 if it is about that change."""
    own = get(former.value, ("spec", "target"), DEFAULT)
    if one.code == "TJ330":
        return _without_objects(one, former, target)
    if one.severity == ERROR and MPI == framework_of(own) != framework_of(target) and (one.path or ())[:2] == _ROLES != one.path:
        return _without_role(one, former, facts, target)
    return one


def _without_objects(one: Diagnostic, document: Document, target: str) -> Diagnostic:
    """TJ952 instead of TJ330 for a patch of an object that the target does not create."""
    name, patch = get(document.value, ("metadata", "name"), ""), (one.path or ("", "", ""))[2]
    kind = get(document.value, ("spec", "patches", patch, "target"), "")
    kind = kind.get("kind", "") if kind.__class__ is dict else kind
    lost = list(set_by(get(document.value, ("spec", "patches", patch), None) or {}))
    more = f" and {len(lost) - _MOST} more" if len(lost) > _MOST else ""
    message = f"{name}: patch {patch} for {kind} has no effect with target {target}, which creates no such object"
    hint = "remove the patch"
    if lost:
        message += f": {', '.join(lost[:_MOST])}{more}"
        hint = "remove the patch, and write what the run needs of it as fields or as a patch for the new kind"
    return one._replace(code="TJ952", message=message, hint=hint)


def _without_role(one: Diagnostic, document: Document, facts: FormerRun | None, target: str) -> Diagnostic:
    """TJ951 for a role of an MPIJob. The role that TJ302 names would start its program outside the group of mpirun."""
    name, role = str(get(document.value, ("metadata", "name"), "")), (one.path or ("", "", ""))[2]
    why, hint = of_mpi(f"{target} has no role {role}, with which an MPIJob has fields of its own")
    if facts is not None and facts.mpi_nodes and "worker" in get(document.value, _ROLES):
        hint = f"rename role worker to node, and write nodes: {facts.mpi_nodes} in spec instead of replicas in roles"
    return not_convertible(name, target, why, hint)._replace(path=one.path, span=one.span)


class _Place(NamedTuple):
    """A key or a value of a document, and where it is."""

    path: FieldPath
    is_key: bool
    span: Span


def at_their_places(
    diagnostics: Sequence[Diagnostic], before: Sequence[Document], after: Sequence[Document]
) -> Iterator[Diagnostic]:
    """The diagnostics about a converted text, `after`, at the same values of the text `before`."""
    pairs = [(old, new, list(_places(new, new.value, ()))) for old, new in zip(before, after, strict=False) if diagnostics]

    def moved(span: Span | None) -> Span | None:
        if span is None:
            return None
        for old, new, places in pairs:
            containing = [one for one in places if span.file == new.file and _contains(one.span, span)]
            if containing:
                return _moved(span, containing[-1], old, new)
        return span

    for one in diagnostics:
        related = tuple(note._replace(span=moved(note.span)) for note in one.related)
        yield one._replace(span=moved(one.span), related=related)


def _moved(span: Span, smallest: _Place, old: Document, new: Document) -> Span | None:
    """The place of the smallest key or value that contains the span, or of the part of a value that stays as it is."""
    place = old.locate(smallest.path, key=smallest.is_key)
    if place is None or smallest.is_key or get(old.value, smallest.path) != get(new.value, smallest.path):
        return place
    lines, columns = place.line - smallest.span.line, place.column - smallest.span.column
    begins, ends = (columns if line == smallest.span.line else 0 for line in (span.line, span.end_line))
    return Span(span.file, span.line + lines, span.column + begins, span.end_line + lines, span.end_column + ends)


def _places(document: Document, tree: Tree, path: FieldPath) -> Iterator[_Place]:
    """Each value and key with its place, outer ones first."""
    for key in (False, True) if path else (False,):
        place = document.locate(path, key=key)
        if place is not None:
            yield _Place(path, key, place)
    if tree.__class__ in (dict, list):
        steps = tree if tree.__class__ is dict else range(len(tree))
        for step in steps:
            yield from _places(document, get(tree, (step,), MISSING), (*path, step))


def _contains(outer: Span, inner: Span) -> bool:
    begins, ends = (inner.line, inner.column), (inner.end_line, inner.end_column)
    return (outer.line, outer.column) <= begins and ends <= (outer.end_line, outer.end_column)
