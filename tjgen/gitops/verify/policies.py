"""The tree, and what changed in it -> what policies have against the changed objects, and how many unchanged runs they deny."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence

from tjgen.cluster.trainer.inputs import expanded
from tjgen.cluster.trainer.placed import Placed, at_source, placed
from tjgen.cluster.trainer.release import of_versions
from tjgen.cluster.validate.expansion import on_created
from tjgen.cluster.validate.together import Runtimes
from tjgen.compiler.building.environment import EnvironmentSettings
from tjgen.compiler.building.plan import Plan
from tjgen.gitops.diff.objects import read_objects
from tjgen.gitops.diff.side import TreePlace, place_of
from tjgen.gitops.emit import header
from tjgen.gitops.output.policed import denied_unchanged
from tjgen.gitops.verify.snapshot import Folder
from tjgen.trees.diagnostics.model import Diagnostic, has_errors
from tjgen.trees.fields.path import Tree
from tjgen.trees.manifests.identity import identity_of
from tjgen.trees.manifests.manifest import RUNS, RUNTIMES
from tjgen.trees.session import Session
from tjgen.trees.source import reader
from tjgen.trees.typing import NamedTuple

RunName = tuple[str, str]
"""The environment, empty in a project without environments, and the name of a run."""


class _Group(NamedTuple):
    """The files of one run, or one other file of the tree."""

    place: TreePlace | None
    paths: list[str]


def policy_findings(
    plan: Plan,
    tree: Folder,
    compiled: Mapping[RunName, Sequence[Diagnostic]],
    runtimes: Callable[[Mapping[str, str]], Runtimes],
) -> Iterator[Diagnostic]:
    """What policies report about objects that are added or changed, and TJ557 about unchanged runs.

    `compiled` has the findings of runs that were built again, at the lines of their authors. `runtimes` finds the runtimes that
    are not in the tree, by the releases of the cluster.
    """
    changed = tree.changed
    denied: list[str] = []
    for environment in plan.environments:
        settings = EnvironmentSettings(plan.project, environment, None)
        if settings.policies is None:
            continue
        evaluate = _Evaluation(tree, settings, runtimes)
        for group in _groups(tree, environment, [*plan.project.spec.environments]):
            place = group.place
            is_run = place is not None and place.stage == RUNS
            is_changed = any(path in changed for path in group.paths)
            if not is_run and not is_changed:
                continue
            findings = compiled.get((environment or "", place.run)) if is_run and place is not None else None
            # A build evaluates objects as new ones. The server gets an update of a run that changes in place.
            is_updated = is_changed and any(path in tree.old.contents for path in group.paths)
            if findings is None or is_updated:
                findings = list(evaluate.findings(group.paths, environment))
            if is_changed:
                yield from findings
            elif has_errors([*findings]) and place is not None:
                denied.append(f"{place.namespace}/{place.run}")
    if denied:
        yield denied_unchanged(denied)


class _Evaluation:
    """The policies of an environment, evaluated on files of the tree."""

    def __init__(self, tree: Folder, settings: EnvironmentSettings, runtimes: Callable[[Mapping[str, str]], Runtimes]) -> None:
        self._tree = tree
        self._settings = settings
        self._versions = {**settings.release.versions, **settings.versions}
        self._runtimes = runtimes(self._versions)
        self._session = Session()

    def findings(self, paths: Sequence[str], environment: str | None) -> Iterator[Diagnostic]:
        """What policies report about the objects of files, and about what the Trainer controller creates from them."""
        from tjgen.cluster.policies.judgment import judge_of  # most projects have no policies

        assert self._settings.policies is not None, "the caller skips environments without policies"
        judge = judge_of(self._settings.policies, self._versions)
        objects = self._placed(paths)
        old = self._tree.old.contents
        before = {one.ref: one.tree for path in paths if path in old for one in read_objects(old[path], path)}
        for one in objects:
            yield from (one.at(finding) for finding in judge(one.tree, before.get(identity_of(one.tree))))
        if not any(one.tree.get("kind") == "TrainJob" for one in objects):
            return
        prefix = f"{environment}/{RUNTIMES}/" if environment else f"{RUNTIMES}/"
        shared = self._placed([path for path in self._tree.new.contents if path.startswith(prefix)])
        places = {id(one.tree): one for one in (*objects, *shared)}
        trees: list[Tree] = [one.tree for one in (*objects, *shared)]
        release = of_versions(self._versions)
        for each in expanded(trees, self._runtimes.look_up, release=release, session=self._session):
            for finding in on_created(each, judge):
                yield at_source(each, finding, places, self._runtimes.document_of)

    def _placed(self, paths: Sequence[str]) -> list[Placed]:
        objects: list[Placed] = []
        for path in paths:
            content = self._tree.new.contents[path]
            if header.read(content) is not None:
                documents, _ = reader.read(content, os.path.join(self._tree.place, path), reader.KUBERNETES)
                objects += [one for one in placed(documents) if one.tree.__class__ is dict]
        return objects


def _groups(tree: Folder, environment: str | None, environments: Sequence[str]) -> Iterator[_Group]:
    """The runs and the other files of an environment. What exists once for all environments is in each."""
    groups: dict[str, _Group] = {}
    for path in sorted(tree.new.contents):
        first = path.partition("/")[0]
        if first in environments and first != environment:
            continue
        place = place_of(path)
        key = path.rpartition("/")[0] if place is not None and place.stage == RUNS else path
        groups.setdefault(key, _Group(place, [])).paths.append(path)
    yield from groups.values()
