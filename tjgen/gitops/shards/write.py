"""A plan and the number of a shard -> the file of the shard: a line about the build, a line for each file, and a checksum."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import closing
from hashlib import sha256

from tjgen.compiler.building.compile import recorded
from tjgen.compiler.building.plan import Plan
from tjgen.compiler.building.run import RecordForm
from tjgen.gitops.emit import file, problems
from tjgen.gitops.shards.inputs import inputs_of
from tjgen.trees.diagnostics.model import CompileError, Diagnostic
from tjgen.trees.session import Session
from tjgen.trees.typing import Any, NamedTuple

FORMAT = "tjgen shard 1"
MOST = 1000
"""The most shards of a build."""


class Shard(NamedTuple):
    """The share of one job. It compiles every `total`-th file."""

    number: int
    """From 1."""
    total: int

    def __str__(self) -> str:
        return f"{self.number}/{self.total}"

    @property
    def file(self) -> str:
        """The name of its file."""
        return f"shard-{self.number}-of-{self.total}.jsonl"

    def of(self, files: list[str]) -> list[str]:
        """Its part of the files of a build."""
        return files[self.number - 1 :: self.total]


class ShardCounts(NamedTuple):
    """The result of writing a shard."""

    path: str
    files: int
    runs: int


def shard_of(text: str) -> Shard | None:
    """The shard that `I/N` names; None for any other text."""
    number, slash, count = text.partition("/")
    if not slash or not all(one.isascii() and one.isdigit() and len(one) <= len(str(MOST)) for one in (number, count)):
        return None
    shard = Shard(int(number), int(count))
    return shard if 1 <= shard.number <= shard.total <= MOST else None


def write(plan: Plan, shard: Shard, directory: str, *, previews: str, jobs: int) -> ShardCounts:
    """Compile the files of a shard, and write their records.

    Raises CompileError if a file cannot be read or written; no file is written then.
    """
    contents = {name: plan.content(name) for name in shard.of(plan.files)}
    unreadable = [one for one in contents.values() if isinstance(one, Diagnostic)]
    if unreadable:
        raise CompileError(unreadable)
    digests = {name: content_digest(one) for name, one in contents.items() if isinstance(one, bytes)}
    path = os.path.join(directory, shard.file)
    try:
        os.makedirs(directory, exist_ok=True)
    except OSError as error:
        raise CompileError([problems.failed(directory, error)]) from error
    runs = [0]
    file.write(path, _lines(plan, shard, digests, previews, jobs, runs), inputs=plan.files)
    return ShardCounts(path, len(digests), runs[0])


def _lines(plan: Plan, shard: Shard, digests: Mapping[str, str], previews: str, jobs: int, runs: list[int]) -> Iterator[bytes]:
    """The lines of the file. `digests`: of its files. Adds the number of recorded runs to `runs`."""
    whole = sha256()
    head = {"format": FORMAT, "shard": shard.number, "of": shard.total, "inputs": inputs_of(plan, previews)._asdict()}
    line = _line(head)
    whole.update(line)
    yield line
    with closing(recorded(plan, Session(), [*digests], jobs, RecordForm(previews))) as results:
        for (name, digest), records in zip(digests.items(), results, strict=True):
            line = _line({"file": name, "content": digest, "runs": records})
            runs[0] += len(records)
            whole.update(line)
            yield line
    yield _line({"sha256": whole.hexdigest()})


def content_digest(content: bytes) -> str:
    """The digest of the text of an experiment's file."""
    return sha256(content).hexdigest()


def _line(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode() + b"\n"
