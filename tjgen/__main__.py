"""The `tjgen` program: a fast way to `build`, `check` and `expand`, click for everything else."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line and leave with its exit code."""
    from tjgen.cli.program import run

    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
