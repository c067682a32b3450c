"""The outcome of every run and shared object -> for each environment what starts, stops, changes, is refused, and costs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from tjgen.cluster.kinds.protocol import IN_PLACE, SILENT
from tjgen.compiler.totals.tally import Totals, together
from tjgen.gitops.diff.compare import ARCHIVED, NEW, ORPHANED_NOW, REMOVED, SUPERSEDED_NOW, DiffEntry
from tjgen.gitops.diff.data import as_data
from tjgen.gitops.diff.effect import REFUSED, UNCHANGED
from tjgen.gitops.diff.markdown import render_markdown
from tjgen.gitops.diff.text import render_text
from tjgen.trees.fields.path import Tree
from tjgen.trees.k8s.quantity import total
from tjgen.trees.manifests.manifest import RUNS
from tjgen.trees.typing import NamedTuple

_TITLES = {
    NEW: "starts",
    REMOVED: "stops",
    ARCHIVED: "archives",
    IN_PLACE: "changes in place",
    REFUSED: "is refused",
    SILENT: "changes without effect",
    SUPERSEDED_NOW: "supersedes, and leaves running",
    ORPHANED_NOW: "orphans, and leaves running",
}
_SHOWN = 5
Cost = Mapping[tuple[str, str], Totals]
"""Key of an experiment and name of a run -> what the run takes."""


class Section(NamedTuple):
    """What merging does in one environment."""

    environment: str
    """The name; "" for a project without environments, and for what all environments share."""
    entries: list[DiffEntry]
    runs: Mapping[str, list[str]]
    """Outcome -> names of the runs."""
    unchanged: int
    cost: Totals | None
    """What the runs that start take together."""


def sections(entries: Iterable[DiffEntry], cost: Cost) -> list[Section]:
    """A section for each environment in which something differs, in order of name."""
    groups: dict[str, list[DiffEntry]] = {}
    for entry in entries:
        groups.setdefault(entry.place.environment, []).append(entry)
    all_sections = []
    for environment, group in sorted(groups.items()):
        runs: dict[str, list[str]] = {}
        for entry in group:
            if entry.place.stage == RUNS:
                runs.setdefault(entry.kind, []).append(entry.name)
        unchanged = len(runs.pop(UNCHANGED, ()))
        starting = [cost[entry.place.key, entry.name] for entry in group if _starts(entry, cost)]
        differing = [entry for entry in group if entry.kind != UNCHANGED]
        all_sections.append(Section(environment, differing, runs, unchanged, together(starting) if starting else None))
    return [one for one in all_sections if one.entries]


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
            "cost": _cost(one.cost),
            "changes": as_data(one.entries, old=base, new="this tree")["entries"],
        }
        for one in sections
    ]


def _starts(entry: DiffEntry, cost: Cost) -> bool:
    return entry.place.stage == RUNS and entry.kind == NEW and (entry.place.key, entry.name) in cost


def _title(one: Section) -> str:
    return f"Environment {one.environment}" if one.environment else "Training runs"


def _lines(one: Section) -> list[str]:
    lines = []
    for kind, title in _TITLES.items():
        names = one.runs.get(kind)
        if names:
            more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
            lines.append(f"{title}: {len(names)} ({', '.join(names[:_SHOWN])}{more})")
    if one.cost is not None:
        amounts = [f"{count} {'pod' if (name, count) == ('pods', 1) else name}" for name, count in _cost(one.cost).items()]
        lines.append(f"costs: {', '.join(amounts)}")
    lines.append(f"unchanged: {one.unchanged}")
    return lines


def _cost(totals: Totals | None) -> dict[str, Tree]:
    """Resource -> amount, as text."""
    if totals is None:
        return {}
    storage = total({"storage": one.size} for one in totals.claims.values())
    amounts = {**totals.resources, **totals.devices, **storage}
    return {"pods": totals.pods, **{name: str(amount) for name, amount in sorted(amounts.items())}}
