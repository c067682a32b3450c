"""The `items` of a data set -> the items, or how many they are if they are not listed; and their local files."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from hashlib import sha256

from tjgen.compiler.passes.data_sections import DataSection
from tjgen.language.slicing import braces, directory, items, manifest, problems
from tjgen.language.slicing.items import UNKNOWN, Collector
from tjgen.language.spec.objects import Items
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import FieldPath
from tjgen.trees.files.problems import UnreadableError
from tjgen.trees.files.sandbox import Sandbox
from tjgen.trees.session import Session
from tjgen.trees.typing import NamedTuple

MOST_LISTED = 10_000_000
"""The number of items of a manifest: a build of so many needs almost 1 GiB of memory."""
MOST_EXPANDED = 2_000_000
"""The number of items of patterns, which are large without a large file."""


class Numbered(NamedTuple):
    """Items that have numbers, from 0 on."""

    total: int
    patterns: Sequence[str] = ()
    """What makes paths of the numbers: the paths of the first pattern, then those of the second ..."""


def listed(section: DataSection, folder: str, sandbox: Sandbox, session: Session) -> tuple[items.DataItems, list[Diagnostic]]:
    """The items, one by one, in a fixed order. File names are relative to `folder`, that of the experiment."""
    source, at = _items(section), section.items_at
    if source.manifest is not None:
        return _manifest(os.path.join(folder, source.manifest), section, sandbox, session)
    if source.glob is not None:
        return _matched(source, source.glob, folder, sandbox, at)
    if source.pattern is not None:
        return _expanded(_several(source.pattern), section, session)
    if source.count is not None:
        message = "the items have only numbers, but this delivery needs paths"
        problem = Diagnostic(problems.NO_RANGE, message, path=(*at, "count"), hint="set deliver: range, or name the items")
        return items.DataItems(), [problem]
    if not source.listed:
        return items.DataItems(), [_nothing_listed(source, folder, at)]
    return items.listed([(item.path, item.size) for item in source.listed], (*at, "list"))


def numbered(section: DataSection) -> tuple[Numbered, list[Diagnostic]]:
    """How many items there are, none of which is listed."""
    items, at = _items(section), section.items_at
    if items.count is not None:
        return Numbered(items.count), []
    if items.pattern is None:
        message = "deliver: range needs items that have numbers: a pattern or a count"
        return Numbered(0), [Diagnostic(problems.NO_RANGE, message, path=at, hint="use pattern or count, or deliver: configMap")]
    patterns = _several(items.pattern)
    parsed = []
    for pattern in patterns:
        try:
            parsed.append(_parsed(pattern))
        except ValueError as problem:
            return Numbered(0), [_malformed(pattern, problem, at)]
    fault = braces.repeated(parsed)
    if fault is not None:
        message = f"the pattern {fault}" if len(parsed) == 1 else f"one of the patterns {fault}"
        hint = "use one number in each path: each number is read once"
        return Numbered(0), [Diagnostic(problems.PATTERN, message, path=(*at, "pattern"), hint=hint)]
    return Numbered(sum(one.total for one in parsed), patterns), []


def local_files(section: DataSection, document: str, slicers: Mapping[str, str], sandbox: Sandbox) -> dict[str, str]:
    """Return the digests of files next to the experiment `document` that the slices depend on, by name.

    `slicers` are the strategies of the project.
    """
    digests = _sources(section, os.path.dirname(document), sandbox)
    slices = section.slices
    if slices is not None and slices.by in slicers:
        digests |= _digest(f"slicer {slices.by}", slicers[slices.by], sandbox)
    return digests


def _nothing_listed(source: Items, folder: str, at: FieldPath) -> Diagnostic:
    """What to write instead of an empty list, or of a directory without a pattern of its files."""
    if source.directory is None:
        hint = "list at least one item, or use pattern, count, glob or manifest"
        return Diagnostic(problems.NONE, "the list of items is empty", path=(*at, "list"), hint=hint)
    where: FieldPath = (*at, "directory")
    if not os.path.isdir(os.path.join(folder, source.directory)):
        return Diagnostic(problems.NONE, directory.missing(source.directory), path=where, hint=directory.ON_A_VOLUME)
    message = f"items has the directory {source.directory}, but no glob: no file in it is an item"
    return Diagnostic(problems.NONE, message, path=where, hint='add glob, such as "**/*.tar"')


def _items(section: DataSection) -> Items:
    assert section.items is not None, "called only for a data set with items"
    return section.items


def _sources(section: DataSection, folder: str, sandbox: Sandbox) -> dict[str, str]:
    items = _items(section)
    if items.manifest is not None:
        return _digest(items.manifest, os.path.join(folder, items.manifest), sandbox)
    if items.glob is None:
        return {}
    matching, _ = _matched(items, items.glob, folder, sandbox, section.items_at)
    text = "".join(f"{path}\0{size}\n" for path, size in zip(matching.paths, matching.sizes, strict=True))
    return {items.directory or ".": sha256(text.encode()).hexdigest()}


def _matched(
    source: Items, patterns: str | Sequence[str], folder: str, sandbox: Sandbox, at: FieldPath
) -> tuple[items.DataItems, list[Diagnostic]]:
    label = source.directory or "."
    return directory.matched(sandbox, os.path.join(folder, label), _several(patterns), label, at)


def _digest(name: str, file: str, sandbox: Sandbox) -> dict[str, str]:
    content = sandbox.content(file, limit=sandbox.budgets.list_size)
    # The pass that reads the file reports what is wrong with it, with the line that names it.
    return {} if isinstance(content, Diagnostic) else {name: sha256(content).hexdigest()}


def _manifest(file: str, section: DataSection, sandbox: Sandbox, session: Session) -> tuple[items.DataItems, list[Diagnostic]]:
    because: FieldPath = (*section.items_at, "manifest")
    try:
        content = sandbox.read(file, limit=sandbox.budgets.list_size)
    except UnreadableError as problem:
        if not problem.is_missing:
            return items.DataItems(), [problem.diagnostic._replace(path=because)]
        message = f"the manifest {file} cannot be read: {problem.reason}"
        hint = "name a file relative to the folder of the experiment"
        return items.DataItems(), [Diagnostic(problems.UNREADABLE, message, path=because, hint=hint)]
    lines = content.count(b"\n") - file.lower().endswith(".csv")
    if lines > MOST_LISTED:
        hint = "divide them with `tjgen slices`, or list folders or archives"
        return items.DataItems(), [_too_many(lines, MOST_LISTED, because, hint)]
    # The runs of a sweep and the tasks of an experiment share it.
    key = f"{file} {sha256(content).hexdigest()}"
    contents = [content]
    del content  # the reader frees it once it is decoded
    known, diagnostics = session.latest(section.named("manifest of items"), key, lambda: manifest.read(contents.pop(), file))
    return known, list(diagnostics)


def _expanded(patterns: Sequence[str], section: DataSection, session: Session) -> tuple[items.DataItems, list[Diagnostic]]:
    slot, at = section.named("expanded patterns"), section.items_at
    known, problems = session.latest(slot, list(patterns), lambda: _each_expanded(patterns, at))
    return known, list(problems)


def _each_expanded(patterns: Sequence[str], at: FieldPath) -> tuple[items.DataItems, list[Diagnostic]]:
    collector = Collector(within=(*at, "pattern"))
    for position, pattern in enumerate(patterns):
        try:
            parsed = _parsed(pattern)
        except ValueError as problem:
            return items.DataItems(), [_malformed(pattern, problem, at)]
        total = len(collector.items) + parsed.total
        if total > MOST_EXPANDED:
            hint = "divide by contiguous, round-robin or weighted with deliver: range"
            return items.DataItems(), [_too_many(total, MOST_EXPANDED, (*at, "pattern"), hint)]
        paths = [path.encode() for path in parsed.paths()]
        collector.extend(paths, [UNKNOWN] * len(paths), [position] * len(paths))
    return collector.done()


def _parsed(pattern: str) -> braces.Pattern:
    """The parsed pattern; a ValueError if it is none."""
    if "*" in pattern:
        # A pattern is not compared with files, so a build cannot replace the * by names.
        raise ValueError("contains *, which is a character of the name here")
    return braces.parse(pattern)


def _malformed(pattern: str, problem: ValueError, at: FieldPath) -> Diagnostic:
    hint = "write numbers as {0000..1023}, words as {train,val}"
    if "*" in pattern:
        hint = f"write {pattern.replace('*', '{0000..1023}', 1)!r}, with the first and the last number of the files"
    return Diagnostic(problems.PATTERN, f"the pattern {pattern!r} {problem}", path=(*at, "pattern"), hint=hint)


def _too_many(count: int, limit: int, because: FieldPath, hint: str) -> Diagnostic:
    message = f"{count} items are too many to list: the limit is {limit}"
    return Diagnostic(problems.TOO_MANY, message, path=because, hint=hint)


def _several(patterns: str | Sequence[str]) -> list[str]:
    return [patterns] if patterns.__class__ is str else list(patterns)
