"""The manifests of a cluster and the manifests to apply -> the change of each object that differs.

Objects are identified by kind, namespace and name, independent of their files.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from tjgen.cluster.kinds.protocol import IN_PLACE, SILENT
from tjgen.cluster.trainer.inputs import opened
from tjgen.cluster.validate.check import manifests
from tjgen.gitops.diff.compare import NEW, REMOVED, ObjectChange, replacement
from tjgen.gitops.diff.effect import REFUSED, UNCHANGED
from tjgen.gitops.diff.fields import changed
from tjgen.gitops.diff.update import Refusal, is_taken_under_another_name, refusals
from tjgen.trees.diagnostics.model import ObjectRef, Span
from tjgen.trees.fields.path import FieldPath, Tree
from tjgen.trees.manifests.identity import identity_of, ref_of
from tjgen.trees.source.document import Document
from tjgen.trees.source.reader import KUBERNETES, read
from tjgen.trees.typing import NamedTuple

NEEDS_NAME = "needs a new name"
"""The server refuses the change, and would take the object under another name."""
OUTCOMES = (NEW, IN_PLACE, SILENT, NEEDS_NAME, REFUSED, REMOVED, UNCHANGED)
"""The possible changes of an object, in the order of a summary."""


class LocatedObject(NamedTuple):
    """An object of a file."""

    file: str
    tree: Tree
    locate: Callable[[FieldPath], Span | None]

    @property
    def ref(self) -> ObjectRef:
        """What it is, with the namespace that it gets where it names none."""
        return identity_of(self.tree)


class Outcome(NamedTuple):
    """The change of an object; `found` is the new manifest, or for a removed object the old one."""

    change: ObjectChange
    located: LocatedObject
    refused: tuple[Refusal, ...] = ()


def read_objects(text: str | bytes, file: str) -> Iterator[LocatedObject]:
    """The objects of a file; what cannot be read, or has no kind and name, is left to `check`."""
    documents, _ = read(text, file, KUBERNETES)
    for document in documents:
        for tree, path in manifests(document.value):
            ref = ref_of(tree) if tree.__class__ is dict else None
            if ref is not None and ref.kind and ref.name:
                yield LocatedObject(file, tree, _placed(document, path))


def _placed(document: Document, path: FieldPath) -> Callable[[FieldPath], Span | None]:
    return lambda below: document.locate(path + below)


def compare_objects(old: Sequence[LocatedObject], new: Sequence[LocatedObject], *, server_side: bool = False) -> list[Outcome]:
    """Return every object of either side: those to apply in their order, then those to remove."""
    before = {one.ref: one for one in old}
    context = opened([one.tree for one in new])
    outcomes = [_outcome(before.get(one.ref), one, context, server_side=server_side) for one in new]
    names = {one.ref for one in new}
    removed = [Outcome(ObjectChange(one.file, ref_of(one.tree), REMOVED), one) for one in old if one.ref not in names]
    return outcomes + removed


def _outcome(old: LocatedObject | None, new: LocatedObject, context: Sequence[Tree], *, server_side: bool) -> Outcome:
    if old is None:
        return Outcome(ObjectChange(new.file, ref_of(new.tree), NEW), new)
    if not any(changed(old.tree, new.tree)):
        return Outcome(ObjectChange(new.file, ref_of(new.tree), UNCHANGED), new)
    refused = refusals(old.tree, new.tree, context, server_side=server_side)
    change = replacement(new.file, old.tree, new.tree, refused)
    if refused and is_taken_under_another_name(new.tree, context, server_side=server_side):
        change = change._replace(kind=NEEDS_NAME)
    return Outcome(change, new, tuple(refused))
