"""Steps of long work -> one line on a terminal that is updated, and cleared at the end."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from time import monotonic

_AFTER = 0.5
"""Seconds of work before the first progress line: most commands end earlier."""
_EVERY = 0.1
_CLEAR = "\r\x1b[2K"


class Progress:
    """A progress line. `write` puts text on the terminal, `now` returns seconds."""

    __slots__ = ("_next", "_now", "_shown", "_width", "_write")

    def __init__(self, write: Callable[[str], object], *, width: int, now: Callable[[], float] = monotonic) -> None:
        self._write = write
        self._width = width
        self._now = now
        self._next = now() + _AFTER
        self._shown = False

    def step(self, done: int, whole: int, begins: str) -> None:
        """Show that `done` of `whole` steps (0: unknown) are done and which one begins; after the last step, clear the line."""
        if whole and done >= whole:
            self.clear()
            return
        now = self._now()
        if now < self._next:
            return
        self._next = now + _EVERY
        count = f"{done + 1}/{whole}" if whole else f"{done + 1}"
        # Names of files are not a place for signs that move the cursor.
        name = "".join(sign if sign.isprintable() else "?" for sign in begins)
        width = self._width - len(count) - 2
        cut = name if len(name) <= width else f"…{name[len(name) - width + 1 :]}" if width > 1 else ""
        self._write(f"{_CLEAR}{count} {cut}".rstrip())
        self._shown = True

    def clear(self) -> None:
        """Take the line away, so that something else can be written."""
        if self._shown:
            self._write(_CLEAR)
            self._shown = False


def on_terminal() -> Progress:
    """Progress on standard error, which is a terminal; nothing of it is kept where answers are."""
    stream = sys.stderr
    write = getattr(stream, "pass_by", stream.write)

    def at_once(text: str) -> None:
        write(text)
        stream.flush()

    return Progress(at_once, width=_columns())


def _columns() -> int:
    try:
        return os.get_terminal_size(2).columns or 80  # a terminal may not know its size
    except OSError:
        return 80
