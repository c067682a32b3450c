"""What a build did for one experiment: files, counts, and what others have to know of it."""

from __future__ import annotations

from collections.abc import Iterable

from tjgen.compiler.building.run import Built
from tjgen.language.runs.store import LockKey
from tjgen.trees.typing import Any, NamedTuple


class RunCounts(NamedTuple):
    """Runs by what happened to them."""

    new: int = 0
    unchanged: int = 0
    kept: int = 0
    """Locked runs that would change, and superseded runs."""
    removed: int = 0
    orphaned: int = 0
    """Runs that stay although no source requests them."""
    stopped: int = 0
    """Superseded runs that are suspended now; they count as kept, too."""
    suspended: int = 0
    """Runs whose sources suspend them; each of them counts as new, unchanged or kept, too."""

    def __str__(self) -> str:
        text = f"runs: {self.new} new, {self.unchanged} unchanged, {self.kept} kept, {self.removed} removed"
        text += f", {self.orphaned} orphaned" if self.orphaned else ""
        text += f", {self.stopped} stopped" if self.stopped else ""
        return f"{text}, {self.suspended} suspended" if self.suspended else text

    def plus(self, other: RunCounts) -> RunCounts:
        """Both together."""
        return RunCounts(*[mine + theirs for mine, theirs in zip(self, other, strict=True)])


class RequestedRuns(NamedTuple):
    """What the end of a build reads of an experiment. The runs themselves are not kept: their objects take most of the memory."""

    place: LockKey
    names: frozenset[str]
    """Runs that stay requested."""
    stops: bool
    """Whether runs that are superseded are stopped."""

    @staticmethod
    def of(built: Built) -> RequestedRuns:
        """The runs that an experiment requests."""
        unit = built.unit
        names = frozenset([*[run.name for run in built.runs], *built.kept_names])
        return RequestedRuns(LockKey(unit.environment, unit.namespace, unit.name), names, built.stops)


class Done(NamedTuple):
    """What was done for an experiment, as plain data."""

    files: tuple[str, ...] = ()
    """Paths of its files in the output tree, shared ones too."""
    previews: tuple[str, ...] = ()
    keeps: tuple[str, ...] = ()
    """Folders of runs that stay."""
    uses: tuple[str, ...] = ()
    """Shared files that its runs refer to."""
    shared: tuple[tuple[str, bytes], ...] = ()
    """Path and digest of files that other experiments may make too."""
    counts: RunCounts = RunCounts()
    kept_files: tuple[str, ...] = ()
    """Paths of the files of runs that stay."""

    def staying(self) -> list[str]:
        """Paths to keep: files that were written, and folders of runs in which no file was."""
        filled = {path.rpartition("/")[0] for path in self.files}
        return [*self.files, *self.previews, *[folder for folder in self.keeps if folder not in filled]]

    def plain(self) -> Any:
        """As nested tuples."""
        return (*self[:5], tuple(self.counts), self.kept_files)

    @staticmethod
    def of(plain: Any) -> Done:
        """What `plain` gave, as it is after a build that did nothing: every run that it counted as new is unchanged."""
        files, previews, keeps, uses, shared, (new, unchanged, kept, *_, suspended), kept_files = plain
        counts = RunCounts(0, new + unchanged, kept, suspended=suspended)
        return Done(files, previews, keeps, uses, shared, counts, kept_files)

    def plus(self, other: Done) -> Done:
        """Both together."""
        return Done(
            self.files + other.files,
            self.previews + other.previews,
            self.keeps + other.keeps,
            self.uses + other.uses,
            self.shared + other.shared,
            self.counts.plus(other.counts),
            self.kept_files + other.kept_files,
        )


class RunProgress:
    """What is done for the unit that is being added."""

    __slots__ = ("counts", "files", "keeps", "kept_files", "previews", "shared", "steady")

    def __init__(self) -> None:
        self.counts = RunCounts()
        self.files: list[str] = []
        self.previews: list[str] = []
        self.keeps: list[str] = []
        self.kept_files: list[str] = []
        self.shared: list[tuple[str, bytes]] = []
        self.steady = True
        """Return whether another build of the same sources would write and report the same."""

    def done(self, uses: Iterable[str]) -> Done | None:
        """What was done, for the next build to remember; None where that would not be the same again."""
        if not self.steady:
            return None
        return Done(
            tuple(self.files),
            tuple(self.previews),
            tuple(self.keeps),
            tuple(sorted(set(uses))),
            tuple(self.shared),
            self.counts,
            tuple(self.kept_files),
        )
