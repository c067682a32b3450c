"""A revision of the project's repository -> its output tree and locks, and the sources of its values."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import chdir

from tjgen.compiler.building.compile import build
from tjgen.compiler.building.plan import Plan, make_plan
from tjgen.compiler.building.request import Request
from tjgen.gitops.diff.renamed import folder_at
from tjgen.gitops.diff.revision import Repository, uncommitted
from tjgen.gitops.diff.side import AttributeField, Side, no_attribution, place_of
from tjgen.gitops.emit import header
from tjgen.gitops.output.attributions import Attributions
from tjgen.gitops.output.committed_locks import locks_at
from tjgen.gitops.output.edits import in_cluster
from tjgen.gitops.output.planned import body_of
from tjgen.trees.diagnostics.model import CompileError, Diagnostic
from tjgen.trees.session import Session

_SOURCES = (".yaml", ".yml", ".json", ".jsonl", ".txt", ".csv")
"""The file name extensions of sources. A repository may hold many other files."""


def earlier(revision: str, plan: Plan, directory: str, new: Side) -> tuple[Side, list[Diagnostic]]:
    """The side of a revision, to compare `new` with. Raises CompileError (TJ091 to TJ095, or what is wrong with a lock)."""
    project = plan.project.directory or "."
    repository = Repository.around(project)
    commit = repository.commit(revision)
    place = folder_at(repository, commit, project)
    tree, sources = place.path(repository.path_of(directory)), place.then
    files = repository.files(commit, tree)
    bodies = {path: body for path, content in files.items() if (body := body_of(content)) is not None}
    differing = [path for path, body in bodies.items() if body != new.bodies.get(path)]
    live, diagnostics = in_cluster(repository, commit, directory, tree, files, differing)
    bodies |= {path: body for path, content in live.items() if (body := body_of(content)) is not None}
    if not bodies:
        diagnostics.append(_empty(revision, directory))
    count = repository.uncommitted(place.now)
    if count:
        diagnostics.append(uncommitted(count, project))
    records = place.path(repository.path_of(plan.locks.folder))
    locks = locks_at(repository.files(commit, records), revision, plan.locks.folder)
    wanted = _attributed_sources(files, bodies, new)
    attribute = _attributor(revision, _project(repository, commit, sources, tree), plan, wanted) if wanted else no_attribution
    return Side(revision, bodies, locks, attribute), diagnostics


def _attributed_sources(files: Mapping[str, bytes], bodies: Mapping[str, str], new: Side) -> set[str]:
    """The sources of then of what differs: of files that are not as they were, and of experiments that have new ones."""
    growing = {place.key for path in new.bodies if path not in bodies and (place := place_of(path)) is not None and place.run}
    changed_sources = set()
    for path, body in bodies.items():
        place = place_of(path)
        if body != new.bodies.get(path) or (place is not None and place.run and place.key in growing):
            known = header.read(files[path])
            changed_sources.add(known.source if known is not None else "")
    return changed_sources


def _project(repository: Repository, commit: str, sources: str, tree: str) -> dict[str, bytes]:
    """The files of the project that a build may read, without its output."""
    below = tree[len(sources) + 1 :] if sources else tree
    return repository.files(commit, sources, wanted=lambda path: path.endswith(_SOURCES) and not path.startswith(f"{below}/"))


def _attributor(revision: str, files: Mapping[str, bytes], plan: Plan, wanted: set[str]) -> AttributeField:
    """The source of a value then: the sources of that commit are built. None if this release cannot build them.

    What several experiments share has no experiment as its source, so that all of them are built.
    """
    from tempfile import TemporaryDirectory

    attributions = Attributions(f"{revision}:")
    with TemporaryDirectory(prefix="tjgen-") as folder:
        for path, content in files.items():
            place = os.path.join(folder, path)
            os.makedirs(os.path.dirname(place), exist_ok=True)
            with open(place, "wb") as stream:
                stream.write(content)
        with chdir(folder):
            try:
                then = make_plan(Request(environments=[name for name in plan.environments if name]))
            except CompileError:
                return no_attribution
            if wanted <= {*then.files}:
                then = then._replace(files=[file for file in then.files if file in wanted])
            for built in build(then, Session()):
                attributions.add(built.runs)
    return attributions.find


def _empty(revision: str, directory: str) -> Diagnostic:
    return Diagnostic(
        "TJ097",
        f"revision {revision} contains no output in {directory}, so everything is new",
        hint="commit the output, or pass its folder with -o",
    )
