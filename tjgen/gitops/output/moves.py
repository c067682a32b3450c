"""The sync objects in a tree, and those that a build would write -> TJ280 where synced objects would get another owner."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping

from tjgen.cluster.synctools.table import BY_NAME, TOOLS
from tjgen.compiler.building.plan import Plan
from tjgen.gitops.emit.ondisk import below, files
from tjgen.gitops.output.layout import folder_of, stage_folder
from tjgen.gitops.sync.access import GITOPS, is_synced
from tjgen.language.runs.lock import Lock, path_of
from tjgen.language.runs.store import LockKey, Locks
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import FieldPath
from tjgen.trees.manifests.manifest import RUNS, STAGES, SYNC
from tjgen.trees.typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tjgen.gitops.sync.ownership import Layout


def refused(
    plan: Plan, directory: str, *, later: Mapping[str, Lock] | None = None, force: bool = False, migrates: bool = False
) -> list[Diagnostic]:
    """What a build of `plan` into `directory` is refused for. Raises CompileError if a file cannot be read.

    `later`: key of an experiment -> its lock after the build. `force` allows another cluster, `migrates` another owner.
    """
    old = on_disk(directory, plan.environments)
    if not old:
        return [] if migrates else _other_tool(plan, directory)
    new = wanted(plan)
    if _is_same(old, new):
        return []
    problems = [] if migrates else moved(plan, directory, old, new)
    return problems if force else [*problems, *elsewhere(plan, old, new, plan.locks, later)]


def elsewhere(
    plan: Plan, old: Mapping[str, str], new: Mapping[str, str], locks: Locks, later: Mapping[str, Lock] | None = None
) -> list[Diagnostic]:
    """TJ259 for each environment whose runs would start again in another cluster; arguments as for `moved` and `refused`."""
    from tjgen.gitops.output.clusters import refusals, relocations  # few builds change a sync object
    from tjgen.gitops.sync.ownership import layouts

    return refusals(plan, relocations(plan, layouts(old), layouts(new), locks, later))


def second_tree(plan: Plan, directory: str) -> list[Diagnostic]:
    """TJ283 if a build of the whole project would begin a second tree; TJ288 for the tree of another project."""
    begins = plan.whole and is_empty(plan, directory) and bool(plan.locks.names(""))
    unknown = _without_locks(plan, directory)
    if not begins and not unknown:
        return []
    from tjgen.gitops.output import relocation  # few builds begin a tree

    return relocation.other_project(plan, directory, unknown) if unknown else relocation.second_tree(plan, directory)


def second_tree_of(plan: Plan, directory: str, places: Iterable[LockKey]) -> list[Diagnostic]:
    """TJ283 if experiments have runs, and all of them are in another folder: a build of single files."""
    locks = [(place, lock) for place in places if (lock := plan.locks.of(place)).runs]
    absent = [
        one for one in locks if not any(os.path.isdir(f"{directory}/{folder_of(one[0], run)}") for run in one[1].runs.values())
    ]
    if not absent:
        return []
    from tjgen.gitops.output import relocation  # few builds begin a tree

    return relocation.second_tree_of(plan, directory, absent)


def _without_locks(plan: Plan, directory: str) -> list[str]:
    """Path of the lock of each experiment that has runs in the folder and no lock in the project."""
    unknown_paths = []
    for environment in plan.environments:
        for namespace in below(directory, stage_folder(environment, RUNS)):
            paths = [path_of(environment, *folder.split("/")[-2:]) for folder in below(directory, namespace)]
            unknown_paths += [path for path in paths if not plan.locks.exists(path)]
    return unknown_paths


def is_empty(plan: Plan, directory: str) -> bool:
    """Whether the folder has no run of the environments of the plan."""
    return not any(below(directory, stage_folder(environment, RUNS)) for environment in plan.environments)


def moved(plan: Plan, directory: str, old: Mapping[str, str], new: Mapping[str, str]) -> list[Diagnostic]:
    """TJ280 for each environment whose objects get another owner; `old` and `new`: path -> text of sync objects."""
    if _is_same(old, new):
        return []
    from tjgen.gitops.sync.ownership import layouts, unknown  # few builds change a sync object

    before, after = layouts(old), layouts(new)
    named = [environment or "" for environment in plan.environments]
    pairs = [(environment, layout, after.get(environment)) for environment, layout in before.items() if environment in named]
    return [
        _moved(plan, directory, environment, old_layout, new_layout or unknown(plan.project.spec.gitops.tool))
        for environment, old_layout, new_layout in pairs
        if (new_layout is None or new_layout.identity != old_layout.identity) and stages(directory, environment)
    ]


def _is_same(old: Mapping[str, str], new: Mapping[str, str]) -> bool:
    return all(new.get(path) == text for path, text in old.items()) and old.keys() == new.keys()


def on_disk(directory: str, environments: Collection[str | None]) -> dict[str, str]:
    """Path in the tree -> text of each sync object of these environments, and of the whole project."""
    folders = dict.fromkeys([SYNC, *(stage_folder(environment, SYNC) for environment in environments)])
    return {file.path: file.body for folder in folders for file in files(directory, folder)}


def wanted(plan: Plan) -> dict[str, str]:
    """Return the same for the files of a build; nothing if the project has no sync objects."""
    if not is_synced(plan.project):
        return {}
    from tjgen.gitops.output.syncing import texts  # most projects want none

    return {path: text for path, text in texts(plan).items() if path.rpartition("/")[0].endswith(SYNC)}


def stages(directory: str, environment: str) -> dict[str, str]:
    """Stage -> its folder, with the directory, of the stages that hold a manifest."""
    folders = {stage: f"{directory}/{stage_folder(environment or None, stage)}" for stage in STAGES}
    return {
        stage: folder for stage, folder in folders.items() if _holds_manifest(directory, stage_folder(environment or None, stage))
    }


def _holds_manifest(directory: str, folder: str) -> bool:
    own = any(file.path.endswith(".yaml") for file in files(directory, folder))
    return own or any(_holds_manifest(directory, one) for one in below(directory, folder))


def _moved(plan: Plan, directory: str, environment: str, old: Layout, new: Layout) -> Diagnostic:
    stage = next((one for one in reversed(STAGES) if old.owner(one) != new.owner(one)), RUNS)
    after = new.owner(stage)
    folder = f"{directory}/{stage_folder(environment or None, stage)}"
    change = f"from {old.owner(stage)} to {after}" if after != old.owner(stage) else f"to another manager of {after}"
    message = f"the objects in {folder} would move {change}, and a sync may delete what its owner no longer applies"
    hint = "use tjgen migrate for the steps that keep every object, or undo the change in the project"
    return _diagnostic(plan, _changed(old, new), message, hint)


def _changed(old: Layout, new: Layout) -> FieldPath:
    """The field of the project that moves the objects."""
    if not new.name and old.tool == new.tool:
        return GITOPS
    fields: Mapping[str, FieldPath] = {
        "tool": (*GITOPS, "tool"),
        "per": (*GITOPS, "applicationSet"),
        "namespace": (*GITOPS, "namespace"),
        "name": ("metadata", "name"),
    }
    return next((path for name, path in fields.items() if getattr(old, name) != getattr(new, name)), GITOPS)


def _other_tool(plan: Plan, directory: str) -> list[Diagnostic]:
    """TJ280 if the runs of the tree have the annotations of another tool: without sync objects, its owner is not in the tree."""
    tool = plan.project.spec.gitops.tool
    for environment in plan.environments:
        before = tool_of_runs(plan, directory, environment)
        if before is not None and before != tool:
            title, now = BY_NAME[before].title, BY_NAME[tool].title
            message = (
                f"the runs in {directory}/{stage_folder(environment, RUNS)} are set up for {title}, and the project names {now}"
            )
            hint = "use tjgen migrate for the steps that keep every object, or undo the change in the project"
            return [_diagnostic(plan, (*GITOPS, "tool"), message, hint)]
    return []


def tool_of_runs(plan: Plan, directory: str, environment: str | None) -> str | None:
    """The tool of the first requested run that shows one; a migration does not change other runs.

    An archived run has the annotations of every tool.
    """
    for place, lock in plan.locks.all([path_of(environment, "", "").partition("/")[0]]):
        for run in lock.runs.values():
            text = "".join(file.body for file in files(directory, folder_of(place, run))) if run.is_requested else ""
            tools = [tool.name for tool in TOOLS if f"{tool.domain}/" in text]
            if text and len(tools) < len(TOOLS):
                return tools[0] if tools else None
    return None


def _diagnostic(plan: Plan, path: FieldPath, message: str, hint: str) -> Diagnostic:
    document = plan.project.document
    return Diagnostic("TJ280", message, span=document.locate(path) if document is not None else None, hint=hint)
