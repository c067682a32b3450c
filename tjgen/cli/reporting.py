"""Diagnostics of one command -> stderr in the chosen format, and the exit code."""

from __future__ import annotations

import os
import sys

from tjgen.cli.command import Arguments, format_of
from tjgen.trees.diagnostics.model import ERROR, INFO, WARNING, CompileError, Diagnostic
from tjgen.trees.typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from tjgen.cli.progress import Progress

    Step = Callable[[int, int, str], None]


class Reporter:
    """Collects what a command finds. `close` writes it, and answers 1 where something is an error, else 0."""

    def __init__(self, arguments: Arguments) -> None:
        self._format = format_of(arguments)
        self._quiet = bool(arguments.get("quiet"))
        self._strict = bool(arguments.get("strict"))
        self.groups = True
        """Whether people see problems of one cause once."""
        self._progress: Progress | None = None
        self.diagnostics: list[Diagnostic] = []

    def __enter__(self) -> Reporter:
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> bool:
        """Take the diagnostics of a CompileError, which ends the block."""
        if isinstance(error, CompileError):
            self.add(error.diagnostics)
            return True
        return False

    def add(self, diagnostics: list[Diagnostic]) -> None:
        """Take diagnostics; with --strict a warning becomes an error."""
        for one in diagnostics:
            strict = self._strict and one.severity == WARNING
            self.diagnostics.append(one._replace(severity=ERROR) if strict else one)

    @property
    def failed(self) -> bool:
        """Whether there was an error."""
        return any(one.severity == ERROR for one in self.diagnostics)

    def watch(self) -> Step | None:
        """Return the callback for progress: steps done, total (0: unknown), and the step that begins.

        None if no person watches: not on a terminal, in continuous integration, with --quiet, or in a format for programs.
        """
        if self._quiet or self._format.is_for_programs or not sys.stderr.isatty():
            return None
        if os.environ.get("CI") or os.environ.get("TERM") == "dumb":
            return None
        from tjgen.cli.progress import on_terminal

        self._progress = self._progress or on_terminal()
        return self._progress.step

    def clear(self) -> None:
        """Take away what `watch` shows, before anything else is written."""
        if self._progress is not None:
            self._progress.clear()

    def print_line(self, line: str) -> None:
        """A line about what was done, on stderr; nothing with --quiet or where the format is for programs."""
        if not self._quiet and not self._format.is_for_programs:
            self.clear()
            sys.stderr.write(line + "\n")

    def note_refused_cache(self) -> None:
        """Print a line if there is a cache folder that must not be used: the next command takes as long as this one."""
        from tjgen.trees.caches import refusal

        refused = refusal()
        if refused is not None:
            folder, reason = refused
            hint = "set XDG_CACHE_HOME to a folder elsewhere that only your account can write to, or TJGEN_CACHE to off"
            self.print_line(f"the cache {folder} is not used: {reason}; {hint}")

    def close(self, checked: str = "") -> int:
        """Write what was found to stderr; the exit code.

        A gate names what it has `checked` ("12 runs, 48 objects"). Its last line is this with the number of problems, also
        if there are none; with --quiet and in JSON it is left out.
        """
        self.clear()
        shown = list(dict.fromkeys(one for one in self.diagnostics if not self._quiet or one.severity == ERROR))
        mistyped = {one.span for one in shown if one.code == "TJ103"}
        if mistyped:  # an ambiguous value of the wrong type is one mistake
            shown = [one for one in shown if one.code != "TJ004" or one.span not in mistyped]
        if self._format.is_for_programs:
            from importlib import import_module

            sys.stderr.write(import_module(f"tjgen.trees.diagnostics.render.{self._format.name}").render(shown))
        elif shown:
            from tjgen.trees.diagnostics.render.grouped import grouped
            from tjgen.trees.diagnostics.render.text import render as as_text
            from tjgen.trees.source.ondisk import text_of

            sys.stderr.write(as_text(grouped(shown) if self.groups else shown, text_of, color=_has_color()))
            if not checked or self._quiet:
                _count(shown)
        if checked and not self._quiet and not self._format.is_json:
            sys.stderr.write(f"{checked}, {_problems(shown)}\n")
        return 1 if self.failed else 0


def _problems(shown: list[Diagnostic]) -> str:
    """Text such as "0 problems" or "3 problems (1 error, 2 warnings)"."""
    count = sum(one.severity in (ERROR, WARNING) for one in shown)
    words = _words(shown)
    return f"{count} problem{'' if count == 1 else 's'}" + (f" ({', '.join(words)})" if words else "")


def _count(shown: list[Diagnostic]) -> None:
    if any(one.severity in (ERROR, WARNING) for one in shown):
        sys.stderr.write(", ".join(_words(shown)) + "\n")


def _words(shown: list[Diagnostic]) -> list[str]:
    counts = [(severity, sum(one.severity == severity for one in shown)) for severity in (ERROR, WARNING, INFO)]
    return [f"{count} {severity}{'s' if count > 1 and severity != INFO else ''}" for severity, count in counts if count]


def _has_color() -> bool:
    return sys.stderr.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"
