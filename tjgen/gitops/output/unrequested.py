"""Runs that no source requests, and claims that no build writes -> the same as the tool that syncs the tree protects them.

They outlive the setting of the tool in the project, and a new tool looks for its own annotations. Of their objects, only these
annotations change, and `suspend` of a run that is stopped.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterator

from tjgen.cluster.synctools.guards import DELETED, after_removal, guarded, protected, unguarded
from tjgen.cluster.synctools.protocol import Annotations, SyncTool
from tjgen.cluster.synctools.table import BY_NAME
from tjgen.compiler.building.run import Unit
from tjgen.gitops.emit.plan import OutputFile
from tjgen.gitops.output import problems
from tjgen.gitops.output.actions import Action, Count, Put, ReportDiagnostic
from tjgen.gitops.output.damaged import manifest_in
from tjgen.gitops.output.disk import OnDisk
from tjgen.gitops.output.layout import folder_of, stage_folder
from tjgen.gitops.output.options import BuildOptions, TreeOptions
from tjgen.language.runs import freeze
from tjgen.language.runs.lock import ARCHIVED, SUPERSEDED, Lock, is_claim
from tjgen.language.runs.store import Locked
from tjgen.trees.fields.path import Tree, get
from tjgen.trees.manifests.manifest import DATA, RUNS
from tjgen.trees.source.reader import KUBERNETES, read
from tjgen.trees.source.writer import dump
from tjgen.trees.typing import NamedTuple

_METADATA = re.compile(r"^metadata:\n(?: .*\n)+", re.MULTILINE)


def change_runs(
    place: Locked, before: Lock, lock: Lock, on_disk: OnDisk, tool: str, *, stops: Unit | None = None
) -> tuple[list[Action], Lock]:
    """The files of the runs that no source requests as `tool` (BuildOptions.tool) guards runs, and the lock with them.

    With `stops`, the runs of this unit that `before` requests are suspended too. Archived runs and those that were edited by hand
    stay as they are: no sync applies an archived run, so the object in the cluster keeps the guard that it has.
    """
    actions: list[Action] = []
    guards = SyncGuards.of(tool)
    runs = dict(lock.runs)
    for name, run in lock.runs.items():
        is_new = name in before.runs and before.runs[name].is_requested and run.lifecycle_state == SUPERSEDED
        stopping = stops if is_new else None
        if run.is_requested or run.lifecycle_state == ARCHIVED or not (stopping or guards.tool.guards):
            continue
        files = on_disk.files_except(folder_of(place, run), ())
        if freeze.content_digest(_bodies(files)) != run.content:
            continue
        stopped, reason = _stopped(files) if stopping is not None else (files, None)
        if stopping is not None and reason is not None:
            actions.append(ReportDiagnostic(problems.not_stopped(stopping, name, reason)))
        elif stopping is not None:
            actions += [Count("stopped")] if stopped != files else []
            runs[name] = runs[name]._replace(stopped=stopped != files)
        changed = [guards.set(file, RUNS, is_guarded=guards.confirms) for file in stopped]
        if changed != stopped:
            # A build that requests the run again writes the annotations of its own tool.
            runs[name] = runs[name]._replace(settings=freeze.NO_SETTINGS)
        actions += [Put(file) for file, earlier in zip(changed, files, strict=True) if file != earlier]
        runs[name] = runs[name]._replace(content=freeze.content_digest(_bodies(changed)))
    return actions, lock._replace(runs=runs)


class SyncGuards(NamedTuple):
    """The tool that syncs a tree, and whether a person confirms that it deletes a run."""

    tool: SyncTool
    confirms: bool

    @staticmethod
    def of(tool: str) -> SyncGuards:
        """What BuildOptions.tool names."""
        name, _, removal = tool.partition(" ")
        return SyncGuards(BY_NAME[name], removal == "confirm")

    def set(self, file: OutputFile, stage: str, *, is_guarded: bool) -> OutputFile:
        """The file of an object of a stage, with the guard of the tool or without it."""
        guard = self.tool.guards.get(stage, {})
        return _changed(file, guard, lambda tree: (guarded if is_guarded else unguarded)(tree, self.tool, stage), has=is_guarded)

    def outcome(self, body: str | None) -> str:
        """What a sync does with the object of a manifest, as text, that left Git."""
        if body is None or all(option not in body for _, option in (*self.tool.staying, *self.tool.waiting)):
            return DELETED
        return after_removal(manifest_in(body, ""), (self.tool,))


def change_claims(
    tree: TreeOptions,
    on_disk: OnDisk,
    environment: str | None,
    options: BuildOptions,
    written: Container[str],
    former: Container[str],
    uses: Container[str],
) -> None:
    """Write the claims of the environment that are not `written`, with the protection of the tool.

    `former`: claims of runs that are not requested any more. Changes of them that no commit has are undone.
    `uses`: the claims that a build that prunes data does not remove.
    """
    kept = BY_NAME[options.tool.partition(" ")[0]].kept
    for file in _claims(on_disk, environment, written):
        committed = on_disk.committed(file.path) if file.path in former else None
        changed = _changed(committed or file, kept, lambda tree: protected(tree, kept), has=True)
        if changed != file and (not options.prune_data or file.path in uses):
            tree.put(changed)


def _claims(on_disk: OnDisk, environment: str | None, written: Container[str]) -> Iterator[OutputFile]:
    for namespace in on_disk.folders(stage_folder(environment, DATA)):
        for file in on_disk.files_except(namespace, written):
            if is_claim(file.path):
                yield file


def _changed(file: OutputFile, annotations: Annotations, change: Callable[[Tree], Tree], *, has: bool) -> OutputFile:
    """The file with a changed object; as it is if its text shows that it has the annotations, or without `has` none of them."""
    metadata = _METADATA.search(file.body)
    if metadata is not None:
        matches = [f"\n    {key}: {value}\n" in metadata[0] for key, value in annotations.items()]
        if all(matches) if has else not any(matches):
            return file
    documents = read(file.body, file.path, KUBERNETES)[0]
    if len(documents) != 1 or get(documents[0].value, ("metadata",), None).__class__ is not dict:
        return file  # The file was edited by hand; verify and lint report that.
    tree = documents[0].value
    changed = change(tree)
    return file if changed is tree else file._replace(body=dump(changed), digest="")


def _stopped(files: list[OutputFile]) -> tuple[list[OutputFile], str | None]:
    """The files of a run, suspended; or as they are, and why the run cannot be stopped."""
    trees = [_tree(file) for file in files]
    reason = next((reason for tree in trees if (reason := freeze.unstoppable(tree)) is not None), None)
    if reason is not None:
        return files, reason
    stopped = [(file, freeze.stopped(tree)) for file, tree in zip(files, trees, strict=True)]
    return [file if tree is None else file._replace(body=dump(tree)) for file, tree in stopped], None


def _tree(file: OutputFile) -> Tree:
    return manifest_in(file.body, file.path)


def _bodies(files: list[OutputFile]) -> dict[str, str]:
    return {file.path.rpartition("/")[2]: file.body for file in files}
