"""Descriptions of the commands -> the page of the command line."""

from __future__ import annotations

from collections.abc import Iterator

from docs.generate.markdown import NOTICE, code, table
from tjgen.cli.command import FLAG, MANY, Command, Option
from tjgen.cli.program import COMMANDS, command_of

INTRODUCTION = """\
`tjgen COMMAND [OPTIONS] [FILE ...]`. Commands write only their result to standard output, and diagnostics to standard error.
`tjgen COMMAND --help` prints the same text as this page.

| exit code | meaning |
| --- | --- |
| 0 | no errors |
| 1 | errors in the input, or problems that a check found |
| 2 | invalid command line |
| 3 | an internal error of tjgen, with a report to paste into an issue |
"""


def page() -> str:
    """The page."""
    return "\n".join(["# Command line\n", NOTICE, INTRODUCTION, *_commands()])


def _commands() -> Iterator[str]:
    for name in COMMANDS:
        command, _ = command_of(name)
        yield f"## tjgen {name}\n"
        yield f"{command.description}\n"
        yield f"```sh\n{command.example}\n```\n"
        yield f"Usage: `tjgen {name}{' [OPTIONS]' if command.options else ''}{_words(command)}`\n"
        if command.options:
            yield table(("Option", "Meaning"), ((_flags(option), option.help) for option in command.options))


def _words(command: Command) -> str:
    return f" {command.words}" if command.words else ""


def _flags(option: Option) -> str:
    value = "" if option.kind == FLAG else " " + ("\\|".join(option.choices) if option.choices else option.metavar)
    often = " (more than once)" if option.kind == MANY else ""
    return ", ".join(code(flag + value.replace("\\|", "|")) for flag in option.flags) + often
