"""An output tree and its locks as bytes in memory -> what a build reads of them, and what it leaves of them."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping

from tjgen.gitops.emit import header
from tjgen.gitops.emit.plan import OutputFile
from tjgen.language.runs.store import Locks
from tjgen.trees.typing import NamedTuple


class TreeState(NamedTuple):
    """The files of an output tree and of the folder of locks: path in the folder, with `/` -> content, with LF line ends."""

    tree: Mapping[str, bytes]
    records: Mapping[str, bytes]


class RunFiles(NamedTuple):
    """Where a run is."""

    folder: str
    """Folder of its files in the output tree."""
    lock: str
    """Its lock file, in the folder of locks."""

    def of(self, state: TreeState) -> TreeState:
        """The files of the run in a state."""
        tree = {path: content for path, content in state.tree.items() if self._has(path)}
        return TreeState(tree, {self.lock: state.records[self.lock]} if self.lock in state.records else {})

    def replaced(self, state: TreeState, by: TreeState) -> TreeState:
        """The state with other files of the run."""
        tree = {path: content for path, content in state.tree.items() if not self._has(path)}
        records = {path: content for path, content in state.records.items() if path != self.lock}
        return TreeState({**tree, **by.tree}, {**records, **by.records})

    def _has(self, path: str) -> bool:
        return path.startswith(f"{self.folder}/")


class StoredLocks(Locks):
    """The locks of a state. `directory` is the folder of the project, which diagnostics name."""

    def __init__(self, directory: str, records: Mapping[str, bytes]) -> None:
        super().__init__(directory)
        self._records = records
        self._folders = _folders(records)

    def names(self, path: str) -> list[str]:
        """Return the entries of the folder at `path`, without hidden files."""
        return [name for name in self._folders.get(path, ()) if name[0] != "."]

    def text(self, path: str) -> str | None:
        """The text of the file at `path`; None if it does not exist."""
        content = self._records.get(path)
        return content.decode(errors="replace") if content is not None else None


class StoredTree(NamedTuple):
    """The output tree of a state, as decisions read it."""

    directory: str
    locks: str
    tree: Mapping[str, bytes]
    below: Mapping[str, Mapping[str, None]]
    """Folder -> the names of its entries."""

    @staticmethod
    def of(state: TreeState, directory: str, locks: str) -> StoredTree:
        """The tree of `state`; `directory` and `locks` are the folders that diagnostics name."""
        return StoredTree(directory, locks, state.tree, _folders(state.tree))

    def bodies(self, folder: str) -> dict[str, str]:
        """Name -> text without header of each file of tjgen in the folder."""
        files = {name: self.tree.get(f"{folder}/{name}") for name in sorted(self.below.get(folder, ())) if name[0] != "."}
        texts = {name: body_of(content) for name, content in files.items() if content is not None}
        return {name: body for name, body in texts.items() if body is not None}

    def body(self, path: str) -> str | None:
        """The text without header of one file of tjgen, if there is one."""
        content = self.tree.get(path)
        return body_of(content) if content is not None else None

    def files_except(self, folder: str, paths: Container[str]) -> list[OutputFile]:
        """Every file of tjgen in the folder, except those at `paths`."""
        files = []
        for name, body in self.bodies(folder).items():
            known = header.read(self.tree[f"{folder}/{name}"])
            if known is not None and f"{folder}/{name}" not in paths:
                files.append(OutputFile(f"{folder}/{name}", body, known.source, known.owner))
        return files

    def files_below(self, folders: Iterable[str]) -> list[OutputFile]:
        """Every file of tjgen in the folders and in those below them."""
        pending, files = list(folders), []
        for folder in pending:
            files += self.files_except(folder, ())
            pending += self.folders(folder)
        return files

    def folders(self, folder: str) -> list[str]:
        """The folders in the folder, in order of name."""
        inner = (f"{folder}/{name}" for name in sorted(self.below.get(folder, ())) if name[0] != ".")
        return [path for path in inner if path in self.below]

    def committed(self, path: str) -> OutputFile | None:
        """None: a state is that of a commit."""
        return None

    def conflict(self, folder: str) -> str | None:
        """Path of a file in the folder that Git could not merge, if there is one."""
        files = (f"{folder}/{name}" for name in sorted(self.below.get(folder, ())))
        return next((path for path in files if header.is_in_conflict(self.tree.get(path, b""))), None)


class StateReplica:
    """The verbs of `OutputTree`, over a state in memory."""

    def __init__(self, state: TreeState) -> None:
        self._before = state
        self._put: dict[str, bytes] = {}
        self._kept: set[str] = set()
        self._claims: dict[str, set[str]] = {}
        """Folder -> the owners of the files that are claimed there; "" for all."""
        self._records: dict[str, bytes | None] = {}

    def put(self, file: OutputFile) -> None:
        """Want `file` in the tree."""
        self._put[file.path] = header.stamp(file.body, file.source, file.owner)

    def keep(self, path: str) -> None:
        """Let what is at `path`, a file or a whole folder, stay in any case."""
        self._kept.add(path)

    def claim(self, folder: str, *, owner: str = "") -> None:
        """Claim all files of tjgen below `folder`, or all of `owner` there."""
        self._claims.setdefault(folder, set()).add(owner)

    def record(self, path: str, text: str | None) -> None:
        """Want `text` (None: no file) at `path` in the folder of locks."""
        self._records[path] = text.encode() if text is not None else None

    def present(self) -> list[str]:
        """The files of tjgen that the build leaves so far, in order."""
        tree = self.after().tree
        return sorted(path for path, content in tree.items() if header.read(content) is not None)

    def after(self) -> TreeState:
        """The state that the build leaves."""
        stays = {path: content for path, content in self._before.tree.items() if not self._is_removed(path, content)}
        records = {**self._before.records, **self._records}
        return TreeState({**stays, **self._put}, {path: content for path, content in records.items() if content is not None})

    def _is_removed(self, path: str, content: bytes) -> bool:
        around = [*_upwards(path), ""]
        owners = {owner for folder in around[1:] for owner in self._claims.get(folder, ())}
        if not owners or any(place in self._kept for place in around):
            return False
        known = header.read(content)
        return known is not None and ("" in owners or known.owner in owners)


def body_of(content: bytes) -> str | None:
    """The text of a file of tjgen without its header; None for other files."""
    known = header.read(content)
    return content[known.length :].decode(errors="replace") if known is not None else None


def _upwards(path: str) -> Iterator[str]:
    """The path, and the folders that it is in."""
    while path:
        yield path
        path = path.rpartition("/")[0]


def _folders(files: Mapping[str, bytes]) -> dict[str, dict[str, None]]:
    """Folder -> the names of the files and folders in it."""
    folders: dict[str, dict[str, None]] = {}
    for file in files:
        path = file
        while path:
            folder, _, name = path.rpartition("/")
            inside = folders.setdefault(folder, {})
            if name in inside:
                break
            inside[name] = None
            path = folder
    return folders
