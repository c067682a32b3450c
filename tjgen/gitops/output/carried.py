"""The files of a run on disk, and the same files as they are built now -> the files with what can change in place.

If nothing else differs, they are the files as they are built now.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tjgen.cluster.synctools.guards import with_guard_of
from tjgen.compiler.building.run import Run
from tjgen.gitops.output.damaged import manifest_in
from tjgen.gitops.output.disk import OnDisk
from tjgen.language.runs import freeze
from tjgen.language.runs.archive import is_marked
from tjgen.language.runs.lock import ACTIVE, LockedRun
from tjgen.trees.fields.path import Tree
from tjgen.trees.source.writer import dump


def settings_in(old_texts: Mapping[str, str], built: Mapping[str, str]) -> dict[str, str]:
    """The files on disk with the fields that can change in place as they are built now; other files keep their bytes.

    A record keeps its guard: no sync applies it, so the object in the cluster keeps the guard that it has.
    """
    old, new = trees(old_texts), trees(built)
    carried = freeze.carry_all(old, new)
    records = {name: with_guard_of(tree, old[name]) for name, tree in carried.items() if name in old and is_marked(tree)}
    carried = {**carried, **records}
    return {**built} if carried == new else _texts(old_texts, old, carried)


def state_in(old_texts: Mapping[str, str], run: Run, built: Callable[[], Mapping[str, str]]) -> dict[str, str]:
    """The files on disk with the state of `run`; none if they have it already. `built` gives the files as they are built now.

    An overlay that sets a state changes no other field of a run in place.
    """
    is_active = run.state == ACTIVE and not run.is_record and not run.is_resumed
    if not freeze.may_differ_in_state(old_texts.values(), is_active=is_active):
        return {}
    texts = built()
    old, new = trees(old_texts), trees(texts)
    carried = {name: freeze.with_state(tree, new[name]) if name in new else tree for name, tree in old.items()}
    if carried == old:
        return {}
    return {**texts} if carried == new else _texts(old_texts, old, carried)


def resumes(run: Run, locked: LockedRun | None, content: str, on_disk: OnDisk, folder: str) -> bool:
    """Whether `run`, built with the digest `content`, is suspended on disk although neither its sources nor the lock suspend it.

    It was superseded or orphaned while it was suspended, and is requested again.
    """
    if locked is None or content == locked.content or run.is_resumed or run.state != ACTIVE:
        return False
    return any(freeze.suspends(body) for body in on_disk.bodies(folder).values())


def trees(texts: Mapping[str, str]) -> dict[str, Tree]:
    """Name -> the object in a file. Raises CompileError (TJ697) for a file without one."""
    return {name: manifest_in(text, name) for name, text in texts.items()}


def _texts(old_texts: Mapping[str, str], old: Mapping[str, Tree], carried: Mapping[str, Tree]) -> dict[str, str]:
    return {name: old_texts[name] if tree == old.get(name) else dump(tree) for name, tree in carried.items()}
