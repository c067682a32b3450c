"""The output tree on disk, as decisions read it."""

from __future__ import annotations

from collections.abc import Container

from tjgen.gitops.emit import ondisk
from tjgen.gitops.emit.plan import OutputFile
from tjgen.language.runs.freeze import content_digest
from tjgen.trees.typing import NamedTuple, Protocol


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


class Disk(NamedTuple):
    """The output tree in a directory. Raises CompileError where something cannot be read."""

    directory: str
    locks: str
    """Folder of locks."""

    def bodies(self, folder: str) -> dict[str, str]:
        """Name -> text without header of each file of ours in the folder."""
        return ondisk.bodies(self.directory, folder)

    def body(self, path: str) -> str | None:
        """The text without header of one file of ours, if there is one."""
        return ondisk.body(self.directory, path)

    def files_except(self, folder: str, paths: Container[str]) -> list[OutputFile]:
        """Every file of ours in the folder, except those at `paths`, which are not read."""
        return ondisk.files(self.directory, folder, without=paths)

    def folders(self, folder: str) -> list[str]:
        """The folders in the folder, in order of name."""
        return ondisk.below(self.directory, folder)

    def conflict(self, folder: str) -> str | None:
        """Path of a file in the folder that Git could not merge, if there is one."""
        return ondisk.conflict(self.directory, folder)


def digest(on_disk: OnDisk, folder: str) -> str | None:
    """The digest of the files in the folder of a run; None if there are none."""
    bodies = on_disk.bodies(folder)
    return content_digest(bodies) if bodies else None
