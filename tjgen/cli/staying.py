"""An environment that gets another name -> the runs that stay with the sync of the old one, and what that means."""

from __future__ import annotations

from collections.abc import Sequence

from tjgen.cli.confirmation import report_names
from tjgen.cli.reporting import Reporter
from tjgen.gitops.output.inventory import RunEntry, is_stopped
from tjgen.gitops.output.rename import Rename
from tjgen.language.runs.store import Locks


def training(locks: Locks, renames: Sequence[Rename], directory: str) -> list[str]:
    """The runs to rename that have pods, unless they have ended."""
    known = [RunEntry(one.old, run) for one in renames for run in locks.of(one.old).runs.values() if run.requests_devices]
    return [entry.run.name for entry in known if not is_stopped(directory, entry)]


def report_training(names: Sequence[str], old: str, new: str, folder: str, reporter: Reporter) -> None:
    """Report the runs that can still train when their environment got the name `new`; `folder` is that of the locks."""
    if names:
        report_names(f"stay with the sync of {old}, and may still train", names, reporter)
        reporter.print_line(
            "Two Applications cannot apply one object. If a new run needs the same runtime or claims, tjgen lint reports "
            f"TJ655, and its sync fails. To keep the name {old} until the runs end, use git checkout HEAD -- {folder}/{old} && "
            f"rm -r {folder}/{new}, and restore the name in the project file"
        )
