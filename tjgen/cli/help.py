"""The command line by click: help, wrong use, completion, and whatever the fast way in does not take."""

from __future__ import annotations

import sys
from importlib import import_module

import click

from tjgen import __version__
from tjgen.cli.command import FLAG, MANY, Command
from tjgen.cli.command import run as execute
from tjgen.trees.typing import Any


class _Program(click.Group):
    """A group whose commands are imported when they are asked for."""

    def __init__(self, modules: dict[str, str]) -> None:
        super().__init__(name="tjgen", help="A compiler for training jobs that live in Git.")
        self.modules = modules

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.modules)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.modules:
            return None
        module = import_module(self.modules[cmd_name])
        return _command(module.COMMAND, module)


def _command(described: Command, module: Any) -> click.Command:
    parameters: list[click.Parameter] = []
    for option in described.options:
        if option.kind == FLAG:
            parameters.append(click.Option([*option.flags, option.name], is_flag=True, help=option.help))
        else:
            parameters.append(
                click.Option(
                    [*option.flags, option.name],
                    multiple=option.kind == MANY,
                    metavar=None if option.choices else option.metavar,
                    type=click.Choice(option.choices) if option.choices else None,
                    help=option.help,
                )
            )
    if described.most != 0:
        parameters.append(click.Argument(["paths"], nargs=-1, required=described.least > 0, metavar=described.words))

    def callback(**arguments: Any) -> int:
        arguments["paths"] = list(arguments.get("paths", ()))
        if len(arguments["paths"]) < described.least or len(arguments["paths"]) > (described.most or sys.maxsize):
            raise click.UsageError(f"{described.name} takes {described.words}")
        for option in described.options:
            if option.kind == MANY:
                arguments[option.name] = list(arguments[option.name])
        return execute(module, arguments)

    return click.Command(
        described.name,
        params=parameters,
        callback=callback,
        help=f"{described.description}\n\n\b\nExample:\n  {described.example}",
        short_help=described.summary,
    )


def main(words: list[str], modules: dict[str, str]) -> int:
    """Run `words` through click: its own exit code for help (0) and wrong use (2)."""
    program = _Program(modules)
    click.version_option(__version__, prog_name="tjgen")(program)
    try:
        code = program.main(args=words, prog_name="tjgen", standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as shown:
        shown.show()
        return 2
    except click.ClickException as wrong:
        wrong.show()
        return 2
    except click.exceptions.Abort:
        return 130
    return code if isinstance(code, int) else 0
