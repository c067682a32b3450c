"""The part of the tests that one run takes: everything that is quick, and of the slow kinds one part of PARTS.

`.ci/test` takes the part that the commit chooses, so that the commits of some days cover everything. `.ci/nightly` takes all, and
so does pytest with names of tests. `python -m tests.parts` prints the part of the commit.

A new file of tests is quick until KINDS names it: add it there if it takes more than ten seconds.
"""

from __future__ import annotations

import re
import subprocess
import sys
import zlib
from collections.abc import Iterable

from tests.checkout import ROOT

PARTS = 16
ALL, COMMIT = "all", "commit"
KINDS = {
    "changes to a copy of the project, and what its checks then report": ("tests/contributing", "tests/mutation"),
    "inputs and histories at random": (
        "tests/fuzz/test_found.py",
        "tests/fuzz/test_program.py",
        "tests/language/resolve/test_merge_laws.py",
        "tests/language/spec/test_laws.py",
        "tests/laws/test_garbage.py",
    ),
    "processes that are killed, or run at the same time": ("tests/compiler/building/test_workers.py", "tests/kill"),
    "costs that are measured": ("tests/bench", "tests/scaling", "tests/compiler/targets/test_sizes.py"),
    "corpora that the real components recorded": (
        "tests/cluster/policies/test_recorded_costs.py",
        "tests/cluster/schema/test_pattern_machine.py",
        "tests/cluster/trainer",
        "tests/cluster/validate/test_validate_equivalence.py",
        "tests/cluster/validate/test_validate_judge.py",
        "tests/cluster/validate/test_validate_serverside.py",
        "tests/cluster/validate/test_validate_sharing.py",
        "tests/tools/importing",
    ),
    "laws with several builds of each case": (
        "tests/laws/test_determinism.py",
        "tests/laws/test_judges.py",
        "tests/laws/test_output.py",
        "tests/laws/test_releases.py",
        "tests/laws/test_writing.py",
    ),
    "programs that run on volumes": (
        "tests/compiler/programs",
        "tests/language/codebase",
        "tests/language/slicing/test_copies.py",
        "tests/reader",
    ),
    "steps that run as in a pipeline, with Git": (
        "tests/gitops/diff",
        "tests/gitops/emit",
        "tests/gitops/output",
        "tests/gitops/shards",
        "tests/gitops/verify",
        "tests/test_ci.py",
        "tests/test_hooks.py",
        "tests/trees/manifests/test_secrets.py",
        "tests/trees/trust",
    ),
    "packages that are built and installed": ("tests/test_distribution.py", "tests/testing", "tests/tools/scaffold"),
    "whole projects, and each command on them": (
        "tests/cluster/synctools",
        "tests/cluster/test_new_release.py",
        "tests/cluster/test_releases.py",
        "tests/compiler/volumes/test_adding.py",
        "tests/docs/test_pages.py",
        "tests/docs/test_programs.py",
        "tests/test_experiment.py",
        "tests/test_kept_builds.py",
        "tests/test_kept_checks.py",
        "tests/test_kept_settings.py",
        "tests/test_settled_builds.py",
        "tests/test_workspaces.py",
        "tests/tools/inventory",
        "tests/tools/report",
        "tests/trees/bytecode",
    ),
}
"""The slow kinds, each with its files and folders."""
SLOW = [path for paths in KINDS.values() for path in paths]


def is_slow(test: str) -> bool:
    """Whether a test, named as pytest names it, is of a slow kind."""
    file = test.partition("::")[0]
    return any(file == path or file.startswith(f"{path}/") for path in SLOW)


def part_of(test: str) -> int:
    """The part of a slow test: the same on every machine, as long as its name stays."""
    return zlib.crc32(test.encode()) % PARTS


def chosen(words: str) -> int | None:
    """The part that an argument of `--part` names; None for all. Raises ValueError if it is none of its forms."""
    if words == ALL:
        return None
    if words == COMMIT:
        commit = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False).stdout
        # Outside of Git, as in an archive of the sources, there is no commit to choose by.
        return int(commit[:8], 16) % PARTS if re.match("[0-9a-f]{40}", commit) else None
    if words.isdecimal() and int(words) < PARTS:
        return int(words)
    raise ValueError(f"--part takes {ALL}, {COMMIT}, or a number from 0 to {PARTS - 1}")


def split(tests: Iterable[str], part: int | None) -> tuple[list[int], list[int]]:
    """The positions of the tests that run, and of those that do not."""
    runs: list[int] = []
    waits: list[int] = []
    for position, test in enumerate(tests):
        (runs if part is None or not is_slow(test) or part_of(test) == part else waits).append(position)
    return runs, waits


if __name__ == "__main__":
    sys.stdout.write(f"{chosen(COMMIT) or 0}\n")
