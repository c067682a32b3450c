"""A run that a build leaves as it is, and its files -> TJ697 if the files are missing, or differ from the lock.

No build writes these files again, so only Git can restore them.
"""

from __future__ import annotations

from collections.abc import Mapping

from tjgen.gitops.output.layout import folder_of
from tjgen.language.runs.freeze import content_digest
from tjgen.language.runs.lock import LockedRun
from tjgen.language.runs.store import Locked
from tjgen.trees.diagnostics.model import Diagnostic


def damage(place: Locked, run: LockedRun, bodies: Mapping[str, str], directory: str) -> Diagnostic | None:
    """What is wrong with the files `bodies` (by name, without header) of a run of the experiment at `place`, if anything is."""
    if content_digest(bodies) == run.content:
        return None
    folder = f"{directory}/{folder_of(place, run)}"
    message = f'the files of run "{run.name}" in {folder} do not match its lock, and no build writes them again'
    if not bodies:
        message = (
            f'run "{run.name}" is in the lock of {place.key}, but its files in {folder} are missing, and no build writes them'
        )
    hint = f"restore them with git checkout COMMIT -- {folder}"
    if not run.is_requested:
        hint += f"; to remove the run, use tjgen runs prune {run.name}"
    return Diagnostic("TJ697", message, hint=hint)
