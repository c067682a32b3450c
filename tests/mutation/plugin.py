"""The pytest plugin of the copies: it notes what each test runs, or runs chosen tests for one mutant after another.

`TJGEN_MUTATION` holds what to do, as JSON: {"record": FILE}, or {"requests": FD, "answers": FD}. A request is a line of JSON:
the tests' ids, and the mutated function with the text of its file. The session forks for each request, changes the code of the
function in the child, and runs the tests there until one fails, so that nothing is collected twice.
"""

from __future__ import annotations

import base64
import gc
import json
import os
import resource
import signal
import sys
import time
import types
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from _pytest.runner import runtestprotocol

from tests.mutation.probes import hits

PLAN: dict[str, Any] = json.loads(os.environ.get("TJGEN_MUTATION", "{}"))
KILLED, SURVIVED, COLD = 1, 0, 7
"""Exit codes of the child. COLD: the function is not there to be changed, and a new process has to tell."""


class Recorder:
    """Notes for each test that passes its CPU time and the probes that it passed, also those of its shared fixtures."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.shared: dict[int, bytes] = {}
        self.lines: list[str] = []

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: Any) -> Iterator[None]:
        if fixturedef.scope == "function":
            return (yield)
        before, count = bytes(hits()), hits()
        count[:] = bytes(len(count))
        try:
            return (yield)
        finally:
            self.shared[id(fixturedef)] = bytes(count)
            count[:] = _either(before, bytes(count))

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: Any) -> Iterator[Any]:
        count = hits()
        count[:] = bytes(len(count))
        began = time.process_time()
        result = yield
        found = bytes(count)
        for definitions in item._fixtureinfo.name2fixturedefs.values():
            for one in definitions:
                if id(one) in self.shared:
                    found = _either(found, self.shared[id(one)])
        packed = base64.b64encode(zlib.compress(found, 1)).decode()
        self.lines.append(json.dumps({"id": item.nodeid, "seconds": round(time.process_time() - began, 4), "hits": packed}))
        return result

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.failed or report.skipped:
            self.lines.append(json.dumps({"id": report.nodeid, "unusable": report.outcome}))

    def pytest_collection_finish(self) -> None:
        packed = base64.b64encode(zlib.compress(bytes(hits()), 1)).decode()
        self.lines.append(json.dumps({"id": "", "seconds": 0, "hits": packed}))

    def pytest_sessionfinish(self) -> None:
        self.file.write_text("".join(f"{line}\n" for line in self.lines), encoding="utf-8")


class Server:
    """Answers requests until there are no more."""

    def __init__(self, requests: int, answers: int) -> None:
        self.requests = os.fdopen(requests, "r", encoding="utf-8")
        self.answers = os.fdopen(answers, "w", encoding="utf-8")

    def pytest_runtestloop(self, session: Any) -> bool:
        items = {item.nodeid: item for item in session.items}
        gc.collect()
        known = functions()
        gc.freeze()
        for line in self.requests:
            request = json.loads(line)
            chosen = [items[name] for name in request["tests"] if name in items]
            self.answers.write(json.dumps(_answer(chosen, request, known)) + "\n")
            self.answers.flush()
        return True


def pytest_configure(config: pytest.Config) -> None:
    if "record" in PLAN:
        config.pluginmanager.register(Recorder(Path(PLAN["record"])))
    elif PLAN:
        config.pluginmanager.register(Server(PLAN["requests"], PLAN["answers"]))


def _either(first: bytes, second: bytes) -> bytes:
    size = len(first)
    return (int.from_bytes(first, "big") | int.from_bytes(second, "big")).to_bytes(size, "big")


def _answer(chosen: list[Any], request: dict[str, Any], known: dict[tuple[str, str], list[types.FunctionType]]) -> dict[str, Any]:
    """What became of the mutant: killed by a test, out of time, survived, or to be tried in a new process."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        os._exit(_tried(chosen, request, writing, known))
    os.close(writing)
    deadline = time.monotonic() + request["wall"]
    status = None
    while status is None and time.monotonic() < deadline:
        found, code = os.waitpid(child, os.WNOHANG)
        if found:
            status = code
        else:
            time.sleep(0.005)
    if status is None:
        os.killpg(child, signal.SIGKILL)
        status = os.waitpid(child, 0)[1]
    with os.fdopen(reading, encoding="utf-8") as pipe:
        test = pipe.read()
    if os.WIFSIGNALED(status):
        return {"outcome": "killed", "by": f"signal {os.WTERMSIG(status)} (out of time or memory)"}
    code = os.WEXITSTATUS(status)
    return {"outcome": {SURVIVED: "survived", COLD: "cold"}.get(code, "killed"), "by": test}


def _tried(
    chosen: list[Any], request: dict[str, Any], writing: int, known: dict[tuple[str, str], list[types.FunctionType]]
) -> int:
    os.setpgid(0, 0)
    quiet = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(quiet, number)
    resource.setrlimit(resource.RLIMIT_CPU, (request["cpu"], request["cpu"] + 1))
    resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
    # A module that is not loaded yet is read from its mutated file.
    if request["module"] in sys.modules and not patched(known, request["file"], request["owner"], request["source"]):
        return COLD
    for item, following in zip(chosen, [*chosen[1:], None], strict=True):
        reports = runtestprotocol(item, log=False, nextitem=following)
        if any(report.failed for report in reports):
            os.write(writing, item.nodeid.encode())
            return KILLED
    return SURVIVED


def functions() -> dict[tuple[str, str], list[types.FunctionType]]:
    """File and qualified name of each function of the process -> the functions; a test may have imported a module twice."""
    found: dict[tuple[str, str], list[types.FunctionType]] = {}
    for one in gc.get_objects():
        if one.__class__ is types.FunctionType:
            found.setdefault((one.__code__.co_filename, one.__code__.co_qualname), []).append(one)
    return found


def patched(known: dict[tuple[str, str], list[types.FunctionType]], file: str, owner: str, source: str) -> bool:
    """Change the code of a loaded function to what `source` makes of it; whether it could be done."""
    code: types.CodeType | None = compile(source, file, "exec")
    for name in owner.split("."):
        inner = code.co_consts if code is not None else ()
        code = next((one for one in inner if isinstance(one, types.CodeType) and one.co_name == name), None)
    loaded = known.get((file, owner), [])
    if code is None or any(one.__code__.co_freevars != code.co_freevars for one in loaded):
        return False
    for one in loaded:
        one.__code__ = code
    return bool(loaded)
