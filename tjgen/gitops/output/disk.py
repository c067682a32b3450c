"""The output tree on disk, as decisions read it."""

from __future__ import annotations

from collections.abc import Container

from tjgen.gitops.emit import ondisk
from tjgen.gitops.emit.plan import OutputFile
from tjgen.language.runs.freeze import content_digest
from tjgen.trees.typing import Protocol


class OnDisk(Protocol):
    """The files of an output tree. Paths are relative to the tree, with `/`."""

    @property
    def directory(self) -> str: ...
    @property
    def locks(self) -> str: ...
    def bodies(self, folder: str) -> dict[str, str]: ...
    def body(self, path: str) -> str | None: ...
    def files_except(self, folder: str, paths: Container[str]) -> list[OutputFile]: ...
    def folders(self, folder: str) -> list[str]: ...
    def conflict(self, folder: str) -> str | None: ...
    def committed(self, path: str) -> OutputFile | None: ...


class Disk:
    """The output tree in a directory, before the build changes it. Raises CompileError where something cannot be read."""

    def __init__(self, directory: str, locks: str) -> None:
        self.directory = directory
        self.locks = locks
        """Folder of locks."""
        self._entries: dict[str, frozenset[str]] = {}
        """Folder -> names in it. Most runs of a large build are new: one listing shows that many folders are absent."""
        self._committed: dict[str, dict[str, OutputFile]] = {}
        """Folder of namespaces -> path -> file at HEAD."""

    def bodies(self, folder: str) -> dict[str, str]:
        """Name -> text without header of each file of ours in the folder."""
        return {} if self._is_absent(folder) else ondisk.bodies(self.directory, folder)

    def body(self, path: str) -> str | None:
        """The text without header of one file of ours, if there is one."""
        return ondisk.body(self.directory, path)

    def files_except(self, folder: str, paths: Container[str]) -> list[OutputFile]:
        """Every file of ours in the folder, except those at `paths`, which are not read."""
        return ondisk.files(self.directory, folder, without=paths)

    def folders(self, folder: str) -> list[str]:
        """The folders in the folder, in order of name."""
        return [] if self._is_absent(folder) else ondisk.below(self.directory, folder)

    def conflict(self, folder: str) -> str | None:
        """Path of a file in the folder that Git could not merge, if there is one."""
        return ondisk.conflict(self.directory, folder)

    def committed(self, path: str) -> OutputFile | None:
        """The file of an object that outlives runs, as HEAD has it; None if HEAD has the same file or none, or without Git."""
        folder = path.rsplit("/", 2)[0]
        if folder not in self._committed:
            from tjgen.gitops.output.committed import committed_files  # few builds change a claim

            self._committed[folder] = committed_files(self.directory, folder)
        return self._committed[folder].get(path)

    def _is_absent(self, folder: str) -> bool:
        """Whether the folder above `folder` can be listed, and has no entry of its name."""
        above, _, name = folder.rpartition("/")
        entries = self._entries.get(above)
        if entries is None:
            is_listed = not above or not self._is_absent(above)
            entries = ondisk.names(self.directory, above) if is_listed else frozenset()
            if entries is None:
                return False  # what looks into it reports it
            self._entries[above] = entries
        return name not in entries


def digest(on_disk: OnDisk, folder: str) -> str | None:
    """The digest of the files in the folder of a run; None if there are none."""
    bodies = on_disk.bodies(folder)
    return content_digest(bodies) if bodies else None
