"""The top folder of a Git repository -> its default branch, read from Git's own files without running Git."""

from __future__ import annotations

import os
import re

from tjgen.trees.files.regular import read_regular

DEFAULT = "main"
_HEADS = "ref: refs/heads/"
_REMOTE = "ref: refs/remotes/origin/"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/-]*\Z")


def default_branch(top: str) -> str:
    """The default branch of `origin`; without it, `main` if there is one, else the branch that is checked out."""
    git = os.path.join(top, ".git")
    remote = _branch(os.path.join(git, "refs", "remotes", "origin", "HEAD"), _REMOTE)
    if remote is not None:
        return remote
    # A linked working tree has no such file: its main repository has the branches.
    current = _branch(os.path.join(git, "HEAD"), _HEADS)
    return DEFAULT if current is None or _has_default(git) else current


def _has_default(git: str) -> bool:
    loose = os.path.join(git, "refs", "heads", DEFAULT)
    packed = _text(os.path.join(git, "packed-refs")).splitlines()
    return os.path.isfile(loose) or any(line.endswith(f" refs/heads/{DEFAULT}") for line in packed)


def _branch(file: str, prefix: str) -> str | None:
    text = _text(file).strip()
    name = text.removeprefix(prefix)
    return name if name != text and _NAME.match(name) else None


def _text(file: str) -> str:
    try:
        return read_regular(file).decode(errors="replace")
    except OSError:
        return ""
