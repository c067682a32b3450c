"""The files of a large build -> records of the runs in them, compiled by several processes.

A build starts workers by a fork, after it has compiled a part of its files: they share its modules, its catalog and its session.
With two workers, one compiles every second file of the rest. The build reads their answers in the order of the files, and
compiles every run that has no record. So the results, their order and every error are the same as those of one process, also if a
worker fails. Workers write no files.
"""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable, Sequence

from tjgen.compiler.building.records import FileRecords, KnownRuns
from tjgen.trees.diagnostics.model import Diagnostic

_LENGTH = 8
"""Bytes that have the length of an answer."""
_STREAMS = 3
"""Standard input, output and error."""
_DESCRIPTORS = 1024
"""More than a build opens. The limit of the system may be a billion, which some systems close one by one."""


class Workers:
    """The workers of one build. `close` ends them."""

    def __init__(self, count: int, files: Sequence[str], record: Callable[[str], FileRecords]) -> None:
        """Start up to `count` workers for `files`, which call `record` for each."""
        self._next = 0
        self._workers = [_start(files[first::count], record) for first in range(count)]

    def answer(self, file: str, content: bytes | Diagnostic) -> KnownRuns | None:
        """The records of the next file; None if the build must compile it."""
        del file, content  # a worker reads the same files as the build
        records = self.records()
        return KnownRuns(records) if records is not None else None

    def records(self) -> FileRecords | None:
        """The records of the next file, plain; None if its worker failed."""
        place = self._next % len(self._workers)
        self._next += 1
        worker = self._workers[place]
        if worker is None:
            return None
        content = worker.read()
        if content is None:
            worker.end()
            self._workers[place] = None
            return None
        records: FileRecords = json.loads(content)
        return records

    def close(self) -> None:
        """End all workers, also in the middle of a file."""
        for worker in self._workers:
            if worker is not None:
                worker.end()
        self._workers.clear()


class _Worker:
    """A process that compiles files, seen from the build."""

    __slots__ = ("_pipe", "_process")

    def __init__(self, process: int, descriptor: int) -> None:
        self._process = process
        self._pipe = os.fdopen(descriptor, "rb")

    def read(self) -> bytes | None:
        """The next answer; None if the worker has ended too early."""
        length = self._pipe.read(_LENGTH)
        count = int.from_bytes(length, "big")
        content = self._pipe.read(count) if len(length) == _LENGTH else None
        return content if content is not None and len(content) == count else None

    def end(self) -> None:
        self._pipe.close()
        os.kill(self._process, signal.SIGKILL)
        os.waitpid(self._process, 0)


def _start(files: Sequence[str], record: Callable[[str], FileRecords]) -> _Worker | None:
    """A worker for these files; None if the system has no process for it."""
    reader, writer = os.pipe()
    try:
        process = os.fork()
    except OSError:
        os.close(reader)
        os.close(writer)
        return None
    if process:
        os.close(writer)
        return _Worker(process, reader)
    try:
        # An interruption ends the worker at once, without a message. The build reports it.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        # A worker holds no lock of the build, and no end of the pipes of other workers: it ends when the build does.
        os.closerange(_STREAMS, writer)
        os.closerange(writer + 1, _DESCRIPTORS)
        with os.fdopen(writer, "wb") as pipe:
            for file in files:
                content = json.dumps(record(file), separators=(",", ":")).encode()
                pipe.write(len(content).to_bytes(_LENGTH, "big") + content)
                pipe.flush()
    finally:
        # An exception, too, ends here: the build compiles the file again, and reports what is wrong.
        os._exit(0)
