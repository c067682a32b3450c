"""The files of a run -> the files of its tree that it shares with other runs: its runtime, its claims."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from tjgen.diff.side import Ask, tree_of
from tjgen.fields.path import Tree
from tjgen.manifests.manifest import DATA, RUNTIMES
from tjgen.output.layout import stage_folder
from tjgen.report.content import Shared
from tjgen.report.parts import part
from tjgen.runs.lock import LockedRun
from tjgen.runs.store import Place


def shared_by(place: Place, own: Mapping[str, str], locked: LockedRun | None, bodies: Mapping[str, str]) -> dict[str, str]:
    """What the lock names; without a lock, or one of a former release, what the manifests themselves name."""
    if locked is not None and locked.uses:
        return {path: bodies[path] for path in locked.uses if path in bodies}
    wanted = [path for file, body in own.items() for path in _named(tree_of(body, file), place)]
    return {path: bodies[path] for path in sorted(set(wanted)) if path in bodies}


def several(files: Iterable[Mapping[str, str]]) -> dict[str, int]:
    """The files of runs that more than one of them has -> how many."""
    counts = Counter(path for one in files for path in one)
    return {path: count for path, count in counts.items() if count > 1}


def parts_of(shared: Mapping[str, int], bodies: Mapping[str, str], ask: Ask) -> dict[str, Shared]:
    """The objects in those files, in the order of their paths."""
    trees = {path: tree_of(bodies[path], path) for path in sorted(shared)}
    return {path: Shared(part(tree, path, ask), shared[path]) for path, tree in trees.items() if tree is not None}


def _named(tree: Tree, place: Place) -> Iterator[str]:
    """The paths of what a manifest refers to by `runtimeRef` and `claimName`, wherever in it that stands."""
    if tree.__class__ is dict:
        for key, value in tree.items():
            if key == "runtimeRef" and value.__class__ is dict:
                yield f"{stage_folder(place.environment, RUNTIMES)}/{place.namespace}/{value.get('name')}.yaml"
            elif key == "claimName":
                yield f"{stage_folder(place.environment, DATA)}/{place.namespace}/persistentvolumeclaim-{value}.yaml"
            else:
                yield from _named(value, place)
    elif tree.__class__ is list:
        for item in tree:
            yield from _named(item, place)
