"""Totals of runs -> tables for people: a line for each run, and the totals of each cluster and team."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tjgen.compiler.totals.cost import Cost, summed_cost
from tjgen.compiler.totals.groups import DEFAULT, group_of, title_of
from tjgen.compiler.totals.tally import Totals, together
from tjgen.trees.fields.path import Tree
from tjgen.trees.k8s.labels import TEAM_LABEL
from tjgen.trees.k8s.quantity import BINARY, Quantity, multiply, parse, total
from tjgen.trees.k8s.readable import readable
from tjgen.trees.typing import NamedTuple

_FIRST = ("cpu", "memory", "ephemeral-storage")
STORAGE = "storage"
_COSTS = ("COST/HOUR", "COST AT MOST")
_MONTHLY = "STORAGE/MONTH"
_PODS, _STORAGE, _BANDWIDTH = "PODS", STORAGE.upper(), "BANDWIDTH"

CURRENT = "current"


class Row(NamedTuple):
    """A run in a summary."""

    name: str
    state: str
    totals: Totals
    """What it requests: only its claims if it is suspended, stopped or archived."""
    environment: str = ""
    """Empty in a project without environments."""
    cluster: str = ""
    """The Platform of the environment, or else the environment itself."""
    namespace: str = ""
    experiment: str = ""
    device_class: str = ""
    """What the experiment requests devices of; empty if it is not known."""
    labels: Mapping[str, str] = {}
    """The labels of its objects."""
    cost: Cost = Cost()
    """Cost of its devices if its pods run, and of its claims."""
    project: str = ""
    """The folder of its project in the workspace; empty without a workspace."""
    most: int = 0
    """The number of runs of its experiment that train at once (`sweep.maxParallel`); 0 without a limit."""

    @property
    def team(self) -> str:
        """The label `team` of the run; empty if it has none."""
        return self.labels.get(TEAM_LABEL, "")


Bandwidths = Mapping[str, int]
"""StorageClass -> bytes per second of a volume of that class, from the Platform."""


class Cells(NamedTuple):
    """The cells of a summary. No row of totals combines two clusters."""

    heads: list[str]
    texts: int
    """Columns at the start that hold words; the others hold amounts."""
    runs: list[list[str]]
    totals: list[list[str]]


def table(rows: Sequence[Row], bandwidths: Bandwidths | None = None, by: Sequence[str] = ()) -> str:
    """A line for each run, then the totals of each cluster, also for each state, and for each group of `by`.

    Without `by`, groups are environments, teams and projects, as far as there are several.
    """
    summary = cells(rows, bandwidths or {}, by)
    return _columns([summary.heads, *summary.runs, *summary.totals], texts=summary.texts)


def cells(rows: Sequence[Row], bandwidths: Bandwidths, by: Sequence[str] = ()) -> Cells:
    """The same as cells. Columns without a value in any row are left out."""
    sums = list(_sums(rows, by))
    heads = columns([*(one.totals for one in rows), *(one.totals for one in sums)], bandwidths)
    has_environments = any(one.environment for one in rows)
    is_priced = any(one.cost.is_known for one in rows)
    has_storage = any(one.cost.storage for one in rows)
    texts = [*(["ENVIRONMENT"] if has_environments else []), "NAMESPACE", "EXPERIMENT", "RUN", "STATE", "CLASS"]

    def amounts(one: Row) -> list[str]:
        costs = [*(one.cost.texts if is_priced else []), *([one.cost.monthly_text] if has_storage else [])]
        return [*line(one.totals, heads, bandwidths), *costs]

    runs = [
        [
            *([one.environment or "-"] if has_environments else []),
            *(one.namespace, one.experiment, one.name, one.state, one.device_class or "-"),
            *amounts(one),
        ]
        for one in rows
    ]
    places = {name: _place(name, own) for name, own in by_cluster(rows).items()} if has_environments else {}
    totals = [
        [*([places.get(one.cluster, one.cluster)] if has_environments else []), "", "", one.name, one.state, "", *amounts(one)]
        for one in sums
    ]
    costs = [*(_COSTS if is_priced else []), *([_MONTHLY] if has_storage else [])]
    return Cells([*texts, *heads, *costs], len(texts), runs, totals)


def _sums(rows: Sequence[Row], by: Sequence[str]) -> Iterator[Row]:
    """The totals of each cluster: by state, together, and by group."""
    for cluster, own in by_cluster(rows).items() or [("", [])]:
        states = group_by(own, "state")
        if len(states) > 1:
            yield from (_sum("TOTAL", state, group, cluster) for state, group in states.items())
        yield _sum("TOTAL", "all", own, cluster)
        yield from _at_once(own, cluster)
        for name in by or DEFAULT:
            groups = group_by(own, name)
            for group in sorted(groups) if by or len(groups) > 1 else ():
                yield _sum(f"TOTAL of {title_of(name, group)}", "all", groups[group], cluster)


def _at_once(rows: Sequence[Row], cluster: str) -> Iterator[Row]:
    """What the points of each sweep with `maxParallel` request at the same time, by its largest points."""
    sweeps: dict[tuple[str, str, str], list[Row]] = {}
    for one in rows:
        if one.state == CURRENT and one.most:
            sweeps.setdefault((one.environment, one.namespace, one.experiment), []).append(one)
    for points in sweeps.values():
        most = points[0].most
        if len(points) > most:
            largest = sorted(points, key=lambda one: (sum(one.totals.devices.values()), one.totals.pods), reverse=True)
            yield _sum(f"{most} of {points[0].experiment} at once", CURRENT, largest[:most], cluster)


def _sum(name: str, state: str, rows: Sequence[Row], cluster: str) -> Row:
    totals = together([one.totals for one in rows])
    return Row(name, state, totals, cluster=cluster, cost=summed_cost(one.cost for one in rows))


def _place(cluster: str, rows: Sequence[Row]) -> str:
    """What the column of environments shows for the totals of a cluster: its environment, or the cluster if it has several."""
    environments = {one.environment for one in rows}
    return next(iter(environments)) if len(environments) == 1 else f"cluster {cluster}"


def by_cluster(rows: Sequence[Row]) -> dict[str, list[Row]]:
    """Cluster -> its rows. A total is one of rows of a single cluster: another cluster has other devices and prices."""
    return group_by(rows, "cluster")


def group_by(rows: Sequence[Row], name: str) -> dict[str, list[Row]]:
    """Value of a field, such as `team` or `state`, or of a label (`label:KEY`) -> the rows with it, in their order."""
    groups: dict[str, list[Row]] = {}
    for one in rows:
        groups.setdefault(group_of(one, name), []).append(one)
    return groups


def columns(several: Sequence[Totals], bandwidths: Bandwidths) -> list[str]:
    """The heads of a table of totals: of resources only those that one of them has."""
    known = {name for totals in several for name in totals.resources}
    resources = [name.upper() for name in _FIRST if name in known] + sorted(known.difference(_FIRST))
    devices = sorted({name for totals in several for name in totals.devices})
    # If the Platform sets no bandwidth, the column is left out.
    delivers = any(claim.storage_class in bandwidths for totals in several for claim in totals.claims.values())
    return [_PODS, *resources, *devices, _STORAGE, *([_BANDWIDTH] if delivers else [])]


def line(totals: Totals, heads: Sequence[str], bandwidths: Bandwidths) -> list[str]:
    """The cells under these heads; `-` for none."""
    upper = {name.upper(): name for name in _FIRST}
    storage = total({STORAGE: multiply(one.size, one.number)} for one in totals.claims.values()).get(STORAGE, "-")
    known: dict[str, object] = {
        **totals.devices,
        **totals.resources,
        _PODS: totals.pods,
        _STORAGE: storage,
        _BANDWIDTH: bandwidth(totals, bandwidths) or "-",
    }
    return [_amount(known.get(upper.get(head, head), "-")) for head in heads]


def _amount(value: object) -> str:
    return readable(value) if isinstance(value, Quantity) else str(value)


def bandwidth(totals: Totals, bandwidths: Bandwidths) -> Quantity | None:
    """Bytes per second of all claims whose class sets a bandwidth; a claim that several share counts once."""
    each = [
        bandwidths[claim.storage_class] * claim.number for claim in totals.claims.values() if claim.storage_class in bandwidths
    ]
    if not each:
        return None
    # The Platform may use either format.
    decimal = parse(sum(each))
    return min(decimal, decimal._replace(format=BINARY, text=""), key=lambda amount: len(str(amount)))


def slices_table(runs: Sequence[tuple[str, Mapping[str, Tree]]]) -> str:
    """A line for each data set that is sliced: how even the slices are (passes/slices.py describes them)."""
    rows = [(name, data_set, one) for name, described in runs for data_set, one in described.items()]
    has_names = any(data_set for _, data_set, _ in rows)
    heads = ["BY", "SLICES", "ITEMS", "FEWEST", "MOST", "SMALLEST", "LARGEST", "LARGEST/MEAN", "LEFT OUT", "REPEATED"]
    lines = [["RUN", *(["DATA"] if has_names else []), *heads]]
    for name, data_set, one in rows:
        counts = [str(one[key]) for key in ("count", "items", "fewest", "most")]
        sizes = [_bytes(one[key]) if key in one else "-" for key in ("smallest", "largest")]
        rest = [str(one.get(key, "-")) for key in ("dropped", "repeated")]
        first = [name, data_set or "-"] if has_names else [name]
        lines.append([*first, str(one["by"]), *counts, *sizes, f"{one['ratio']:.3f}", *rest])
    return _columns(lines, 2 if has_names else 1)


def _bytes(amount: int) -> str:
    """Bytes for people, with one digit behind the point above 1023."""
    for power, unit in ((5, "Pi"), (4, "Ti"), (3, "Gi"), (2, "Mi"), (1, "Ki")):
        if amount >= 1024**power:
            return f"{amount / 1024**power:.1f}{unit}"
    return str(amount)


def _columns(lines: Sequence[Sequence[str]], texts: int = 1) -> str:
    """Lines in columns; the first `texts` columns hold words, the others numbers."""
    widths = [max(len(line[column]) for line in lines) for column in range(len(lines[0]))]
    return "".join(
        "  ".join(_cell(text, width, i < texts) for i, (text, width) in enumerate(zip(line, widths, strict=True))).rstrip() + "\n"
        for line in lines
    )


def _cell(text: str, width: int, is_text: bool) -> str:
    return text.ljust(width) if is_text else text.rjust(width)
