"""Output files -> in what a directory differs from them (`--check`). Nothing is written, no turn is taken.

`Comparison` has the verbs of `OutputTree`, so that one piece of code drives either.
"""

from __future__ import annotations

from tjgen.gitops.emit import journal, problems, staging
from tjgen.gitops.emit.plan import CRLF, FileChange, FileDifference, OutputFile, WritePlan
from tjgen.gitops.emit.tree import refuse_links
from tjgen.trees.diagnostics.model import CompileError


class Comparison:
    """A directory as it is, compared with the result of a build."""

    __slots__ = ("_changes", "_directory", "_plan", "_records")

    def __init__(self, directory: str, *, records: str | None = None) -> None:
        refuse_links(directory, records)
        self._directory = directory
        self._records = records
        self._plan = WritePlan(directory, records=records)
        self._changes: list[FileDifference] = []

    def put(self, file: OutputFile) -> None:
        """Add `file` to the tree; raise CompileError if the existing file cannot be read."""
        try:
            self._note(self._plan.put(file), self._directory)
        except OSError as error:
            raise CompileError([problems.unread(file.path, error)]) from error

    def keep(self, path: str) -> None:
        """Keep `path`, a file or a whole folder, even if it is claimed."""
        self._plan.keep(path)

    def claim(self, folder: str, *, owner: str = "") -> None:
        """Claim all files of tjgen below `folder` (of `owner`): files that the build did not write are extra."""
        self._plan.claim(folder, owner=owner)

    def record(self, path: str, text: str | None) -> None:
        """Want `text` (None: no file) at `path` in the folder of records."""
        try:
            self._note(self._plan.record(path, text), self._records or "")
        except OSError as error:
            raise CompileError([problems.unread(path, error)]) from error

    def present(self) -> list[str]:
        """Return the resulting output files, for `kustomizations`; call it after all files are added. Raise CompileError."""
        try:
            return self._plan.present()
        except OSError as error:
            raise CompileError([problems.unread(error.filename or self._directory, error)]) from error

    def differences(self) -> list[FileDifference]:
        """Return all differences, by path; raise CompileError if files conflict or a build was interrupted."""
        if journal.exists(staging.path_in(self._directory)):
            raise CompileError([problems.interrupted(self._directory)])
        try:
            for change in self._plan.extra():
                self._note(change, self._directory)
        except OSError as error:
            raise CompileError([problems.unread(error.filename or self._directory, error)]) from error
        if self._plan.problems:
            raise CompileError(self._plan.problems)
        return sorted(self._changes)

    def _note(self, change: FileChange | None, root: str) -> None:
        if change is not None:
            place = f"{root}/{change.path}"
            kind = CRLF if change.kind == "different" and _has_crlf(place) else change.kind
            self._changes.append(FileDifference(change.path, kind, place))


def _has_crlf(place: str) -> bool:
    """Whether the first line of a file ends with CRLF."""
    with open(place, "rb") as file:
        return file.readline(_LINE).endswith(b"\r\n")


_LINE = 1000
"""More than any first line that tjgen writes has."""
