"""The output tree and the locks -> folders of environments that the project no longer has, and what they are called now.

The runs of a renamed environment stay in the folder of its former name, and the sync objects of that folder still apply it.
"""

from __future__ import annotations

import posixpath
from collections.abc import Collection, Iterator, Mapping, Sequence

from tjgen.gitops.output.disk import OnDisk
from tjgen.gitops.output.layout import namespaces_in
from tjgen.gitops.sync.rbac import FOLDER
from tjgen.gitops.sync.site import Permissions
from tjgen.language.runs.store import Locks
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import Tree, get
from tjgen.trees.manifests.manifest import DATA, PLATFORM, RUNS, SYNC
from tjgen.trees.source.reader import KUBERNETES, read
from tjgen.trees.typing import NamedTuple

_PATHS = (("spec", "source", "path"), ("spec", "path"))
"""Where an Application and a Kustomization have the folder that they apply."""


class FormerFolder(NamedTuple):
    """The folder of the former name of an environment, and the folders of the repository that its sync objects apply."""

    name: str
    applied: frozenset[str]


def with_runs(environments: Collection[str | None], present: Sequence[str]) -> tuple[str, ...]:
    """Folders with runs and sync objects: the runs stay with their Applications, which the bootstrap must not prune."""
    return tuple(sorted(_with(RUNS, environments, present) & _with(SYNC, environments, present)))


def with_sync_objects(environments: Collection[str | None], present: Sequence[str]) -> tuple[str, ...]:
    """Folders with sync objects, which may have no runs any more."""
    return tuple(sorted(_with(SYNC, environments, present)))


def by_environment(folders: Collection[str], locks: Locks, on_disk: OnDisk) -> dict[str | None, FormerFolder]:
    """Environment -> which of the folders is that of its former name, by its runs."""
    names = {
        place.environment: former
        for place, lock in (locks.all() if folders else ())
        for folder in (*[run.folder for run in lock.runs.values()], *[run.folder for run in lock.pruned.values()])
        if (former := folder.partition("/")[0]) in folders
    }
    return {environment: FormerFolder(former, _applied(on_disk, former)) for environment, former in names.items()}


def permissions(environments: Collection[str | None], present: Sequence[str], on_disk: OnDisk) -> dict[str, Permissions]:
    """Name of an AppProject in the tree -> its entries that the Applications of these folders need until they go."""
    needed: dict[str, list[tuple[Tree, set[Tree]]]] = {}
    for folder in with_sync_objects(environments, present):
        for tree in _trees(on_disk.bodies(f"{folder}/{SYNC}")):
            project, destination = get(tree, ("spec", "project"), None), get(tree, ("spec", "destination"), None)
            if project.__class__ is str and destination.__class__ is dict:
                namespaces = {*namespaces_in(folder, present), destination.get("namespace")}
                needed.setdefault(project, []).append((_cluster(destination), namespaces))
    return {project: _entries(project, places, on_disk) for project, places in needed.items()}


def _entries(project: str, places: Sequence[tuple[Tree, set[Tree]]], on_disk: OnDisk) -> Permissions:
    path = f"{SYNC}/{FOLDER}/appproject-{project}.yaml"
    text = on_disk.body(path)
    trees = _trees({path: text}) if text is not None else ()
    spec: Tree = next((tree["spec"] for tree in trees if tree.get("spec").__class__ is dict), {})
    every = {"server": "*"}

    def chosen(field: str) -> tuple[Tree, ...]:
        return tuple(
            one
            for one in spec.get(field) or ()
            if any(_cluster(one) in (cluster, every) and one.get("namespace") in spaces for cluster, spaces in places)
        )

    return Permissions(chosen("destinations"), chosen("destinationServiceAccounts"))


def _cluster(place: Tree) -> Tree:
    return {key: place[key] for key in ("name", "server") if place.get(key)}


def without_runs(environments: Collection[str | None], present: Sequence[str], path: str) -> Iterator[Diagnostic]:
    """TJ689 for each folder with sync objects and without runs. `path` is the folder of the tree in the repository."""
    for name in sorted({*with_sync_objects(environments, present)} - {*with_runs(environments, present)}):
        files = [file for file in present if file.startswith(f"{name}/{SYNC}/") and file.endswith(".yaml")]
        folder = posixpath.normpath(f"{path}/{name}")
        objects = ", ".join(posixpath.basename(file).removesuffix(".yaml") for file in files)
        message = f'environment "{name}" is not in the project, but the tool may still apply its sync objects: {objects}'
        keep = "when you need none of its claims, " if any(file.startswith(f"{name}/{DATA}/") for file in present) else ""
        hint = f"restore the environment, or {keep}run kubectl delete -f {folder}/{SYNC}, and then git rm -r {folder}"
        yield Diagnostic("TJ689", message, hint=hint)


def _with(stage: str, environments: Collection[str | None], present: Sequence[str]) -> set[str]:
    if None in environments:
        return set()
    return {path.partition("/")[0] for path in present if path.partition("/")[2].startswith(f"{stage}/")} - {
        PLATFORM,
        *environments,
    }


def _applied(on_disk: OnDisk, folder: str) -> frozenset[str]:
    paths = [get(tree, path, None) for tree in _trees(on_disk.bodies(f"{folder}/{SYNC}")) for path in _PATHS]
    return frozenset([posixpath.normpath(path) for path in paths if path.__class__ is str])


def _trees(bodies: Mapping[str, str]) -> Iterator[Tree]:
    for name, text in bodies.items():
        for document in read(text, name, KUBERNETES)[0]:
            if document.value.__class__ is dict:
                yield document.value
