"""`prefetch` of an experiment -> its prefetches: the only one, or those that have names."""

from __future__ import annotations

from collections.abc import Sequence

from tjgen.compiler.lower import SPEC
from tjgen.compiler.volumes.table import source_of
from tjgen.language.spec.objects import Experiment, PrefetchSet
from tjgen.trees.fields.path import FieldPath, render
from tjgen.trees.typing import NamedTuple

AT: FieldPath = (*SPEC, "prefetch")


class PrefetchSection(NamedTuple):
    """One prefetch of an experiment. A prefetch without a name is the only one."""

    name: str
    at: FieldPath
    fields: PrefetchSet

    @property
    def field(self) -> str:
        """The name of its field in a message."""
        return render(self.at[len(SPEC) :])

    @property
    def volume(self) -> str:
        """The name of its volume, which a check of the experiment requires."""
        assert self.fields.volume is not None, "a prefetch without a volume is reported before"
        return self.fields.volume

    def named(self, text: str) -> str:
        """`text` of the only prefetch, and `text-NAME` of a prefetch with a name."""
        return f"{text}-{self.name}" if self.name else text


def prefetch_sections(experiment: Experiment) -> Sequence[PrefetchSection]:
    """The prefetches of an experiment: those with a higher priority first, then by name."""
    prefetch = experiment.spec.prefetch
    if prefetch is None:
        return ()
    if not prefetch.sets:
        return (PrefetchSection("", AT, prefetch),)
    sections = [PrefetchSection(name, (*AT, "sets", name), one) for name, one in prefetch.sets.items()]
    return sorted(sections, key=lambda one: (-one.fields.priority, one.name))


def filled_by(section: PrefetchSection, experiment: Experiment) -> str | None:
    """What fills the volume of a prefetch (`Source.filled_by`); None if the experiment does not have the volume."""
    volume = experiment.spec.volumes.get(section.fields.volume or "")
    return source_of(volume).filled_by if volume is not None else None
