"""Files that were edited by hand -> the last commit of Git that has them as tjgen wrote them, to restore them from."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence

from tjgen.gitops.emit import header, problems
from tjgen.gitops.emit.plan import CRLF, EDITED, FileChange, FileDifference
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tjgen.trees.git import Git

_MOST = 200
"""Commits that are looked at."""
_FILES = 20
"""Files that are looked up, since each one starts processes of Git."""


def refusals(spoilt: Mapping[str, FileChange]) -> list[Diagnostic]:
    """TJ051 or TJ720 for each output file that is not as tjgen left it: it was edited, or Git could not merge it."""
    commands = _restoring_each([place for place, change in spoilt.items() if change.kind == EDITED])
    return [
        problems.edited(place, change.source, commands.get(place)) if change.kind == EDITED else problems.in_conflict(place)
        for place, change in spoilt.items()
    ]


def stale(differences: Iterable[FileDifference]) -> list[Diagnostic]:
    """TJ062 for each file that differs from a build, except by its line ends."""
    wanted = [one for one in differences if one.kind != CRLF]
    commands = _restoring_each([one.place for one in wanted if one.kind == EDITED])
    return [problems.stale(one.place, one.kind, commands.get(one.place)) for one in wanted]


def restoring(place: str, is_wanted: Callable[[Mapping[str, bytes]], bool]) -> str | None:
    """The command that restores the file or folder `place` from the last commit whose files there are wanted.

    `is_wanted` gets path below `place` -> content. None if no commit has such files, or Git does not show them.
    """
    return _restoring(place, lambda git, commit, path: is_wanted(_files(git, commit, path)))


def restoring_folder(place: str) -> str | None:
    """The command that restores the folder `place` from the last commit that has it. None if no commit has it."""
    return _restoring(place, lambda git, commit, path: bool(git.run("ls-tree", "--full-tree", commit, "--", path).stdout))


def is_as_written(files: Mapping[str, bytes]) -> bool:
    """Whether there are files, all of tjgen, and none was edited."""
    known = [(content, header.read(content)) for content in files.values()]
    return bool(known) and all(one is not None and not header.is_edited(content, one) for content, one in known)


def _restoring(place: str, is_wanted: Callable[[Git, str, str], bool]) -> str | None:
    """The command that restores `place` from the last commit that is wanted: `is_wanted` gets the commit and the path in it."""
    from shlex import quote  # few trees have an edited file

    from tjgen.trees.git import GitError, around

    try:
        git = around(os.path.dirname(place))
        path = os.path.relpath(os.path.realpath(place), os.path.realpath(git.top)).replace(os.sep, "/")
        log = git.run("log", f"--max-count={_MOST}", "--format=%h", "HEAD", "--", f":(top,literal){path}")
        for commit in dict.fromkeys(["HEAD", *log.stdout.decode().split()]):
            if is_wanted(git, commit, path):
                return f"git checkout {commit} -- {quote(place)}"
    except GitError:
        pass
    return None


def _restoring_each(places: Sequence[str]) -> dict[str, str | None]:
    """Output file -> the command that restores it as tjgen wrote it."""
    return {place: restoring(place, is_as_written) for place in places[:_FILES]}


def _files(git: Git, commit: str, path: str) -> dict[str, bytes]:
    """Path below `path` -> content, of the plain files at a commit; "" for `path` itself."""
    answer = git.run("ls-tree", "-r", "-z", "--full-tree", commit, "--", path)
    names = [line.partition(b"\t") for line in answer.stdout.split(b"\0") if line]
    blobs = {name.decode(errors="surrogateescape"): about.decode().split() for about, _, name in names}
    return {
        name[len(path) + 1 :]: git.run("cat-file", "blob", blob).stdout
        for name, (_, kind, blob) in blobs.items()
        if kind == "blob"
    }
