"""A run that a lock has by an earlier identity, and its files on disk -> whether it lacks a block that the experiment has now."""

from __future__ import annotations

from tjgen.compiler.building.run import Run
from tjgen.gitops.output.disk import OnDisk
from tjgen.language.runs.lock import LockedRun, is_runtime


def lacks_a_block(run: Run, locked: LockedRun, folder: str, on_disk: OnDisk) -> bool:
    """Whether the files of `locked`, which has an earlier identity of `run`, do not show each block that this did not cover."""
    if locked.identity == str(run.content.identity()):
        return False
    from tjgen.language.runs.blocks import are_shown, uncovered  # few locks are that old

    blocks = uncovered(run.content)
    if not blocks:
        return False
    shared = [body for path in locked.uses if is_runtime(path) and (body := on_disk.body(path)) is not None]
    return not are_shown(blocks, [*on_disk.bodies(folder).values(), *shared])
