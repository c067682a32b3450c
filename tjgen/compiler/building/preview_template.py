"""The previews of a run with marks -> the previews of runs of its shape, with their texts instead of the marks.

The template yields the previews of a run that was compiled, or there is none. Previews depend on texts in two more ways than the
objects of a run: a label has the hash of a Job's name, which is computed for each run, and the API server shortens a long prefix
of a generated name. A run with such a prefix has no template.
"""

from __future__ import annotations

from collections.abc import Sequence

from tjgen.cluster.controllers.jobset import job_keys, key_of
from tjgen.cluster.controllers.previews import note_of
from tjgen.compiler.pipeline import EACH, Compiled, KnownPreviews
from tjgen.trees.diagnostics.model import CompileError
from tjgen.trees.fields.stamp import Marks, stamped
from tjgen.trees.manifests.generated_names import LONGEST_PREFIX, prefix_of
from tjgen.trees.source.stamped import StampedText
from tjgen.trees.typing import Any, partial

_MOST_KEYS = 256
"""Hashes of names in the previews of a run."""


class PreviewTemplate:
    """The previews of a run with marks instead of its texts."""

    __slots__ = ("_documents", "_form", "_hashed")

    def __init__(self, form: str, hashed: list[Any], documents: list[tuple[Any, StampedText]]) -> None:
        self._form = form
        self._hashed = hashed
        """Stamps of the texts whose hashes follow the texts of the shape."""
        self._documents = documents
        """The stamp of the note of each document, and its YAML."""

    def known(self, texts: Sequence[str]) -> KnownPreviews:
        """The previews of a run with these texts."""
        return self._form, partial(self._text, texts)

    def _text(self, texts: Sequence[str]) -> str:
        texts = [*texts, *[key_of(stamped(one, texts)) for one in self._hashed]]
        return "---\n".join([stamped(note, texts) + text.of(texts) for note, text in self._documents])


def preview_template(
    marked: Compiled, marks: Sequence[str], form: str, texts: Sequence[str], compiled: Compiled
) -> PreviewTemplate | None:
    """The template, if it yields the previews of `compiled`, the run with these texts."""
    try:
        documents = marked.down_to_pods(every=form == EACH)
        expected = compiled.preview_text(form)
    except CompileError:
        return None
    if any(len(prefix_of(one.tree)) >= LONGEST_PREFIX for one in documents):
        return None
    jobsets = [one.tree for one in dict.fromkeys([*marked.manifests, *marked.previews]) if one.kind == "JobSet"]
    hashed = {key: place for tree in jobsets for key, place in job_keys(tree)}
    if len(hashed) > _MOST_KEYS:
        return None
    with_keys = Marks([*marks, *hashed])
    template = PreviewTemplate(
        form,
        [Marks(marks).stamp(place) for place in hashed.values()],
        [(with_keys.stamp(note_of(one)), StampedText(with_keys.stamp(one.tree))) for one in documents],
    )
    return template if template.known(texts)[1]() == expected else None
