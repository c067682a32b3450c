"""The index of Git -> a folder that holds what it holds, and which files of the output are not in it.

A commit takes the index. Files that are only in the folder, an unfinished experiment or output that is not staged, are not
part of it: pre-commit sets aside the changes in tracked files, and leaves the others.
"""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Iterator, Sequence
from contextlib import chdir, contextmanager

from tjgen.compiler.building.plan import Plan
from tjgen.gitops.diff.revision import Repository
from tjgen.trees.diagnostics.model import ERROR, INFO, Diagnostic
from tjgen.trees.typing import NamedTuple


class Index(NamedTuple):
    """The index of the repository that contains a project."""

    repository: Repository
    directory: str
    """The working directory, as a path in the repository."""
    folders: tuple[str, ...]
    """Output, previews and locks, likewise."""

    @staticmethod
    def around(plan: Plan, folders: Sequence[str]) -> Index:
        """The index for a build that writes `folders`. Raises CompileError (TJ091, TJ092, TJ094)."""
        repository = Repository.around(plan.project.directory or ".")
        places = [repository.path_of(folder) for folder in (*folders, plan.locks.folder)]
        return Index(repository, repository.path_of("."), tuple(places))

    def others(self) -> list[str]:
        """Return the files that are not in the index with their content on disk; a build may read any, as code."""
        return self.repository.unstaged() + self.repository.ignored(self.folders)

    @contextmanager
    def instead(self, others: Sequence[str]) -> Iterator[None]:
        """Work in a folder that holds what the index holds. Raises CompileError (TJ095)."""
        from tempfile import TemporaryDirectory

        top = os.path.realpath(self.repository.top)
        with TemporaryDirectory(prefix="tjgen-") as folder:
            with open(os.path.join(folder, ".git"), "w", encoding="utf-8") as stream:
                # A second working tree: code is read at its commit, and files in reports have paths from the root.
                stream.write(f"gitdir: {self.repository.git_folder()}\n")
            index = self.repository.staged()
            # A sparse checkout lacks files that have not changed.
            same = {path for path in index.keys() - {*others} if os.path.lexists(os.path.join(top, path))}
            for path in same:
                _take(os.path.join(top, path), _created_path(os.path.join(folder, path)))
            contents = self.repository.contents({path: blob for path, blob in index.items() if path not in same}, "the index")
            for path, content in contents.items():
                with open(_created_path(os.path.join(folder, path)), "wb") as stream_of_bytes:
                    stream_of_bytes.write(content)
            target = os.path.join(folder, self.directory)
            os.makedirs(target, exist_ok=True)
            with chdir(target):
                yield

    def unstaged(self, others: Sequence[str], *, check: bool) -> list[Diagnostic]:
        """What a commit would miss of the output, or else of the sources: the reason for what is wrong with the index (TJ700)."""
        output = sorted(path for path in others if self._folder(path))
        ignored = sorted({*output} & {*self.repository.ignored(self.folders)})
        if ignored:
            count = f"{len(ignored)} of {len(output)} files of the output" if len(output) > 1 else "the output"
            message = f"Git ignores {count}, such as {self._named(ignored[0])}"
            hint = f"find the rule with git check-ignore -v {self._named(ignored[0])}, and exclude the output from it"
        else:
            missed = output or sorted(others)
            kind = "the output" if output else "the sources"
            count = "1 file" if len(missed) == 1 else f"{len(missed)} files"
            message = f"{count} of {kind} would not be in a commit as built, such as {self._named(missed[0])}"
            hint = f"git add {' '.join(sorted({self._named(self._folder(path) or path) for path in missed}))}"
        return [Diagnostic("TJ700", message, hint=hint, severity=INFO if check else ERROR)]

    def _folder(self, path: str) -> str | None:
        """The folder of output, previews or locks that the file is in."""
        return next((folder for folder in self.folders if path.startswith(f"{folder}/")), None)

    def named(self, place: str) -> str:
        """The path from the working directory to a place in the repository."""
        return self._named(self.repository.path_of(place))

    def _named(self, path: str) -> str:
        return os.path.relpath(path, self.directory or ".")


_LARGEST = 1 << 20
"""Bytes of a file that is copied. No manifest holds more, and a repository may hold data."""


def _take(source: str, place: str) -> None:
    """The file or symbolic link at another place. Hard links would touch the file, so that Git reads all of it again."""
    about = os.lstat(source)
    if stat.S_ISLNK(about.st_mode):
        os.symlink(os.readlink(source), place)
    elif about.st_size > _LARGEST:
        os.symlink(source, place)
    else:
        shutil.copy(source, place)


def _created_path(place: str) -> str:
    os.makedirs(os.path.dirname(place), exist_ok=True)
    return place
