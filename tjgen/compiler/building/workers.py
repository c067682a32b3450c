"""The files of a large build -> what is in them, compiled by several processes.

A build starts workers by a fork, after it has compiled a part of its files: they share its modules, its catalog and its session.
With two workers, one compiles every second file of the rest. The build reads their answers in the order of the files. It takes an
answer only if the worker read no other files, and it compiles a file itself if there is no answer. So the results, their order
and every error are the same as those of one process, also if a worker fails. Workers write no files.
"""

from __future__ import annotations

import copyreg
import os
import pickle
import signal
from collections.abc import Callable, Sequence
from io import BytesIO
from types import MappingProxyType

from tjgen.compiler.building.run import Built
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.typing import Any, NamedTuple

_LENGTH = 8
"""Bytes that have the length of an answer. The length 0 means that the worker has none."""
_STREAMS = 3
"""Standard input, output and error."""
_DESCRIPTORS = 1024
"""More than a build opens. The limit of the system may be a billion, which some systems close one by one."""


class Answer(NamedTuple):
    """What a worker found in a file."""

    environments: list[str | None]
    """The environments that it was compiled for."""
    problems: list[Diagnostic]
    """What is wrong with the text of the file."""
    units: list[Built]
    overlays: list[tuple[str, ...]]
    """For each of the environments, names of overlays that are for an experiment."""


class Workers:
    """The workers of one build. `close` ends them."""

    def __init__(self, count: int, files: Sequence[str], compile_file: Callable[[str], Answer | None], shared: list[Any]) -> None:
        """Start up to `count` workers for `files`. They refer to the objects in `shared` instead of sending copies of them."""
        self._shared = shared
        self._next = 0
        self._workers: list[_Worker | None] = []
        for first in range(count):
            worker = _start(files[first::count], compile_file, shared)
            self._workers.append(worker)

    def answer(self) -> Answer | None:
        """What is in the next file; None if the build must compile it."""
        place = self._next % len(self._workers)
        self._next += 1
        worker = self._workers[place]
        if worker is None:
            return None
        content = worker.read()
        if content is None:
            worker.end()
            self._workers[place] = None
        return _Unpickler(content, self._shared).load() if content else None

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
        """The next answer, empty if there is none; None if the worker has ended too early."""
        length = self._pipe.read(_LENGTH)
        count = int.from_bytes(length, "big")
        content = self._pipe.read(count) if len(length) == _LENGTH else None
        return content if content is not None and len(content) == count else None

    def end(self) -> None:
        self._pipe.close()
        os.kill(self._process, signal.SIGKILL)
        os.waitpid(self._process, 0)


def _start(files: Sequence[str], compile_file: Callable[[str], Answer | None], shared: Sequence[Any]) -> _Worker | None:
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
        pickled = _pickle_with(shared)
        with os.fdopen(writer, "wb") as pipe:
            for file in files:
                answer = compile_file(file)
                content = pickled(answer) if answer is not None else b""
                pipe.write(len(content).to_bytes(_LENGTH, "big") + content)
                pipe.flush()
    finally:
        # An exception, too, ends here: the build compiles the file again, and reports what is wrong.
        os._exit(0)


def _pickle_with(shared: Sequence[Any]) -> Callable[[Answer], bytes]:
    """The function that pickles answers, with references to the objects in `shared`."""
    numbers = {id(one): number for number, one in enumerate(shared)}

    def reduced(value: Any) -> Any:
        number = numbers.get(id(value))
        return value.__reduce_ex__(pickle.HIGHEST_PROTOCOL) if number is None else (_shared, (number,))

    # A `persistent_id` would be called for every text, too, which takes longer than all else.
    reducers = {**copyreg.dispatch_table, MappingProxyType: _reduced_mapping, **dict.fromkeys(map(type, shared), reduced)}

    def pickled(answer: Answer) -> bytes:
        stream = BytesIO()
        pickler = pickle.Pickler(stream, pickle.HIGHEST_PROTOCOL)
        pickler.dispatch_table = reducers
        pickler.dump(answer)
        return stream.getvalue()

    return pickled


def _reduced_mapping(mapping: MappingProxyType[Any, Any]) -> Any:
    """A read-only mapping, whose type pickle does not find by its name."""
    return _read_only, (dict(mapping),)


def _read_only(mapping: dict[Any, Any]) -> MappingProxyType[Any, Any]:
    return MappingProxyType(mapping)


def _shared(number: int) -> Any:
    """The shared object with a number: `_Unpickler` replaces this function."""
    raise LookupError(number)


class _Unpickler(pickle.Unpickler):
    def __init__(self, content: bytes, shared: list[Any]) -> None:
        super().__init__(BytesIO(content))
        self._shared = shared

    def find_class(self, module: str, name: str) -> Any:
        """The class or function of a name."""
        return self._shared.__getitem__ if (module, name) == (__name__, _shared.__name__) else super().find_class(module, name)
