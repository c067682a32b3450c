"""The `tjgen` program: a fast way to `build`, `check` and `expand`, click for everything else."""

from __future__ import annotations

import gc
import os
import sys


def main() -> None:
    """Run the command line and leave with its exit code."""
    # What is built are trees, which go without the collector's help: it would only walk them over and over.
    gc.disable()
    from tjgen.cli.program import run

    code = run(sys.argv[1:])
    if not sys.stderr.closed:
        sys.stderr.flush()
    # Everything is written. To take the interpreter apart would cost a tenth of a small build.
    os._exit(code)


if __name__ == "__main__":
    main()
