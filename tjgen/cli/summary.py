"""Built runs, and other runs that stay in the output -> the table of `tjgen build --summary`."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence

from tjgen.cli.command import Arguments, prints_json
from tjgen.compiler.building.plan import Plan
from tjgen.compiler.building.run import Built
from tjgen.compiler.totals.cost import Cost, classes_of, cost_of, requested_classes
from tjgen.compiler.totals.report import report
from tjgen.compiler.totals.table import CURRENT, Row, slices_table, table
from tjgen.compiler.totals.tally import Totals, idle
from tjgen.gitops.output.done import RequestedRuns
from tjgen.gitops.output.leftover import Leftover, labels_of, leftovers
from tjgen.language.platform.devices import Accelerator
from tjgen.language.runs.lock import ACTIVE, ARCHIVED
from tjgen.language.runs.store import LockKey
from tjgen.trees.fields.path import Tree


class Summary:
    """The totals of each run, collected while a plan is built. `directory` is the output tree, if there is one."""

    def __init__(self, plan: Plan, directory: str | None) -> None:
        self._plan = plan
        self._directory = directory
        self._rows: list[Row] = []
        self._units: dict[str, RequestedRuns | None] = {}
        self._slices: list[tuple[str, Mapping[str, Tree]]] = []
        self._bandwidths: dict[str, int] = {}

    def add(self, built: Built) -> None:
        """Add the runs of one experiment."""
        self._bandwidths |= self._plan.cluster(built.unit.environment).bandwidth
        requested = self._units[built.unit.key] = RequestedRuns.of(built)
        for one in built.runs:
            state = ARCHIVED if one.is_record else CURRENT if one.state == ACTIVE else one.state
            place = requested.place
            is_priced = state == CURRENT and self._plan.devices(place.environment).prices is not None
            claims = self._plan.cluster(place.environment).claims
            usage = one.compiled.usage(self._classes(place) if is_priced else {}, claims)
            labels = labels_of(manifest.tree for manifest in one.compiled.manifests)
            row = self._row(place, one.name, state, usage.totals if state == CURRENT else idle(usage.totals), labels)
            cost = self._cost(place, usage.devices, usage.deadline, usage.totals)
            spec = one.variant.experiment.spec
            most = spec.sweep.max_parallel or 0 if spec.sweep is not None else 0
            self._rows.append(row._replace(device_class=requested_classes(spec), cost=cost, most=most))
            if usage.slices is not None:
                self._slices.append((one.name, usage.slices))

    def rows(self) -> list[Row]:
        """The runs of the build, and the other runs of the output tree."""
        rows = list(self._rows)
        if self._directory is not None:
            leftover_runs = sorted(leftovers(self._plan, self._directory, self._units), key=lambda one: one.state, reverse=True)
            rows += map(self._left_over, leftover_runs)
        return rows

    @property
    def slices(self) -> list[tuple[str, Mapping[str, Tree]]]:
        """Name of each run whose data is sliced, and how each of its data sets is."""
        return self._slices

    @property
    def bandwidths(self) -> dict[str, int]:
        """StorageClass -> bytes per second of a volume of that class."""
        return self._bandwidths

    def show(self, arguments: Arguments) -> None:
        """Print a table, or the same as JSON with `--format json`."""
        show([self], arguments)

    def _left_over(self, one: Leftover) -> Row:
        cost = self._cost(one.place, {} if one.is_idle else one.devices, one.deadline, one.totals)
        row = self._row(one.place, one.name, one.state, one.totals, one.labels)
        return row._replace(device_class=classes_of(one.devices, self._classes(one.place)), cost=cost)

    def _classes(self, place: LockKey) -> Mapping[str, Accelerator]:
        return self._plan.devices(place.environment).classes

    def _cost(self, place: LockKey, devices: Mapping[str, int], deadline: int | None, totals: Totals) -> Cost:
        return cost_of(devices, self._plan.devices(place.environment).prices, deadline, totals.claims)

    def _row(self, place: LockKey, name: str, state: str, totals: Totals, labels: Mapping[str, str]) -> Row:
        cluster = self._plan.devices(place.environment).cluster
        project = self._plan.project.name_in_workspace
        return Row(
            name, state, totals, place.environment or "", cluster, place.namespace, place.name, labels=labels, project=project
        )


def show(summaries: Sequence[Summary], arguments: Arguments) -> None:
    """Print one table of several projects, or the same as JSON, with totals of the groups of `--by`."""
    rows = [row for one in summaries for row in one.rows()]
    slices = [pair for one in summaries for pair in one.slices]
    bandwidths = {name: rate for one in summaries for name, rate in one.bandwidths.items()}
    if prints_json(arguments):
        sys.stdout.write(report(rows, dict(slices), bandwidths, arguments["by"]))
        return
    sys.stdout.write(table(rows, bandwidths, arguments["by"]))
    if slices:
        sys.stdout.write("\n" + slices_table(slices))
