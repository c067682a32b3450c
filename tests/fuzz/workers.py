"""Numbers of inputs -> findings, by processes that may hang or die without ending the run."""

from __future__ import annotations

import gc
import multiprocessing
import os
import resource
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterator
from multiprocessing.connection import Connection, wait
from typing import Any, NamedTuple

from tests.fuzz.corpus import Corpus
from tests.fuzz.inputs import Input
from tests.fuzz.judge import HANG, MEMORY, Finding, judged
from tests.fuzz.runner import MOST_BLOCKED, MOST_MEMORY, MOST_SECONDS, Runner
from tests.fuzz.scenes import make, scene_of

BLOCK = 200
"""Inputs that a worker gets at a time."""
LIFE = 20_000
"""Inputs after which a worker is replaced: what a process remembers must not add up."""
MOST_ADDRESSES = 4 << 30
"""Bytes of address space of a worker: what takes more ends in a MemoryError, not in the machine's memory."""
_SILENCE = 3 * MOST_BLOCKED
_FORK = multiprocessing.get_context("fork")


class Report(NamedTuple):
    """What came of one block of inputs, or of one input that ended its worker."""

    done: int
    seconds: float
    """CPU time."""
    scenes: Counter[str]
    findings: list[tuple[int, Finding]]
    is_last: bool = False
    """Whether the worker has to be replaced: the most memory of a process never falls."""


class _Worker:
    """A process with the block that it works on."""

    def __init__(self, seed: int, corpus: Corpus) -> None:
        self.connection, theirs = _FORK.Pipe()
        self.current = _FORK.Value("q", -1, lock=False)
        self.process = _FORK.Process(target=_work, args=(seed, corpus, theirs, self.current), daemon=True)
        self.process.start()
        theirs.close()
        self.block = range(0)
        self.done = 0
        self.seen = (-1, time.monotonic())

    def give(self, block: range) -> None:
        self.block = block
        self.seen = (-1, time.monotonic())
        self.connection.send((block.start, block.stop))

    def is_stuck(self) -> bool:
        """Whether the current input has been the same for too long."""
        number = int(self.current.value)
        if number != self.seen[0]:
            self.seen = (number, time.monotonic())
        return bool(self.block) and time.monotonic() - self.seen[1] > _SILENCE

    def end(self) -> None:
        if self.process.pid is not None and self.process.is_alive():
            os.kill(self.process.pid, signal.SIGKILL)
        self.process.join()
        self.connection.close()


def explore(seed: int, numbers: Iterator[range], corpus: Corpus, count: int) -> Iterator[Report]:
    """Run blocks of inputs in `count` processes; a report for each block as it is done."""
    workers: list[_Worker] = []
    todo: list[range] = []

    def next_block() -> range | None:
        return todo.pop() if todo else next(numbers, None)

    def started() -> _Worker | None:
        block = next_block()
        if block is None:
            return None
        worker = _Worker(seed, corpus)
        worker.give(block)
        return worker

    workers += [worker for _ in range(count) if (worker := started()) is not None]
    while workers:
        ready = wait([worker.connection for worker in workers], timeout=1.0)
        for worker in list(workers):
            ended = None
            if worker.connection in ready:
                try:
                    report = worker.connection.recv()
                except (EOFError, OSError):
                    worker.process.join()
                    if (worker.process.exitcode or 0) > 0:
                        raise RuntimeError(f"a worker failed at input {worker.current.value}") from None
                    ended = f"the process ended with {worker.process.exitcode}"
                else:
                    yield report
                    worker.done += report.done
                    block = next_block() if worker.done < LIFE and not report.is_last else None
                    if block is not None:
                        worker.give(block)
                        continue
                    worker.block = range(0)
            elif worker.is_stuck():
                ended = "the process did not return"
            else:
                continue
            if ended is not None:
                number = int(worker.current.value)
                finding = Finding(HANG if "not return" in ended else MEMORY, f"{scene_of(seed, number)[0].name}: {ended}")
                yield Report(1, 0.0, Counter(), [(number, finding)])
                rest = range(number + 1, worker.block.stop)
                if rest:
                    todo.append(rest)
            worker.end()
            workers.remove(worker)
            replacement = started()
            if replacement is not None:
                workers.append(replacement)


def _work(seed: int, corpus: Corpus, connection: Connection, current: Any) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    limit()
    runner = Runner()
    while True:
        try:
            start, stop = connection.recv()
        except EOFError:
            runner.close()
            os._exit(0)
        began = time.process_time()
        scenes: Counter[str] = Counter()
        findings: list[tuple[int, Finding]] = []
        for number in range(start, stop):
            current.value = number
            one = make(seed, number, corpus)
            finding = judged(one, runner.run(one))
            scenes[scene_of(seed, number)[0].name] += 1
            if finding is not None:
                findings.append((number, finding._replace(detail=finding.detail[-6000:])))
        gc.collect()
        is_large = runner.memory > MOST_MEMORY
        if is_large:
            # Any input of the block may have taken it: each is run again alone.
            findings += [(number, found) for number in range(start, stop) if (found := _large(make(seed, number, corpus)))]
        connection.send(Report(stop - start, time.process_time() - began, scenes, findings, is_large))


def _large(one: Input) -> Finding | None:
    found = alone(one)
    return found if found is not None and found.kind == MEMORY else None


def limit() -> None:
    """Bound the memory of this process, and collect garbage between blocks only: the program itself runs without a collector."""
    resource.setrlimit(resource.RLIMIT_AS, (MOST_ADDRESSES, MOST_ADDRESSES))
    sys.dont_write_bytecode = True
    gc.freeze()
    gc.disable()


def alone(one: Input, *, seconds: float = MOST_SECONDS, times: int = 1) -> Finding | None:
    """What is wrong with an input that is run in a process of its own; the best of several times."""
    found = None
    for _ in range(times):
        found = _alone(one, seconds)
        if found is None:
            return None
    return found


def _alone(one: Input, seconds: float) -> Finding | None:
    ours, theirs = _FORK.Pipe()
    process = _FORK.Process(target=_once, args=(one, seconds, theirs), daemon=True)
    process.start()
    theirs.close()
    answered = ours.poll(_SILENCE)
    try:
        return ours.recv() if answered else Finding(HANG, "the process did not return")
    except EOFError:
        return Finding(MEMORY, "the process ended")
    finally:
        if process.pid is not None and process.is_alive():
            os.kill(process.pid, signal.SIGKILL)
        process.join()
        ours.close()


def _once(one: Input, seconds: float, connection: Connection) -> None:
    limit()
    runner = Runner(most_seconds=seconds)
    # Modules are loaded before the input is measured.
    runner.run(Input("read", stdin=b"a: 1"))
    before = runner.memory
    result = runner.run(one)
    finding = judged(one, result._replace(memory=runner.memory if runner.memory > before else 0))
    runner.close()
    connection.send(finding)
    connection.close()
    os._exit(0)
