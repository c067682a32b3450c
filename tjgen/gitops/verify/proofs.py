"""A run that the sources of today do not produce -> the commit whose sources do, found in the history since the base."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import chdir, contextmanager
from tempfile import TemporaryDirectory

from tjgen.compiler.building.plan import make_plan
from tjgen.compiler.building.request import Request
from tjgen.gitops.diff.revision import Repository
from tjgen.gitops.verify.expected import expected
from tjgen.gitops.verify.snapshot import PLAIN, PROGRAM, Blobs, Snapshot, state_at
from tjgen.gitops.verify.state import RunFiles, TreeState
from tjgen.trees.diagnostics.model import CompileError

_MOST = 200
"""Commits that are looked at for one run."""


class Past:
    """The commits of a project between the base and the commit that is checked out."""

    def __init__(self, repository: Repository, snapshot: Snapshot, blobs: Blobs) -> None:
        self._repository = repository
        self._snapshot = snapshot
        self._blobs = blobs
        self._states: dict[str | None, TreeState] = {}
        self._steps: dict[tuple[str, str | None], TreeState | None] = {}

    def commits(self, base: str | None, head: str | None, run: RunFiles | None = None) -> list[tuple[str, list[str]]]:
        """The commits of `head` that `base` lacks, with their parents, the first one first: those that change `run`, or all
        that are on the branch itself."""
        if base is None or head is None or base == head:
            return []
        if run is None:
            return self._repository.commits(base, head, [], first_parent=True)[-_MOST:]
        return self._repository.commits(base, head, self._paths(run))[:_MOST]

    def changes(self, head: str, run: RunFiles) -> list[tuple[str, list[str]]]:
        """All commits up to `head` that change `run`, with their parents, the first one first; none if there are too many."""
        commits = self._repository.commits(None, head, self._paths(run))
        return commits if len(commits) <= _MOST else []

    def _paths(self, run: RunFiles) -> list[str]:
        paths = (f"{self._snapshot.tree.path}/{run.folder}", f"{self._snapshot.records.path}/{run.lock}")
        now = [path.removeprefix("/") for path in paths]
        return [*dict.fromkeys([*now, *map(self._snapshot.project.path, now)])]

    def head(self) -> str | None:
        """The commit that is checked out."""
        return self._repository.resolved("HEAD")

    def state(self, commit: str | None) -> TreeState:
        """The output tree and the locks at a commit. Raises CompileError (TJ095)."""
        if commit not in self._states:
            self._states[commit] = state_at(self._repository, commit, self._snapshot, self._blobs)
        return self._states[commit]

    def step(self, parent: str | None, commit: str) -> TreeState | None:
        """The state that the sources of a commit lead to from its parent; None if they cannot be built."""
        key = (commit, parent)
        if key not in self._steps:
            with self.sources(commit) as directory:
                try:
                    result = expected(make_plan(Request()), self.state(parent), self.state(commit), directory)
                    self._steps[key] = None if result.failed else result.state
                except CompileError:
                    self._steps[key] = None
        return self._steps[key]

    @contextmanager
    def sources(self, commit: str) -> Iterator[str]:
        """Work in a folder with the sources of a commit; the path of the output folder from there."""
        repository, snapshot = self._repository, self._snapshot
        project, tree, records = snapshot.project.now, snapshot.tree.path, snapshot.records.path
        entries = repository.entries(commit, "")
        if snapshot.project.is_renamed and not any(path.startswith(f"{project}/") for path in entries):
            project, tree, records = map(snapshot.project.path, (project, tree, records))
        inside = tuple(f"{path}/" for path in (tree, records))
        pins = f"{records}/_images/"
        files = {
            path: blob
            for path, (mode, blob) in entries.items()
            if mode in (PLAIN, PROGRAM) and (not path.startswith(inside) or path.startswith(pins))
        }
        with TemporaryDirectory(prefix="tjgen-") as folder:
            with open(os.path.join(folder, ".git"), "w", encoding="utf-8") as stream:
                stream.write(f"gitdir: {repository.git_folder()}\n")
            for path, content in self._blobs.of(files, commit[:12]).items():
                place = os.path.join(folder, path)
                os.makedirs(os.path.dirname(place), exist_ok=True)
                with open(place, "wb") as target:
                    target.write(content)
            directory = os.path.join(folder, project)
            os.makedirs(directory, exist_ok=True)
            with chdir(directory):
                yield os.path.relpath(tree, project or ".")


def proof(run: RunFiles, past: Past, base: str | None, head: str | None) -> TreeState | None:
    """The files and the lock of a run after the last commit that changed it; None if a commit changed it otherwise.

    Each commit that changes the run must do what its own sources produce from its parent.
    """
    return _followed(run, past, past.commits(base, head, run), run.of(past.state(base)))


def restored(run: RunFiles, past: Past, base: str | None) -> TreeState | None:
    """The same for a run that a commit before the base removed whole, as `git revert` does, before that commit.

    None if the base has the run or its tombstone.
    """
    before = run.of(past.state(base))
    changes = past.changes(base, run) if base is not None and not (before.tree or before.records) else []
    if not changes:
        return None
    *earlier, (removal, _) = changes
    removed = run.of(past.state(removal))
    return _followed(run, past, earlier, TreeState({}, {})) if not (removed.tree or removed.records) else None


def _followed(run: RunFiles, past: Past, commits: list[tuple[str, list[str]]], start: TreeState) -> TreeState | None:
    known = [start]
    latest: TreeState | None = None
    for commit, parents in commits:
        now = run.of(past.state(commit))
        befores: list[str | None] = [*parents] or [None]
        if not any(_is_step(run, now, parent, commit, known, past) for parent in befores):
            return None
        known.append(now)
        latest = now
    return latest


def _is_step(run: RunFiles, now: TreeState, parent: str | None, commit: str, known: list[TreeState], past: Past) -> bool:
    """Return whether the commit changes the run of its parent to the result of its sources."""
    before = run.of(past.state(parent))
    if before == now:
        return now in known
    if before.records and before not in known:
        return False
    step_result = past.step(parent, commit)
    return step_result is not None and run.of(step_result) == now
