"""An input -> what happened: exit code, output, and what it took. One Runner for a process, which stays in its own folder."""

from __future__ import annotations

import errno
import io
import os
import resource
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from email.message import Message
from types import FrameType
from typing import Any, NamedTuple
from unittest.mock import patch

from tests.fuzz.fence import Fence
from tests.fuzz.inputs import CLOSED, FULL, PROGRAM, Input, lay_out
from tests.fuzz.library import CALLS
from tjgen.cli.program import run
from tjgen.cluster.registry.transport import Response, Transport

MOST_SECONDS = 1.0
"""CPU time that an input may take."""
MOST_BLOCKED = 20.0
"""Seconds on the clock after which an input that uses no CPU time is taken for blocked."""
MOST_MEMORY = 300 << 20
"""Bytes of resident memory that an input may add."""
RAISED = -1
HUNG = -2


class Result(NamedTuple):
    """What a run did."""

    code: int
    """Exit code; RAISED for an exception that came out, HUNG for a run that was stopped."""
    out: bytes
    err: str
    """Standard error; the traceback where an exception came out."""
    seconds: float
    """CPU time of this process."""
    memory: int = 0
    """Bytes that the process has added at most, where that was asked for."""


class _TooLong(BaseException):
    """The time is up. No part of the program catches it."""


class _Full(io.RawIOBase):
    def writable(self) -> bool:
        return True

    def write(self, content: Any) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


class Runner:
    """Runs inputs in one process, each in an empty folder."""

    def __init__(self, *, most_seconds: float = MOST_SECONDS) -> None:
        root = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
        self._folder = os.path.realpath(tempfile.mkdtemp(prefix="tjgen-fuzz-", dir=root))
        self._most_seconds = most_seconds
        self._fence = Fence()
        self._start = resident()
        self._variables = {
            **{name: value for name, value in os.environ.items() if not name.startswith(("ARGOCD_", "GIT_", "XDG_", "TJGEN_"))},
            "HOME": os.path.join(self._folder, "home"),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CEILING_DIRECTORIES": self._folder,
            "COLUMNS": "100",
        }
        self._number = 0
        tempfile.tempdir = self._folder
        signal.signal(signal.SIGPROF, _stop)
        signal.signal(signal.SIGALRM, _stop)

    def close(self) -> None:
        """Remove the folder."""
        shutil.rmtree(self._folder, ignore_errors=True)

    def run(self, one: Input) -> Result:
        """Run the input."""
        self._number += 1
        work = os.path.join(self._folder, str(self._number))
        place = os.path.join(work, "work")
        os.makedirs(place)
        lay_out(one.files, place)
        os.chdir(place)
        for name in [name for name in os.environ if name not in self._variables]:
            del os.environ[name]
        os.environ.update(self._variables)
        os.environ.update({"XDG_CACHE_HOME": os.path.join(work, "cache"), **one.variables})
        started = time.process_time()
        with self._fence.around(self._folder):
            try:
                signal.setitimer(signal.ITIMER_PROF, self._most_seconds)
                signal.setitimer(signal.ITIMER_REAL, MOST_BLOCKED)
                code, out, err = _call(one)
            except _TooLong:
                code, out, err = HUNG, b"", traceback.format_exc()
            except BaseException:  # noqa: BLE001  # whatever comes out of the program is a finding
                code, out, err = RAISED, b"", traceback.format_exc()
            finally:
                signal.setitimer(signal.ITIMER_PROF, 0)
                signal.setitimer(signal.ITIMER_REAL, 0)
        seconds = time.process_time() - started
        os.chdir(self._folder)
        written = _written(place, one) if one.call == PROGRAM and code == 0 and self._number % 4 == 0 else b""
        _remove(work)
        return Result(code, out or written, err, seconds)

    @property
    def memory(self) -> int:
        """Bytes by which the most resident memory of this process exceeds that at its start. The question takes a millisecond."""
        return resident_most() - self._start


def _stop(number: int, frame: FrameType | None) -> None:
    raise _TooLong


def _call(one: Input) -> tuple[int, bytes, str]:
    with _answers_of(one):
        if one.call != PROGRAM:
            CALLS[one.call](one.stdin)
            return 0, b"", ""
        given = io.TextIOWrapper(io.BytesIO(one.stdin), encoding="utf-8")
        written = io.BytesIO()
        out = _stream(one.output, written)
        err = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", errors="backslashreplace", newline="")
        with patch("sys.stdin", given), patch("sys.stdout", out), patch("sys.stderr", err):
            try:
                code = run(list(one.words))
                if not err.closed:
                    err.flush()
            except SystemExit as leaving:
                code = leaving.code if isinstance(leaving.code, int) else 1
        text = "" if err.closed else err.buffer.getvalue().decode()
        if out is not None and one.output != FULL:
            out.flush()
        return code, written.getvalue(), text


def _stream(output: str, written: io.BytesIO) -> io.TextIOWrapper | None:
    """Standard output as Python makes it: None where it is closed."""
    if output == CLOSED:
        return None
    if output == FULL:
        return io.TextIOWrapper(io.BufferedWriter(_Full()), encoding="utf-8", newline="")
    return io.TextIOWrapper(written, encoding=output, newline="")


@contextmanager
def _answers_of(one: Input) -> Iterator[None]:
    if not one.replies:
        yield
        return
    turns = iter(one.replies)

    def answer(transport: Transport, request: Any) -> Response:
        reply = next(turns, None)
        if reply is None:
            raise ConnectionRefusedError(errno.ECONNREFUSED, os.strerror(errno.ECONNREFUSED))
        status, name, value, body = reply
        headers = Message()
        headers[name] = value.replace("\n", " ").replace("\r", " ")
        return Response(status, headers, body)

    with patch.object(Transport, "_once", answer), patch("time.sleep"):
        yield


def _written(place: str, one: Input) -> bytes:
    """The manifests that the command has written below its output folders, as one stream."""
    texts = []
    for folder in ("deploy", "out"):
        for root, _, names in os.walk(os.path.join(place, folder)):
            for name in names:
                path = os.path.join(root, name)
                if name.endswith(".yaml") and os.path.isfile(path):
                    with open(path, "rb") as file:
                        content = file.read()
                    if one.files.get(os.path.relpath(path, place)) != content:
                        texts.append(content)
    return b"\n---\n".join(texts)


def _remove(folder: str) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    if os.path.exists(folder):
        for root, _, _ in os.walk(folder):
            os.chmod(root, 0o755)
        shutil.rmtree(folder, ignore_errors=True)


def resident() -> int:
    """Bytes of memory that this process has now."""
    with open("/proc/self/statm", "rb") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


def resident_most() -> int:
    """Bytes of memory that this process has had at most."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
