"""The folder of the slices -> a record in it of what `tjgen slices` wrote there. The next command deletes nothing else.

The record is the file `.tjgen-slices`. It has a line `DIGEST  slice-N/items.FORM` for each list, with its SHA-256, as sha256sum
prints it; and a line `work  NAME` for the work folder of a command that runs or was killed. A command that is killed at any
point leaves a record of all that it wrote, and possibly an empty work folder.
"""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import shutil
from collections.abc import Iterator
from contextlib import suppress

from tjgen.tools.inventory.request import FOLDER, InventoryError
from tjgen.trees.files.regular import read_regular

_NAME = ".tjgen-slices"
_WORK = re.compile(rf"{re.escape(_NAME)}-[0-9a-f]{{8}}")
_SLICE = re.compile(r"slice-[0-9]+")
_LIMIT = 64 << 20
"""Bytes of a record: about 700,000 lists."""


class SlicesRecord:
    """The record of one folder. Errors of files are OSError."""

    def __init__(self, folder: str) -> None:
        """Read nothing yet."""
        self._folder = folder
        self._file = os.path.join(folder, _NAME)
        self._lines: set[str] = set()
        self._work = ""
        """The name of the work folder of this command."""

    def removable(self) -> list[str]:
        """Read the record, and return the lists of earlier commands in the folder. Raises InventoryError if it contains more."""
        self._lines = self._read()
        works = set(self._works())
        lists = []
        for name in sorted(os.listdir(self._folder)):
            path = os.path.join(self._folder, name)
            if name == _NAME or name in works or (_WORK.fullmatch(name) and not os.listdir(path)):
                continue
            if not _SLICE.fullmatch(name) or os.path.islink(path) or not os.path.isdir(path):
                raise _foreign(path)
            for item in sorted(os.listdir(path)):
                file = os.path.join(path, item)
                if os.path.islink(file) or not os.path.isfile(file) or _line(file, name) not in self._lines:
                    raise _foreign(file)
                lists.append(file)
        return lists

    def begin(self) -> str:
        """Remove what killed commands left, and return the path of a new work folder, which the record names."""
        for name in os.listdir(self._folder):
            if _WORK.fullmatch(name):
                shutil.rmtree(os.path.join(self._folder, name))
        self._work = f"{_NAME}-{secrets.token_hex(4)}"
        with open(self._file, "a", encoding="utf-8") as stream:
            stream.write(f"work  {self._work}\n")
        work = os.path.join(self._folder, self._work)
        os.mkdir(work)
        return work

    def replace(self, new: str) -> None:
        """Replace the lists of earlier commands by the folders in `new`, which is in the work folder.

        Raises InventoryError, and changes nothing, if the folder now contains what the record does not name.
        """
        names = sorted(os.listdir(new))
        written = {_line(os.path.join(new, name, file), name) for name in names for file in os.listdir(os.path.join(new, name))}
        earlier = self.removable()
        self._lines |= written
        self._write(self._lines)
        for file in earlier:
            os.unlink(file)
        for name in os.listdir(self._folder):
            if _SLICE.fullmatch(name):
                os.rmdir(os.path.join(self._folder, name))  # fails if it has a new file
        for name in names:
            os.rename(os.path.join(new, name), os.path.join(self._folder, name))
        self._lines = written

    def end(self) -> None:
        """Remove the work folder, and its line from the record. A record that names no list goes."""
        if not self._work:
            return
        work = os.path.join(self._folder, self._work)
        with suppress(OSError):  # a record that names more than there is harms nothing
            shutil.rmtree(work)
            lines = {line for line in self._lines if not line.startswith("work  ")}
            if lines:
                os.mkdir(work)
                self._write(lines)
                os.rmdir(work)
            else:
                os.unlink(self._file)

    def _works(self) -> Iterator[str]:
        return (name for line in self._lines if _WORK.fullmatch(name := line.removeprefix("work  ")))

    def _read(self) -> set[str]:
        try:
            return set(read_regular(self._file, _LIMIT).decode(errors="replace").splitlines())
        except FileNotFoundError:
            return set()

    def _write(self, lines: set[str]) -> None:
        file = os.path.join(self._folder, self._work, "record")
        with open(file, "w", encoding="utf-8") as stream:
            stream.writelines(f"{line}\n" for line in sorted(lines))
        os.replace(file, self._file)


def _line(file: str, name: str) -> str:
    """Return the line of a list in the folder `name`."""
    with open(file, "rb") as stream:
        return f"{hashlib.file_digest(stream, 'sha256').hexdigest()}  {name}/{os.path.basename(file)}"


def _foreign(path: str) -> InventoryError:
    message = f"{path} was not written by an earlier tjgen slices, or has changed since"
    return InventoryError(FOLDER, message, "delete it if you do not need it, or name a new folder with --output")
