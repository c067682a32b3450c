"""The base and the tree now -> what a sync does with the difference, and what the server and the rules of lint find in it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence

from tjgen.cluster.synctools.table import NO_TOOL, units_of
from tjgen.cluster.trainer.release import chosen
from tjgen.compiler.building.plan import Plan
from tjgen.gitops.diff.compare import DiffEntry, compare
from tjgen.gitops.diff.problems import problems
from tjgen.gitops.diff.removals import removals
from tjgen.gitops.diff.side import Side, place_of
from tjgen.gitops.emit import header
from tjgen.gitops.lint.engine import Choice, lint
from tjgen.gitops.lint.reading import read_items
from tjgen.gitops.lint.rules.changed_objects import CODES
from tjgen.gitops.lint.scene import AppliedObject, Scene
from tjgen.gitops.lint.suppress import Mark
from tjgen.gitops.lint.units import assigned
from tjgen.gitops.output.adoption import adopted_side
from tjgen.gitops.output.clusters import relocations, warnings
from tjgen.gitops.output.moves import moved
from tjgen.gitops.sync.ownership import layouts
from tjgen.gitops.verify.state import StoredLocks, TreeState, body_of
from tjgen.gitops.verify.verify import Verified
from tjgen.trees.diagnostics.model import INFO, WARNING, Diagnostic, Span
from tjgen.trees.fields.path import FieldPath, get
from tjgen.trees.manifests.manifest import RUNS, STAGES, SYNC
from tjgen.trees.typing import NamedTuple

_RUN_REMOVED = "TJ635"
_EDITED = "TJ292"
_REFUSED_UPDATE = "TJ540"
_FILE_REMOVED, _UNRECORDED = "TJ293", "TJ745"
"""The first names the files of a run that was removed without a record, the second the run."""


class Evaluation(NamedTuple):
    """What merging the tree does."""

    entries: list[DiffEntry]
    diagnostics: list[Diagnostic]


def evaluate(plan: Plan, verified: Verified, marks: Sequence[Mark], base: str) -> Evaluation:
    """The outcome for each run and shared object, and what the API server, its webhooks and the sync tools do with it.

    Everything that differs is looked at, with the objects that it names and that name it.
    """
    old, new = (
        side_of(verified.snapshot.old, base),
        side_of(verified.snapshot.new, "this tree")._replace(attribution_of=verified.attributions.find),
    )
    old, adopting = adopted_side(old, new)
    entries = compare(old, new)
    by_hand = {one.span.file for one in verified.diagnostics if one.code == _EDITED and one.span is not None}
    changes = [(entry, f"{verified.snapshot.tree.place}/{one.path}", one) for entry in entries for one in entry.objects]
    # The repair of the edit also resolves what the server refuses of it.
    diagnostics = [
        one for entry, place, change in changes if place not in by_hand for one in problems(entry._replace(objects=(change,)))
    ]
    refused = {f"{change.ref}: {words}" for _, place, change in changes if place in by_hand for words in change.words}
    is_reported = any(one.code == _FILE_REMOVED for one in verified.diagnostics)
    diagnostics += [one for one in removals(entries, old, new) if not (one.code == _UNRECORDED and is_reported)]
    diagnostics += [*_moves(plan, verified, adopting, base)]
    tool = plan.project.spec.gitops.tool
    scenes = _scenes(plan, verified, () if tool == NO_TOOL else (tool,), adopting)
    acknowledged = {name for lock in new.locks.values() for name in lock.pruned}
    changed = {os.path.join(verified.snapshot.tree.place, path) for path in verified.snapshot.tree.changed}
    result = lint(scenes, {}, Choice(), marks)
    # A rule reports the change with what the tool does, or a suppression states why it is right.
    judged = {one.finding.item.ref for one in (*result.reports, *result.silenced) if one.diagnostic.code in CODES}
    diagnostics = [one for one in diagnostics if one.code != _REFUSED_UPDATE or one.subject not in judged]
    for one in result.reports:
        is_decided = one.diagnostic.code == _RUN_REMOVED and _run_of(one.finding.item) in acknowledged
        # Of two objects that clash, the one that differs may be the other one.
        concerned = {one.finding.item.file, *(place.item.file for place in one.finding.related)}
        is_known = is_decided or one.diagnostic.message in refused
        if one.diagnostic.severity != INFO and concerned & changed and not is_known:
            diagnostics.append(one.diagnostic)
    return Evaluation(entries, list(dict.fromkeys(diagnostics)))


def side_of(state: TreeState, name: str) -> Side:
    """A state as a side of a comparison."""
    bodies = {path: body for path, content in state.tree.items() if (body := body_of(content)) is not None}
    return Side(name, bodies, {place.key: lock for place, lock in StoredLocks("", state.records).all()})


def _moves(plan: Plan, verified: Verified, adopting: str | None, base: str) -> list[Diagnostic]:
    """A warning for each environment whose objects get another owner: `tjgen migrate` does that on purpose.

    `adopting`: the environment that got the runs of the project without environments.
    """
    both = verified.snapshot
    old, new = (
        {path: body for path in state.tree if _is_sync(path) and (body := body_of(state.tree[path])) is not None}
        for state in (both.old, both.new)
    )
    if adopting is None:
        owners = [one._replace(severity=WARNING) for one in moved(plan, both.tree.place, old, new)] if old else []
        return [*owners, *_elsewhere(plan, verified, old, new)]
    old = {f"{adopting}/{path}" if path.startswith(f"{SYNC}/") else path: body for path, body in old.items()}
    hint = f"complete the first three steps of tjgen migrate --environment {adopting} {base} before you merge"
    return [one._replace(severity=WARNING, hint=hint) for one in moved(plan, both.tree.place, old, new)] if old else []


def _elsewhere(plan: Plan, verified: Verified, old: Mapping[str, str], new: Mapping[str, str]) -> list[Diagnostic]:
    """A warning for each environment whose runs start again in another cluster: `tjgen build --force` does that on purpose."""
    if old == new:
        return []
    before, after = (
        StoredLocks(plan.project.directory, state.records) for state in (verified.snapshot.old, verified.snapshot.new)
    )
    later = {lock.experiment: lock for _, lock in after.all()}
    return warnings(plan, relocations(plan, layouts(old), layouts(new), before, later))


def _is_sync(path: str) -> bool:
    return path.rpartition("/")[0].endswith(SYNC)


def _run_of(item: AppliedObject) -> str:
    """The name of the run that an object belongs to, by its file."""
    return os.path.basename(os.path.dirname(item.file))


def _run(path: str) -> bytes:
    """The name of the run that a file of the tree belongs to."""
    return path.rpartition("/")[0].rpartition("/")[2].encode()


def _scenes(plan: Plan, verified: Verified, tools: Sequence[str], adopting: str | None) -> list[Scene]:
    """For each environment the objects that differ, with those that they concern: at the base, and now."""
    both = verified.snapshot
    near = _near(both.old.tree, both.new.tree, both.tree.changed)
    now, before = (_items(plan, state.tree, near, both.tree.place, verified, adopting) for state in (both.new, both.old))
    scenes = []
    for name in plan.environments:
        own = plan.project.environment(name)
        release = chosen(own.trainer if own is not None and own.trainer is not None else plan.project.spec.trainer)
        scenes.append(Scene(now[name], tools=tools, before=before[name], release=release))
    return scenes


def _near(old: Mapping[str, bytes], new: Mapping[str, bytes], changed: Iterable[str]) -> set[str]:
    """The files that differ, what is outside of the folders of runs, and runs that name an object of a file that differs.

    Also the files with names that could clash: controllers create objects whose names contain the name of a run, and Services
    with the subdomain of a runtime.
    """
    changed = {*changed}
    files = {**old, **new}
    texts = b"\n".join(side[path] for path in sorted(changed) for side in (old, new) if path in side)
    shared = {path for path in changed if not _is_of_run(path)}
    names = [_name(path) for path in shared if path.endswith(".yaml") and _name(path)]
    runtimes = {_name(path) for path, content in files.items() if b"subdomain:" in content and not _is_of_run(path)}
    if any(name in texts for name in runtimes):
        names += runtimes
    runs = {_run(path) for path in changed - shared}
    objects = b"\n".join(_name(path) for path in shared)
    near = set(changed)
    for path, content in files.items():
        if path in near:
            continue
        if not _is_of_run(path):
            name = _name(path)
            if place_of(path) is None or name in texts or any(run in name for run in runs):
                near.add(path)
        elif _run(path) in objects or any(name in content for name in names):
            near.add(path)
    added = b"\n".join(files[path] for path in near - changed if _is_of_run(path))
    # A run is evaluated with its runtime.
    near |= {path for path in files if path not in near and not _is_of_run(path) and added and _name(path) in added}
    return near


def _name(path: str) -> bytes:
    """The name of the object in a file: what follows the kind, or all of it for a runtime."""
    name = path.rpartition("/")[2].removesuffix(".yaml")
    place = place_of(path)
    return (name if place is not None and place.stage == "runtimes" else name.partition("-")[2] or name).encode()


def _is_of_run(path: str) -> bool:
    place = place_of(path)
    return place is not None and place.stage == RUNS


def _items(
    plan: Plan, tree: Mapping[str, bytes], near: set[str], directory: str, verified: Verified, adopting: str | None
) -> dict[str | None, list[AppliedObject]]:
    """The objects of each environment. What there is once for all is in each."""
    by_environment: dict[str | None, list[AppliedObject]] = {name: [] for name in plan.environments}
    for path in sorted(near & tree.keys()):
        if header.read(tree[path]) is None:
            continue
        place, first = place_of(path), path.partition("/")[0]
        if first in plan.project.spec.environments and first not in by_environment:
            continue
        first = adopting if adopting is not None and first in STAGES else first
        names: list[str | None] = [first] if first in by_environment else [*by_environment]
        stage = place.stage if place is not None else SYNC
        file = os.path.join(directory, path)
        for name in names:
            units = units_of(name or "", stage)
            for item in read_items(tree[path], file, units).items:
                by_environment[name].append(AppliedObject(item.tree, _requested(verified, item), file=file, units=units))
    return {name: assigned(items) for name, items in by_environment.items()}


def _requested(verified: Verified, item: AppliedObject) -> Callable[..., Span | None]:
    """The line that requests a field; if it is not known, the place in the file."""

    def locate(path: FieldPath, *, key: bool = False) -> Span | None:
        for length in range(len(path), -1, -1):
            value = get(item.tree, path[:length], None)
            attribution = verified.attributions.find(item.ref, path[:length], value) if value is not None else None
            if attribution is not None and attribution.span is not None:
                return attribution.span
        return item.locate(path, key=key)

    return locate
