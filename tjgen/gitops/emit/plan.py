"""Output files, one by one -> what would have to change in a directory. Nothing is written.

Rules of ownership:
- A file is tjgen's when it has a tjgen header. Other files in the directory are never touched.
- A file of ours whose body no longer has the digest in its header was edited by hand.
- What a build does not mention stays. Only what it claims, a folder or the files of one owner in a
  folder, is cleared of files of ours that it neither puts nor keeps.
- Folders that several experiments share (runtimes, data) are therefore claimed only by a build that
  has all of them; it keeps the files that the locks of the runs still refer to.
"""

from __future__ import annotations

from collections.abc import Iterator, Set

from tjgen.gitops.emit import header, problems
from tjgen.gitops.emit.filesystem import FileOnDisk, ObstacleError, Root, is_safe
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.typing import NamedTuple

MISSING = "missing"
DIFFERENT = "different"
EDITED = "edited"
FOREIGN = "foreign"
CONFLICT = "conflict"
EXTRA = "extra"
CRLF = "crlf"
"""The file has other line endings than tjgen writes, as after a checkout that changed them."""


class OutputFile(NamedTuple):
    """A file to emit: one object, as a rule."""

    path: str
    """Path in the output directory, with `/`."""
    body: str
    source: str
    """File to edit instead, relative to the project."""
    owner: str = ""
    """Key of the experiment that it belongs to (`environment/namespace/name`); "" for shared files."""
    digest: str = ""
    """SHA-256 of the body in hexadecimal, if it is known."""


class FileChange(NamedTuple):
    """A file that is not as it should be."""

    path: str
    kind: str
    """MISSING, DIFFERENT, EDITED (by hand), CONFLICT (of a merge), FOREIGN (in the way, not ours) or EXTRA (to be removed)."""
    content: bytes = b""
    """The expected file."""
    on_disk: FileOnDisk | None = None
    """The current file."""
    source: str = ""
    """The source in the header of the current file."""


class FileDifference(NamedTuple):
    """A file that differs from a build of the sources."""

    path: str
    kind: str
    """One of the kinds of `FileChange`: missing, different, edited, foreign, extra; or CRLF."""
    place: str
    """The path with its directory in front, for people."""


class WritePlan:
    """The files that a build writes to a directory, compared with the current ones."""

    __slots__ = ("_claims", "_folders", "_kept", "_records", "_root", "_taken", "hollow", "problems", "unchanged")

    def __init__(self, directory: str, *, records: str | None = None) -> None:
        self._root = Root(directory)
        self._records = Root(records) if records is not None else None
        self._taken: dict[str, tuple[str, str]] = {}
        self._folders: dict[str, tuple[str, str]] = {"": ("", "")}
        self._kept: set[str] = set()
        self._claims: list[tuple[str, str]] = []
        self.problems: list[Diagnostic] = []
        """Paths that clash, are unsafe, or are blocked by something that is not a file."""
        self.unchanged: list[str] = []
        self.hollow: list[str] = []
        """Empty folders in what is claimed, known once `extra` has run."""

    def put(self, file: OutputFile) -> FileChange | None:
        """Add `file`; return the required change, or None if there is none or a problem was noted."""
        path = file.path
        if not self._may_stand(file):
            return None
        content = header.stamp(file.body, file.source, file.owner, file.digest)
        try:
            same = self._root.is_same(path, content)
            if same:
                self.unchanged.append(path)
                return None
            on_disk = None if same is None else self._root.read(path, opening=header.OPENING[:-1])
        except ObstacleError as obstacle:
            self.problems.append(problems.in_the_way(obstacle.path, obstacle.what))
            return None
        if on_disk is None:
            return FileChange(path, MISSING, content)
        known = header.read(on_disk.content)
        if header.is_in_conflict(on_disk.content):
            return FileChange(path, CONFLICT, content, on_disk)
        if known is None:
            return FileChange(path, FOREIGN, content, on_disk)
        is_lost = header.is_edited(on_disk.content, known) and not _is_equal(on_disk.content[known.length :], file)
        return FileChange(path, EDITED if is_lost else DIFFERENT, content, on_disk, known.source)

    def keep(self, path: str) -> None:
        """Keep `path`, a file or a whole folder, even if it is claimed."""
        self._kept.add(path)

    def claim(self, folder: str, *, owner: str = "") -> None:
        """Claim all files of tjgen below `folder`, or all of `owner` there; "" is the whole tree."""
        self._claims.append((folder, owner))

    def record(self, path: str, text: str | None) -> FileChange | None:
        """Want `text` (None: nothing) at `path` in the folder of records, whose files need no header."""
        root = self._records
        if root is None:
            raise ValueError("a plan without a folder of records")
        if not is_safe(path):
            self.problems.append(problems.unsafe_path(path))
            return None
        try:
            root.enter(path.rpartition("/")[0])
            on_disk = root.read(path)
        except ObstacleError as obstacle:
            self.problems.append(problems.in_the_way(obstacle.path, obstacle.what))
            return None
        if text is None:
            return None if on_disk is None else FileChange(path, EXTRA, on_disk=on_disk)
        content = text.encode()
        if on_disk is None:
            return FileChange(path, MISSING, content)
        return None if on_disk.content == content else FileChange(path, DIFFERENT, content, on_disk)

    def extra(self) -> Iterator[FileChange]:
        """The files of ours that are claimed and neither put nor kept (EXTRA or EDITED); call it when all is put."""
        seen = set()
        whole = {folder for folder, owner in self._claims if not owner}
        for folder, owner in self._claims:
            if _is_below(folder, whole):
                continue  # its files are among those of another claim
            for path in self._files_below(folder, but=self._kept):
                if path in seen or path.casefold() in self._taken:
                    continue
                on_disk = self._root.read(path, opening=header.OPENING[:-1])
                if on_disk is None:
                    continue
                known = header.read(on_disk.content)
                if header.is_in_conflict(on_disk.content) and not owner:
                    seen.add(path)
                    yield FileChange(path, CONFLICT, on_disk=on_disk)
                    continue
                if known is None or (owner and known.owner != owner):
                    continue
                seen.add(path)
                kind = EDITED if header.is_edited(on_disk.content, known) else EXTRA
                yield FileChange(path, kind, on_disk=on_disk, source=known.source)

    def present(self) -> list[str]:
        """Return the resulting output files, including those that this build does not mention; call it after all are added."""
        paths = {path for path, _ in self._taken.values()}
        removed = {change.path for change in self.extra()}
        for path in self._files_below("", but=frozenset()):
            if path not in removed and path.casefold() not in self._taken:
                file = self._root.read(path, opening=header.OPENING[:-1])
                if file is not None and header.read(file.content) is not None:
                    paths.add(path)
        return sorted(paths)

    def _may_stand(self, file: OutputFile) -> bool:
        """Whether the path is safe, free, and not blocked; a problem is noted where it is not."""
        path, owner = file.path, file.owner
        if not is_safe(path):
            self.problems.append(problems.unsafe_path(path))
            return False
        # macOS and Windows take paths that differ in case for one.
        key = path.casefold()
        other = self._taken.get(key) or self._folders.get(key)
        if other is None:
            other = self._enter(path.rpartition("/")[0], path, owner)
        if other is not None:
            if other[0]:
                self.problems.append(problems.clash(path, owner, *other))
            return False
        self._taken[key] = (path, owner)
        return True

    def _enter(self, folder: str, path: str, owner: str) -> tuple[str, str] | None:
        """The output file whose path clashes with `folder`, if any; ("", "") after another problem."""
        key = folder.casefold()
        known = self._folders.get(key)
        if known is not None:
            return known if known[0] and not known[0].startswith(folder + "/") else None
        clash = self._taken.get(key) or self._enter(folder.rpartition("/")[0], path, owner)
        if clash is not None:
            return clash
        try:
            self._root.enter(folder)
        except ObstacleError as obstacle:
            self.problems.append(problems.in_the_way(obstacle.path, obstacle.what))
            return ("", "")
        self._folders[key] = (path, owner)
        return None

    def _files_below(self, top: str, *, but: Set[str]) -> Iterator[str]:
        stack = [top]
        while stack:
            folder = stack.pop()
            if folder in but:
                continue
            try:
                self._root.enter(folder)
                entries = self._root.entries(folder)
            except (FileNotFoundError, ObstacleError):
                continue
            if not entries and folder:
                self.hollow.append(folder)
            for entry in entries:
                if entry.name.startswith("."):
                    continue
                path = f"{folder}/{entry.name}" if folder else entry.name
                if entry.is_folder:
                    self._root.listed(path)
                    stack.append(path)
                elif entry.is_file and path not in but:
                    yield path


def _is_equal(body: bytes, file: OutputFile) -> bool:
    """Whether an edited body is the same object as that of `file`, without a comment, so that no change is lost."""
    from tjgen.trees.source.reader import KUBERNETES, read  # few files are edited

    (ours, problems_of_ours), (theirs, _) = (
        read(text, file.path, KUBERNETES) for text in (body.decode(errors="replace"), file.body)
    )
    return (
        body.count(b"#") == file.body.count("#")
        and not problems_of_ours
        and [one.value for one in ours] == [one.value for one in theirs]
    )


def _is_below(folder: str, folders: Set[str]) -> bool:
    """Whether the folder is in one of `folders`, at any depth."""
    while folder:
        folder = folder.rpartition("/")[0]
        if folder in folders:
            return True
    return False
