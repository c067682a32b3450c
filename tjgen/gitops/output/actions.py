"""The actions of a build on its output tree: `decide` returns them in order, `apply` performs them."""

from __future__ import annotations

from tjgen.compiler.building.run import Run
from tjgen.gitops.emit.plan import OutputFile
from tjgen.language.runs.lock import Lock
from tjgen.language.runs.store import LockKey
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.typing import NamedTuple


class Occupy(NamedTuple):
    """Reserve the objects of a run: no other run of its environment may have one of them."""

    run: Run
    files: tuple[OutputFile, ...]
    """A file for each object, in the order of the manifests of the run."""
    is_locked: bool
    """Whether the lock has a run of this name, so that no other experiment can have it."""


class Put(NamedTuple):
    """Write a file of the run alone."""

    file: OutputFile


class ShareFile(NamedTuple):
    """Write a file that other runs may make too. They must make it equal."""

    file: OutputFile
    run: Run


class Preview(NamedTuple):
    """Write a file to the tree of previews."""

    file: OutputFile


class Fill(NamedTuple):
    """Write all files of a folder: `ShareFile` has them."""

    folder: str


class KeepRun(NamedTuple):
    """Leave the files in a folder as they are on disk."""

    folder: str
    files: tuple[str, ...] = ()
    """Paths of the files there that match the lock."""


class ReleaseClaim(NamedTuple):
    """Remove the files in a folder that no other action writes or keeps; with an owner, only the files of that experiment."""

    folder: str
    owner: str = ""


class Orphan(NamedTuple):
    """Report orphaned runs that no command has kept, archived or pruned."""

    place: LockKey
    runs: tuple[str, ...]


class ReportDiagnostic(NamedTuple):
    """Report a diagnostic at its place."""

    diagnostic: Diagnostic


class Count(NamedTuple):
    """Count runs in the summary of the build."""

    what: str
    """A field of `Counts`."""
    runs: int = 1


class Forget(NamedTuple):
    """Do not cache the result for this experiment: the next build must compare it with the disk again."""


class RecordLock(NamedTuple):
    """Write the lock of an experiment."""

    path: str
    lock: Lock


Action = (
    Occupy | Put | ShareFile | Preview | Fill | KeepRun | ReleaseClaim | Orphan | ReportDiagnostic | Count | Forget | RecordLock
)
