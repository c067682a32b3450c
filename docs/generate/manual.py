"""Descriptions of the commands -> the manual page `tjgen.1`, which the wheel installs."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen import __version__
from tjgen.cli.command import FLAG, MANY, Option
from tjgen.cli.program import GROUPS, command_of

_HEAD = f"""\
.\\" Made by `python -m docs.generate` from the code. Change it there.
.TH TJGEN 1 "" "tjgen {__version__}" "User Commands"
.SH NAME
tjgen \\- compile short experiments into the Kubernetes manifests of training jobs
.SH SYNOPSIS
.B tjgen
.I COMMAND
[\\fIOPTIONS\\fR] [\\fIFILE\\fR ...]
.SH DESCRIPTION
Commands write only their result to standard output, and diagnostics to standard error.
.B tjgen COMMAND \\-\\-help
prints the text of one command.
"""
_TAIL = """\
.SH EXIT STATUS
.TP
0
no errors
.TP
1
errors in the input, or problems that a check found
.TP
2
invalid command line
.TP
3
an internal error of tjgen, with a report to paste into an issue
"""


def page() -> str:
    """The text of the manual page."""
    return _HEAD + "".join(_sections()) + _TAIL


def _sections() -> Iterator[str]:
    for group, names in GROUPS.items():
        yield f'.SH "COMMANDS: {group.upper()}"\n'
        for name in names:
            command, _ = command_of(name)
            words = f" {command.words}" if command.words else ""
            yield f'.SS "tjgen {name}{" [OPTIONS]" if command.options else ""}{_escaped(words)}"\n'
            yield f"{_escaped(command.description)}\n"
            for option in command.options:
                yield f".TP\n{_flags(option)}\n{_escaped(option.help)}\n"
            yield f".PP\nExample:\n.PP\n.nf\n{_escaped(command.example)}\n.fi\n"


def _flags(option: Option) -> str:
    value = "" if option.kind == FLAG else f" \\fI{_escaped('|'.join(option.choices) or option.metavar)}\\fR"
    often = " (more than once)" if option.kind == MANY else ""
    return ", ".join(f"\\fB{_escaped(flag)}\\fR{value}" for flag in option.flags) + often


def _escaped(text: str) -> str:
    """Text in which no sign is a command of troff."""
    escaped = text.replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{escaped}" if escaped.startswith((".", "'")) else escaped
