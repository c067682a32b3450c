"""A revision of a Git repository, or its index -> the files that it holds, without touching the folder.

tjgen runs the commands of Git; a failed command becomes a diagnostic (TJ091 to TJ095).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence

from tjgen.trees.diagnostics.model import CompileError, Diagnostic
from tjgen.trees.git import FOREIGN, NO_GIT, Git, GitError, around
from tjgen.trees.typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import subprocess

_FILE = ("100644", "100755")
_LINK = "120000"


class Repository(NamedTuple):
    """The working tree of a repository."""

    git: Git

    @staticmethod
    def around(folder: str) -> Repository:
        """Return the repository that contains `folder`. Raise CompileError (TJ091, TJ092, TJ702)."""
        try:
            return Repository(around(folder))
        except GitError as error:
            raise _unusable(error, os.path.normpath(folder or ".")) from None

    @property
    def top(self) -> str:
        """The folder of the working tree."""
        return self.git.top

    def git_folder(self) -> str:
        """Where Git keeps the repository."""
        return self.git.folder

    def commit(self, revision: str) -> str:
        """The commit that a revision means. Raises CompileError (TJ093)."""
        commit_id = self.resolved(revision)
        if commit_id is not None:
            return commit_id
        hint = (
            "the clone is shallow: fetch more of its history (git fetch --unshallow, or fetch-depth: 0 in CI)"
            if self.is_shallow()
            else "use a branch, a tag, a commit that git log lists, or a folder"
        )
        raise CompileError([_problem("TJ093", f'no revision and no folder "{revision}" exists', hint)])

    def path_of(self, place: str) -> str:
        """Return the path of a file or folder in the repository, with `/`. Raise CompileError (TJ094) if it is outside."""
        path = os.path.relpath(os.path.realpath(place), os.path.realpath(self.top)).replace(os.sep, "/")
        if path == ".." or path.startswith("../"):
            message = f"{place} is outside the repository {os.path.basename(self.top)}, so no revision contains it"
            raise CompileError([_problem("TJ094", message, "name a folder to compare with")])
        return "" if path == "." else path

    def files(self, commit: str, folder: str, *, wanted: Callable[[str], bool] = lambda _: True) -> dict[str, bytes]:
        """Path below `folder` (a path in the repository) -> content, of the files at a commit. Raises CompileError (TJ095)."""
        return self.contents({path: blob for path, blob in self._names(commit, folder).items() if wanted(path)}, commit[:12])

    def paths(self, commit: str, folder: str) -> list[str]:
        """The files below `folder` (a path in the repository) at a commit, as paths below it."""
        return list(self._names(commit, folder))

    def has(self, commit: str, path: str) -> bool:
        """Whether a commit has a file or folder (a path in the repository)."""
        return self._run("ls-tree", "-z", "--full-tree", commit, "--", path).stdout != b""

    def contents(self, names: Mapping[str, str], where: str) -> dict[str, bytes]:
        """Path -> content of its object. Raises CompileError (TJ095)."""
        request = "".join(f"{blob}\n" for blob in names.values()).encode()
        answer = self._run("cat-file", "--batch", request=request)
        contents = {}
        position = 0
        for path, blob in names.items():
            end = answer.stdout.find(b"\n", position)
            head = answer.stdout[position:end].split()
            if end < 0 or len(head) != 3 or head[1] != b"blob":  # a missing object has two words: name, missing
                hint = "the clone is partial: fetch the missing objects"
                raise CompileError([_problem("TJ095", f"Git cannot read {path} at {where} ({blob})", hint)])
            size = int(head[2])
            contents[path] = answer.stdout[end + 1 : end + 1 + size]
            position = end + 1 + size + 1
        return contents

    def entries(self, commit: str, folder: str) -> dict[str, tuple[str, str]]:
        """Path below `folder` (a path in the repository) -> mode and object, of everything that a commit has there."""
        answer = self._run("ls-tree", "-r", "-z", "--full-tree", commit, "--", *([f"{folder}/"] if folder else []))
        entries = {}
        for line in answer.stdout.split(b"\0"):
            if line:
                about, _, name = line.partition(b"\t")
                mode, _, blob = about.decode().split()
                path = name.decode(errors="surrogateescape")
                entries[path[len(folder) + 1 :] if folder else path] = (mode, blob)
        return entries

    def merge_base(self, one: str, other: str) -> str | None:
        """The commit at which two commits part; None if none is known here."""
        answer = self._run("merge-base", one, other)
        return answer.stdout.decode().strip() if answer.returncode == 0 else None

    def resolved(self, revision: str) -> str | None:
        """The commit that a revision means; None if there is none."""
        answer = self._run("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
        return answer.stdout.decode().strip() if answer.returncode == 0 else None

    def is_shallow(self) -> bool:
        """Whether the clone lacks a part of the history."""
        return self._run("rev-parse", "--is-shallow-repository").stdout.strip() == b"true"

    def default_branch(self) -> str | None:
        """Return the default branch of the remote in this clone; None if it has no remote."""
        remotes = self._run("remote").stdout.decode().split()
        remote = "origin" if "origin" in remotes or not remotes else remotes[0]
        head = f"refs/remotes/{remote}/HEAD"
        known = (head, f"refs/remotes/{remote}/main", f"refs/remotes/{remote}/master")
        return next((name for name in known if self.resolved(name) is not None), None)

    def commits(
        self, base: str | None, head: str, paths: Sequence[str], *, first_parent: bool = False
    ) -> list[tuple[str, list[str]]]:
        """The commits of `head` that `base` lacks and that change one of `paths`, the first one first, with their parents.

        Without a base, those of the whole history. Without paths, all of them; with `first_parent`, without those of
        branches that were merged.
        """
        only = ["--first-parent"] if first_parent else []
        words = ("log", "--format=%H %P", "--reverse", "--topo-order", *only, head if base is None else f"{base}..{head}", "--")
        answer = self._run(*words, *[f":(top,literal){path}" for path in paths])
        lines = [line.split() for line in answer.stdout.decode().splitlines()]
        return [(line[0], line[1:]) for line in lines if line]

    def changed(self, commit: str, *, staged: bool) -> list[str]:
        """The files that may differ from a commit: those of the index if `staged`, else those of the folder."""
        words = ["diff-index", "--name-only", "--no-renames", "--ignore-submodules=dirty", "-z", *(["--cached"] * staged), commit]
        paths = _paths(self._run(*words).stdout)
        return paths if staged else paths + _paths(self._run("ls-files", "--others", "--exclude-standard", "-z").stdout)

    def differing(self, commit: str, folder: str) -> dict[str, str]:
        """Path -> object at a commit, of plain files below `folder` (a path in the repository) that may have changed since."""
        words = ("diff-index", "--no-renames", "--ignore-submodules=dirty", "-z", commit, "--", f":(top,literal){folder}")
        parts = _paths(self._run(*words).stdout)
        about = [line[1:].split() for line in parts[::2]]  # both modes, both objects, what happened
        return {path: one[2] for path, one in zip(parts[1::2], about, strict=True) if one[0] in _FILE}

    def converts_line_ends(self) -> bool:
        """Whether a checkout has CRLF line ends for the LF of a commit."""
        return self._run("config", "--type=bool", "--get", "core.autocrlf").stdout.strip() == b"true"

    def uncommitted(self, folder: str) -> int:
        """How many files below `folder` are not as they were committed."""
        return len(self._status(folder))

    def unstaged(self) -> list[str]:
        """Return the files that differ from the index, including those that are not in it; without ignored ones."""
        return [path for state, path in self._status("") if state[1] != " "]

    def ignored(self, folders: Sequence[str]) -> list[str]:
        """Return the files below `folders` (paths in the repository) that Git ignores."""
        words = ("ls-files", "--others", "--ignored", "--exclude-standard", "-z", "--")
        return _paths(self._run(*words, *[f":(top,literal){folder}" for folder in folders]).stdout)

    def ignores(self, folder: str) -> bool:
        """Whether Git ignores a folder (a path in the repository), also if it does not exist yet."""
        return self._run("check-ignore", "--quiet", "--", f"{folder}/").returncode == 0

    def staged(self) -> dict[str, str]:
        """Path -> object, of every file and symbolic link in the index. What is in conflict is left out."""
        blobs = {}
        for line in _paths(self._run("ls-files", "--stage", "-z").stdout):
            about, _, path = line.partition("\t")
            mode, blob, stage = about.split()
            if stage == "0" and mode in (*_FILE, _LINK):
                blobs[path] = blob
        return blobs

    def _status(self, folder: str) -> list[tuple[str, str]]:
        """Two letters, of the index and of the folder, and a path."""
        try:
            return self.git.status(folder or ".")
        except GitError as error:
            raise _unusable(error, self.top) from None

    def _run(self, *words: str, request: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        try:
            return self.git.run(*words, request=request)
        except GitError as error:
            raise _unusable(error, self.top) from None

    def _names(self, commit: str, folder: str) -> dict[str, str]:
        """Path below `folder` -> object, of plain files."""
        return {path: blob for path, (mode, blob) in self.entries(commit, folder).items() if mode in _FILE}


def _paths(answer: bytes) -> list[str]:
    """What Git ends with a NUL each."""
    return answer.decode(errors="surrogateescape").split("\0")[:-1]


def uncommitted(count: int, what: str) -> Diagnostic:
    """The folder differs from the commit that a reviewer compares."""
    files = "1 file" if count == 1 else f"{count} files"
    verb = "is" if count == 1 else "are"
    message = f"{files} of {what} {verb} not committed; the folder is compared"
    return Diagnostic("TJ096", message, hint="commit first to get the same result everywhere")


def _problem(code: str, message: str, hint: str) -> Diagnostic:
    return Diagnostic(code, message, hint=hint)


def _unusable(error: GitError, folder: str) -> CompileError:
    if error.kind == FOREIGN:
        message = f"Git does not work in {folder}: it belongs to another user"
        hint = "mark it as trusted, for example in containers: git config --global --add safe.directory '*'"
        return CompileError([_problem("TJ702", message, hint)])
    if error.kind == NO_GIT:
        message = f"git cannot be run: {error.reason}"
        return CompileError([_problem("TJ092", message, "install Git, or name a folder to compare with")])
    message = f"{folder} is not in a working tree of Git"
    return CompileError([_problem("TJ091", message, "work in a clone, or name a folder to compare with")])
