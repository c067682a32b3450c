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
    known = _KNOWN.get(words[0]) if words else None
    code = known(words[1:]) if known is not None else _run(words)
    if modules is not None:
        modules.keep()
    if not sys.stderr.closed:
        sys.stderr.flush()
    # Everything is written. To take the interpreter apart would cost a tenth of a small build.
    os._exit(code)


def _leave_out_working_directory() -> None:
    """`python -m tjgen` looks for modules in the working directory first, which may hold a yaml.py of anybody."""
    if not sys.flags.safe_path and sys.path and os.path.realpath(sys.path[0] or ".") == os.path.realpath("."):
        sys.path.pop(0)


def _run(words: list[str]) -> int:
    from tjgen.cli.program import run

    return run(words)


def _check(words: list[str]) -> int:
    """A check whose answer is known is not done again."""
    from tjgen.cli import answers

    name = answers.key(words)
    known = None if name is None else answers.recall(name)
    if known is not None:
        return known
    if name is None:
        return _run(["check", *words])
    recorder = answers.Recorder()
    sys.stderr = recorder  # some checks write to it or test isatty()
    code = _run(["check", *words])
    # A file may have changed while it was checked: then the answer is not kept.
    if answers.key(words) == name:
        answers.remember(name, code, "".join(recorder.parts))
    return code


def _build(words: list[str]) -> int:
    """A build that printed is printed again if all that it depends on is the same."""
    from tjgen.cli import kept

    name = kept.place(words)
    code = None if name is None else kept.recall(name)
    if code is not None:
        return code
    if name is None:
        return _run(["build", *words])
    from tjgen.cli import watching

    return watching.run(name, lambda: _run(["build", *words]))


_KNOWN = {"build": _build, "check": _check}
"""Commands whose answers are stored."""


if __name__ == "__main__":
    main()
