"""A TrainJob and its runtime -> the names that its objects take, if one of the same equivalence class is without findings.

The names of the objects of two such TrainJobs differ only in the names of the TrainJobs and of their namespaces. The first
two of a shape are expanded, and the names of the second must follow from those of the first.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from tjgen.cluster.trainer.warnings.clashes import ClashingRun, Key, key_of, names_of_objects
from tjgen.cluster.validate.recognition import DocumentOfStream, KnownDocument
from tjgen.cluster.validate.text_shapes import texts_of
from tjgen.trees.fields.path import Tree
from tjgen.trees.session import Session
from tjgen.trees.source.document import Document

_NAME, _NAMESPACE = "\0name", "\0namespace"
"""What no name can contain."""


class EqualRuns:
    """The equivalence classes of TrainJobs of one command."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def of(self, document: Document | None, runtime: Tree | None, source: Document | None) -> EqualRun | None:
        """The TrainJobs that are like this one; None if it was read as YAML, or if its runtime is not known.

        `source`: the document of the runtime, if it is in the files.
        """
        if not isinstance(document, KnownDocument) or runtime is None:
            return None
        equivalence, texts = self._session.once("runtime of runs", id(runtime), lambda: _signs(runtime, source))
        equal = tuple([texts.get(text, "") for text in document.own_texts])
        # The check of a file with both of them has reviewed the two together.
        is_of_one_file = isinstance(document, DocumentOfStream) and source is not None and source.source is document.source
        rules = self._session.once("names of runs", (document.shape, equivalence), _Rules)
        key = (document.equivalence, equivalence, equal, is_of_one_file)
        return self._session.once("equal runs", key, lambda: EqualRun(rules))


def _signs(runtime: Tree, document: Document | None) -> tuple[Hashable, dict[str, object]]:
    """The equivalence class of a runtime, and each of its texts with a sign: the same one in every runtime of the class."""
    if not isinstance(document, KnownDocument):
        return id(runtime), {text: text for text in texts_of(runtime)}
    signs: dict[str, object] = {text: text for text in document.shape.constants}
    for number, text in enumerate(document.own_texts):
        signs.setdefault(text, number)
    return document.equivalence, signs


class _Rules:
    """Names with marks that two TrainJobs of one shape have shown."""

    __slots__ = ("proven",)

    def __init__(self) -> None:
        self.proven: list[list[Key]] = []


class EqualRun:
    """TrainJobs of one equivalence class, with one runtime."""

    __slots__ = ("_first", "_names", "_rules", "is_proven")

    def __init__(self, rules: _Rules) -> None:
        self._rules = rules
        self._names: list[Key] | None = None
        self._first: Key | None = None
        self.is_proven = False

    def names_of(self, trainjob: Tree) -> Sequence[Key] | None:
        """The names that its objects take; None if no two TrainJobs have shown them."""
        return self._filled(key_of(trainjob)) if self.is_proven else None

    def learn(self, run: ClashingRun) -> None:
        """Take a TrainJob without findings."""
        own, names = key_of(run.trainjob), list(names_of_objects(run))
        if own is None:
            return
        if self._names is not None and self._first is not None and own.name != self._first.name:
            self.is_proven = self._filled(own) == names
            if self.is_proven:
                self._rules.proven.append(self._names)
                return
        self._first = own
        self._names = [self._with_marks(key, own) for key in names]
        self.is_proven = self._names in self._rules.proven

    def _with_marks(self, key: Key, own: Key) -> Key:
        namespace = _NAMESPACE if key.namespace == own.namespace else key.namespace
        return key._replace(namespace=namespace, name=key.name.replace(own.name, _NAME))

    def _filled(self, own: Key | None) -> list[Key]:
        assert own is not None and self._names is not None, "a TrainJob that was accepted has a name"
        return [
            Key(
                key.group,
                key.kind,
                own.namespace if key.namespace == _NAMESPACE else key.namespace,
                key.name.replace(_NAME, own.name),
            )
            for key in self._names
        ]
