"""The state that should be, and the state that is -> a finding for each file that is different, and the runs concerned."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from shlex import quote

from tjgen.gitops.emit import header
from tjgen.gitops.emit.unedited import is_as_written, restoring
from tjgen.gitops.output.layout import folder_of
from tjgen.gitops.verify import findings
from tjgen.gitops.verify.snapshot import LINK, MODULE, OTHER, PLAIN, PROGRAM, Folder, Snapshot, is_pin
from tjgen.gitops.verify.state import RunFiles, StoredLocks, TreeState
from tjgen.language.runs.lock import LockedRun, PrunedRun, path_of
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.typing import NamedTuple

_WHAT = {PROGRAM: "an executable file", LINK: "a symbolic link", MODULE: "a submodule", OTHER: "not a file"}


class TreeDifference(NamedTuple):
    """A file that is not as it should be."""

    folder: Folder
    path: str
    wanted: bytes | None
    actual: bytes | None
    before: bytes | None

    @property
    def place(self) -> str:
        """The path as diagnostics name it."""
        return f"{self.folder.place}/{self.path}"


def differences(
    wanted: TreeState, base: TreeState, head: TreeState, snapshot: Snapshot, unused: frozenset[str]
) -> list[TreeDifference]:
    """Return the files of `head` that differ, by folder and path. `unused` claims may be missing."""
    differing = []
    sides = ((snapshot.tree, wanted.tree, head.tree, base.tree), (snapshot.records, wanted.records, head.records, base.records))
    for folder, should, now, before in sides:
        for path in sorted({*should, *now}):
            one = TreeDifference(folder, path, should.get(path), now.get(path), before.get(path))
            is_kept_aside = one.wanted is not None and one.actual is None and path in unused and folder is snapshot.tree
            if one.wanted != one.actual and not is_kept_aside:
                differing.append(one)
    return differing


def runs_in(differences: list[TreeDifference], snapshot: Snapshot, head: TreeState) -> dict[RunFiles, str]:
    """The runs with a file that differs -> their names."""
    places = _runs_of(head)
    trees = {one.path.rpartition("/")[0] for one in differences if one.folder is snapshot.tree}
    records = {one.path for one in differences if one.folder is snapshot.records}
    return {run: name for run, name in places.items() if run.folder in trees or run.lock in records}


def removed_runs(
    differing: Sequence[TreeDifference], snapshot: Snapshot, base: TreeState, head: TreeState, name: str
) -> tuple[list[TreeDifference], list[Diagnostic]]:
    """The differences without those of runs that were removed whole, and one diagnostic for all such runs of the base `name`."""
    lost = [one for one in differing if one.actual is None and one.before is not None]
    places = _runs_of(base) if lost else {}
    runs = {run: places[run] for run in runs_in(lost, snapshot, base) if run.lock not in head.records}
    present = {path.rpartition("/")[0] for path in head.tree}
    removed = {run: run_name for run, run_name in runs.items() if run.folder not in present}
    if not removed:
        return [*differing], []
    trees, locks = {run.folder for run in removed}, {run.lock for run in removed}
    rest = [
        one
        for one in differing
        if (one.path not in locks if one.folder is snapshot.records else one.path.rpartition("/")[0] not in trees)
    ]
    paths = [f"{snapshot.tree.place}/{path}" for path in _together(trees)]
    paths += [f"{snapshot.records.place}/{path}" for path in _together(locks)]
    return rest, [findings.removed_runs(sorted(removed.values()), paths, name)]


def _together(paths: Iterable[str]) -> list[str]:
    """The paths, or the folders that contain them if a folder has several."""
    inside: dict[str, list[str]] = {}
    for path in sorted(paths):
        inside.setdefault(path.rpartition("/")[0], []).append(path)
    return [own[0] if len(own) == 1 else folder for folder, own in inside.items()]


def _runs_of(state: TreeState) -> dict[RunFiles, str]:
    """The runs and tombstones of the locks of a state -> their names."""
    places: dict[RunFiles, str] = {}
    for place, lock in StoredLocks("", state.records).all():
        folder = path_of(*place)
        runs: dict[str, LockedRun | PrunedRun] = {**lock.runs, **lock.pruned}
        for name, run in runs.items():
            places[RunFiles(folder_of(place, run), f"{folder}/{name}.yaml")] = name
    return places


def outdated(
    differing: Sequence[TreeDifference], head: TreeState, merged: Container[str], command: str
) -> tuple[list[TreeDifference], list[Diagnostic]]:
    """The differences that an edit caused, and one diagnostic for all others: files as before, which a build changes.

    The same holds for the new files `merged`. A file that is missing from a run of the tree counts as an edit.
    """
    present = {path.rpartition("/")[0].rpartition("/")[2] for path in head.tree} | {_stem(path) for path in head.records}
    edited: list[TreeDifference] = []
    stale: list[TreeDifference] = []
    for one in differing:
        runs = {one.path.rpartition("/")[0].rpartition("/")[2], _stem(one.path)}
        is_partial = one.actual is None and not runs.isdisjoint(present)
        is_stale = one.actual == one.before and not is_partial
        (stale if is_stale or one.place in merged else edited).append(one)
    if not stale:
        return edited, []
    new = [one.place for one in stale if one.actual is None]
    changed = [one.place for one in stale if one.actual is not None and one.wanted is not None]
    removed = [one.place for one in stale if one.wanted is None]
    return edited, [findings.outdated(new, changed, removed, command)]


def is_unproduced(one: TreeDifference) -> bool:
    """Whether the base lacks the file, and the sources produce another one, not only with other line ends."""
    if one.before is not None or one.actual is None or one.wanted is None:
        return False
    return one.actual.replace(b"\r\n", b"\n") != one.wanted and not header.was_edited(one.actual)


def finding(one: TreeDifference, base: str, promoted: str | None) -> Diagnostic:
    """The diagnostic of a difference. `promoted`: the environment, if it is a file of a promoted run."""
    if one.actual is None:
        return findings.removed(one.place, base) if one.before is not None else findings.missing(one.place)
    if one.wanted is None:
        return findings.foreign(one.place) if one.before is None else _edited(one, base, 1, _lines(one.actual)[0], "", promoted)
    if one.actual.replace(b"\r\n", b"\n") == one.wanted:
        return findings.line_ends(one.place, "TJ291" if one.before is None else "TJ292")
    line, actual, wanted = _first(one.actual, one.wanted)
    if one.before is None:
        return findings.unproduced(one.place, line, actual, wanted, base, is_edited=header.was_edited(one.actual))
    return _edited(one, base, line, actual, wanted, promoted)


def _edited(one: TreeDifference, base: str, line: int, actual: str, wanted: str, promoted: str | None) -> Diagnostic:
    known = header.read(one.wanted or one.before or b"")
    is_whole = is_as_written({"": one.before or b""}) or known is None
    command = f"git checkout {base} -- {quote(one.place)}" if is_whole else restoring(one.place, is_as_written)
    present, source = header.read(one.actual or b""), known.source if known else ""
    # An edit leaves the digest of the body as it was.
    is_built = (
        present is not None and is_as_written({"": one.actual or b""}) and (known is None or present.digest != known.digest)
    )
    command = command or "tjgen build --force"
    return findings.edited(one.place, line, actual, wanted, command, source, is_built=is_built, promoted=promoted)


def odd_files(folder: Folder) -> Iterator[Diagnostic]:
    """TJ296 for each file with a mode that tjgen does not write, unless the base has it too."""
    for path, mode in sorted(folder.new.modes.items()):
        before = folder.old.modes.get(path)
        if mode != before and (mode != PLAIN or before is not None) and not is_pin(path):
            what = _WHAT.get(mode, f"{_WHAT.get(before or PLAIN, 'other')} at the base, but a plain file now")
            yield findings.odd(f"{folder.place}/{path}", what)


def _stem(path: str) -> str:
    """The name of a lock file, which is that of its run."""
    return path.rpartition("/")[2].removesuffix(".yaml")


def _first(actual: bytes, wanted: bytes) -> tuple[int, str, str]:
    """Number and both texts of the first line that differs; of the body, if the body differs."""
    ours, theirs = _lines(actual), _lines(wanted)
    known = header.read(actual)
    start = actual[: known.length].count(b"\n") if known is not None else 0
    same_start = start if wanted.count(b"\n") >= start else 0
    for first in (same_start, 0):
        for number in range(first, max(len(ours), len(theirs))):
            one = ours[number] if number < len(ours) else ""
            other = theirs[number] if number < len(theirs) else ""
            if one != other:
                return number + 1, one, other
    return 1, ours[0], theirs[0]


def _lines(content: bytes) -> list[str]:
    return content.decode(errors="replace").split("\n")
