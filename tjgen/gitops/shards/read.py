"""Files of shards -> the records of a build in the order of its files, or what is wrong with the files.

A file is read twice: all of it for its checksum before the build begins, and then a line for each file of experiments. What a
record has is not computed again, except for the first recorded run of each shard.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from hashlib import sha256
from io import BufferedReader

from tjgen.compiler.building.plan import Plan
from tjgen.compiler.building.records import KnownRuns
from tjgen.gitops.shards import problems
from tjgen.gitops.shards.inputs import ShardInputs, difference, inputs_of
from tjgen.gitops.shards.shapes import RecordShape
from tjgen.gitops.shards.write import FORMAT, Shard, content_digest, shard_of
from tjgen.trees import system
from tjgen.trees.diagnostics.model import CompileError, Diagnostic
from tjgen.trees.typing import Any, NamedTuple

_LONGEST = 256 * 1024 * 1024
"""Bytes of a line: the records of a file with some ten thousand runs."""
_PREFIX, _SUFFIX = "shard-", ".jsonl"
_DEPTH = 2
"""Levels of folders that are searched: CI systems give each artifact its own."""


class _Part(NamedTuple):
    """The file of one shard."""

    path: str
    shard: Shard
    inputs: ShardInputs
    stream: BufferedReader
    """After its first line."""
    files: int
    """Lines of files."""


class Shards:
    """The shards of a build, complete and of the same inputs. Close them after use."""

    def __init__(self, paths: Sequence[str], plan: Plan, previews: str) -> None:
        """Open the shards in `paths`, files or folders. Raises CompileError (TJ240 to TJ242)."""
        self._shape = RecordShape(plan)
        self._previews = previews
        self._next = 0
        self._sampled: set[int] = set()
        with ExitStack() as stack:
            parts = _opened(paths, stack)
            wrong = [*_incomplete(parts, paths), *_different(parts, inputs_of(plan, previews))]
            wrong = wrong or [problems.truncated(one.path) for one in parts if one.files != len(one.shard.of(plan.files))]
            if wrong:
                raise CompileError(wrong)
            self._parts = sorted(parts, key=lambda one: one.shard)
            self._stack = stack.pop_all()

    def __enter__(self) -> Shards:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the files."""
        self._stack.close()

    def answer(self, file: str, content: bytes | Diagnostic) -> KnownRuns | None:
        """The records of the next file. Raises CompileError for an invalid record, and for one of another text (TJ242)."""
        place, line = self._next % len(self._parts), self._next // len(self._parts) + 2
        self._next += 1
        part = self._parts[place]
        value = _parsed(part.stream.readline(_LONGEST))
        if value.__class__ is not dict or [*value] != ["file", "content", "runs"] or value["file"] != file:
            raise CompileError([problems.invalid(part.path, line)])
        if isinstance(content, Diagnostic):
            return None
        if value["content"] != content_digest(content):
            raise CompileError([problems.other_text(part.path, line, part.shard, file)])
        records = value["runs"]
        if records.__class__ is not dict or not all(map(self._shape.is_record, records.values())):
            raise CompileError([problems.invalid(part.path, line)])
        if not records or place in self._sampled:
            return KnownRuns(records)
        self._sampled.add(place)
        return KnownRuns(records, lambda run: problems.differs(part.path, line, part.shard, run), self._previews)


def _opened(paths: Sequence[str], stack: ExitStack) -> list[_Part]:
    """The shards in `paths`. Raises CompileError for a file that is not a shard, or is damaged."""
    parts: list[_Part] = []
    wrong: list[Diagnostic] = []
    for path in dict.fromkeys(file for one in paths for file in _files(one)):
        part = _part(path, stack)
        if isinstance(part, Diagnostic):
            wrong.append(part)
        else:
            parts.append(part)
    if wrong:
        raise CompileError(wrong)
    return parts


def _files(path: str, depth: int = _DEPTH) -> Iterator[str]:
    """The file itself, or the files of shards in a folder, by name."""
    if not os.path.isdir(path):
        yield path
        return
    try:
        entries = sorted(os.scandir(path), key=lambda one: one.name)
    except OSError as error:
        raise CompileError([problems.unreadable(path, error)]) from None
    for entry in entries:
        if entry.is_dir(follow_symlinks=False):
            if depth > 1:
                yield from _files(entry.path, depth - 1)
        elif entry.name.startswith(_PREFIX) and entry.name.endswith(_SUFFIX):
            yield entry.path


def _part(path: str, stack: ExitStack) -> _Part | Diagnostic:
    try:
        stream = stack.enter_context(os.fdopen(os.open(path, system.READ), "rb"))
        if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
            return problems.unreadable(path, None)
        first = stream.readline(_LONGEST)
        head = _parsed(first)
        if head.__class__ is not dict or head.get("format") != FORMAT:
            return problems.no_shard(path)
        whole, line, count = sha256(), first, -1
        while following := stream.readline(_LONGEST):
            whole.update(line)
            line = following
            count += 1
        stream.seek(len(first))
    except (OSError, ValueError) as error:
        return problems.unreadable(path, error)
    if _parsed(line) != {"sha256": whole.hexdigest()}:
        return problems.truncated(path)
    shard, inputs = shard_of(f"{head.get('shard')}/{head.get('of')}"), head.get("inputs")
    if shard is None or inputs.__class__ is not dict or [*inputs] != [*ShardInputs._fields]:
        return problems.invalid(path, 1)
    return _Part(path, shard, ShardInputs(**inputs), stream, count)


def _incomplete(parts: Sequence[_Part], paths: Sequence[str]) -> Iterator[Diagnostic]:
    if not parts:
        yield problems.none(paths)
        return
    known: dict[Shard, _Part] = {}
    for one in parts:
        first = known.setdefault(one.shard, one)
        if first is not one:
            yield problems.repeated(one.path, first.path, one.shard)
    counts = sorted({one.shard.total for one in parts})
    if len(counts) > 1:
        yield problems.mixed(parts[0].path, counts)
        return
    shards = [Shard(number, counts[0]) for number in range(1, counts[0] + 1)]
    missing = [str(shard) for shard in shards if shard not in known]
    if missing:
        yield problems.missing(paths, missing)


def _different(parts: Sequence[_Part], own: ShardInputs) -> Iterator[Diagnostic]:
    for one in parts:
        words = difference(one.inputs, own)
        if words is not None:
            yield problems.other_inputs(one.path, one.shard, words)


def _parsed(line: bytes) -> Any:
    """The value of a line of JSON; None if it is not one."""
    try:
        return json.loads(line, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return None


def _refuse(constant: str) -> Any:
    raise ValueError(constant)
