"""A folder, or a pattern -> the files below it, one by one, each a path or the error that prevented its search."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.files import problems
from tjgen.trees.files.problems import UnreadableError, over_budget, refused
from tjgen.trees.files.sandbox import Sandbox
from tjgen.trees.typing import TYPE_CHECKING

if TYPE_CHECKING:
    import re

Paths = Iterator[str | Diagnostic]


def below(sandbox: Sandbox, folder: str, wanted: Callable[[str], bool], empty: Callable[[str], None] | None = None) -> Paths:
    """The files below a folder whose name is wanted, in the order of their names; hidden ones and linked folders are left out.

    `empty` is called with each folder that contains nothing.
    """
    return _walk(sandbox, folder, wanted, (), follow=False, empty=empty)


def below_links(sandbox: Sandbox, folder: str, wanted: Callable[[str], bool]) -> Paths:
    """The files below a folder and below folders that links in it lead to, whose name is wanted; hidden ones are left out."""
    return _walk(sandbox, folder, wanted, (), follow=True)


def matching(sandbox: Sandbox, folder: str, pattern: str) -> Paths:
    """Yield the files below a folder that match a pattern. `**` matches any number of folders.

    Paths begin with `folder`. Hidden entries need a part of the pattern that begins with a dot.
    """
    parts = [part for part in pattern.split("/") if part not in ("", ".")]
    start = "/" if pattern.startswith("/") else folder
    return iter(dict.fromkeys(_matched(sandbox, start, parts, ())))


def is_pattern(text: str) -> bool:
    """Whether a path has a character that makes it a pattern."""
    return any(sign in text for sign in "*?[")


def _walk(
    sandbox: Sandbox,
    folder: str,
    wanted: Callable[[str], bool],
    chain: tuple[str, ...],
    *,
    follow: bool,
    empty: Callable[[str], None] | None = None,
) -> Paths:
    try:
        chain = _entered(sandbox, folder, chain)
        entries = sandbox.entries(folder)
    except UnreadableError as problem:
        yield problem.diagnostic
        return
    if not entries and empty is not None:
        empty(folder)
    for entry in entries:
        if entry.name.startswith("."):
            continue
        if entry.is_folder or (follow and entry.is_link and os.path.isdir(entry.path)):
            yield from _walk(sandbox, entry.path, wanted, chain, follow=follow, empty=empty)
        elif wanted(entry.name):
            yield entry.path


def _entered(sandbox: Sandbox, folder: str, chain: tuple[str, ...]) -> tuple[str, ...]:
    """The real paths of the folders down to this one. Raises UnreadableError."""
    real = sandbox.resolved(folder)
    if real is None:
        sandbox.check_folder(folder)
    assert real is not None, "check_folder refuses what has no place"
    if real in chain:
        raise refused(folder, problems.LINK, "its links lead in a circle", "remove the link")
    limit = sandbox.budgets.folder_depth
    if len(chain) > limit:
        raise over_budget(folder, "folder_depth", len(chain), limit, folder, "is at")
    return (*chain, real)


def _matched(sandbox: Sandbox, folder: str, parts: list[str], chain: tuple[str, ...]) -> Paths:
    if not parts:
        return
    part, rest = parts[0], parts[1:]
    if part == "..":
        yield from _matched(sandbox, os.path.join(folder, part), rest, ())
        return
    if not is_pattern(part):
        yield from _literal(sandbox, os.path.join(folder, part), rest, chain)
        return
    try:
        chain = _entered(sandbox, folder, chain)
        entries = sandbox.entries(folder)
    except UnreadableError as problem:
        yield problem.diagnostic
        return
    if part == "**":
        if rest:
            yield from _matched(sandbox, folder, rest, chain[:-1])
        for entry in entries:
            if entry.name.startswith("."):
                continue
            if entry.is_folder or (entry.is_link and os.path.isdir(entry.path)):
                yield from _matched(sandbox, entry.path, parts, chain)
            elif not rest:
                yield entry.path
        return
    fits = _pattern(part).fullmatch
    for entry in entries:
        if fits(entry.name) is None or (entry.name.startswith(".") and not part.startswith(".")):
            continue
        is_folder = entry.is_folder or (entry.is_link and os.path.isdir(entry.path))
        if rest and is_folder:
            yield from _matched(sandbox, entry.path, rest, chain)
        elif not rest and not is_folder:
            yield entry.path


def _literal(sandbox: Sandbox, path: str, rest: list[str], chain: tuple[str, ...]) -> Paths:
    """What a part of a pattern means that is a plain name."""
    if rest:
        if os.path.isdir(path):
            yield from _matched(sandbox, path, rest, chain)
    elif os.path.lexists(path) and not os.path.isdir(path):
        yield path


def _pattern(part: str) -> re.Pattern[str]:
    import re
    from fnmatch import translate

    known = _PATTERNS.get(part)
    if known is None:
        known = _PATTERNS[part] = re.compile(translate(part))
    return known


_PATTERNS: dict[str, re.Pattern[str]] = {}
