"""A removal of runs -> the step that confirms it in the cluster, if the project syncs with a confirmation."""

from __future__ import annotations

from collections.abc import Sequence

from tjgen.cli.reporting import Reporter
from tjgen.cluster.synctools.table import BY_NAME
from tjgen.language.resolve.project import LoadedProject

_LISTED = 20


def report_confirmation(project: LoadedProject, reporter: Reporter) -> None:
    """Report the step by which a person confirms that runs which left the tree are deleted."""
    gitops = project.spec.gitops
    step = BY_NAME[gitops.tool].confirmation
    if step and gitops.removal == "confirm":
        reporter.print_line(step)


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


def report_duplicates(project: LoadedProject, folders: Sequence[str], claims: Sequence[str], reporter: Reporter) -> None:
    """Report duplicates of renamed runs that leave the tree, their claims, and what happens to the runs in the cluster.

    `folders` are those of the runs, and `claims` the files of claims that no run uses after that. The claims stay.
    """
    for folder in folders:
        reporter.print_line(f"removed: {folder}; the run of the old name has the same content, and replaces it")
    for claim in claims:
        reporter.print_line(f"kept: {claim}; only a removed run uses the claim, and tjgen build --prune-data removes it")
    if not folders:
        return
    gitops = project.spec.gitops
    tool = BY_NAME[gitops.tool]
    if not tool.confirmation:
        effect = "delete them with kubectl delete KIND NAME -n NAMESPACE"
    elif gitops.removal == "confirm":
        effect = tool.confirmation
    else:
        effect = f"the next sync of {tool.title} deletes them"
    reporter.print_line(
        f"If the cluster has the removed runs, they train a second time until they are deleted. {effect[0].upper()}{effect[1:]}"
    )
