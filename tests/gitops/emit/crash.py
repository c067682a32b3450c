"""A function run in a child that dies, or whose system calls fail, at a chosen one of its calls.

What counts as a call: opening, renaming, linking, removing, making and listing by the child (audit events of
the interpreter for paths below a folder), and each write, which first does half of its work. With
`changes=True` only calls that can change files count.
"""

from __future__ import annotations

import os
import signal
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tjgen.trees.diagnostics.model import CompileError

DONE = "done"
REFUSED = "refused"
KILLED = "killed"

_CHANGES = {"os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.link", "os.symlink", "os.utime", "os.chmod", "os.truncate"}
_EVENTS = {*_CHANGES, "open", "os.listdir", "os.scandir"}
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC


def run(act: Callable[[], object], below: Path, *, happens: Callable[[int], None], changes: bool = False) -> str:
    """DONE, REFUSED (CompileError) or KILLED: what became of `act`; `happens` is told the number of each call, from 1.

    An exception of another kind fails the test: its traceback is printed by the child.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if child == 0:
        os._exit(_inside(act, str(below), happens, changes=changes))
    status = os.waitpid(child, 0)[1]
    if os.WIFSIGNALED(status):
        assert os.WTERMSIG(status) == signal.SIGKILL
        return KILLED
    code = os.waitstatus_to_exitcode(status)
    assert code in (0, 1), "the child ended with an exception of another kind: see above"
    return DONE if code == 0 else REFUSED


def dies_at(number: int, *, since: Path | None = None) -> Callable[[int], None]:
    """`kill -9` at that call; with `since` only calls while that file exists count."""
    calls = 0

    def happens(_: int) -> None:
        nonlocal calls
        calls += since is None or since.exists()
        if calls == number:
            os.kill(os.getpid(), signal.SIGKILL)

    return happens


def fails_at(number: int, error: int, *, from_then_on: bool) -> Callable[[int], None]:
    """That call, or each from it on, fails."""

    def happens(call: int) -> None:
        if call == number or (from_then_on and call > number):
            raise OSError(error, os.strerror(error))

    return happens


def _inside(act: Callable[[], object], below: str, happens: Callable[[int], None], *, changes: bool) -> int:
    calls = 0
    write = os.write

    def count() -> None:
        nonlocal calls
        calls += 1
        happens(calls)

    def halved(descriptor: int, content: Any) -> int:
        done = write(descriptor, content[: len(content) // 2 + 1])
        count()
        return done

    def audit(event: str, arguments: tuple[Any, ...]) -> None:
        if event not in _EVENTS or isinstance(arguments[0], int):
            return
        if changes and not (arguments[2] & _WRITING if event == "open" else event in _CHANGES):
            return
        if os.path.abspath(os.fsdecode(arguments[0])).startswith(below):
            count()

    os.write = halved
    sys.addaudithook(audit)
    try:
        act()
    except CompileError:
        return 1
    except BaseException:  # noqa: BLE001  # the child must not go on as a second pytest
        traceback.print_exc()
        return 2
    return 0
