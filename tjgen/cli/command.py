"""What a command is: one description that serves the fast way in, click, and the reference page."""

from __future__ import annotations

import os
import sys

from tjgen.cluster.releases import TRAINER_RELEASES
from tjgen.trees.typing import Any, NamedTuple

FLAG = "flag"
VALUE = "value"
MANY = "many"

Arguments = dict[str, Any]
"""The words of a command line: the positional words under "paths", options under their names."""


class Option(NamedTuple):
    """One option. `kind`: FLAG (true or false), VALUE (a word or None) or MANY (a list of words)."""

    flags: tuple[str, ...]
    name: str
    help: str
    kind: str = FLAG
    metavar: str = "TEXT"
    choices: tuple[str, ...] = ()


class Command(NamedTuple):
    """A command. Its module has `run(arguments) -> exit code`; `words` names the positional arguments."""

    name: str
    summary: str
    description: str
    example: str
    words: str
    options: tuple[Option, ...] = ()
    least: int = 0
    """How many positional words it needs."""
    most: int | None = None
    """How many positional words it takes; None: any number."""


TEXT, MARKDOWN, JSON = "text", "markdown", "json"


class Format(NamedTuple):
    """An output format, as `--format` names it. Commands read its properties, and compare no names."""

    name: str
    """Also the name of the module of `trees/diagnostics/render` that writes diagnostics in the format."""
    result: str = TEXT
    """The form of what a command itself prints, such as a comparison."""
    of_diagnostics: bool = True
    """Whether diagnostics are written in the format; if not, they are text."""
    is_for_programs: bool = True
    """Whether a program reads the diagnostics: people get excerpts, groups, colors and progress."""
    is_json: bool = False
    """Whether the diagnostics are one JSON document, which a line of text would break."""


FORMATS: dict[str, Format] = {
    one.name: one
    for one in (
        Format(TEXT, is_for_programs=False),
        Format(MARKDOWN, MARKDOWN, of_diagnostics=False, is_for_programs=False),
        Format(JSON, JSON, is_json=True),
        Format("sarif", is_json=True),
        Format("github"),
        Format("gitlab", is_json=True),
    )
}
"""Each format by its name."""
RESULTS = tuple(dict.fromkeys(one.result for one in FORMATS.values()))
"""The forms of what commands print."""
FOR_PROGRAMS = tuple([one.name for one in FORMATS.values() if one.is_for_programs])
"""The formats in which programs read diagnostics."""


def format_of(arguments: Arguments) -> Format:
    """The format that a command line names, or text."""
    return FORMATS[arguments.get("format") or TEXT]


def prints_json(arguments: Arguments) -> bool:
    """Whether the command prints its result as JSON."""
    return bool(arguments.get("json")) or format_of(arguments).result == JSON


FORMAT = Option(
    ("--format",),
    "format",
    "How diagnostics are written.",
    VALUE,
    "FORMAT",
    tuple([one.name for one in FORMATS.values() if one.of_diagnostics]),
)
KUBECTL_FORMATS = ("yaml", "json", "wide", "name", "table", "text")
"""Words that follow `-o` of kubectl; here, `-o` names a file or a folder."""
FOLDER = Option(("-C",), "folder", "Run the command as if DIR were the working directory.", VALUE, "DIR")
NO_OUTPUT = "use -o DIR, or set spec.output.directory in tjgen.yaml"
"""What to do if neither the command line nor the project names an output tree."""
OUTPUT = Option(("-o", "--output"), "output", "Output tree; the default is that of the project.", VALUE, "DIR")
ENVIRONMENTS = Option(("--env",), "env", "Environment of the project; may be repeated.", MANY, "NAME")
CATALOG = Option(("--catalog",), "catalog", "File or folder with runtimes; may be repeated.", MANY, "PATH")
SET = Option(("--set",), "set", "Set a field of the experiment, as with build.", MANY, "PATH=VALUE")
QUIET = Option(("-q", "--quiet"), "quiet", "Print errors only.")
STRICT = Option(("--strict",), "strict", "Treat warnings as errors.")
_RELEASES = f"{TRAINER_RELEASES[-1].name} to {TRAINER_RELEASES[0].name}"
KUBERNETES = Option(
    ("--kubernetes",),
    "kubernetes",
    "Release of Kubernetes in the cluster, such as 1.34; the default is that of the project's Platforms, or 1.36. It "
    "applies to manifests: an experiment is built for the release in its Platform.",
    VALUE,
    "RELEASE",
)
TRAINER = Option(
    ("--trainer",),
    "trainer",
    f"Release of Kubeflow Trainer in the cluster: {_RELEASES}.",
    VALUE,
    "RELEASE",
)
TRUSTED = Option(
    ("--trusted",),
    "trusted",
    "Run the Python that tjgen.yaml names, such as slicers; only where you trust its authors.",
)
POLICY = Option(
    ("--policy",),
    "policy",
    "File or folder of ValidatingAdmissionPolicies to enforce; may be repeated.",
    MANY,
    "PATH",
)
ACCEPT_MISSING = Option(
    ("--accept-missing",),
    "accept_missing",
    "Write although the output tree does not contain every object of the manifests; follow the steps of TJ284.",
)
BY = Option(
    ("--by",),
    "by",
    "Totals of the summary by project, team, environment, namespace or label:KEY; may be repeated.",
    MANY,
    "GROUP",
)
COMMON = (FORMAT, QUIET, STRICT)


class UsageError(Exception):
    """A command line that cannot be used, in words for the user. `run` prints them and returns exit code 2."""


def refuse_use(problem: str | None) -> None:
    """Raise UsageError if there is a problem with the command line."""
    if problem is not None:
        raise UsageError(problem)


def run(module: Any, arguments: Arguments) -> int:
    """The exit code of a command. TJGEN_TRUSTED=1 is the same as `--trusted`, and TJGEN_POLICY=PATH as `--policy PATH`."""
    try:
        if arguments.get("output") in KUBECTL_FORMATS:
            from tjgen.cli.foreignoptions import format_as_folder  # a slip

            refuse_use(format_as_folder(module.COMMAND.name, arguments["output"], arguments.get("folder")))
        return _limited(module, arguments) if os.environ.get("TJGEN_SETTINGS") else _run(module, arguments)
    except UsageError as error:
        sys.stderr.write(f"Error: {error}\n")
        return 2


def _limited(module: Any, arguments: Arguments) -> int:
    """The exit code under the settings of the caller, which no option and no project exceeds."""
    from tjgen.language.resolve.caller import CallerSettings, UnusableSettingsError  # few callers have a settings file

    trusted = bool(arguments.get("trusted")) or os.environ.get("TJGEN_TRUSTED") in ("1", "true")
    try:
        settings = CallerSettings.of_environment()
        with settings.applied(trusted=trusted, remedy="remove --trusted and TJGEN_TRUSTED"):
            if settings.is_strict and "strict" in arguments:
                arguments = {**arguments, "strict": True}
            return _run(module, arguments)
    except UnusableSettingsError as problem:
        raise UsageError(str(problem)) from None


def _run(module: Any, arguments: Arguments) -> int:
    if "policy" in arguments and (arguments["policy"] or os.environ.get("TJGEN_POLICY")):
        from tjgen.cli import enforcing  # most callers enforce no policies
        from tjgen.trees import enforced

        try:
            files = enforcing.files(arguments["policy"])
        except enforcing.UnreadablePolicyError as problem:
            raise UsageError(str(problem)) from None
        with enforced.Enforcing([*enforced.files(), *files]):
            return _trusting(module, {**arguments, "policy": [name for name, _ in files]})
    return _trusting(module, arguments)


def _trusting(module: Any, arguments: Arguments) -> int:
    if "trusted" not in arguments or not (arguments["trusted"] or os.environ.get("TJGEN_TRUSTED") in ("1", "true")):
        return int(module.run(arguments))
    from tjgen.trees import trust  # most projects run no code of their own

    with trust.granted():
        return int(module.run(arguments))


def enter(arguments: Arguments) -> None:
    """Go to the folder of `-C`. Raises UsageError if that is not possible."""
    if arguments["folder"] is not None:
        try:
            os.chdir(arguments["folder"])
        except OSError as error:
            raise UsageError(f"-C {arguments['folder']}: {error.strerror}") from None


def output_of(arguments: Arguments, default: str | None) -> str:
    """The output tree: that of `-o`, or the `default` of the project. Raises UsageError if there is none."""
    directory: str | None = arguments["output"] or default
    if directory is None:
        raise UsageError(NO_OUTPUT)
    return directory


def parse(command: Command, words: list[str]) -> Arguments | None:
    """The arguments that `words` spell, or None for anything that is better explained by click."""
    by_flag = {flag: option for option in command.options for flag in option.flags}
    arguments: Arguments = {
        option.name: [] if option.kind == MANY else None if option.kind == VALUE else False for option in command.options
    }
    paths: list[str] = []
    rest = iter(words)
    for word in rest:
        if word == "-" or not word.startswith("-"):
            paths.append(word)
            continue
        flag, joined, value = word.partition("=") if word.startswith("--") else (word, "", "")
        option = by_flag.get(flag)
        if option is None or (option.kind == FLAG and joined):
            return None
        if option.kind == FLAG:
            arguments[option.name] = True
            continue
        if not joined:
            argument = next(rest, None)
            if argument is None:
                return None
            value = argument
        if option.choices and value not in option.choices:
            return None
        if option.kind == MANY:
            arguments[option.name].append(value)
        else:
            arguments[option.name] = value
    if len(paths) < command.least or (command.most is not None and len(paths) > command.most):
        return None
    arguments["paths"] = paths
    return arguments
