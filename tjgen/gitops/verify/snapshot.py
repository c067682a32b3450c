"""The folder of a project and a revision of its repository -> the output tree and the locks of both, in memory."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping
from hashlib import sha1, sha256

from tjgen.gitops.diff.renamed import ProjectFolder, folder_at
from tjgen.gitops.diff.revision import Repository
from tjgen.gitops.verify.state import TreeState
from tjgen.language.runs.store import IMAGES
from tjgen.trees.diagnostics.model import CompileError, Diagnostic
from tjgen.trees.typing import NamedTuple

PLAIN, PROGRAM, LINK, MODULE, OTHER = "100644", "100755", "120000", "160000", ""
"""Modes of Git: a file, an executable file, a symbolic link, a submodule; and what Git does not record."""


class SnapshotFiles(NamedTuple):
    """The files below a folder."""

    contents: dict[str, bytes]
    modes: dict[str, str]
    """Path -> mode, of everything in the folder that is not a folder."""


class Folder(NamedTuple):
    """One folder at the base and now."""

    place: str
    """As diagnostics name it."""
    path: str
    """In the repository."""
    old: SnapshotFiles
    new: SnapshotFiles

    @property
    def changed(self) -> set[str]:
        """The paths at which the two differ."""
        old, new = self.old.contents, self.new.contents
        # Content that is equal is the same object: see `_folder`.
        return {path for path in {*old, *new} if old.get(path) is not new.get(path)}


class Snapshot(NamedTuple):
    """Both states of a project."""

    tree: Folder
    records: Folder
    project: ProjectFolder
    """Its folder now, and at the base."""

    @property
    def old(self) -> TreeState:
        """The base."""
        return TreeState(self.tree.old.contents, _locks(self.records.old))

    @property
    def new(self) -> TreeState:
        """The state that is verified."""
        return TreeState(self.tree.new.contents, _locks(self.records.new))

    @property
    def of_tree(self) -> Snapshot:
        """The same without the locks."""
        nothing = SnapshotFiles({}, {})
        return self._replace(records=self.records._replace(old=nothing, new=nothing))

    def with_base(self, contents: Mapping[str, bytes]) -> Snapshot:
        """The same with other files of the output tree at the base."""
        new = self.tree.new.contents
        # Content that is equal is the same object: see `_folder`.
        same = {path: new[path] if new.get(path) == content else content for path, content in contents.items()}
        old = self.tree.old._replace(contents={**self.tree.old.contents, **same})
        return self._replace(tree=self.tree._replace(old=old))


class Blobs:
    """Contents of objects of a repository, read in batches and kept."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._known: dict[str, bytes] = {}

    def of(self, names: Mapping[str, str], where: str) -> dict[str, bytes]:
        """Path -> content of its object. Raises CompileError (TJ095)."""
        missing = {blob: blob for blob in names.values() if blob not in self._known}
        if missing:
            self._known |= self._repository.contents(missing, where)
        return {path: self._known[blob] for path, blob in names.items()}


def snapshot(repository: Repository, base: str | None, directory: str, records: str, blobs: Blobs) -> Snapshot:
    """The output tree and the locks at commit `base`, which is None before the first commit, and in the folders now.

    A project whose folder was renamed is compared with its former folder.
    """
    converts = repository.converts_line_ends()
    own = repository.path_of(os.path.dirname(records) or ".")
    project = ProjectFolder(own, own)
    tree, locks = (_folder(repository, base, place, project, converts, blobs) for place in (directory, records))
    if not tree.old.modes and not locks.old.modes and locks.new.modes:
        project = folder_at(repository, base, os.path.dirname(records) or ".")
        tree, locks = (_folder(repository, base, place, project, converts, blobs) for place in (directory, records))
    return Snapshot(tree, locks, project)


def state_at(repository: Repository, commit: str | None, like: Snapshot, blobs: Blobs) -> TreeState:
    """The output tree and the locks at another commit. Raises CompileError (TJ095)."""
    if commit is None:
        return TreeState({}, {})
    files_of_state = []
    for folder in (like.tree, like.records):
        entries = repository.entries(commit, folder.path)
        if not entries and like.project.is_renamed:
            entries = repository.entries(commit, like.project.path(folder.path))
        files = {path: blob for path, (mode, blob) in entries.items() if mode in (PLAIN, PROGRAM)}
        files_of_state.append(SnapshotFiles(blobs.of(files, commit[:12]), {}))
    return TreeState(files_of_state[0].contents, _locks(files_of_state[1]))


def state_of(directory: str, records: str) -> TreeState:
    """The output tree and the locks in their folders. Raises CompileError (TJ064)."""
    return TreeState(_read(directory).contents, _locks(_read(records)))


def is_pin(path: str) -> bool:
    """Whether a file of the folder of locks is the pin of an image: `tjgen pin` writes it, and builds read it as a source."""
    return path.startswith(f"{IMAGES}/")


def _locks(files: SnapshotFiles) -> dict[str, bytes]:
    return {path: content for path, content in files.contents.items() if not is_pin(path)}


def _folder(repository: Repository, base: str | None, place: str, project: ProjectFolder, converts: bool, blobs: Blobs) -> Folder:
    path = repository.path_of(place)
    new = _read(place)
    if converts:
        new = new._replace(contents={name: content.replace(b"\r\n", b"\n") for name, content in new.contents.items()})
    entries = repository.entries(base, project.path(path)) if base is not None else {}
    modes = {name: mode for name, (mode, _) in entries.items()}
    objects = {name: blob for name, (mode, blob) in entries.items() if mode in (PLAIN, PROGRAM)}
    same = {name for name, blob in objects.items() if name in new.contents and _object(new.contents[name], blob) == blob}
    old = blobs.of({name: blob for name, blob in objects.items() if name not in same}, (base or "")[:12])
    return Folder(
        place, path, SnapshotFiles({**{name: new.contents[name] for name in objects if name in same}, **old}, modes), new
    )


def _object(content: bytes, like: str) -> str:
    """Return Git's name for the content, with the hash algorithm of `like`."""
    digest = sha256 if len(like) == 64 else sha1
    return digest(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


def _read(place: str) -> SnapshotFiles:
    files = SnapshotFiles({}, {})
    for path, full, mode in _below(place, ""):
        files.modes[path] = mode
        if mode in (PLAIN, PROGRAM):
            try:
                with open(full, "rb") as stream:
                    files.contents[path] = stream.read()
            except OSError as error:
                raise CompileError([_unreadable(full, error)]) from None
    return files


def _below(top: str, folder: str) -> Iterator[tuple[str, str, str]]:
    """Path, place and mode of everything below a folder that is not a folder itself."""
    full_path = os.path.join(top, folder)
    try:
        entries = sorted(os.scandir(full_path), key=lambda entry: entry.name)
    except (FileNotFoundError, NotADirectoryError):
        return
    except OSError as error:
        raise CompileError([_unreadable(full_path, error)]) from None
    for entry in entries:
        path = f"{folder}/{entry.name}" if folder else entry.name
        about = entry.stat(follow_symlinks=False)
        if stat.S_ISDIR(about.st_mode):
            yield from _below(top, path)
        elif stat.S_ISLNK(about.st_mode):
            yield path, entry.path, LINK
        elif stat.S_ISREG(about.st_mode):
            yield path, entry.path, PROGRAM if about.st_mode & stat.S_IXUSR else PLAIN
        else:
            yield path, entry.path, OTHER


def _unreadable(place: str, error: OSError) -> Diagnostic:
    return Diagnostic("TJ064", f"cannot read {place}: {error.strerror or error}", hint="make it readable")
