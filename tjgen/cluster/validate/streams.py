"""The text of a file with many documents -> the documents, of which those of a known shape are not read as YAML.

A line `---` always begins a document: a scalar or a bracket that goes beyond such a line is an error. So each part between two of
these lines has the same value as in a file of its own. The caller reads a text with other separators, or with a problem, at once.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator

from tjgen.cluster.trainer.inputs import is_kind, runtime_of
from tjgen.cluster.validate.recognition import KnownDocument, recognizer_of
from tjgen.cluster.validate.text_shapes import SEPARATOR, texts_of, values_of
from tjgen.trees import regex
from tjgen.trees.budgets import VALUES_OF_FILE, CommandBudgets
from tjgen.trees.manifests.objects import Objects
from tjgen.trees.session import Session
from tjgen.trees.source import reader
from tjgen.trees.source.document import Document
from tjgen.trees.source.encoding import decode
from tjgen.trees.source.text import Text

_UNUSUAL = ("\r", "\ufeff", "\x85", "\u2028", "\u2029", "\n%", "\n...")
"""Signs of other line breaks, of directives, and of the explicit end of a document."""
_MERGE = "<<[\"']?\\s*(?:[:#]|\\Z)"
"""A key that adds keys which the document does not show."""
_NO_PART = "\n---(?!\n)(?=\\s|\\Z)"
"""A separator with a text behind it, or at the end."""


def read(text: str | bytes, file: str, budgets: CommandBudgets, session: Session) -> list[Document] | None:
    """The documents of a file, all without a problem; None if the file is to be read as a whole."""
    recognizer = recognizer_of(session)
    if recognizer is None or len(text) > budgets.file_size:
        return None
    content, unreadable = decode(text, file)
    if unreadable is not None or _is_unusual(content):
        return None
    source = Text(content, file)
    documents: list[Document] = []
    values = budgets.values * VALUES_OF_FILE
    for number, (start, end) in enumerate(_parts(content), 1):
        part = content[start:end]
        document: Document | None = recognizer.recall_text(part, file)
        if document is None:
            of_part, problems = reader.read(
                part, file, reader.KUBERNETES, budgets._replace(values=min(budgets.values, max(0, values)))
            )
            if problems or len(of_part) > 1:
                return None
            document = recognizer.learn(of_part[0]) if of_part else None
        if document is None:
            values -= 1  # an empty document is a value
        elif isinstance(document, KnownDocument):
            values -= document.shape.values
            documents.append(document.within(source, start, end - start, index=len(documents)))
        else:
            values -= values_of(document.value)
            first, last = (start + place for place in document.extent)
            documents.append(Document(document.value, source, document.dialect, index=len(documents), start=first, end=last))
        if values < 0 or number > budgets.documents:
            return None
    return documents


def _is_unusual(content: str) -> bool:
    if content.startswith(("%", "...", "--- ", "---\t")) or any(sign in content for sign in _UNUSUAL):
        return True
    if content.lstrip()[:1] == "{" or regex.search(_NO_PART, content) is not None:
        return True
    return "<<" in content and regex.search(_MERGE, content) is not None


def _parts(content: str) -> Iterator[tuple[int, int]]:
    """Where each part begins and ends: the lines from one separator to the next one."""
    start = 0
    while (end := content.find(f"\n{SEPARATOR}", start) + 1) > 0:
        yield start, end
        start = end
    yield start, len(content)


def of_runtime(entry: Hashable, document: Document, objects: Objects, session: Session) -> Hashable | None:
    """The entry of a TrainJob for its runtime among the objects of its file; None for another object.

    The webhook of a TrainJob reads its runtime, and the PriorityClasses of that, but no other object.
    """
    if not isinstance(document, KnownDocument) or "priorityClassName" in document.shape.constants:
        return None
    if not is_kind(document.value, "TrainJob"):
        return None
    runtime = runtime_of(document.value, objects)
    if runtime is None:
        return entry
    texts = session.once("texts of a runtime", (document.source, id(runtime)), lambda: frozenset(texts_of(runtime)))
    return (entry, document.source, id(runtime), *[text if text in texts else "" for text in document.own_texts])
