"""An overlay's `match` and an experiment as it is written -> whether the overlay is for it."""

from __future__ import annotations

from collections.abc import Sequence

from tjgen.language.spec.objects import Match
from tjgen.trees.fields.path import Tree, get
from tjgen.trees.typing import NamedTuple


class Facts(NamedTuple):
    """What of an experiment overlays look at."""

    name: str
    labels: dict[str, str]
    runtime: str


def facts_of(experiment: Tree) -> Facts:
    """The facts of an experiment before anything is put over it, whether or not its shape is right."""
    runtime = get(experiment, ("spec", "runtime"), "")
    if runtime.__class__ is dict:
        runtime = runtime.get("name", "")
    labels = get(experiment, ("metadata", "labels"), {})
    return Facts(str(get(experiment, ("metadata", "name"), "")), labels if labels.__class__ is dict else {}, str(runtime))


def applies_to(match: Match, environment: str | None, cluster: str | None) -> bool:
    """Whether the overlay can be for experiments that are built for this environment and cluster."""
    return (not match.environments or environment in match.environments) and (not match.clusters or cluster in match.clusters)


def holds(match: Match, facts: Facts) -> bool:
    """Return whether all conditions on the experiment itself hold."""
    return (
        all(facts.labels.get(key) == value for key, value in match.labels.items())
        and (not match.names or is_like(facts.name, match.names))
        and (not match.runtimes or is_like(facts.runtime, match.runtimes))
    )


def is_like(word: str, patterns: Sequence[str]) -> bool:
    """Whether a word is one of the patterns, or matches one as in a shell."""
    if word in patterns:
        return True
    if not any(sign in pattern for pattern in patterns for sign in "*?["):
        return False
    from fnmatch import fnmatchcase

    return any(fnmatchcase(word, pattern) for pattern in patterns)
