"""A removal of runs -> the step that confirms it in the cluster, if the project syncs with a confirmation."""

from __future__ import annotations

from collections.abc import Sequence

from tjgen.cli.reporting import Reporter
from tjgen.cluster.synctools.table import BY_NAME
from tjgen.language.resolve.project import Project


def say_confirmation(project: Project, reporter: Reporter) -> None:
    """Report the step by which a person confirms that runs which left the tree are deleted."""
    gitops = project.spec.gitops
    step = BY_NAME[gitops.tool].confirmation
    if step and gitops.removal == "confirm":
        reporter.say(step)


def say_duplicates(project: Project, folders: Sequence[str], reporter: Reporter) -> None:
    """Report the folders of duplicates of renamed runs that left the tree, and what happens to the runs in the cluster."""
    for folder in folders:
        reporter.say(f"removed: {folder}; the run of the old name has the same content, and replaces it")
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
    reporter.say(
        f"If the cluster has the removed runs, they train a second time until they are deleted. {effect[0].upper()}{effect[1:]}"
    )
