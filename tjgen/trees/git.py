"""A folder of a working tree -> its Git repository, to read from without starting a program that the repository names.

This is the only module that runs Git. A repository can name programs in many places: `core.fsmonitor`, hooks, filters,
`gpg.program`, transports of a partial clone, submodules. Each is turned off here, and only subcommands that read are used:

- The repository is the nearest `.git` at or above the folder. A folder that is itself a bare repository is never one.
- Every call names the repository and its working tree. `GIT_DIR` and similar variables of the environment have no effect.
- `status` is the only subcommand that compares contents, so it is the only one that could run filters: filters that the
  repository defines are off, filters of the user's or the system's configuration stay.
- Objects that are missing are not fetched: no transport is allowed.

The configuration of the user, of the system and of `GIT_CONFIG_*` stays in effect for everything else.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Mapping

from tjgen.trees.typing import NamedTuple

NO_REPOSITORY = "no-repository"
FOREIGN = "foreign-repository"
NO_GIT = "no-git"

_OPTIONS = (
    "core.fsmonitor=false",
    f"core.hooksPath={os.devnull}",
    "core.sshCommand=false",
    "core.alternateRefsCommand=false",
    "log.showSignature=false",
    "status.submoduleSummary=false",
    "submodule.recurse=false",
    "protocol.allow=never",
    "gc.auto=0",
    "maintenance.auto=false",
    "safe.bareRepository=explicit",
)
_KEPT = ("GIT_CONFIG_", "GIT_EXEC_PATH", "GIT_TEST_ASSUME_DIFFERENT_OWNER")
_FORCED = {
    "LC_ALL": "C",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_LAZY_FETCH": "1",
    # Releases of Git that do not know the line above cannot fetch either: the empty list overrides `protocol.*.allow`.
    "GIT_ALLOW_PROTOCOL": "",
    "GIT_TERMINAL_PROMPT": "0",
}
_OF_THE_REPOSITORY = ("local", "worktree")


class GitError(Exception):
    """Git is not available. `kind` is NO_REPOSITORY, FOREIGN (it belongs to another user) or NO_GIT."""

    def __init__(self, kind: str, reason: str = "") -> None:
        super().__init__(reason or kind)
        self.kind = kind
        self.reason = reason


class Git(NamedTuple):
    """A repository with its working tree."""

    top: str
    """The folder of the working tree, absolute."""
    folder: str
    """Where the repository keeps its data, absolute."""
    index_file: str | None = None
    """The index to read; None for the repository's own."""

    def run(self, *words: str, request: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        """The answer to a subcommand that only reads objects, refs or the index. Raises GitError (NO_GIT)."""
        return self._run(words, {}, request)

    def status(self, *places: str) -> list[tuple[str, str]]:
        """Two letters (of the index and of the working tree) and the path, of every file at `places` that is not as committed.

        Submodules are compared by their commits alone: nothing is run inside of them. Raises GitError (NO_GIT).
        """
        words = (
            "status",
            "--porcelain",
            "-z",
            "--no-renames",
            "--untracked-files=all",
            "--ignore-submodules=dirty",
            "--",
            *places,
        )
        answer = self._run(words, _configured(self._without_own_filters())).stdout.decode(errors="surrogateescape")
        return [(line[:2], line[3:]) for line in answer.split("\0")[:-1]]

    def _run(self, words: tuple[str, ...], extra: Mapping[str, str], request: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        if self.index_file is not None:
            extra = {**extra, "GIT_INDEX_FILE": self.index_file}
        return _started(("-C", self.top, f"--git-dir={self.folder}", f"--work-tree={self.top}"), words, extra, request)

    def _without_own_filters(self) -> Iterator[tuple[str, str]]:
        """Settings that put every filter that the repository defines back to what the user or the system defines."""
        answer = self._run(("config", "--list", "--show-scope", "-z", "--includes"), {})
        if answer.returncode != 0:
            raise GitError(NO_GIT, "it cannot list its configuration by scope: version 2.26 or later is needed")
        parts = answer.stdout.decode(errors="surrogateescape").split("\0")[:-1]
        own, others = set(), {}
        for scope, entry in zip(parts[::2], parts[1::2], strict=True):
            key, _, value = entry.partition("\n")
            if key.startswith("filter."):
                if scope in _OF_THE_REPOSITORY:
                    own.add(key)
                else:
                    others[key] = value
        for key in sorted(own):
            # An empty command is none, and a filter that is required would fail without one.
            yield key, others.get(key, "false" if key.endswith(".required") else "")


def around(folder: str) -> Git:
    """The repository whose working tree holds `folder`. Raises GitError (NO_REPOSITORY, FOREIGN, NO_GIT)."""
    top = _top(folder)
    if top is None:
        raise GitError(NO_REPOSITORY)
    # Git checks here that the repository belongs to the user: it does not where --git-dir names one.
    answer = _started(("-C", top), ("rev-parse", "--absolute-git-dir"), {})
    if b"dubious ownership" in answer.stderr:
        raise GitError(FOREIGN)
    repository = answer.stdout.decode(errors="surrogateescape").rstrip("\n")
    if answer.returncode != 0 or os.path.realpath(repository) == os.path.realpath(top):
        raise GitError(NO_REPOSITORY)
    return Git(top, repository, _index(top, repository))


def _top(folder: str) -> str | None:
    """The nearest folder, at or above `folder`, with a `.git` that can be a repository or lead to one."""
    directory = os.path.realpath(folder or ".")
    while True:
        entry = os.path.join(directory, ".git")
        if os.path.isfile(entry) or os.path.lexists(os.path.join(entry, "HEAD")):
            return directory
        above = os.path.dirname(directory)
        if above == directory:
            return None
        directory = above


def _index(top: str, folder: str) -> str | None:
    """The index that Git names to its hooks, where it is one of this repository: `git commit FILE` commits another one."""
    named = os.environ.get("GIT_INDEX_FILE")
    if not named:
        return None
    file = os.path.realpath(os.path.join(top, named))
    return file if file.startswith(os.path.realpath(folder) + os.sep) else None


def _configured(settings: Iterator[tuple[str, str]]) -> dict[str, str]:
    """Variables that add settings to those of the environment. `-c` cannot: a name may hold `=`."""
    count = os.environ.get("GIT_CONFIG_COUNT", "")
    first = number = int(count) if count.isascii() and count.isdigit() else 0
    variables = {}
    for number, (key, value) in enumerate(settings, first + 1):
        variables[f"GIT_CONFIG_KEY_{number - 1}"] = key
        variables[f"GIT_CONFIG_VALUE_{number - 1}"] = value
    return {**variables, "GIT_CONFIG_COUNT": str(number)} if variables else {}


def _started(
    where: tuple[str, ...], words: tuple[str, ...], extra: Mapping[str, str], request: bytes = b""
) -> subprocess.CompletedProcess[bytes]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_") or name.startswith(_KEPT)}
    options = [word for option in _OPTIONS for word in ("-c", option)]
    try:
        return subprocess.run(
            ["git", "--no-pager", *where, *options, *words],
            input=request,
            capture_output=True,
            env={**environment, **_FORCED, **extra},
            check=False,
        )
    except OSError as error:
        raise GitError(NO_GIT, str(error.strerror).lower()) from None
