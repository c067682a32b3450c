"""Words of a command line -> exit code: 0 clean, 1 errors in the input, 2 wrong use, 3 an internal error."""

from __future__ import annotations

import sys

from tjgen.cli.command import Command, parse
from tjgen.cli.command import run as execute
from tjgen.trees.typing import Any

GROUPS = {
    "Everyday": ("init", "build", "check", "verify", "diff", "lint", "explain"),
    "Runs": ("try", "runs", "status", "promote", "pin", "report", "migrate"),
    "Platform": ("runtimes", "devices", "nodes", "fit", "schemas", "slices", "diagnose"),
    "Move to tjgen, or to another release": ("import", "convert", "expand"),
    "Inside other tools": ("cmp", "krm", "postrender", "schema"),
}
"""A task of the user -> the commands for it, in the order of the help."""
COMMANDS = {name: f"tjgen.cli.{name}" for names in GROUPS.values() for name in names}
"""Command -> its module, imported when it is used."""


def run(words: list[str]) -> int:
    """Run one command line; all output is written when this returns."""
    _prepare_streams()
    try:
        code = _run(words)
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        # The reader of our output has left (`| head`): not an error, but nothing more can be written.
        sys.stderr.close()
        return 1
    except KeyboardInterrupt:
        return 130
    except OSError as error:
        if isinstance(error, FileNotFoundError) and not _has_working_directory():
            return _no_working_directory()
        # Files are opened by name and report themselves; errors without a name are of standard output, such as a full disk.
        if error.filename is None:
            return unwritable(error)
        return _unreadable(error) if error.filename == "<stdin>" else _defect(words, error)
    except Exception as error:  # noqa: BLE001  # the edge of the program: a defect is reported, not shown as a traceback
        return _defect(words, error)


def _prepare_streams() -> None:
    """Standard output takes every character in any locale, and a stream that is closed reports its use."""
    if sys.stdin is None or sys.stdout is None:
        from tjgen.cli.streams import ClosedInput, ClosedOutput

        sys.stdin, sys.stdout = sys.stdin or ClosedInput(), sys.stdout or ClosedOutput()
    reconfigure = getattr(sys.stdout, "reconfigure", None)
    if reconfigure is not None:
        # Manifests are UTF-8. A file name that is not is shown with escapes, as on standard error.
        reconfigure(encoding="utf-8", errors="backslashreplace")


def _run(words: list[str]) -> int:
    words = _with_joined_values(words)
    if words and words[0] in COMMANDS:
        command, module = command_of(words[0])
        arguments = parse(command, words[1:])
        if arguments is not None:
            return execute(module, arguments)
    # click is loaded only here: it costs more than a whole build.
    from tjgen.cli.help import main

    return main(words, COMMANDS, GROUPS)


def _with_joined_values(words: list[str]) -> list[str]:
    """`--expanded` of `build` can have no value: the next word is its folder only if an output folder is given too."""
    if "--expanded" not in words or words[0] != "build":
        return words
    at = words.index("--expanded")
    follower = words[at + 1] if at + 1 < len(words) else "-"
    writes = any(word in ("-o", "--output") or word.startswith(("-o=", "--output=")) for word in words)
    if follower.startswith("-") or not writes or follower.endswith((".yaml", ".yml")):
        return [*words[:at], "--expanded=-", *words[at + 1 :]]
    return [*words[:at], f"--expanded={follower}", *words[at + 2 :]]


def _has_working_directory() -> bool:
    import os

    try:
        os.getcwd()
    except FileNotFoundError:
        return False
    return True


def _no_working_directory() -> int:
    from tjgen.trees.diagnostics.model import Diagnostic
    from tjgen.trees.diagnostics.render.text import render

    message, hint = "the working directory does not exist any more", "change to a folder that exists"
    diagnostic = Diagnostic("TJ036", message, hint=hint)
    sys.stderr.write(render([diagnostic], lambda file: None))
    return 1


def unwritable(error: OSError) -> int:
    """Report that standard output cannot be written, and return the exit code."""
    lines = [
        f"error[TJ056] standard output cannot be written: {error.strerror}",
        "  hint: the output is incomplete; free space, or write with -o, which never leaves partial files",
    ]
    sys.stderr.write("\n".join(lines) + "\n")
    return 1


def _unreadable(error: OSError) -> int:
    sys.stderr.write(f"error[TJ020] {error.filename} cannot be read: {error.strerror}\n  hint: give the command an input\n")
    return 1


def _defect(words: list[str], error: BaseException) -> int:
    import platform
    import traceback

    from tjgen import __version__

    lines = [
        f"error[TJ900] internal error of tjgen: {type(error).__name__}: {error}",
        "  Please report it with the lines below.",
        f"  tjgen {__version__}, Python {platform.python_version()}, {platform.system()}",
        f"  tjgen {' '.join(words)}",
        *("  " + line for line in "".join(traceback.format_exception(error)).rstrip().split("\n")),
    ]
    sys.stderr.write("\n".join(lines) + "\n")
    return 3


def command_of(name: str) -> tuple[Command, Any]:
    """The description and the module of a command."""
    # __import__ rather than importlib, which would be loaded for this alone.
    module = __import__(COMMANDS[name], fromlist=["COMMAND"])
    return module.COMMAND, module
