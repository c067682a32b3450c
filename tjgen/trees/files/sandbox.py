"""Paths of the input -> what is in the files, below the repository and within the limits of the project.

Everything that opens a file because of an input opens it here. A path is refused where it points outside the repository, also
through a link in any of its parts; where it is not a regular file; and where it is too large, or one too many. What the caller
names on the command line may be anywhere, but a link of the repository does not lead out of it for that.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator, Sequence

from tjgen.trees.budgets import DEFAULT, Clock, CommandBudgets, capped
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.files import problems
from tjgen.trees.files.beneath import FolderEntry, OpenFolders, entries
from tjgen.trees.files.problems import UnreadableError, over_budget, refused
from tjgen.trees.files.regular import LargeFileError, SpecialFileError, read_regular
from tjgen.trees.files.repository import repository_of
from tjgen.trees.k8s.nearest import nearest
from tjgen.trees.system import IS_LINK

_KINDS = {
    stat.S_IFDIR: "it is a folder",
    stat.S_IFIFO: "it is a named pipe",
    stat.S_IFSOCK: "it is a socket",
    stat.S_IFCHR: "it is a device",
    stat.S_IFBLK: "it is a device",
}
_STAYS = (
    "links and paths must stay in the repository: copy the file into it, or list the other folder under spec.readable of the "
    "root project"
)


class Sandbox:
    """Reads the files of one input. Keeps count of what it read, and reads nothing once the time of the command is up."""

    def __init__(self, roots: Sequence[str] = (), budgets: CommandBudgets = DEFAULT) -> None:
        """`roots`: folders that may be read, with what is below them. The first one is the repository."""
        self.clock = Clock(budgets.seconds)
        self.budgets = budgets
        self._roots = [os.path.realpath(root) for root in roots]
        self._own = tuple(self._roots[:1])
        self._named: set[str] = set()
        self._open = OpenFolders()
        self._folders: dict[str, tuple[str, bool]] = {}
        self._sizes: dict[str, int] = {}
        self._bytes = 0
        self._entries = 0
        self._listing: tuple[str | None, list[FolderEntry]] = (None, [])

    @property
    def budgets(self) -> CommandBudgets:
        """The budgets of the command."""
        return self._budgets

    @budgets.setter
    def budgets(self, budgets: CommandBudgets) -> None:
        self._budgets = capped(budgets)
        self.clock.seconds = self._budgets.seconds

    @property
    def root(self) -> str:
        """The real path of the repository, or of the folder that replaces it."""
        return self._roots[0] if self._roots else os.getcwd()

    @property
    def reads(self) -> tuple[int, int]:
        """The numbers of files, and of entries of folders, that were read so far."""
        return len(self._sizes), self._entries

    def allow(self, folder: str) -> None:
        """Let everything below any folder be read."""
        real = os.path.realpath(folder)
        if real not in self._roots:
            self._roots.append(real)
            self._folders.clear()

    def name(self, path: str) -> None:
        """Allow reading a path of the command line, and paths below or next to it, unless it is in the repository."""
        if any(is_below(os.path.abspath(path), root) for root in self._own):
            return
        if os.path.isdir(path):
            self.allow(path)
        else:
            self._named.add(path)
            self.allow(os.path.dirname(path) or ".")

    def read(self, path: str, *, limit: int | None = None) -> bytes:
        """The content of a regular file. Raises UnreadableError.

        `limit`: the most bytes that it may have, where that is not the limit of any file (`CommandBudgets.file_size`).
        """
        late = self.clock.excess()
        if late is not None:
            raise UnreadableError(path, late, late.message)
        folder, name = os.path.split(path)
        real, inside = self._folder(folder)
        if not inside and path not in self._named:
            raise self._outside(path)
        place = f"{real}/{name}"
        most = self.budgets.file_size if limit is None else limit
        try:
            content = self._content(place, most)
        except ValueError:
            raise self._unnamable(path) from None
        except OSError as error:
            if error.errno not in IS_LINK:
                raise self._failure(path, error, most) from None
            place = self._target(path)
            try:
                content = self._content(place, most)
            except OSError as second:
                raise self._failure(path, second, most) from None
        self._count(path, place, len(content))
        return content

    def content(self, path: str, *, limit: int | None = None) -> bytes | Diagnostic:
        """Return the content of a regular file, or the error that prevents reading it."""
        try:
            return self.read(path, limit=limit)
        except UnreadableError as problem:
            return problem.diagnostic

    def contents(self, paths: Sequence[str]) -> Iterator[tuple[str, bytes | Diagnostic]]:
        """Yield each path with its content, or with the error that prevents reading it."""
        for path in paths:
            yield path, self.content(path)

    def stat(self, path: str) -> os.stat_result:
        """Size and mode of a file or folder that may be read. Raises UnreadableError."""
        folder, name = os.path.split(path)
        real, inside = self._folder(folder)
        if not inside and path not in self._named:
            raise self._outside(path)
        try:
            known = os.lstat(f"{real}/{name}")
            return os.lstat(self._target(path)) if stat.S_ISLNK(known.st_mode) else known
        except UnreadableError:
            raise
        except ValueError:
            raise self._unnamable(path) from None
        except OSError as error:
            raise self._failure(path, error) from None

    def size(self, path: str) -> int | Diagnostic:
        """Return the bytes of a regular file, or the error that prevents reading it."""
        try:
            known = self.stat(path)
            return known.st_size if stat.S_ISREG(known.st_mode) else self._special(path, known.st_mode).diagnostic
        except UnreadableError as problem:
            return problem.diagnostic

    def resolved(self, path: str) -> str | None:
        """The real path of a folder that may be read; None for one outside."""
        real, inside = self._folder(path)
        return (real or "/") if inside else None

    def check_folder(self, path: str) -> None:
        """Raises UnreadableError where a folder is outside, or is not a folder."""
        if self.resolved(path) is None:
            raise self._outside(path)
        if not os.path.isdir(path):
            mode = self.stat(path).st_mode
            reason = "it is not a folder" if stat.S_ISREG(mode) else _KINDS.get(stat.S_IFMT(mode), "it is not a folder")
            raise refused(path, problems.SPECIAL, reason, "name a folder")

    def entries(self, folder: str) -> list[FolderEntry]:
        """What is in a folder, by name. Raises UnreadableError."""
        real, inside = self._folder(folder)
        if not inside:
            raise self._outside(folder)
        if self._listing[0] == folder:  # a pattern with ** looks at a folder twice in a row
            return self._listing[1]
        left = self.budgets.entries - self._entries
        folder_entries: list[FolderEntry] = []
        try:
            for entry in entries(self._opened(real), folder):
                if len(folder_entries) >= left:
                    limit = self.budgets.entries
                    raise over_budget(folder, "entries", limit + 1, limit, f"the search of {folder or '.'}", "finds")
                folder_entries.append(entry)
        except UnreadableError:
            raise
        except OSError as error:
            raise self._folder_failure(folder, error) from None
        self._entries += len(folder_entries)
        self._listing = (folder, sorted(folder_entries))
        return self._listing[1]

    def _content(self, place: str, most: int) -> bytes:
        """The content of a regular file at a real path. Raises OSError."""
        folder, _, name = place.rpartition("/")
        if not self.is_inside(folder or "/"):  # the caller has named it
            return read_regular(place, most)
        return read_regular(name, most, folder=self._opened(folder))

    def _opened(self, real: str) -> int:
        """The descriptor of a folder that may be read, until another one is opened. Raises OSError."""
        real = real or "/"
        return self._open.open(next(root for root in self._roots if is_below(real, root)), real)

    def _folder(self, folder: str) -> tuple[str, bool]:
        """The real path of a folder, and whether it may be read."""
        known = self._folders.get(folder)
        if known is None:
            try:
                real = os.path.realpath(folder)
            except ValueError:
                raise self._unnamable(folder) from None
            known = self._folders[folder] = (real.rstrip("/"), self.is_inside(real))
        return known

    def is_inside(self, real: str) -> bool:
        """Whether a real path may be read, by where it is."""
        return any(is_below(real, root) for root in self._roots)

    def _target(self, path: str) -> str:
        """Where a link leads to. Raises UnreadableError where it points outside the repository, in a circle or nowhere."""
        try:
            real = os.path.realpath(path, strict=True)
        except OSError as error:
            raise self._failure(path, error) from None
        if not self.is_inside(real) and path not in self._named:
            raise self._outside(path)
        return real

    def _count(self, path: str, place: str, size: int) -> None:
        if place in self._sizes:
            return
        self._sizes[place] = size
        self._bytes += size
        budgets = self.budgets
        if len(self._sizes) > budgets.files:
            raise over_budget(path, "files", len(self._sizes), budgets.files, f"with {path}, the command", "reads")
        if self._bytes > budgets.total_size:
            raise over_budget(path, "total_size", self._bytes, budgets.total_size, f"with {path}, the command", "reads")

    def _special(self, path: str, mode: int) -> UnreadableError:
        reason = _KINDS.get(stat.S_IFMT(mode), "it is not a regular file")
        return refused(path, problems.SPECIAL, reason, "name a regular file")

    def _large(self, path: str, size: int, limit: int) -> UnreadableError:
        budget = "list_size" if limit == self.budgets.list_size else "file_size"
        return over_budget(path, budget, size, limit, path)

    def _unnamable(self, path: str) -> UnreadableError:
        """What no file can be called: a path with a NUL or with half of a surrogate pair."""
        return refused(ascii(path), problems.UNREADABLE, "a file cannot have this name", "correct the path")

    def _outside(self, path: str) -> UnreadableError:
        return refused(path, problems.OUTSIDE, "it is outside of the repository", _STAYS)

    def _failure(self, path: str, error: OSError, limit: int = 0) -> UnreadableError:
        if isinstance(error, SpecialFileError):
            return self._special(path, error.mode)
        if isinstance(error, LargeFileError):
            return self._large(path, error.size, limit)
        if error.errno in IS_LINK:
            return refused(path, problems.LINK, "its links lead in a circle", "point the link at a file")
        if error.errno == errno.ENOENT and os.path.islink(path):
            return refused(path, problems.LINK, "it is a link to a file that does not exist", "correct or remove the link")
        if error.errno == errno.ENXIO:
            return refused(path, problems.SPECIAL, "it is a socket or a device", "name a regular file")
        hint = "check the path"
        if error.errno == errno.ENOENT and (near := _neighbor(path)) is not None:
            hint = f'did you mean "{near}"?'
        return refused(path, problems.UNREADABLE, error.strerror or "input error", hint)

    def _folder_failure(self, folder: str, error: OSError) -> UnreadableError:
        return refused(folder, problems.FOLDER, error.strerror or "input error", "check the folder and its permissions")


def _neighbor(path: str) -> str | None:
    """A path that exists in the folder of a missing one and has a similar name."""
    folder, name = os.path.split(path)
    try:
        near = nearest(name, os.listdir(folder or "."))
    except OSError:
        return None
    return os.path.join(folder, near) if near is not None else None


def around(paths: Sequence[str] = (), *, start: str = ".", budgets: CommandBudgets = DEFAULT) -> Sandbox:
    """A sandbox for paths of a command line: the repository around `start`, and what the paths name outside of it."""
    repository = repository_of(start)
    sandbox = Sandbox([repository] if repository is not None else [], budgets)
    for path in paths:
        if path != "-":
            sandbox.name(path)
    return sandbox


def is_below(path: str, root: str) -> bool:
    """Whether a path is a folder or below it; both without links."""
    return path == root or path.startswith(root.rstrip("/") + "/")
