"""A folder on disk <-> a dict of its files, and the scenario of builds that the tests of the output tree share."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from tjgen.gitops.emit.plan import OutputFile
from tjgen.gitops.emit.tree import Committed, OutputTree

Files = dict[str, bytes]


def files(folder: Path) -> Files:
    """Every file below the folder, hidden ones too, by path."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def folders(folder: Path) -> set[str]:
    """Every folder below the folder, by path."""
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_dir()}


def output(path: str, body: str = "kind: TrainJob\n", *, owner: str = "") -> OutputFile:
    """An output file of which only path and body matter."""
    return OutputFile(path, body, "experiments/a.yaml", owner)


def build(
    directory: Path, wanted: Iterable[OutputFile], *, claims: Iterable[str] = (), keeps: Iterable[str] = (), force: bool = False
) -> Committed:
    """A whole build."""
    with OutputTree(str(directory), force=force) as tree:
        for file in wanted:
            tree.put(file)
        for folder in claims:
            tree.claim(folder)
        for path in keeps:
            tree.keep(path)
        return tree.commit()
