"""Standard streams that were closed before the program started -> streams that report it when they are used."""

from __future__ import annotations

import errno
import io
import os

STANDARD_INPUT = "<stdin>"


class ClosedOutput(io.TextIOBase):
    """Standard output of `tjgen ... >&-`: a command that writes nothing succeeds, and each write fails."""

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))


class ClosedInput(io.TextIOBase):
    """Standard input of `tjgen ... <&-`, with the bytes in `buffer` as in any other text stream."""

    @property
    def buffer(self) -> ClosedInput:
        return self

    def readable(self) -> bool:
        return True

    def read(self, size: int | None = -1) -> str:
        raise OSError(errno.EBADF, os.strerror(errno.EBADF), STANDARD_INPUT)
