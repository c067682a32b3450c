"""Patterns over a local directory -> the files that they match, as items with their sizes, sorted by path."""

from __future__ import annotations

import os
from collections.abc import Sequence

from tjgen.diagnostics.model import Diagnostic
from tjgen.fields.path import FieldPath
from tjgen.slicing import braces, problems
from tjgen.slicing.items import Collector, Items


def matched(directory: str, patterns: Sequence[str], label: str, because: FieldPath) -> tuple[Items, list[Diagnostic]]:
    """The files below `directory` that a pattern matches, its braces written out.

    `**` matches folders too, hidden files need a pattern that says so.

    `label` is the directory's name in diagnostics, `because` the place of the items in the experiment.
    """
    from glob import glob

    collector = Collector(within=because)
    if not os.path.isdir(directory):
        message = f"the directory {label} is not there"
        return collector.items, [problems.error(problems.UNREADABLE, message, path=(*because, "directory"))]
    found: set[str] = set()
    for pattern in [one for said in patterns for one in _expanded(said)]:
        if pattern.startswith("/") or ".." in pattern.split("/"):
            message = f"the pattern {pattern!r} leads out of {label}"
            collector.diagnostics.append(problems.error(problems.ITEM, message, path=(*because, "glob")))
            continue
        paths = [
            path for path in glob(pattern, root_dir=directory, recursive=True) if os.path.isfile(os.path.join(directory, path))
        ]
        if not paths:
            message = f"the pattern {pattern!r} matches no file in {label}"
            collector.diagnostics.append(problems.error(problems.NONE, message, path=(*because, "glob")))
        found.update(path.replace(os.sep, "/") for path in paths)
    for position, path in enumerate(sorted(found)):
        collector.add(path, os.stat(os.path.join(directory, path)).st_size, position)
    return collector.done()


def _expanded(pattern: str) -> list[str]:
    """The patterns that braces in it stand for; where they are none, they are a part of names."""
    if "{" not in pattern:
        return [pattern]
    try:
        return braces.expanded(pattern)
    except ValueError:
        return [pattern]
