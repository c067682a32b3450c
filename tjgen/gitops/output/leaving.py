"""Files of runs and runtimes that left a tree -> their objects, and what a sync does with each of them.

What counts is the guard of an object in the cluster: that of its file at the last commit, or else of the file that was removed.
A project that changes `gitops.removal`, or a new release of tjgen, changes guards in a commit before that.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from tjgen.cluster.synctools.guards import OUTCOMES, after_removal
from tjgen.cluster.synctools.protocol import SyncTool
from tjgen.gitops.diff.side import TreePlace, place_of, runtime_of, tree_of
from tjgen.gitops.emit import header
from tjgen.gitops.output.committed import committed_files
from tjgen.gitops.output.layout import stage_folder
from tjgen.trees.fields.path import Tree, get
from tjgen.trees.manifests.manifest import RUNS, RUNTIMES
from tjgen.trees.typing import NamedTuple


class LeavingObject(NamedTuple):
    """A run or a runtime that left the tree."""

    name: str
    objects: tuple[str, ...]
    """For kubectl, such as `trainjob/bert-krdnvrxh -n nlp`."""
    outcome: str
    """What a sync does with it: the least protected outcome of its files."""
    runtimes: frozenset[str] = frozenset()
    """Of a run: the files that its runtimes have in the tree."""


class Leaving(NamedTuple):
    """What left a tree."""

    runs: tuple[LeavingObject, ...] = ()
    runtimes: Mapping[str, LeavingObject] = {}
    """File in the tree -> the runtime."""
    environments: tuple[str, ...] = ()

    @staticmethod
    def of(directory: str, contents: Mapping[str, bytes], tool: SyncTool) -> Leaving:
        """`contents`: path -> what the file had, for the files that left the tree in `directory`."""
        places = {path: place for path in contents if (place := place_of(path)) is not None and place.stage in (RUNS, RUNTIMES)}
        folders = dict.fromkeys(stage_folder(one.environment or None, one.stage) for one in places.values())
        applied = {path: file.body for folder in folders for path, file in committed_files(directory, folder).items()}
        runs: dict[tuple[str, str], list[LeavingObject]] = {}
        runtimes = {}
        for path, place in places.items():
            tree = tree_of(applied[path] if path in applied else _body(contents[path]), path)
            if place.stage == RUNS:
                runs.setdefault((place.key, place.run), []).append(_of_run(path, place, tree, tool))
            else:
                name = os.path.basename(path).removesuffix(".yaml")
                object_name = f"{get(tree, ('kind',), 'TrainingRuntime').lower()}/{name} -n {place.namespace}"
                runtimes[path] = LeavingObject(name, (object_name,), after_removal(tree, (tool,)))
        environments = dict.fromkeys(place.environment for place in places.values())
        return Leaving(tuple([_together(some) for some in runs.values()]), runtimes, tuple(environments))

    def needed(self, outcome: str) -> dict[str, LeavingObject]:
        """The runtimes of the runs that have an outcome."""
        needed = {path for run in self.runs if run.outcome == outcome for path in run.runtimes}
        return {path: one for path, one in self.runtimes.items() if path in needed}


def _of_run(path: str, place: TreePlace, tree: Tree, tool: SyncTool) -> LeavingObject:
    """One file of a run."""
    kind, is_named, _ = os.path.basename(path).removesuffix(".yaml").partition(f"-{place.run}")
    objects = (f"{kind}/{place.run} -n {place.namespace}",) if is_named else ()
    runtime = runtime_of(place, tree)
    return LeavingObject(place.run, objects, after_removal(tree, (tool,)), frozenset([runtime] if runtime is not None else []))


def _together(files: list[LeavingObject]) -> LeavingObject:
    """The files of a run as one."""
    return LeavingObject(
        files[0].name,
        tuple([one for file in files for one in file.objects]),
        min([file.outcome for file in files], key=OUTCOMES.index),
        frozenset().union(*[file.runtimes for file in files]),
    )


def _body(content: bytes) -> str:
    """The text of a file of tjgen without its header."""
    known = header.read(content)
    return content[known.length if known is not None else 0 :].replace(b"\r\n", b"\n").decode(errors="replace")
