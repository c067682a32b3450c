"""The `tjgen` program: a fast way to `build`, `check` and `expand`, click for everything else."""

from __future__ import annotations

import gc
import os
import sys


def main() -> None:
    """Run the command line and leave with its exit code."""
    _leave_out_working_directory()
    # What is built are trees, which go without the collector's help: it would only walk them over and over.
    gc.disable()
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if stream is None:
            # The number of a closed stream must not become that of a file, which a library could write to.
            os.open(os.devnull, os.O_RDWR)
    if sys.stderr is None:  # the caller closed it: print nothing
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115  # as long as the program runs
    from tjgen.trees import bytecode

    modules = bytecode.load() if bytecode.is_on() else None
    words = sys.argv[1:]
    code = _run_once(words) if words and words[0] in ("build", "check") else _run(words)
    if modules is not None:
        modules.keep()
    if not sys.stderr.closed:
        sys.stderr.flush()
    # Everything is written. To take the interpreter apart would cost a tenth of a small build.
    os._exit(code)


def _leave_out_working_directory() -> None:
    """`python -m tjgen` searches modules in the working directory first, which may contain an unrelated yaml.py."""
    if not sys.flags.safe_path and sys.path and os.path.realpath(sys.path[0] or ".") == os.path.realpath("."):
        sys.path.pop(0)


def _run(words: list[str]) -> int:
    from tjgen.cli.program import run

    return run(words)


def _run_once(words: list[str]) -> int:
    """A command whose answer is stored is not run again if all that it depends on is the same."""
    from tjgen.cli import kept

    entry = kept.place(words)
    code = None if entry is None else kept.recall(entry)
    if code is not None:
        return code
    if entry is None:
        return _run(words)
    from tjgen.cli import watching

    if not kept.writes_trees(words):
        return watching.run(entry, lambda: _run(words))
    from tjgen.cli.settled import TreeWatch

    return watching.run(entry, lambda: _run(words), TreeWatch(words))


if __name__ == "__main__":
    main()
