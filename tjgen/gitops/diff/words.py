"""Values, fields and counts of a comparison -> the words that all formats share."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import takewhile

from tjgen.cluster.synctools.guards import STAYS, WAITS
from tjgen.gitops.diff.compare import (
    KINDS,
    ORPHANED_NOW,
    REMOVED,
    RESUMED_NOW,
    SUPERSEDED_NOW,
    SUSPENDED_NOW,
    DiffEntry,
)
from tjgen.gitops.diff.effect import UNCHANGED
from tjgen.gitops.diff.fields import Changed
from tjgen.language.runs.lock import ARCHIVED
from tjgen.trees.canonical import json_text
from tjgen.trees.fields.path import MISSING, Tree
from tjgen.trees.manifests.manifest import PLATFORM, RUNS, STAGES
from tjgen.trees.manifests.secrets import without_secrets

_LONGEST = 100
_CONTEXT = 30
"""Characters of a long text before the first difference."""
_MEANING = {
    REMOVED: "removed: a sync that prunes deletes it, even while it runs",
    ARCHIVED: "archived: syncs no longer apply it",
    SUPERSEDED_NOW: "superseded: it stays until you prune it",
    ORPHANED_NOW: "orphaned: no source requests it; it stays and keeps running until you keep, archive or prune it",
    SUSPENDED_NOW: "suspended: its pods are deleted, and it stays until you resume it",
    RESUMED_NOW: "resumed: it gets pods again",
}
_MEANING_OF_SUSPENDED = {
    SUPERSEDED_NOW: "superseded: it is suspended, and stays until you prune it",
    ORPHANED_NOW: "orphaned: no source requests it; it is suspended, and stays until you keep, archive or prune it",
}
_WAITS = "removed: the sync waits until you confirm its deletion, and applies nothing else before that"
_STAYS = "removed: it stays in the cluster until you delete it"
_MEANING_OF_SHARED = {REMOVED: "removed: a sync that prunes deletes it"}
_MEANING_OF_PLATFORM = {REMOVED: _STAYS}
_MEANING_OF_REMOVED = {WAITS: _WAITS, STAYS: _STAYS}


def meaning(entry: DiffEntry) -> str:
    """The change of a run or a shared object."""
    if entry.is_restored:
        return "new, restored: its files were lost, so a sync that prunes has deleted it, and starts it again"
    if entry.repeats:
        return f"new, repeats {entry.repeats}, which no source requests: the same content runs again under another name"
    if entry.earlier is not None:
        is_replaced = entry.earlier.is_replaced
        return f"new, replaces {entry.earlier.run}" if is_replaced else f"new, compared with {entry.earlier.run}"
    meanings = {RUNS: _MEANING, PLATFORM: _MEANING_OF_PLATFORM}
    words = meanings.get(entry.place.stage, _MEANING_OF_SHARED).get(entry.kind, entry.kind)
    words = _MEANING_OF_REMOVED.get(entry.in_cluster, words)
    if not entry.has_pods:
        words = _MEANING_OF_SUSPENDED.get(entry.kind, words)
    return words.replace(":", f", replaced by {entry.successor}:", 1) if entry.successor else words


def shown(value: Tree) -> str:
    """A value on one line."""
    if value is MISSING:
        return "(absent)"
    first, *rest = _text(value).split("\n")
    return first[:_LONGEST] + (" ..." if rest or len(first) > _LONGEST else "")


def shown_both(before: Tree, after: Tree) -> tuple[str, str]:
    """Both values on one line each, from the first line and the first part in which they differ."""
    if before is MISSING or after is MISSING:
        return shown(before), shown(after)
    one, other = _text(before), _text(after)
    if one.strip() == other.strip():
        # A string and another value, or white space, which only quotes show.
        one, other = json_text(before), json_text(after)
        before, after = one, other
    common = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))
    if (one.find("\n"), other.find("\n")) == (-1, -1) and common < _LONGEST - _CONTEXT:
        return shown(before), shown(after)
    if common == min(len(one), len(other)) and "\n" in (one[common : common + 1], other[common : common + 1]):
        return _added(one, common), _added(other, common)  # only lines at the end differ
    line = one.count("\n", 0, common) + 1
    start = max(one.rfind("\n", 0, common) + 1, common - _CONTEXT)
    lead = f"line {line}: " if "\n" in one or "\n" in other else ""
    lead += "... " if start and one[start - 1] != "\n" else ""
    return lead + shown(one[start:]), lead + shown(other[start:])


def _added(text: str, common: int) -> str:
    """The lines of a text after its first characters, which are all of another text."""
    line = text.count("\n", 0, common) + 2
    return shown(MISSING) if len(text) == common else f"line {line}: {shown(text[common + 1 :])}"


def concealed(kind: str, change: Changed) -> Changed:
    """The change of a field of an object of `kind`, as it is printed: without secrets."""
    before, after = (one if one is MISSING else without_secrets(one, change.path, kind) for one in (change.before, change.after))
    return Changed(change.path, before, after)


def _text(value: Tree) -> str:
    return value if value.__class__ is str else json_text(value)


def sections(entries: Iterable[DiffEntry]) -> list[tuple[str, list[DiffEntry]]]:
    """What differs, under the key of the experiment, or the stage and place of what is shared."""
    by_environment: dict[str, list[DiffEntry]] = {}
    for entry in entries:
        if entry.kind != UNCHANGED:
            place = entry.place
            name = place.key if place.stage == RUNS else f"{place.stage} of {place.key}"
            by_environment.setdefault(name, []).append(entry)
    return list(by_environment.items())


def counts(entries: Iterable[DiffEntry]) -> dict[str, dict[str, int]]:
    """Stage -> how many of its entries became what; what nothing became is left out."""
    known = list(entries)
    stages = {}
    for stage in reversed((PLATFORM, *STAGES)):
        kinds = [entry.kind for entry in known if entry.place.stage == stage]
        if kinds:
            stages[stage] = {kind: kinds.count(kind) for kind in KINDS if kind in kinds}
    return stages


def summary(entries: Iterable[DiffEntry]) -> list[str]:
    """A line for each stage."""
    return [
        f"{stage}: {', '.join(f'{count} {kind}' for kind, count in amounts.items())}"
        for stage, amounts in counts(entries).items()
    ]
