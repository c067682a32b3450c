"""Patterns over a local directory -> the files that they match, as items with their sizes, sorted by path."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from tjgen.language.slicing import braces, problems
from tjgen.language.slicing.items import Collector, DataItems
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import FieldPath
from tjgen.trees.files.sandbox import Sandbox
from tjgen.trees.files.search import matching

ON_A_VOLUME = "name a local directory, relative to the experiment; for files on a volume, use pattern or manifest"


def matched(
    sandbox: Sandbox, directory: str, patterns: Sequence[str], label: str, because: FieldPath
) -> tuple[DataItems, list[Diagnostic]]:
    """The files below `directory` that a pattern matches, its braces written out.

    `**` matches folders too; hidden files match only a pattern that begins with a dot.

    `label` is the directory's name in diagnostics, `because` the place of the items in the experiment.
    """
    collector = Collector(within=because)
    if not os.path.isdir(directory):
        at: FieldPath = (*because, "directory")
        return collector.items, [Diagnostic(problems.UNREADABLE, missing(label), path=at, hint=ON_A_VOLUME)]
    sizes_of_paths: dict[str, int] = {}
    for pattern in [one for one_pattern in patterns for one in _expanded(one_pattern)]:
        if pattern.startswith("/") or ".." in pattern.split("/"):
            message = f"the pattern {pattern!r} points outside {label}"
            collector.diagnostics.append(Diagnostic(problems.ITEM, message, path=(*because, "glob")))
            continue
        sizes: dict[str, int] = {}
        for path, size in _sized(sandbox, directory, pattern):
            if isinstance(size, Diagnostic):
                collector.diagnostics.append(size._replace(path=(*because, "glob")))
                return collector.done()
            sizes[path] = size
        if not sizes:
            message = f"the pattern {pattern!r} matches no file in {label}"
            hint = "use list or count for files on a volume: a pattern finds only files of the repository"
            collector.diagnostics.append(Diagnostic(problems.NONE, message, path=(*because, "glob"), hint=hint))
        sizes_of_paths.update(sizes)
    for position, (path, size) in enumerate(sorted(sizes_of_paths.items())):
        collector.add(path, size, position)
    return collector.done()


def missing(label: str) -> str:
    """The message for a directory that does not exist."""
    return f"the directory {label} does not exist where you build"


def _sized(sandbox: Sandbox, directory: str, pattern: str) -> Iterator[tuple[str, int | Diagnostic]]:
    """The files that a pattern matches, each with its bytes, or with what keeps it from being read."""
    above = os.path.join(directory, "")
    for path in matching(sandbox, directory, pattern):
        if isinstance(path, Diagnostic):
            yield "", path
        else:
            yield path.removeprefix(above).replace(os.sep, "/"), sandbox.size(path)


def _expanded(pattern: str) -> list[str]:
    """Return the patterns of its braces; if they are not patterns, braces are a part of names."""
    if "{" not in pattern:
        return [pattern]
    try:
        return braces.expanded(pattern)
    except ValueError:
        return [pattern]
