"""A removal of runs -> the step that confirms it in the cluster, if the project syncs with a confirmation."""

from __future__ import annotations

from tjgen.cli.reporting import Reporter
from tjgen.cluster.synctools.table import BY_NAME
from tjgen.language.resolve.project import Project


def say_confirmation(project: Project, reporter: Reporter) -> None:
    """Report the step by which a person confirms that runs which left the tree are deleted."""
    gitops = project.spec.gitops
    step = BY_NAME[gitops.tool].confirmation
    if step and gitops.removal == "confirm":
        reporter.say(step)
