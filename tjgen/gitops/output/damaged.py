"""Files of a run that are missing or differ from its lock, or a missing lock -> TJ697, and what restores them from Git."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping

from tjgen.gitops.diff.side import place_of, tree_of
from tjgen.gitops.emit import header
from tjgen.gitops.emit.problems import in_conflict
from tjgen.gitops.emit.unedited import restoring, restoring_folder
from tjgen.gitops.output.disk import OnDisk, digest
from tjgen.gitops.output.layout import folder_of
from tjgen.language.runs.freeze import content_digest
from tjgen.language.runs.lock import LockedRun, path_of
from tjgen.language.runs.store import Locked, Locks
from tjgen.trees.diagnostics.model import ERROR, CompileError, Diagnostic
from tjgen.trees.fields.path import Tree
from tjgen.trees.source.reader import KUBERNETES, read
from tjgen.trees.typing import NamedTuple

_ANY = "manifest.yaml"
"""Any file of a run."""


def damage(place: Locked, run: LockedRun, bodies: Mapping[str, str], directory: str) -> Diagnostic | None:
    """What is wrong with the files `bodies` (by name, without header) of a run of the experiment at `place`, if anything is."""
    if content_digest(bodies) == run.content:
        return None
    folder = f"{directory}/{folder_of(place, run)}"
    message = f'the files of run "{run.name}" in {folder} do not match its lock, and no build writes them again'
    if not bodies:
        message = (
            f'run "{run.name}" is in the lock of {place.key}, but its files in {folder} are missing, and no build writes them'
        )
    command = restoring_run(folder, run)
    hint = f"restore them with {command}" if command is not None else f"no commit has them: restore {folder} from another copy"
    if not run.is_requested:
        hint += f"; to remove the run, use tjgen runs prune {'--force ' if bodies else ''}{run.name}"
    return Diagnostic("TJ697", message, hint=hint)


def manifest_in(body: str, path: str) -> Tree:
    """The manifest in an output file. Raises CompileError (TJ697) if the file has none that can be read."""
    tree = tree_of(body, path)
    if tree is None:
        message = f"the output file {path} does not contain a manifest that can be read"
        hint = "restore the file and the lock of its run from Git"
        raise CompileError([Diagnostic("TJ697", message, hint=hint, severity=ERROR)])
    return tree


def restoring_run(folder: str, run: LockedRun) -> str | None:
    """The command that restores the files of a run in `folder` as they are in its lock, if a commit has them."""
    return restoring(folder, lambda files: _is_of_lock(files, run))


def restoring_lock(locks: str, folder: str) -> str:
    """What restores the lock of the run in `folder`, a path in the output tree; `locks` is the folder of locks.

    If that folder is lost, the pins of images are lost with it, so it is restored as a whole.
    """
    if not Locks(os.path.dirname(locks)).names(""):
        whole = restoring_folder(locks)
        return f"restore all locks and pins with {whole}" if whole is not None else "restore the folder of locks from Git"
    place = place_of(f"{folder}/{_ANY}")
    if place is None:
        return "restore the lock from Git"
    lock = f"{locks}/{path_of(place.environment or None, place.namespace, place.experiment)}/{place.run}.yaml"
    command = restoring(lock, bool)
    return f"restore the lock with {command}" if command is not None else "restore the lock from Git"


def drifted(problem: Diagnostic, run: LockedRun, folder: str, on_disk: OnDisk) -> Diagnostic:
    """TJ075 with the command that restores the files of `run` as they are in its lock, or TJ720 if Git could not merge them."""
    spoilt = on_disk.conflict(folder)
    if spoilt is not None:
        return in_conflict(spoilt)
    command = restoring_run(f"{on_disk.directory}/{folder}", run)
    hint = f"to discard the edit, use {command}; to keep it, discard it, make the same change in the experiment, and build"
    return problem._replace(hint=hint) if command is not None else problem


class DigestOnDisk(NamedTuple):
    """The digest of the files of a run, computed when it is needed."""

    on_disk: OnDisk
    folder: str
    locked: LockedRun | None
    content: str
    """The digest of what is built now."""
    built: Callable[[], Mapping[str, str]]
    """Name -> text of what is built now."""

    def digest(self) -> str | None:
        """The digest; that of the build if the files were edited by hand to the objects that are built now."""
        actual = digest(self.on_disk, self.folder)
        if self.locked is None or actual in (None, self.content, self.locked.content):
            return actual
        return self.content if _objects(self.on_disk.bodies(self.folder)) == _objects(self.built()) else actual


def _objects(bodies: Mapping[str, str]) -> dict[str, Tree]:
    """Name -> the objects in a file, or its text if it cannot be read."""
    objects: dict[str, Tree] = {}
    for name, body in bodies.items():
        documents, problems = read(body, name, KUBERNETES)
        objects[name] = body if problems else [one.value for one in documents]
    return objects


def _is_of_lock(files: Mapping[str, bytes], run: LockedRun) -> bool:
    known = {path: (content, header.read(content)) for path, content in files.items()}
    bodies = {path: content[one.length :].decode(errors="replace") for path, (content, one) in known.items() if one is not None}
    return content_digest(bodies) == run.content
