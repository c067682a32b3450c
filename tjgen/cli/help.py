"""The command line by click: help, wrong use, completion, and what the fast way in does not accept."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from importlib import import_module

import click

from tjgen import __version__
from tjgen.cli.command import FLAG, MANY, Command
from tjgen.cli.command import run as execute
from tjgen.cli.foreignoptions import advice_on
from tjgen.trees.k8s.nearest import nearest
from tjgen.trees.typing import Any


class _Program(click.Group):
    """A group whose commands are imported on demand."""

    def __init__(self, modules: Mapping[str, str], groups: Mapping[str, Sequence[str]]) -> None:
        super().__init__(
            name="tjgen",
            help="Compile short experiments into the Kubernetes manifests of training jobs.",
            context_settings={"help_option_names": ["--help", "-h"]},
        )
        self.modules = modules
        self.groups = groups

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.modules)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.modules:
            return None
        module = import_module(self.modules[cmd_name])
        return _command(module.COMMAND, module)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands of each group under its heading, with their summaries in one column."""
        width = max(len(name) for name in self.modules)
        for heading, names in self.groups.items():
            with formatter.section(heading):
                described = [self.get_command(ctx, name) for name in names]
                formatter.write_dl(
                    [(f"{command.name or '':{width}}", command.get_short_help_str(120)) for command in described if command]
                )

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that the first word names. Raises UsageError with the nearest name if there is none."""
        if args and not args[0].startswith("-") and args[0] not in self.modules:
            close = _OF_OTHER_TOOLS.get(args[0]) or nearest(args[0], self.modules)
            hint = TASKS.get(args[0]) or (f"did you mean `tjgen {close}`?" if close else "tjgen --help lists the commands")
            ctx.fail(f'unknown command "{args[0]}": {hint}')
        return super().resolve_command(ctx, args)


_OF_OTHER_TOOLS = {
    "apply": "build",
    "deploy": "build",
    "template": "build",
    "render": "build",
    "create": "init",
    "validate": "check",
    "fmt": "build",
}
"""Commands of kubectl, Helm and similar tools -> the command of tjgen for the same task."""
_DESTRUCTIVE = ("--prune", "--force", "--write", "--accept-missing", "--delete")
"""How options begin that overwrite or remove files: they are never suggested."""
_STOP = (
    "set state: suspended in the experiment, then build and commit. Other runs need another step:\n"
    "- a run in an environment with runs: promoted: set experiment: {state: suspended} in an overlay for that environment, "
    "then build and commit\n"
    "- a superseded or orphaned run: tjgen runs prune NAME removes it, and prints how the cluster deletes it\n"
    "- a run in a queue of Kueue: set active: false in its Workload\n"
    "To stop a run at once, also use "
    """kubectl patch KIND NAME -n NAMESPACE --type merge -p '{"spec":{"suspend":true}}'. """
    """To resume the run, use the same command with "suspend":false. If the experiment has set state: suspended, """
    "use state: active instead."
)
_RETURN = (
    "restore the experiment from Git, then build: its earlier run becomes current again, and the later one superseded. "
    "For an environment with runs: promoted, then also use tjgen promote NAME --env ENVIRONMENT with the earlier run's name in "
    "the environment that it was promoted from"
)
_REMOVE = "tjgen runs prune NAME removes a run from the output tree"
_LIST = "tjgen runs list lists the runs, and tjgen status shows their state in a cluster"
_START = (
    "tjgen build writes the manifests of runs, and a GitOps tool starts them after a commit; "
    "tjgen try prints the manifests of a run to apply with kubectl"
)
_SHELL = "tjgen does not open shells in pods: use kubectl exec, with the name of a pod from kubectl get pods"
TASKS = {
    "stop": _STOP,
    "suspend": _STOP,
    "pause": _STOP,
    "resume": "set state: active where the experiment or an overlay suspends the run, then build and commit. "
    """For a run that only kubectl suspended, set "suspend":false with kubectl patch""",
    "cancel": _STOP,
    "kill": _STOP,
    "rollback": _RETURN,
    "undo": _RETURN,
    "revert": _RETURN,
    "get": "tjgen runs list lists the runs, and tjgen explain shows the origin of each field",
    "describe": "tjgen explain shows the origin of each field, and tjgen runs list lists the runs",
    "logs": "tjgen does not read logs: use kubectl logs, as docs/troubleshooting.md describes",
    "delete": _REMOVE,
    "remove": _REMOVE,
    "rm": _REMOVE,
    "scancel": _STOP,
    "list": _LIST,
    "ls": _LIST,
    "ps": _LIST,
    "queue": _LIST,
    "squeue": _LIST,
    "sacct": _LIST,
    "watch": "tjgen status reads the runs of a cluster once; kubectl get trainjobs --watch follows them",
    **dict.fromkeys(("run", "start", "launch", "submit", "sbatch", "srun", "salloc"), _START),
    "ssh": _SHELL,
    "exec": _SHELL,
    "version": "tjgen --version prints the release",
    "help": "tjgen --help lists the commands, and tjgen COMMAND --help describes one",
}
"""Words that are not commands -> how to do the task."""


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


def main(words: list[str], modules: Mapping[str, str], groups: Mapping[str, Sequence[str]]) -> int:
    """Run `words` through click: its own exit code for help (0) and wrong use (2)."""
    program = _Program(modules, groups)
    click.version_option(__version__, prog_name="tjgen")(program)
    try:
        code = program.main(args=words, prog_name="tjgen", standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as shown:
        shown.show()
        return 2
    except click.NoSuchOption as wrong:
        _show_unknown_option(wrong)
        return 2
    except click.ClickException as wrong:
        wrong.show()
        return 2
    except click.exceptions.Abort:
        return 130
    return code if isinstance(code, int) else 0


def _show_unknown_option(wrong: click.NoSuchOption) -> None:
    command = wrong.ctx.command if wrong.ctx is not None else None
    known = frozenset(flag for one in command.params for flag in one.opts) if command is not None else frozenset()
    advice = advice_on(wrong.option_name, str(command.name), known) if command is not None else None
    if advice is None:
        near = [one for one in wrong.possibilities or () if not one.startswith(_DESTRUCTIVE)]
        click.NoSuchOption(wrong.option_name, wrong.message, near, wrong.ctx).show()
        return
    click.UsageError(f"{wrong.message} {advice}.", wrong.ctx).show()
