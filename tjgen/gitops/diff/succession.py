"""Two sides -> for each new run the run that it replaces, or the nearest run to compare it with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tjgen.gitops.diff.side import Side, place_of
from tjgen.language.runs.lock import SUPERSEDED
from tjgen.language.runs.names import point_of
from tjgen.trees.typing import NamedTuple

RunKey = tuple[str, str]
"""Key of an experiment and name of a run."""


class Earlier(NamedTuple):
    """The earlier run of the same experiment that a new run is compared with."""

    run: str
    is_replaced: bool
    """Whether the new run takes its place: it is the same point of the sweep, or the only run of the experiment."""


def earlier_runs(old: Side, new: Side) -> dict[RunKey, Earlier]:
    """The earlier run of each new run, if its experiment had runs.

    A run replaces the run of the same point of a sweep. A new point replaces nothing: it is compared with the point that has
    the most parts of the name in common.
    """
    earlier: dict[RunKey, Earlier] = {}
    before, now = _runs(old), _runs(new)
    for key, names in now.items():
        known = before.get(key, {})
        came = [name for name in names if name not in known]
        if not came or not known:
            continue
        left = [name for name in known if _leaves(old, new, key, name, stays=name in names)]
        points = {point_of(name) or name: name for name in left}
        index = _nearest([*left, *(name for name in known if name not in left)])
        for name in came:
            replaced = points.get(point_of(name) or name)
            if replaced is None and len(came) == len(left) == 1:
                replaced = left[0]
            nearest = replaced or next(index[parts] for parts in _parts(name) if parts in index)
            earlier[key, name] = Earlier(nearest, replaced is not None)
    return earlier


def _runs(side: Side) -> dict[str, dict[str, None]]:
    """Key of an experiment -> the runs of it that have files, sorted."""
    runs_of_experiments: dict[str, dict[str, None]] = {}
    for path in sorted(side.bodies):
        place = place_of(path)
        if place is not None and place.run:
            runs_of_experiments.setdefault(place.key, {})[place.run] = None
    return runs_of_experiments


def _leaves(old: Side, new: Side, key: str, name: str, *, stays: bool) -> bool:
    """Whether a run was requested before, and is superseded or removed now."""
    then, now = old.locks.get(key), new.locks.get(key)
    # In a folder without locks, every run counts as requested.
    if then is not None and (name not in then.runs or not then.runs[name].is_requested):
        return False
    if not stays:
        return True
    return now is not None and name in now.runs and now.runs[name].state == SUPERSEDED


Parts = tuple[tuple[str, ...], tuple[str, ...]]


def _nearest(names: Sequence[str]) -> Mapping[Parts, str]:
    """The first run for each way to leave out one part of a name."""
    index: dict[Parts, str] = {}
    for name in names:
        for parts in _parts(name):
            index.setdefault(parts, name)
    return index


def _parts(name: str) -> Iterator[Parts]:
    """The words before and after each part that can be left out of a name, the shortest part first."""
    words = tuple((point_of(name) or name).split("-"))
    for length in range(len(words) + 1):
        for start in range(len(words) - length + 1):
            yield words[:start], words[start + length :]
