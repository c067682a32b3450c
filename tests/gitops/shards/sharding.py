"""A folder with a project -> the same build by one command, and by shards with a merge, to compare them."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from tests.program import Answer, tjgen

SHARDS = "shards"
TREE = ("-o", "made", "--expanded", "preview")


def files_of(folder: Path) -> dict[str, bytes]:
    """Path -> content of the files in a folder, without those of shards."""
    files = [path for path in folder.rglob("*") if path.is_file() and SHARDS not in path.parts]
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def write_shards(folder: Path, order: Sequence[int], words: Sequence[str]) -> Answer | None:
    """Write a shard for each number of `order`, which has all of them. Returns the first answer that refuses the project."""
    for number in order:
        shard = ("--shard", f"{number}/{len(order)}", "-o", SHARDS, "--expanded", "preview")
        answer = tjgen(folder, "build", *words, *shard)
        if answer.code:
            return answer
    return None


def merged(folder: Path, order: Sequence[int], words: Sequence[str], *options: str) -> tuple[Answer, dict[str, bytes]]:
    """Build by shards in this order. A project that cannot be built is refused by the first shard, in the words of a build."""
    shutil.rmtree(folder / SHARDS, ignore_errors=True)
    refused = write_shards(folder, order, words)
    if refused is not None:
        assert not (folder / SHARDS).exists() or not [*(folder / SHARDS).iterdir()]
        return refused, files_of(folder)
    answer = tjgen(folder, "build", *words, *TREE, "--from-shards", SHARDS, *options)
    return answer, files_of(folder)


def whole(folder: Path, words: Sequence[str], *options: str) -> tuple[Answer, dict[str, bytes]]:
    """Build by one command."""
    return tjgen(folder, "build", *words, *TREE, *options), files_of(folder)


def assert_same(
    folder: Path, order: Sequence[int], words: Sequence[str] = (), edit: Callable[[Path], None] | None = None
) -> Answer:
    """Build a copy of the folder by one command and another one by shards, and compare them; again after `edit`."""
    one, other = folder.with_name(f"{folder.name}-one"), folder.with_name(f"{folder.name}-shards")
    for copy in (one, other):
        shutil.copytree(folder, copy, symlinks=True)
    built = whole(one, words)
    assert merged(other, order, words) == built
    if edit is not None:
        for copy in (one, other):
            edit(copy)
        built = whole(one, words)
        assert merged(other, order, words) == built
        assert whole(other, words, "--check") == whole(one, words, "--check")
    return built[0]


def records(folder: Path) -> int:
    """The number of runs in all shards."""
    lines = [line for path in (folder / SHARDS).iterdir() for line in lines_of(path.read_bytes())[1:]]
    return sum(len(line["runs"]) for line in lines)


def rewrite(path: Path, change: Callable[[list[Any]], None]) -> None:
    """Change the lines of a shard, and give it the checksum of what it has then."""
    lines = lines_of(path.read_bytes())
    change(lines)
    path.write_bytes(with_checksum(lines))


def lines_of(content: bytes) -> list[Any]:
    """The values of the lines of a shard, without the checksum."""
    return [json.loads(line) for line in content.splitlines()][:-1]


def with_checksum(lines: Sequence[Any]) -> bytes:
    """A shard with these lines and their checksum."""
    content = b"".join(json.dumps(line, default=str).encode() + b"\n" for line in lines)
    return content + json.dumps({"sha256": hashlib.sha256(content).hexdigest()}).encode() + b"\n"
