"""A revision whose tree has files that were edited by hand -> what the API server accepted of them.

A sync applied each version of a file that the branch had. If the server refuses an edit, the object stays as it was.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tjgen.gitops.diff.revision import Repository
from tjgen.gitops.diff.side import TreePlace, place_of, tree_of
from tjgen.gitops.diff.update import refusals
from tjgen.gitops.emit import header
from tjgen.gitops.output.planned import body_of
from tjgen.trees.diagnostics.model import INFO, Diagnostic
from tjgen.trees.fields.path import Tree
from tjgen.trees.manifests.manifest import RUNTIMES

_MOST = 200
"""Commits that are looked at for one file."""


def in_cluster(
    repository: Repository, commit: str, directory: str, tree: str, contents: Mapping[str, bytes], differing: Iterable[str]
) -> tuple[dict[str, bytes], list[Diagnostic]]:
    """The files of `differing` that the server refused at `commit`, as it accepted them before, and TJ289 for each.

    `contents` are those of the tree in `directory` at the commit, whose path in the repository is `tree` there.
    """
    live: dict[str, bytes] = {}
    diagnostics = []
    for path in differing:
        if path in contents and header.was_edited(contents[path]):
            version, content = _accepted(repository, commit, tree, path, contents)
            if content != contents[path]:
                live[path] = content
                diagnostics.append(_not_applied(f"{directory}/{path}", version))
    return live, diagnostics


def _accepted(repository: Repository, commit: str, tree: str, path: str, contents: Mapping[str, bytes]) -> tuple[str, bytes]:
    """The last version of a file that the API server accepted, and its commit."""
    latest, live = commit, contents[path]
    place = place_of(path)
    context = _runtimes(contents, place) if place is not None else []
    before: Tree | None = None
    for version, content in _versions(repository, commit, f"{tree}/{path}".removeprefix("/")):
        now = tree_of(body_of(content) or "", path)
        if now is not None and (before is None or not refusals(before, now, context)):
            latest, live, before = version, content, now
    return latest, live


def _versions(repository: Repository, commit: str, path: str) -> Iterable[tuple[str, bytes]]:
    """The commits on the branch that change a file, the first one first, and its content if it exists there."""
    folder, _, name = path.rpartition("/")
    for version, _ in repository.commits(None, commit, [path], first_parent=True)[-_MOST:]:
        blob = repository.entries(version, folder).get(name)
        if blob is not None:
            yield version, repository.contents({path: blob[1]}, version[:12])[path]


def _runtimes(contents: Mapping[str, bytes], near: TreePlace) -> list[Tree]:
    """The runtimes of an environment and a namespace."""
    places = {path: place for path in contents if (place := place_of(path)) is not None and place.stage == RUNTIMES}
    own = [path for path, place in places.items() if (place.environment, place.namespace) == (near.environment, near.namespace)]
    return [tree_of(body_of(contents[path]) or "", path) for path in own]


def _not_applied(place: str, version: str) -> Diagnostic:
    """TJ289: the revision has an edit that no sync could apply."""
    message = (
        f"{place} was edited by hand before, and the API server refuses that edit: tjgen compares with {version[:12]}, "
        "the last version that the server accepts"
    )
    hint = f"if the object was deleted in the cluster after the edit, compare with the cluster: kubectl diff -f {place}"
    return Diagnostic("TJ289", message, hint=hint, severity=INFO)
