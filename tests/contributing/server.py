"""Requests, a line of JSON each -> exit codes and outputs of tests or programs, each run in a process of its own.

A request is {"tests": [...]} or {"module": NAME}. The process forks for each: other packages are loaded once, tjgen and
its tests by each child.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import runpy
import sys

import pydantic
import pytest
import yaml

LOADED = (pydantic, yaml)


def main() -> None:
    """Answer until there are no more requests."""
    for line in sys.stdin:
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reading)
            text = io.StringIO()
            with contextlib.redirect_stdout(text), contextlib.redirect_stderr(text):
                code = _run(json.loads(line))
            with os.fdopen(writing, "w", encoding="utf-8") as stream:
                stream.write(text.getvalue()[-4000:])
            os._exit(code)
        os.close(writing)
        with os.fdopen(reading, encoding="utf-8") as pipe:
            output = pipe.read()
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        sys.stdout.write(json.dumps({"code": code, "output": output}) + "\n")
        sys.stdout.flush()


def _run(request: dict[str, object]) -> int:
    if "module" in request:
        runpy.run_module(str(request["module"]), run_name="__main__")
        return 0
    tests = request["tests"]
    assert isinstance(tests, list)
    return int(pytest.main(["-q", "-p", "no:cacheprovider", "--no-header", *map(str, tests)]))


if __name__ == "__main__":
    main()
