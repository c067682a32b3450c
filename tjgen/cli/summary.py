"""Built runs -> the table that `tjgen build --summary` prints."""

from __future__ import annotations

import sys

from tjgen.compiler.building.plan import Plan
from tjgen.compiler.building.run import Built
from tjgen.compiler.totals.report import report
from tjgen.compiler.totals.table import slices_table, table
from tjgen.compiler.totals.tally import Totals, of_run
from tjgen.trees.fields.path import Tree


class Summary:
    """The totals of each run, collected while a plan is built."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._totals: list[tuple[str, Totals]] = []
        self._slices: list[tuple[str, Tree]] = []
        self._bandwidths: dict[str, int] = {}

    def add(self, built: Built) -> None:
        """Add the runs of one experiment."""
        self._bandwidths |= self._plan.cluster(built.unit.environment).bandwidth
        for one in built.runs:
            self._totals.append((one.name, of_run(one.compiled.manifests, one.compiled.previews)))
            slices = one.compiled.workload.tree.value.get("slices")
            if slices is not None:
                self._slices.append((one.name, slices))

    def show(self, output_format: str) -> None:
        """Print a table, or the same as JSON for the output format "json"."""
        if output_format == "json":
            sys.stdout.write(report(self._totals, dict(self._slices), self._bandwidths))
            return
        sys.stdout.write(table(self._totals, self._bandwidths))
        if self._slices:
            sys.stdout.write("\n" + slices_table(self._slices))
