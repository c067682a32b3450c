"""The files of a run -> the files of its tree that it shares with other runs: its runtime, its claims, what prepares them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from tjgen.compiler.building.run import Run
from tjgen.gitops.diff.side import AttributeField, place_of, tree_of
from tjgen.gitops.output.layout import path_of
from tjgen.language.runs.lock import LockedRun
from tjgen.language.runs.store import LockKey
from tjgen.tools.report.content import SharedPart
from tjgen.tools.report.parts import part
from tjgen.trees.manifests.leaves import leaves
from tjgen.trees.manifests.manifest import DATA, RUNS, RUNTIMES

PathsByName = Mapping[tuple[str, str, str], list[str]]
"""Environment, namespace and name of an object outside of the runs -> the files of that name."""


def paths_by_name(bodies: Iterable[str]) -> PathsByName:
    """The files of a tree that runs may share, by what they are called."""
    paths_of_names: dict[tuple[str, str, str], list[str]] = {}
    for path in bodies:
        place = place_of(path)
        if place is not None and place.stage in (RUNTIMES, DATA):
            name = path.rpartition("/")[2].removesuffix(".yaml")
            # In the stage of data the kind precedes the name.
            name = name.partition("-")[2] if place.stage == DATA else name
            paths_of_names.setdefault((place.environment, place.namespace, name), []).append(path)
    return paths_of_names


def shared_by(
    place: LockKey,
    own: Mapping[str, str],
    locked: LockedRun | None,
    built: Run | None,
    known: PathsByName,
    bodies: Mapping[str, str],
) -> dict[str, str]:
    """What the run was built with, or its lock names; where neither is known, what its manifests call by name."""
    if built is not None and built.compiled.manifests:
        paths = [path_of(one, built) for one in built.compiled.manifests if one.stage != RUNS]
    elif locked is not None and locked.uses:
        paths = list(locked.uses)
    else:
        trees = [tree_of(body, path) for path, body in own.items()]
        names = dict.fromkeys(value for tree in trees for _, value in leaves(tree) if value.__class__ is str)
        paths = sorted(path for name in names for path in known.get((place.environment or "", place.namespace, name), ()))
    return {path: bodies[path] for path in paths if path in bodies}


def several(files: Iterable[Mapping[str, str]]) -> dict[str, int]:
    """The files of runs that more than one of them has -> how many."""
    counts = Counter(path for one in files for path in one)
    return {path: count for path, count in counts.items() if count > 1}


def parts_of(shared: Mapping[str, int], bodies: Mapping[str, str], attribute: AttributeField) -> dict[str, SharedPart]:
    """The objects in those files, in the order of their paths."""
    trees = {path: tree_of(bodies[path], path) for path in sorted(shared)}
    return {path: SharedPart(part(tree, path, attribute), shared[path]) for path, tree in trees.items() if tree is not None}
