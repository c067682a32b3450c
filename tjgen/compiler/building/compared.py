"""What is known of the runs of a build -> what is wrong with several of them together."""

from __future__ import annotations

from tjgen.compiler.building.run import Built, Left, Recalled
from tjgen.compiler.totals import relations
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tjgen.compiler.totals.shared import BoundOf


class Compared:
    """The footprints and relations of runs, collected while a build goes on."""

    def __init__(self) -> None:
        self._footprints: list[Any] = []
        self._relations: list[Any] = []

    def add(self, result: Built | Recalled) -> None:
        """Add what is known of the runs of a unit or a source."""
        self._footprints += result.footprint
        self._relations += result.relations

    def problems(self, left: Left, bound: BoundOf) -> list[Diagnostic]:
        """Return what is wrong with all of them. `left` returns the footprints of other runs, given those of the build."""
        diagnostics = relations.problems(self._relations)
        footprints = [*self._footprints, *left(self._footprints)]
        if not footprints:
            return diagnostics
        from tjgen.compiler.totals import shared  # most runs write to nothing that others have

        return [*shared.problems(footprints, bound), *diagnostics]
