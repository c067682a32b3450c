"""What is wrong with the files of shards -> diagnostics."""

from __future__ import annotations

from collections.abc import Sequence

from tjgen.gitops.shards.write import Shard
from tjgen.trees.diagnostics.model import Diagnostic, Span
from tjgen.trees.system import IS_LINK

_AGAIN = "run the job of the shard again, and pass its artifact without changes"
_SAME = "run all shards and the merge at one commit, with the same tjgen and the same options"


def unreadable(path: str, error: Exception | None) -> Diagnostic:
    """TJ240: the system does not open a file, or it is not a file."""
    reason = error.strerror if isinstance(error, OSError) else None
    if reason is None or (isinstance(error, OSError) and error.errno in IS_LINK):
        reason = "it is not a regular file"
    return Diagnostic("TJ240", f"{ascii(path)[1:-1]} cannot be read: {reason}", hint="name the folder that has the shards")


def no_shard(path: str) -> Diagnostic:
    """TJ240: a file has other content."""
    message = f"{path} is not a shard that this release of tjgen can read"
    return Diagnostic("TJ240", message, span=_line(path, 1), hint="name files that tjgen build --shard wrote")


def truncated(path: str) -> Diagnostic:
    """TJ240: a shard was cut off or edited."""
    message = f"{path} is damaged: its content does not match its checksum and its number of files"
    return Diagnostic("TJ240", message, span=_line(path, 1), hint=_AGAIN)


def invalid(path: str, line: int) -> Diagnostic:
    """TJ240: a line has another form."""
    message = f"line {line} of {path} is not a record that tjgen build --shard writes"
    return Diagnostic("TJ240", message, span=_line(path, line), hint=_AGAIN)


def none(paths: Sequence[str]) -> Diagnostic:
    """TJ241: no shard was found."""
    hint = "download the artifacts of all shards first; their names are shard-I-of-N.jsonl"
    return Diagnostic("TJ241", f"{', '.join(paths)} contains no shard", hint=hint)


def missing(paths: Sequence[str], shards: Sequence[str]) -> Diagnostic:
    """TJ241: shards are missing."""
    first, others = ", ".join(shards[:3]), f" and {len(shards) - 3} others" if len(shards) > 3 else ""
    hint = "run the missing jobs, and pass the artifacts of all of them"
    return Diagnostic("TJ241", f"shard {first}{others} is missing in {', '.join(paths)}", hint=hint)


def repeated(path: str, first: str, shard: Shard) -> Diagnostic:
    """TJ241: a shard exists twice."""
    message = f"shard {shard} exists twice: {first} and {path}"
    return Diagnostic("TJ241", message, span=_line(path, 1), hint="remove the older one")


def mixed(path: str, counts: Sequence[int]) -> Diagnostic:
    """TJ241: shards divide the build into different numbers."""
    numbers = " and ".join(map(str, counts))
    return Diagnostic(
        "TJ241",
        f"the shards are of builds with {numbers} shards",
        span=_line(path, 1),
        hint="remove the shards of the older build",
    )


def other_inputs(path: str, shard: Shard, words: str) -> Diagnostic:
    """TJ242: a shard and the merge have different inputs."""
    return Diagnostic("TJ242", f"shard {shard} was built {words}", span=_line(path, 1), hint=_SAME)


def other_text(path: str, line: int, shard: Shard, file: str) -> Diagnostic:
    """TJ242: a file has changed since the shard."""
    message = f"shard {shard} was built from a different version of {file}"
    return Diagnostic("TJ242", message, span=_line(path, line), hint=_SAME)


def differs(path: str, line: int, shard: Shard, run: str) -> Diagnostic:
    """TJ243: a record is not what the sources make."""
    message = f'shard {shard} has objects for run "{run}" that differ from those of its sources'
    hint = "check whether the artifact was changed, or how the machines of the jobs differ"
    return Diagnostic("TJ243", message, span=_line(path, line), hint=hint)


def _line(path: str, line: int) -> Span:
    return Span(path, line, 1, line, 1)
