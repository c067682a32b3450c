"""The command line of the benchmark: `python -m bench --help`."""

from __future__ import annotations

import argparse
import os
import platform
import sys
import tempfile
from collections.abc import Callable

from bench import cold, documents, fitting, instructions, peers, projects, slices
from bench.process import FailedError
from bench.report import Figure, Part, failed_part, render
from bench.setting import Setting

PARTS = (
    cold.one_experiment,
    cold.one_file,
    slices.many_items,
    projects.whole_project,
    documents.many_documents,
    projects.large_builds,
    projects.workers,
    projects.points,
    fitting.fit_of_runs,
    projects.growth,
)
"""What is measured, in the order of the tables."""


def main(words: list[str]) -> int:
    """Measure and print; 1 if a command failed: its row has no figure, and the others are measured.

    Missed goals are shown, not judged: they depend on the machine.
    """
    chosen = _parser().parse_args(words)
    found = peers.find(chosen.peers)
    if chosen.instructions:
        return _instructions(keep=chosen.keep)
    with tempfile.TemporaryDirectory(prefix="tjgen-bench-") as folder:
        setting = Setting(
            folder=folder,
            schemas=os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "schemas"),
            times=chosen.times or (3 if chosen.quick else 20),
            experiments=100 if chosen.quick else 1000,
            items=10_000 if chosen.quick else 1_000_000,
            sizes=(25, 50, 100, 200) if chosen.quick else (250, 500, 1000, 2000, 4000, 10_000),
            peers=found,
            environment=_environment(folder),
        )
        say(f"Python {platform.python_version()}, {platform.system()} {platform.machine()}, {os.cpu_count()} CPUs\n")
        missing = [name for name in peers.NAMES if name not in found]
        say(f"compared with {', '.join(found) or 'nothing'}; not found: {', '.join(missing) or 'none'}\n")
        say("CPU seconds (user and system, with children), the smallest of several runs in turns\n")
        figures: list[Figure] = []
        for measure in PARTS:
            if chosen.part and measure.__name__ not in chosen.part:
                continue
            part = _measured(measure, setting)
            figures += part.figures
            say("\n" + render([part]))
        if shown := [one for one in figures if one.goal is not None or one.failure]:
            say("\n" + render([Part("all goals", shown)]))
        failures = [one.failure for one in figures if one.failure]
        sys.stderr.writelines(f"{failure}\n" for failure in failures)
    return 1 if failures else 0


def _measured(measure: Callable[[Setting], Part], setting: Setting) -> Part:
    """The table of a part; of one row, if a command that prepares its input failed."""
    try:
        return measure(setting)
    except FailedError as error:
        return failed_part(measure.__name__, str(error))


def _instructions(*, keep: bool) -> int:
    """Print the instructions of commands that start afresh; with `keep`, accept them. 1 if they cannot be counted."""
    if not instructions.is_available():
        sys.stderr.write("valgrind is not installed\n")
        return 1
    with tempfile.TemporaryDirectory(prefix="tjgen-bench-") as folder:
        try:
            counts = instructions.measure(folder, _environment(folder))
        except FailedError as error:
            sys.stderr.write(f"{error}\n")
            return 1
    found = instructions.ratios(counts)
    say("millions of instructions, and multiples of bare Python\n\n")
    for name, count in counts.items():
        say(f"  {name:24} {count / 1e6:7.1f}  {found.get(name, 1):5.2f} x\n")
    if keep:
        instructions.accept(found)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench", description="Measure tjgen as users start it, beside other tools.")
    parser.add_argument("--quick", action="store_true", help="few runs of small projects: to see that it works, not how fast")
    parser.add_argument("--peers", action="append", default=[], metavar="DIR", help="look for other tools here before PATH")
    parser.add_argument("--instructions", action="store_true", help="count instructions of small commands with cachegrind")
    parser.add_argument("--keep", action="store_true", help="with --instructions: accept the figures, which tests compare")
    parser.add_argument(
        "--part",
        action="append",
        default=[],
        metavar="NAME",
        choices=[part.__name__ for part in PARTS],
        help="measure only this part",
    )
    parser.add_argument("--times", type=int, default=0, metavar="N", help="runs of each small command (20)")
    return parser


def _environment(folder: str) -> dict[str, str]:
    """Ours, with a cache folder that is empty; without what changes how Python starts (compiled modules must be kept)."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    return {**kept, "XDG_CACHE_HOME": os.path.join(folder, "cache")}


def say(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
