"""What a command has looked at -> the counts of its last line."""

from __future__ import annotations

from collections.abc import Iterable

from tjgen.cluster.validate.judge import identity
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import Tree
from tjgen.trees.manifests.generated_names import prefix_of

_UNCHECKED = "TJ520"


class CheckCounts:
    """Runs, objects, and kinds that were not checked."""

    def __init__(self) -> None:
        self.runs = 0
        self._named: set[str] = set()
        self._others = 0
        self._unchecked: set[tuple[str, str]] = set()

    def add(self, trees: Iterable[Tree], diagnostics: Iterable[Diagnostic] = ()) -> None:
        """Count objects, those of one name once, and the kinds that `diagnostics` report as not checked."""
        for tree in trees:
            if tree.__class__ is dict and not prefix_of(tree):
                self._named.add(repr(identity(tree)))
            else:
                self._others += 1
        for one in diagnostics:
            if one.code == _UNCHECKED:
                self._unchecked.add((one.subject.api_version, one.subject.kind) if one.subject is not None else ("", ""))

    def __str__(self) -> str:
        """Text such as "12 runs, 48 objects, 4 kinds not checked". Runs and kinds are left out if there are none."""
        objects, kinds = len(self._named) + self._others, len(self._unchecked)
        parts = [counted(self.runs, "run")] if self.runs else []
        parts.append(counted(objects, "object"))
        if kinds:
            parts.append(f"{counted(kinds, 'kind')} not checked")
        return ", ".join(parts)


def counted(number: int, noun: str) -> str:
    """`1 run`, `3 runs`."""
    return f"{number} {noun}{'' if number == 1 else 's'}"
