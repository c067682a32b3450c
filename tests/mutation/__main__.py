"""Changes the meaning of one line after another in the modules that decide something, and reports what no test notices.

    python -m tests.mutation [--seed 1] [--count N] [--module GROUP...] [--near] [--file PATH] [--workers N] [--budget SECONDS]

It takes N mutants of each group of modules, runs the tests that reach the changed line until one fails, and prints the share that
died, and each survivor with its lines. All of it happens in copies of the working tree. What each test reaches is recorded
first, which takes as long as the tests, and kept in `.mutation` until the module of the test changes; remove that folder to
record all again. With `--near`, only the tests of the groups themselves are recorded and run (`FIRST` in scope.py). mutmut and
cosmic-ray start a session for each mutant: collecting the tests would take longer than running those that matter.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import Queue
from random import Random
from typing import Any

from tests.checkout import ROOT
from tests.mutation.mutants import Mutant
from tests.mutation.probes import Statement, probes_of, statement_of, statements
from tests.mutation.scope import FIRST, GROUPS, TESTS, candidates, files
from tests.mutation.workers import Test, Worker, chosen, record, split, state, usable

KEPT = ROOT / ".mutation"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=40, help="how many mutants of each group")
    parser.add_argument("--module", choices=GROUPS, nargs="+", default=list(GROUPS), help="groups of modules")
    parser.add_argument("--near", action="store_true", help="only the tests of the groups themselves, not all that reach a line")
    parser.add_argument("--file", help="mutants of files whose path holds this text alone")
    parser.add_argument("--survivors", type=Path, help="only the mutants that survived in this file of results")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--budget", type=float, default=20, help="CPU seconds of tests for a mutant")
    parser.add_argument("--results", type=Path, default=KEPT / "results.jsonl", help="file for a line of JSON for each mutant")
    options = parser.parse_args()
    KEPT.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="tjgen-mutation-") as folder:
        tests, tables = _tests(Path(folder), options)
        results = list(_tried(Path(folder), options, list(_sample(options)), tests, tables))
    return _reported(options.module, results)


def _all_files() -> list[str]:
    return sorted({file for group in GROUPS for file in files(group)})


def _tests(folder: Path, options: argparse.Namespace) -> tuple[list[Test], dict[str, list[Statement]]]:
    """What each test runs, as recorded when its module was last changed, and the tables of statements that the records are of."""
    names = sorted({name for group in options.module for name in FIRST[group]}) if options.near else TESTS
    listed = sorted({str(path.relative_to(ROOT)) for name in names for path in _test_files(ROOT / name)})
    kept = {file: KEPT / f"{state([file])}-{file.replace('/', '.')}.jsonl" for file in listed}
    missing = [file for file in listed if not kept[file].exists()]
    if missing:
        sys.stderr.write(f"recording what the tests of {len(missing)} files run\n")
        table = state(_all_files())
        (KEPT / f"{table}.json").write_text(json.dumps(statements(ROOT, _all_files())), encoding="utf-8")
        parts = [part for part in split(missing, options.workers) if part]
        with ThreadPoolExecutor(len(parts)) as pool:
            jobs = [pool.submit(record, folder / f"record-{n}", _all_files(), part) for n, part in enumerate(parts)]
            lines = [line for job in jobs for line in job.result()]
        failed = sorted({line["id"] for line in lines if line.get("unusable") == "failed"})
        if failed:
            sys.stderr.write(f"{len(failed)} tests fail without a mutant and are not used, such as {failed[0]}\n")
        if len(failed) > len({line["id"] for line in lines}) // 10:
            # The tree does not work, so the share would be that of the few tests that are left.
            raise SystemExit("repair the tree first")
        for file in missing:
            own = [line for line in lines if not line["id"] or line["id"].startswith(f"{file}::")]
            text = "".join(json.dumps(line) + "\n" for line in [{"table": table}, *own])
            kept[file].write_text(text, encoding="utf-8")
    tests: list[Test] = []
    for file in listed:
        first, *lines = map(json.loads, kept[file].read_text(encoding="utf-8").splitlines())
        tests += usable(lines, first["table"])
    tables = {name: json.loads((KEPT / f"{name}.json").read_text(encoding="utf-8")) for name in {one.table for one in tests}}
    return tests, {name: [Statement(*one) for one in table] for name, table in tables.items()}


def _test_files(place: Path) -> Iterator[Path]:
    yield from [place] if place.suffix == ".py" else place.rglob("test_*.py")


def _sample(options: argparse.Namespace) -> Iterator[tuple[str, Mutant, str]]:
    again = None
    if options.survivors is not None:
        lines = map(json.loads, options.survivors.read_text(encoding="utf-8").splitlines())
        again = {(line["file"], *line["key"]) for line in lines if line["outcome"] == "survived"}
    for group in options.module:
        found = [(one, source) for one, source in candidates(group) if options.file is None or options.file in one.file]
        if again is not None:
            yield from ((group, one, source) for one, source in found if (one.file, *one.key(source)) in again)
        else:
            # One source of random numbers for each group: a change in one group leaves the samples of others alone.
            picked = Random(f"{options.seed} {group}").sample(found, min(options.count, len(found)))
            yield from ((group, one, source) for one, source in sorted(picked, key=lambda pair: (pair[0].file, pair[0].start)))


def _tried(
    folder: Path,
    options: argparse.Namespace,
    sample: list[tuple[str, Mutant, str]],
    tests: list[Test],
    tables: dict[str, list[Statement]],
) -> Iterator[dict[str, Any]]:
    now = statements(ROOT, _all_files())
    at_import = [one for one in tests if not one.id]

    def reaching(group: str, mutant: Mutant) -> tuple[list[Test], bool]:
        """The tests to try, and whether a new process has to run them: an import has used what the mutant changes."""
        statement = statement_of(mutant, now)
        probes = {name: probes_of(mutant.file, statement, table) for name, table in tables.items()}
        is_cold = statement is None or any(one.hits[probe] for one in at_import for probe in probes[one.table])
        return chosen(tests, probes, group, options.budget, at_import=is_cold), is_cold

    with ThreadPoolExecutor(options.workers) as pool, options.results.open("w", encoding="utf-8") as results:
        reached = [reaching(group, mutant) for group, mutant, _ in sample]
        test_files = sorted({test.id.partition("::")[0] for found, _ in reached for test in found})
        idle: Queue[Worker] = Queue()
        workers = list(pool.map(lambda n: Worker(folder / f"copy-{n}", test_files), range(options.workers)))
        for worker in workers:
            idle.put(worker)

        def one(entry: tuple[str, Mutant, str], found: tuple[list[Test], bool]) -> dict[str, Any]:
            group, mutant, source = entry
            began = time.monotonic()
            answer: dict[str, Any] = {"outcome": "survived", "by": "no test reaches it"}
            if found[0]:
                worker = idle.get()
                try:
                    answer = worker.tried(mutant, source, found[0], is_cold=found[1])
                finally:
                    idle.put(worker)
            return {
                "group": group,
                "file": mutant.file,
                "line": mutant.line,
                "operator": mutant.operator,
                "key": mutant.key(source),
                **answer,
                "tests": len(found[0]),
                "seconds": round(time.monotonic() - began, 1),
            }

        for answer in pool.map(one, sample, reached):
            results.write(json.dumps(answer) + "\n")
            results.flush()
            if answer["outcome"] == "survived":
                _print(answer)
            yield answer
        for worker in workers:
            worker.close()


def _print(answer: dict[str, Any]) -> None:
    owner, before, after = answer["key"]
    said = f" ({answer['by']})" if answer["by"] else f" ({answer['tests']} tests)"
    sys.stdout.write(f"{answer['file']}:{answer['line']}: {answer['operator']} in {owner or 'the module'}{said}\n")
    sys.stdout.write(f"  - {before}\n  + {after}\n")
    sys.stdout.flush()


def _reported(groups: list[str], results: list[dict[str, Any]]) -> int:
    sys.stdout.write("\n| group | mutants | killed | share |\n|---|---|---|---|\n")
    for group in groups:
        own = [one for one in results if one["group"] == group]
        killed = sum(one["outcome"] == "killed" for one in own)
        if own:
            sys.stdout.write(f"| {group} | {len(own)} | {killed} | {killed / len(own):.0%} |\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
