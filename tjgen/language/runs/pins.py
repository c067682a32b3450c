"""An image by its tag -> the digest that the project has pinned it to: what the tag meant when it was pinned.

    tjgen.lock.d/_images/<registry>/<repository>/<tag>.yaml

One file an image, so that branches that pin different images merge. `tjgen pin` writes them, and a
build only reads them, so that the same sources give the same manifests after a tag moves.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from tjgen.language.platform.images import tagged
from tjgen.language.runs.lock import API_VERSION
from tjgen.language.runs.store import IMAGES, is_missing
from tjgen.trees.diagnostics.model import CompileError, Diagnostic, Span
from tjgen.trees.files.beneath import Beneath

KIND = "ImagePin"
_COMMENT = "# Written by tjgen pin: the digest that runs of the image get. Commit it.\n"
_DIGITS = frozenset("0123456789abcdef")


class Pins:
    """The pins of a project, each read on demand; `folder` is the folder of locks."""

    def __init__(self, folder: str) -> None:
        self._folder = os.path.join(folder, IMAGES)
        above, self._name = os.path.split(folder)
        self._files = Beneath(above or ".")
        self._known: dict[str, str | None] = {}

    def digest(self, image: str) -> str | None:
        """The digest that an image as it is written is pinned to. Raises CompileError (TJ721) where its pin is damaged."""
        full = tagged(image)
        if full is None:
            return None
        if full not in self._known:
            self._known[full] = self._read(full)
        return self._known[full]

    def place(self, full: str) -> str:
        """The file of the pin of an image in its long form."""
        return os.path.join(self._folder, path_of(full))

    def files(self) -> Iterator[str]:
        """The files of all pins, in order."""
        for path in self._files.files(f"{self._name}/{IMAGES}"):
            if path.endswith(".yaml"):
                yield os.path.join(os.path.dirname(os.path.dirname(self._folder)), path)

    def _read(self, full: str) -> str | None:
        file = self.place(full)
        try:
            text = self._files.text(f"{self._name}/{IMAGES}/{path_of(full)}")
        except (OSError, UnicodeDecodeError) as error:
            if is_missing(error):
                return None
            reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
            raise CompileError([_damaged(f"the pin cannot be read: {reason}", file)]) from None
        begin, end = write(full, "").removesuffix("\n"), "\n"
        digest = text[len(begin) :].removesuffix(end)
        if not text.startswith(begin) or not _is_digest(digest):
            conflict = any(line.startswith(("<<<<<<<", ">>>>>>>")) for line in text.split("\n"))
            what = "contains a merge conflict" if conflict else "is not in the form that tjgen pin writes"
            raise CompileError([_damaged(f"the pin of {full} {what}", file)])
        return digest


def write(full: str, digest: str) -> str:
    """The text of the pin of an image in its long form."""
    return f"{_COMMENT}apiVersion: {API_VERSION}\nkind: {KIND}\nimage: {full}\ndigest: {digest}\n"


def path_of(full: str) -> str:
    """The path of a pin below the folder of pins: a port is set off by what no registry has in its name."""
    repository, _, tag = full.rpartition(":")
    return f"{repository.replace(':', '_')}/{tag}.yaml"


def _is_digest(text: str) -> bool:
    algorithm, _, digits = text.partition(":")
    return algorithm == "sha256" and len(digits) == 64 and _DIGITS.issuperset(digits)


def _damaged(message: str, file: str) -> Diagnostic:
    return Diagnostic(
        "TJ721", message, span=Span(file, 1, 1, 1, 1), hint="keep the right digest, or remove the file and run tjgen pin"
    )
