"""A removal of runs -> the step that confirms it in the cluster, if the project syncs with a confirmation."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from tjgen.cli.reporting import Reporter
from tjgen.cluster.synctools.table import BY_NAME
from tjgen.gitops.diff.side import TreePlace, place_of
from tjgen.gitops.emit.ondisk import files
from tjgen.gitops.output.inventory import RunEntry, own_files
from tjgen.gitops.output.layout import stage_folder
from tjgen.language.resolve.project import LoadedProject
from tjgen.trees.manifests.manifest import RUNS, SYNC
from tjgen.trees.typing import NamedTuple

_LISTED = 20
_APPLICATION = "application-"
"""What the name of the file of an Application starts with."""


class LeavingRuns(NamedTuple):
    """Runs that leave the tree, as the programs of the cluster name them."""

    objects: tuple[str, ...] = ()
    """For kubectl, such as `trainjob/bert-krdnvrxh -n nlp`."""
    applications: tuple[str, ...] = ()
    """The Applications that sync their environments."""

    @staticmethod
    def of(directory: str, entries: Sequence[RunEntry]) -> LeavingRuns:
        """Runs whose files are still in the directory."""
        paths = [file.path for entry in entries for file in own_files(directory, entry)]
        return LeavingRuns.of_files(directory, paths)

    @staticmethod
    def of_files(directory: str, paths: Sequence[str]) -> LeavingRuns:
        """Runs by the paths of their files, which a build may have removed already."""
        places = [(path, place) for path in paths if (place := place_of(path)) is not None and place.stage == RUNS]
        folders = dict.fromkeys(stage_folder(place.environment, SYNC) for _, place in places)
        synced = [os.path.basename(file.path) for folder in folders for file in files(directory, folder)]
        names = [file.removeprefix(_APPLICATION).removesuffix(".yaml") for file in synced if file.startswith(_APPLICATION)]
        return LeavingRuns(tuple([one for path, place in places for one in _object(path, place)]), tuple(names))


_UNKNOWN = LeavingRuns()


def report_confirmation(project: LoadedProject, reporter: Reporter, runs: LeavingRuns = _UNKNOWN) -> None:
    """Report what happens in the cluster to runs that left the tree."""
    effect = _effect(project, runs)
    reporter.print_line(f"{effect[0].upper()}{effect[1:]}")


def _effect(project: LoadedProject, runs: LeavingRuns = _UNKNOWN) -> str:
    gitops = project.spec.gitops
    tool = BY_NAME[gitops.tool]
    delete = " && ".join(f"kubectl delete {one}" for one in runs.objects[:_LISTED] or ["KIND NAME -n NAMESPACE"])
    if not tool.confirmation:
        return f"unless a sync prunes them, delete them with {delete}"
    if gitops.removal != "confirm":
        return f"the next sync of {tool.title} deletes them, even while they train"
    sentence, _, command = tool.confirmation.partition(": ")
    names = runs.applications[:_LISTED] or ["APPLICATION"]
    commands = dict.fromkeys(command.format(delete=delete, application=name) for name in names)
    return f"{sentence}: {' && '.join(commands)}"


def _object(path: str, place: TreePlace) -> Iterator[str]:
    kind, is_named, _ = os.path.basename(path).removesuffix(".yaml").partition(f"-{place.run}")
    if is_named:
        yield f"{kind}/{place.run} -n {place.namespace}"


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
    project: LoadedProject, directory: str, folders: Sequence[str], claims: Sequence[str], reporter: Reporter
) -> None:
    """Report duplicates of renamed runs that leave the tree, their claims, and what happens to the runs in the cluster.

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
    leaving = LeavingRuns.of_files(directory, [file.path for folder in folders for file in files(directory, folder)])
    effect = _effect(project, leaving._replace(objects=()))
    reporter.print_line(
        f"If the cluster has the removed runs, they train a second time until they are deleted. {effect[0].upper()}{effect[1:]}"
    )
