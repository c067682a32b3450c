"""The clone of Git that contains an experiment, and a name -> the commit of the name in it."""

from __future__ import annotations

import os
import re

from tjgen.trees.files.repository import repository_of
from tjgen.trees.git import FOREIGN, NO_GIT, Git, GitError, around

FULL = re.compile(r"(?:[0-9a-f]{40}|[0-9a-f]{64})\Z")
"""The full name of a commit, by SHA-1 or by SHA-256."""


class CloneError(Exception):
    """The clone has no result. `hint` describes what to do."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.hint = hint


def resolved(folder: str, name: str, path: str | None) -> str:
    """Return the commit of `name` in the clone around `folder`: with `path`, the last one that changed that path.

    So a commit of other files, such as of what a build wrote, is not other code. Raises CloneError.
    """
    clone = _clone(folder)
    answer = _output_of(clone, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
    if answer is None:
        raise CloneError(f'the clone does not contain commit "{name}"', "fetch it, or write a full commit ID")
    if path is None:
        return answer
    if _output_of(clone, "rev-parse", "--is-shallow-repository") == "true":
        message = "the clone is shallow, so the last commit that changed the code is unknown"
        raise CloneError(message, "fetch its history (git fetch --unshallow, or fetch-depth: 0 in CI)")
    # Unlike log, rev-list reads no settings that could start a program.
    last = _output_of(clone, "rev-list", "-1", answer, "--", f":(top,literal){path}")
    if last is None:
        raise CloneError("the clone is partial and lacks the history of the code", "fetch it (git fetch --refetch)")
    if not last:
        raise CloneError(f'no commit of "{name}" contains folder {path}', "correct path, or commit the folder")
    return last


def uncommitted(folder: str, path: str | None) -> int:
    """How many files of the code are not as they were committed. Raises CloneError."""
    place = f":(top,literal){path}" if path is not None else ":(top)"
    try:
        return len(_clone(folder).status(place))
    except GitError as error:
        raise _unusable(error) from None


def _clone(folder: str) -> Git:
    """The caller's repository, if it holds the experiment: a repository inside of it is content, and is not read."""
    callers = repository_of(".")
    is_inside = callers is not None and f"{os.path.realpath(folder or '.')}/".startswith(f"{callers.rstrip('/')}/")
    try:
        # What a hook of Git commits is not what the code is compared with.
        return around(callers if callers is not None and is_inside else folder)._replace(index_file=None)
    except GitError as error:
        raise _unusable(error) from None


def _output_of(clone: Git, *words: str) -> str | None:
    """What Git prints, without the line break; None where it fails. Raises CloneError."""
    try:
        answer = clone.run(*words)
    except GitError as error:
        raise _unusable(error) from None
    return answer.stdout.decode().strip() if answer.returncode == 0 else None


def _unusable(error: GitError) -> CloneError:
    if error.kind == NO_GIT:
        return CloneError(f"git cannot be run: {error.reason}", "install Git, or write the full commit ID")
    if error.kind == FOREIGN:
        hint = "trust it (git config --global --add safe.directory FOLDER), or write the full commit ID"
        return CloneError("the clone belongs to another user", hint)
    return CloneError("the experiment is not in a Git clone", "write the full commit ID (git rev-parse HEAD)")
