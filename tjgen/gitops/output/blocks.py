"""A run that a lock has by an earlier identity, and its files on disk -> whether it lacks or keeps blocks of the experiment."""

from __future__ import annotations

from tjgen.compiler.building.run import Run
from tjgen.gitops.output.disk import OnDisk
from tjgen.gitops.output.files import OutputFiles
from tjgen.language.runs.freeze import Decision
from tjgen.language.runs.lock import ARCHIVED, LockedRun, is_runtime
from tjgen.trees.diagnostics.model import Diagnostic


def lacks_a_block(run: Run, locked: LockedRun, folder: str, on_disk: OnDisk) -> bool:
    """Whether the files of `locked`, which has an earlier identity of `run`, do not show each block that this did not cover."""
    if locked.identity == str(run.content.identity()):
        return False
    from tjgen.language.runs.blocks import are_shown, uncovered  # few locks are that old

    blocks = uncovered(run.content)
    if not blocks:
        return False
    return not are_shown(blocks, _bodies(locked, folder, on_disk))


def kept_block(
    run: Run, locked: LockedRun | None, decided: Decision, folder: str, on_disk: OnDisk, text: OutputFiles
) -> Diagnostic | None:
    """TJ236, if the files of `locked` have a block that a build no longer creates.

    The lock does not show whether the experiment had it by an earlier identity, or an overlay. A changed overlay restarts no run.
    """
    if locked is None or run.is_record or run.state == ARCHIVED or not decided.keeps_content:
        return None
    from tjgen.language.runs.blocks import removed  # few builds have runs that would change

    new = [file.body for file in text.of(run.in_full())]
    same_runtime = locked.runtime_digest == f"sha256:{run.runtime.digest}"
    blocks = removed(_bodies(locked, folder, on_disk), new, same_runtime=same_runtime)
    return _stays(run, blocks) if blocks else None


def _bodies(locked: LockedRun, folder: str, on_disk: OnDisk) -> list[str]:
    """The texts of the files of a run, with those of its runtimes."""
    shared = [body for path in locked.uses if is_runtime(path) and (body := on_disk.body(path)) is not None]
    return [*on_disk.bodies(folder).values(), *shared]


def _stays(run: Run, blocks: list[str]) -> Diagnostic:
    """A run keeps blocks that were removed."""
    changed = f"use --renew {run.name} for a new run" if not run.fixed else "increase attempt for a new run"
    return Diagnostic(
        "TJ236",
        f'run "{run.name}" is locked and keeps {" and ".join(blocks)}, although a build no longer creates it',
        hint=f"if you removed it from the experiment, {changed} without it; if an overlay set it, you can keep the run",
    )
