"""A file of Python, or a name of the entry points tjgen.slicers -> the strategy of another author, and what it plans.

The code is the user's: an error in it is reported with its line, and its output does not mix with that of
the build.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from contextlib import redirect_stdout
from importlib.metadata import EntryPoint, entry_points

from tjgen.language.slicing.items import DataItems
from tjgen.language.slicing.strategy import PluginError, Strategy
from tjgen.trees import trust
from tjgen.trees.files.problems import UnreadableError
from tjgen.trees.files.sandbox import Sandbox
from tjgen.trees.session import Session
from tjgen.trees.typing import Any, cast

GROUP = "tjgen.slicers"
_OURS = __file__.removesuffix("language/slicing/plugins.py")


def from_file(name: str, file: str, session: Session) -> Strategy:
    """The strategy that a file of Python is; raises PluginError where it cannot be read or run."""
    # Builds refuse such a strategy earlier, with its place. This keeps every other way closed.
    if not trust.is_granted():
        raise PluginError("is not run, because the caller does not trust the code")
    try:
        # Where the file may be was decided when the project was read.
        text = Sandbox([os.path.dirname(os.path.realpath(file))]).read(file)
    except UnreadableError as problem:
        raise PluginError(f"cannot be read from {file}: {problem.reason}") from problem
    return session.once("strategy", (name, file, text), lambda: _run(name, file, text))


def _run(name: str, file: str, text: bytes) -> Strategy:
    from types import ModuleType

    module = ModuleType(f"tjgen_slicer_{name}")
    module.__file__ = file
    sys.modules[module.__name__] = module  # dataclasses and pickle look a class's module up there
    # Compiled here rather than imported: an import would write a __pycache__ next to the user's file.
    _guarded(lambda: exec(compile(text, file, "exec"), module.__dict__))
    return _usable(cast("Strategy", module), file)


def installed(name: str) -> Strategy | None:
    """The strategy that an installed package publishes under a name; raises PluginError where it cannot be loaded."""
    for entry in _entries():
        if entry.name == name:
            return _usable(cast("Strategy", _guarded(entry.load)), entry.value)
    return None


def names() -> list[str]:
    """The names that installed packages publish."""
    return [entry.name for entry in _entries()]


def planned(strategy: Strategy, items: DataItems, count: int, options: Mapping[str, Any]) -> tuple[list[list[int]], int | None]:
    """What a strategy plans, and its bound; raises ValueError as it does, and PluginError for any other exception."""
    plan = _guarded(lambda: strategy.plan(items, count, options), lets=ValueError)
    if plan.__class__ is not list or any(part.__class__ is not list for part in plan):
        raise PluginError("does not return a list of lists")
    stated = getattr(strategy, "bound", None)
    bound = None if stated is None else _guarded(lambda: stated(items, count, options))
    if bound is not None and bound.__class__ is not int:
        raise PluginError(f"has a bound that is not a number: {bound!r}")
    return cast("list[list[int]]", plan), bound


def _entries() -> list[EntryPoint]:
    return list(entry_points(group=GROUP))


def _usable(strategy: Strategy, source: str) -> Strategy:
    if not callable(getattr(strategy, "plan", None)) or getattr(strategy, "NEEDS_SIZES", None).__class__ is not bool:
        raise PluginError(f"is not a strategy: {source} must define a function plan, and NEEDS_SIZES as True or False")
    return strategy


def _guarded(work: Callable[[], Any], lets: type[Exception] | tuple[()] = ()) -> Any:
    try:
        with redirect_stdout(sys.stderr):
            return work()
    except lets:
        raise
    # Nothing is swallowed: it is reported as an error of the plugin, with the line where it happened.
    except (Exception, SystemExit) as problem:
        raise PluginError(f"fails{_line(problem)}: {problem.__class__.__name__}: {problem}") from problem


def _line(problem: BaseException) -> str:
    """The last line of the other author's code that was running."""
    if isinstance(problem, SyntaxError):
        return f" in line {problem.lineno}" if problem.lineno else ""
    trace, where = problem.__traceback__, ""
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename
        if not file.startswith(_OURS):
            where = f" in line {trace.tb_lineno} of {file.rpartition('/')[2]}"
        trace = trace.tb_next
    return where
