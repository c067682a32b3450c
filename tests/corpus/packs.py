"""Packs of recorded truth -> a folder of the files that they hold.

A pack is a compressed list of files: a line of JSON for each, {"file": path, "text": content}, in the order of the paths.
There is one for each release of Trainer (what its controller and webhooks made of an input), and one for the verdicts of the
API server.
"""

from __future__ import annotations

import hashlib
import json
import lzma
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.checkout import ROOT

HERE = Path(__file__).parent
NAMES = ("admit", "expand", "expand-v2.0.1", "expand-v2.1.0", "expand-v2.2.1")
LEFT_OUT = ("README.md", "index.json")
"""What is said about a corpus, and no part of it."""
SOURCE = ROOT.parent / "shared" / "corpus"
"""Where the recordings are that packs are made of."""


def pack(name: str) -> Path:
    """The file of a pack."""
    return HERE / f"{name}.jsonl.xz"


def files(folder: Path) -> Iterator[tuple[str, str]]:
    """The path and the text of each file below a folder of recordings, in the order of the paths."""
    for path in sorted(folder.rglob("*"), key=lambda path: path.relative_to(folder).as_posix()):
        if path.is_file() and path.name not in LEFT_OUT:
            yield path.relative_to(folder).as_posix(), path.read_bytes().decode()


def packed(folder: Path) -> bytes:
    """The pack of a folder: the same bytes for the same files."""
    lines = (json.dumps({"file": file, "text": text}, ensure_ascii=False) + "\n" for file, text in files(folder))
    return lzma.compress("".join(lines).encode(), preset=9 | lzma.PRESET_EXTREME)


def unpacked(name: str) -> Iterator[tuple[str, str]]:
    """The path and the text of each file of a pack."""
    for line in lzma.decompress(pack(name).read_bytes()).decode().split("\n")[:-1]:
        one = json.loads(line)
        yield one["file"], one["text"]


def corpora() -> Path:
    """The folder of the recordings: that of TJGEN_CORPUS, or `.corpus` in the checkout, filled from the packs."""
    if "TJGEN_CORPUS" in os.environ:
        return Path(os.environ["TJGEN_CORPUS"])
    digest = hashlib.sha256(b"".join(pack(name).read_bytes() for name in NAMES)).hexdigest()[:16]
    folder = ROOT / ".corpus" / digest
    if not folder.is_dir():
        folder.parent.mkdir(exist_ok=True)
        # Renamed when it is complete: of two sessions that start at once, none sees a part of it.
        with tempfile.TemporaryDirectory(dir=folder.parent) as made:
            for name in NAMES:
                for file, text in unpacked(name):
                    path = Path(made, "corpus", name, file)
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_bytes(text.encode())
            try:
                Path(made, "corpus").rename(folder)
            except OSError:
                if not folder.is_dir():  # not filled by another session meanwhile
                    raise
        for other in folder.parent.iterdir():
            if other.is_dir() and len(other.name) == len(folder.name) and other != folder:
                shutil.rmtree(other, ignore_errors=True)
    return folder
