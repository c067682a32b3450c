"""The outcome of every run and shared object -> for each environment what starts, stops, changes, is refused, and costs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from tjgen.cluster.kinds.protocol import IN_PLACE, SILENT
from tjgen.cluster.synctools.guards import STAYS, WAITS
from tjgen.compiler.totals.cost import Cost, summed_cost
from tjgen.compiler.totals.report import cost_data
from tjgen.compiler.totals.tally import Totals, together
from tjgen.gitops.diff.compare import (
    NEW,
    ORPHANED_NOW,
    REMOVED,
    RESUMED_NOW,
    SUPERSEDED_NOW,
    SUSPENDED_NOW,
    DiffEntry,
)
from tjgen.gitops.diff.data import as_data
from tjgen.gitops.diff.effect import REFUSED, UNCHANGED
from tjgen.gitops.diff.markdown import render_markdown
from tjgen.gitops.diff.text import render_text
from tjgen.gitops.verify.added import ADDED_ARCHIVED, ADDED_SUSPENDED, STARTING, STARTS_SUPERSEDED, AddedRun, Key
from tjgen.gitops.verify.findings import listed
from tjgen.language.runs.lock import ARCHIVED
from tjgen.trees.fields.path import Tree
from tjgen.trees.k8s.quantity import Quantity, multiply, parse, total
from tjgen.trees.k8s.readable import readable
from tjgen.trees.manifests.manifest import RUNS
from tjgen.trees.typing import NamedTuple

_RESTORED = "restored"
_SUPERSEDED_WITHOUT_PODS = "superseded-suspended"
_ORPHANED_WITHOUT_PODS = "orphaned-suspended"
_TITLES = {
    NEW: "starts",
    _RESTORED: "starts again (restored)",
    STARTS_SUPERSEDED: "starts, although superseded",
    ADDED_SUSPENDED: "is added, and suspended",
    ADDED_ARCHIVED: "is added, and archived",
    REMOVED: "stops",
    WAITS: "stops when you confirm it",
    STAYS: "is removed, but stays in the cluster",
    SUSPENDED_NOW: "stops (suspended)",
    RESUMED_NOW: "resumes",
    ARCHIVED: "archives",
    IN_PLACE: "changes in place",
    REFUSED: "is refused",
    SILENT: "changes without effect",
    SUPERSEDED_NOW: "supersedes (keeps running)",
    ORPHANED_NOW: "orphans (keeps running)",
    _SUPERSEDED_WITHOUT_PODS: "supersedes (suspended)",
    _ORPHANED_WITHOUT_PODS: "orphans (suspended)",
}
_WITHOUT_PODS = {SUPERSEDED_NOW: _SUPERSEDED_WITHOUT_PODS, ORPHANED_NOW: _ORPHANED_WITHOUT_PODS}


class Section(NamedTuple):
    """What merging does in one environment."""

    environment: str
    """The name; "" for a project without environments, and for what all environments share."""
    entries: list[DiffEntry]
    runs: Mapping[str, list[str]]
    """Outcome -> names of the runs."""
    unchanged: int
    totals: Totals | None
    """What the runs that start take together."""
    cost: Cost
    """The cost of their devices."""
    namespaces: list[str]
    """The namespaces that get their first objects, if the base has others."""


def sections(entries: Iterable[DiffEntry], added: Mapping[Key, AddedRun]) -> list[Section]:
    """A section for each environment in which something differs, in order of name. `added`: the runs that the base lacks."""
    groups: dict[str, list[DiffEntry]] = {}
    for entry in entries:
        groups.setdefault(entry.place.environment, []).append(entry)
    all_sections = []
    for environment, group in sorted(groups.items()):
        runs: dict[str, list[str]] = {}
        for entry in group:
            if entry.place.stage == RUNS:
                known = added.get((entry.place.key, entry.name))
                runs.setdefault(known.kind if known is not None else entry.kind, []).append(entry.name)
        unchanged = len(runs.pop(UNCHANGED, ()))
        additions = [added.get((entry.place.key, entry.name)) for entry in group if entry.place.stage == RUNS]
        starting = [one for one in additions if one is not None and one.kind in STARTING]
        totals = together([one.totals for one in starting]) if starting else None
        cost = summed_cost(one.cost for one in starting)
        differing = [entry for entry in group if entry.kind != UNCHANGED]
        all_sections.append(Section(environment, differing, runs, unchanged, totals, cost, _new_namespaces(group)))
    return [one for one in all_sections if one.entries]


def _new_namespaces(group: Sequence[DiffEntry]) -> list[str]:
    known = {entry.place.namespace for entry in group if entry.kind != NEW}
    return sorted({entry.place.namespace for entry in group} - known) if known else []


def as_text(sections: Sequence[Section], nothing: str) -> str:
    """The sections for a terminal; each ends with the fields and the lines that request them. `nothing`: the text for none."""
    if not sections:
        return nothing
    parts = []
    for one in sections:
        lines = [_title(one), *(f"  {line}" for line in _lines(one)), "", render_text(one.entries)]
        parts.append("\n".join(lines))
    return "\n".join(parts)


def as_markdown(sections: Sequence[Section], verdict: str, nothing: str) -> str:
    """The sections for a comment on a pull request, with the verdict first. `nothing`: the text for none."""
    parts = [f"**{verdict}**\n"]
    for one in sections:
        body = render_markdown(one.entries).split("\n", 2)[2]
        lines = [f"## {_title(one)}", "", *(f"- {line}" for line in _lines(one)), "", body]
        parts.append("\n".join(lines))
    return "\n".join(parts if sections else [*parts, nothing])


def as_tree(sections: Sequence[Section], base: str) -> Tree:
    """The sections as a tree for JSON."""
    return [
        {
            "environment": one.environment or None,
            "runs": {kind: one.runs[kind] for kind in _TITLES if kind in one.runs},
            "unchanged": one.unchanged,
            "newNamespaces": one.namespaces,
            "cost": _amounts_data(one.totals),
            "price": cost_data(one.cost),
            "changes": as_data(one.entries, old=base, new="this tree")["entries"],
        }
        for one in sections
    ]


def _title(one: Section) -> str:
    return f"Environment {one.environment}" if one.environment else "Training runs"


def _lines(one: Section) -> list[str]:
    lines = []
    outcomes = {(entry.kind, entry.name): _outcome(entry) for entry in one.entries if entry.place.stage == RUNS}
    runs: dict[str, list[str]] = {}
    for kind, names in one.runs.items():
        for name in names:
            runs.setdefault(outcomes.get((kind, name), kind), []).append(name)
    for kind, title in _TITLES.items():
        if kind in runs:
            lines.append(f"{title}: {len(runs[kind])} ({listed(runs[kind])})")
    if one.namespaces:
        lines.append(f"new namespaces: {len(one.namespaces)} ({listed(one.namespaces)})")
    if one.totals is not None:
        lines.append(f"costs: {costs(one.totals, one.cost)}")
    lines.append(f"unchanged: {one.unchanged}")
    return lines


def _outcome(entry: DiffEntry) -> str:
    """The kind of an entry, with what happens in the cluster if that is not the same for all entries of the kind."""
    if entry.kind == REMOVED and entry.in_cluster in _TITLES:
        return entry.in_cluster
    if entry.is_restored:
        return _RESTORED
    return entry.kind if entry.has_pods else _WITHOUT_PODS.get(entry.kind, entry.kind)


def costs(totals: Totals, cost: Cost) -> str:
    """What runs take, and its price, on one line."""
    amounts = [f"{readable(amount)} {name}" for name, amount in _amounts(totals).items()]
    hourly, at_most = cost.texts
    price = [f"{hourly} per hour" + (f" (at most {at_most})" if at_most != "-" else "")] if hourly != "-" else []
    price += [f"{cost.monthly_text} per month for storage"] if cost.monthly else []
    return ", ".join([f"{totals.pods} pod{'s' * (totals.pods != 1)}", *amounts, *price])


def _amounts_data(totals: Totals | None) -> Tree:
    """Resource -> amount, as text; nothing if no run starts."""
    return {"pods": totals.pods, **{name: str(amount) for name, amount in _amounts(totals).items()}} if totals is not None else {}


def _amounts(totals: Totals) -> dict[str, Quantity]:
    """Resource -> amount, in order of name."""
    storage = total({"storage": multiply(one.size, one.number)} for one in totals.claims.values())
    devices = {name: parse(number) for name, number in totals.devices.items()}
    amounts = {**totals.resources, **devices, **storage}
    return {name: amounts[name] for name in sorted(amounts)}
