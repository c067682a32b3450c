"""`tjgen build --shard I/N`: the share of one job in a large build, written as a file for `--from-shards`."""

from __future__ import annotations

import os

from tjgen.cli.command import Arguments, UsageError
from tjgen.cli.counts import counted
from tjgen.cli.reporting import Reporter
from tjgen.cli.writing import options_of
from tjgen.compiler.building.plan import Plan
from tjgen.gitops.shards.write import MOST, shard_of, write

_OF_MERGE = ("from_shards", "check", "staged", "summary", "renew", "prune_runs", "prune_data", "force", "set", "trainer")
"""Options that have no meaning for a shard."""


def wrong_use(arguments: Arguments, *, into_tree: bool) -> str | None:
    """What is wrong with the options, if `--shard` or `--from-shards` is one of them."""
    if arguments["from_shards"] and arguments["staged"]:
        return "--from-shards cannot be used with --staged: build first, then compare with --staged --check"
    if arguments["shard"] is None:
        return None
    if shard_of(arguments["shard"]) is None:
        return f"--shard needs I/N: the number of the shard and of all shards, from 1/1 to {MOST}/{MOST}"
    wrong = next((one for one in _OF_MERGE if arguments[one]), None)
    if wrong is not None:
        return f"--shard cannot be used with --{wrong.replace('_', '-')}"
    return None if into_tree else "--shard needs -o DIR: the folder for the file of the shard"


def write_shard(plan: Plan, arguments: Arguments, reporter: Reporter) -> None:
    """Write the file of a shard. The merge reports the diagnostics of its experiments. Raises CompileError."""
    shard, directory = shard_of(arguments["shard"]), arguments["output"]
    assert shard is not None, "the command line is checked"
    if plan.output is not None and os.path.realpath(directory) == os.path.realpath(plan.output):
        raise UsageError("-o of --shard must not be the output tree of the project: name a folder for the shard")
    options = options_of(arguments)
    counts = write(plan, shard, directory, previews=options.previews, jobs=options.jobs)
    reporter.print_line(f"shard {shard}: {counted(counts.runs, 'run')} of {counted(counts.files, 'file')} in {counts.path}")
