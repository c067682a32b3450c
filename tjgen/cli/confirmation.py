"""A removal of runs -> what the next sync does with them and their runtimes, and the commands that delete what stays."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence

from tjgen.cli.reporting import Reporter
from tjgen.cluster.synctools.guards import DELETED, OUTCOMES, STAYS, WAITS, after_removal, guard
from tjgen.cluster.synctools.protocol import SyncTool
from tjgen.cluster.synctools.table import BY_NAME
from tjgen.gitops.emit.ondisk import files
from tjgen.gitops.output.layout import stage_folder
from tjgen.gitops.output.leaving import Leaving, LeavingObject
from tjgen.language.resolve.project import LoadedProject
from tjgen.trees.manifests.manifest import RUNS, SYNC

_LISTED = 20
_APPLICATION = "application-"
"""What the name of the file of an Application starts with."""
_UNKNOWN = LeavingObject("", ("KIND NAME -n NAMESPACE",), DELETED)


def report_confirmation(project: LoadedProject, directory: str, leaving: Leaving, reporter: Reporter) -> None:
    """Report what happens in the cluster to runs that left the tree in `directory`."""
    for effect in _effects(project, directory, leaving):
        reporter.print_line(f"{effect[0].upper()}{effect[1:]}")


def _effects(project: LoadedProject, directory: str, leaving: Leaving) -> Iterator[str]:
    tool = BY_NAME[project.spec.gitops.tool]
    if not leaving.runs:  # their files were lost: by the settings of the project
        own_guard = guard(tool, RUNS, confirms=project.spec.gitops.removal == "confirm")
        outcome = after_removal({"metadata": {"annotations": own_guard}}, (tool,))
        leaving = leaving._replace(runs=(_UNKNOWN._replace(outcome=outcome),))
    if not tool.domain:
        yield f"unless a sync prunes them, delete them with {_delete([*leaving.runs, *leaving.runtimes.values()])}"
        return
    by_outcome = {outcome: [run for run in leaving.runs if run.outcome == outcome] for outcome in OUTCOMES}
    groups = {outcome: runs for outcome, runs in by_outcome.items() if runs}
    for outcome, runs in groups.items():
        yield _effect(tool, outcome, (_them(runs) or "some of them") if len(groups) > 1 else "them", leaving, directory)
    lost = {path: one for path, one in leaving.needed(STAYS).items() if one.outcome != STAYS}
    if lost:
        runtimes = _them(lost.values())
        yield (
            f"the next sync deletes their runtime {runtimes}, and then Trainer refuses every change of the runs. Delete the runs "
            "before you push; to keep them, restore the files from Git, and build, commit and sync before you prune the runs"
        )
    rest = [one for path, one in leaving.runtimes.items() if one.outcome == STAYS and path not in leaving.needed(STAYS)]
    if rest:
        yield f"{tool.title} leaves runtimes in the cluster. When no run uses them, delete them with {_delete(rest)}"


def _effect(tool: SyncTool, outcome: str, them: str, leaving: Leaving, directory: str) -> str:
    """What a sync does with the runs of an outcome, and with the runtimes that stay with them."""
    if outcome == DELETED:
        return f"the next sync of {tool.title} deletes {them}, even while they train"
    if outcome == WAITS:
        names = _applications(directory, leaving)[:_LISTED] or ["APPLICATION"]
        commands = " && ".join([tool.confirmation.format(application=name) for name in names])
        return f"{tool.title} waits for a confirmation before it deletes {them}: {commands}"
    runs = [run for run in leaving.runs if run.outcome == STAYS]
    # A runtime must outlive its runs.
    runtimes = [one for one in leaving.needed(STAYS).values() if one.outcome == STAYS]
    return f"{tool.title} leaves {them} in the cluster: {_delete([*runs, *runtimes])}"


def _delete(leaving: Iterable[LeavingObject]) -> str:
    objects = dict.fromkeys([name for one in leaving for name in one.objects])
    return " && ".join([f"kubectl delete {name}" for name in [*objects][:_LISTED]])


def _them(leaving: Iterable[LeavingObject]) -> str:
    names = [*dict.fromkeys([one.name for one in leaving])]
    return ", ".join(names[:_LISTED]) + (f" and {len(names) - _LISTED} more" if len(names) > _LISTED else "")


def _applications(directory: str, leaving: Leaving) -> list[str]:
    """The Applications that sync the environments of runs."""
    folders = [stage_folder(environment or None, SYNC) for environment in leaving.environments]
    synced = [os.path.basename(file.path) for folder in folders for file in files(directory, folder)]
    return [file.removeprefix(_APPLICATION).removesuffix(".yaml") for file in synced if file.startswith(_APPLICATION)]


def report_names(what: str, names: Sequence[str], reporter: Reporter) -> None:
    """Report the names of runs that left the tree; `what` happened to them."""
    if names:
        more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
        reporter.print_line(f"{what}: {', '.join(names[:_LISTED])}{more}")


def report_claims(claims: Sequence[str], reporter: Reporter) -> None:
    """Report the files of claims that leave the tree, and how to delete the claims."""
    for claim in claims:
        reporter.print_line(f"removed: {claim}; no run uses the claim")
    if claims:
        reporter.print_line("A sync leaves these claims and their data in the cluster: kubectl delete pvc NAME -n NAMESPACE")


def report_duplicates(
    project: LoadedProject, directory: str, leaving: Leaving, folders: Sequence[str], claims: Sequence[str], reporter: Reporter
) -> None:
    """Report duplicates of renamed runs that left the tree, their claims, and what happens to the runs in the cluster.

    `folders` are those of the runs, and `claims` the files of claims that no run uses after that, by path in the output tree.
    The claims stay.
    """
    for folder in folders:
        reporter.print_line(f"removed: {directory}/{folder}; the run of the old name has the same content, and replaces it")
    for claim in claims:
        reporter.print_line(
            f"kept: {directory}/{claim}; only a removed run uses the claim, and tjgen build --prune-data removes it"
        )
    if not folders:
        return
    # Objects of the duplicates can have the names of those that stay, so no command names them.
    unnamed = leaving._replace(runs=tuple([_UNKNOWN._replace(outcome=run.outcome) for run in leaving.runs]), runtimes={})
    effects = ". ".join([f"{effect[0].upper()}{effect[1:]}" for effect in _effects(project, directory, unnamed)])
    reporter.print_line(f"If the cluster has the removed runs, they train a second time until they are deleted. {effects}")
