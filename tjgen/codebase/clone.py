"""The clone of Git that an experiment lies in, and a name -> the commit that the name means there."""

from __future__ import annotations

import os
import re
import subprocess

FULL = re.compile(r"(?:[0-9a-f]{40}|[0-9a-f]{64})\Z")
"""The full name of a commit, by SHA-1 or by SHA-256."""


class CloneError(Exception):
    """The clone cannot answer. `hint` says what to do."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.hint = hint


def resolved(folder: str, name: str, path: str | None) -> str:
    """The commit that `name` means in the clone around `folder`: with `path`, the last one that changed what is there.

    So a commit of other files, such as of what a build wrote, is no other code. Raises CloneError.
    """
    if _git(folder, "rev-parse", "--git-dir").returncode != 0:
        raise CloneError("the experiment lies in no clone of Git", "write the full name of the commit (git rev-parse HEAD)")
    answer = _git(folder, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
    if answer.returncode != 0:
        raise CloneError(f'the clone knows no commit "{name}"', "fetch it, or write the full name of a commit")
    commit = answer.stdout.decode().strip()
    if path is None:
        return commit
    if _git(folder, "rev-parse", "--is-shallow-repository").stdout.strip() == b"true":
        message = "the clone is shallow, so nobody knows which commit changed the code last"
        raise CloneError(message, "fetch its history (git fetch --unshallow, or fetch-depth: 0 in CI)")
    last = _git(folder, "log", "-1", "--format=%H", commit, "--", f":(top,literal){path}").stdout.decode().strip()
    if not last:
        raise CloneError(f'no commit of "{name}" has a folder {path}', "correct path, or commit the folder")
    return last


def uncommitted(folder: str, path: str | None) -> int:
    """How many files of the code are not as they were committed."""
    place = [f":(top,literal){path}"] if path is not None else [":(top)"]
    answer = _git(folder, "status", "--porcelain", "-z", "--untracked-files=all", "--", *place)
    return len([entry for entry in answer.stdout.split(b"\0") if entry[2:3] == b" "])


def _git(folder: str, *words: str) -> subprocess.CompletedProcess[bytes]:
    # A hook of Git sets variables that would lead to another repository.
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    try:
        return subprocess.run(
            ["git", "-C", folder or ".", *words],
            capture_output=True,
            env={**kept, "LC_ALL": "C", "GIT_OPTIONAL_LOCKS": "0"},
            check=False,
        )
    except OSError as error:
        reason = str(error.strerror).lower()
        raise CloneError(f"git cannot be run: {reason}", "install Git, or write the full name of the commit") from None
