"""Functions that work on files -> runs of them that stop, fail, or die between two steps, one at a time or two at once."""

from __future__ import annotations

import os
import signal
import sys
import traceback
from collections.abc import Callable
from typing import Any, NamedTuple

STEPS = ("open", "os.rename", "os.mkdir", "os.listdir", "os.scandir", "os.remove", "os.rmdir", "os.link", "os.lstat")


class Watch:
    """Does something before a step of a program. An audit hook can never be removed, so there is one for all.

    `os.lstat` has no audit event, so it is replaced.
    """

    def __init__(self) -> None:
        self.act: Callable[[str, Any], None] | None = None
        sys.addaudithook(self._seen)
        real = os.lstat

        def lstat(path: Any, **more: Any) -> os.stat_result:
            self._seen("os.lstat", (path,))
            return real(path, **more)

        os.lstat = lstat

    def _seen(self, event: str, words: Any) -> None:
        if self.act is not None and event in STEPS:
            act, self.act = self.act, None
            try:
                act(event, words)
            finally:
                self.act = act


class Process:
    """A function in a process of its own, which stops before one of its steps until it may go on."""

    def __init__(self, function: Callable[[Callable[[], None]], None], watch: Watch) -> None:
        """`function` gets a function that stops it, for a wait that is not a step."""
        (mine, yours), (reads, writes) = os.pipe(), os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            os.close(reads)
            os.close(yours)
            left = 0

            def stop(kind: bytes) -> None:
                nonlocal left
                os.write(writes, kind)
                order = os.read(mine, 16)
                if not order:
                    os._exit(9)
                left = int(order)
                if left < 0:
                    number, left = -left, 1_000_000
                    raise OSError(number, os.strerror(number))

            def step(event: str, words: Any) -> None:
                nonlocal left
                left -= 1
                if left < 0:
                    stop(b"s")

            code = 1
            try:
                watch.act = step
                function(lambda: stop(b"w"))
                code = 0
            finally:
                watch.act = None
                if code:
                    traceback.print_exc(file=sys.__stderr__)
                os._exit(code)
        os.close(writes)
        os.close(mine)
        self._orders, self._events = yours, reads
        self.is_alive, self.is_broken = True, False
        if not os.read(reads, 1):
            self._end()

    def go(self, order: int) -> bool:
        """Let it do so many steps, or let its next step fail with the error of the negative number; whether it waits now."""
        os.write(self._orders, str(order).encode())
        event = os.read(self._events, 1)
        if not event:
            self._end()
        return event == b"w"

    def kill(self) -> None:
        """Kill it before its next step."""
        os.kill(self.pid, signal.SIGKILL)
        self._end()

    def _end(self) -> None:
        _, status = os.waitpid(self.pid, 0)
        self.is_broken = os.WIFEXITED(status) and os.WEXITSTATUS(status) != 0
        os.close(self._orders)
        os.close(self._events)
        self.is_alive = False


class Fault(NamedTuple):
    """An error of a step."""

    at: int
    """Number of the step, from 1."""
    number: int
    """The error, such as `errno.EIO`."""
    lasts: int
    """Steps that fail."""

    def __call__(self, count: int) -> None:
        """Raise the error if the step `count` is one that fails."""
        if self.at <= count < self.at + self.lasts:
            raise OSError(self.number, os.strerror(self.number))
