"""A plan -> the output tree and the locks that a build would leave, without writing anything."""

from __future__ import annotations

import os
from collections.abc import Iterable

from tjgen.compiler.building.plan import Plan
from tjgen.compiler.building.run import Built, Watch
from tjgen.gitops.diff.side import Side
from tjgen.gitops.emit import header, problems
from tjgen.gitops.emit.plan import EDITED, FileDifference, OutputFile
from tjgen.gitops.emit.unedited import stale
from tjgen.gitops.output.apply import Directory
from tjgen.gitops.output.attributions import Attributions
from tjgen.gitops.output.options import BuildOptions, of_project
from tjgen.gitops.output.write import Seen, build_into, platforms, syncing
from tjgen.language.runs.lock import Lock
from tjgen.language.runs.store import Locks
from tjgen.trees.diagnostics.model import CompileError, Diagnostic, has_errors
from tjgen.trees.files.problems import UnreadableError
from tjgen.trees.files.sandbox import Sandbox
from tjgen.trees.files.search import below


class Collected:
    """The methods of `OutputTree`, with a tree in memory. The directory's files are read once, and do not change."""

    def __init__(self, bodies: dict[str, str]) -> None:
        self._bodies = bodies
        self._put: dict[str, str] = {}
        self._kept: set[str] = set()
        self._claims: list[str] = []

    def put(self, file: OutputFile) -> None:
        """Want `file` in the tree."""
        self._put[file.path] = file.body

    def keep(self, path: str) -> None:
        """Keep `path`, a file or a whole folder."""
        self._kept.add(path)

    def claim(self, folder: str, *, owner: str = "") -> None:
        """Claim all files below `folder`; claims for an owner are for pruning, which this does not do."""
        if not owner:
            self._claims.append(folder)

    def record(self, path: str, text: str | None) -> None:
        """The `Directory` returns locks, which it has as values."""

    def present(self) -> list[str]:
        """The paths of the files that a build would leave."""
        return sorted(self.bodies())

    def bodies(self) -> dict[str, str]:
        """The tree that a build would leave: path -> text without header."""
        stays = {
            path: body
            for path, body in self._bodies.items()
            if _is_in(path, self._kept) or not any(path.startswith(f"{folder}/") for folder in self._claims)
        }
        return {**stays, **self._put}


def plan_side(plan: Plan, directory: str, see: Seen | None = None, watch: Watch | None = None) -> tuple[Side, list[Diagnostic]]:
    """The result of `tjgen build -o DIR` in the directory, and its messages; `see` is called with every unit."""
    tree = Collected(bodies_on_disk(directory))
    attributions = Attributions()
    options = of_project(plan, BuildOptions())

    def seen(built: Built) -> None:
        attributions.add(built.runs)
        if see is not None:
            see(built)

    one = Directory(directory, tree, None, plan.locks, options)
    # What the server refuses is reported with the comparison.
    diagnostics = [
        diagnostic for diagnostic in build_into(one, plan, [], seen, None, watch, options) if diagnostic.code != "TJ540"
    ]
    # The server's errors are reported for each field, in its words.
    diagnostics += platforms(plan, tree, one.on_disk, options._replace(force=True), attributions)
    if not has_errors(diagnostics):
        syncing(plan, tree, one.on_disk, options, one.locks)  # what is wrong with them, a build reports
    return Side("this build", tree.bodies(), {**locks_by_key(plan.locks), **one.locks}, attributions.find), diagnostics


def bodies_on_disk(directory: str) -> dict[str, str]:
    """The files of ours in a directory: path -> text without header. Raises CompileError where one cannot be read."""
    bodies: dict[str, str] = {}
    if not os.path.isdir(directory):
        return bodies
    sandbox = Sandbox([directory])
    for place in below(sandbox, directory, lambda name: True):
        if isinstance(place, Diagnostic):
            raise CompileError([place])
        # What is not a file of ours is left alone, also where it cannot be read as one.
        if not os.path.isfile(place):
            continue
        try:
            body = body_of(sandbox.read(place))
        except UnreadableError as error:
            raise CompileError([problems.unread(place, error) if error.is_missing else error.diagnostic]) from error
        if body is not None:
            bodies[os.path.relpath(place, directory).replace(os.sep, "/")] = body
    return bodies


def edited_by_hand(directory: str, paths: Iterable[str]) -> dict[str, Diagnostic]:
    """TJ062 for each of the files in a directory that was edited."""
    sandbox = Sandbox([directory])
    places = {path: f"{directory}/{path}" for path in paths}
    contents = {path: sandbox.content(place) for path, place in places.items() if os.path.isfile(place)}
    # What is not below the folder is not a file of the tree: the comparison reports it.
    edited = {path: places[path] for path, one in contents.items() if isinstance(one, bytes) and header.was_edited(one)}
    return dict(zip(edited, stale([FileDifference(path, EDITED, place) for path, place in edited.items()]), strict=True))


def locks_by_key(locks: Locks) -> dict[str, Lock]:
    """The locks of a project by the key of their experiment."""
    return {place.key: lock for place, lock in locks.all()}


def body_of(content: bytes) -> str | None:
    """The text of a file of ours without its header; None where it is not ours."""
    known = header.read(content)
    return content[known.length :].replace(b"\r\n", b"\n").decode(errors="replace") if known is not None else None


def _is_in(path: str, kept: set[str]) -> bool:
    parts = path.split("/")
    return any("/".join(parts[:length]) in kept for length in range(1, len(parts) + 1))
