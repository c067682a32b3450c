"""`script` and the runtime's launcher -> the command and the arguments of a container.

A Python program is one command that begins with a `.py` file or `-m`, also behind `python` or `python3`: the launcher goes
before it, instead of `python`. Several lines are shell text, which starts the launcher itself. Any other command runs as it is.
"""

from __future__ import annotations

from tjgen.compiler.words import shell_syntax, split
from tjgen.trees import regex
from tjgen.trees.canonical import json_text
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.diagnostics.suspected import in_env
from tjgen.trees.fields.path import FieldPath
from tjgen.trees.typing import NamedTuple

AT: FieldPath = ("spec", "script")
NONE = "none"
"""The launcher of a script that starts its processes itself."""

_WORDS = "TJ304"
_BYPASSED = "TJ130"
_SYNTAX = "TJ131"
_MODULE = "TJ134"
_NO_MODULE = "TJ136"
_EMPTY = "TJ105"

_PYTHON = ("python", "python3")
PADDLE = "paddle.distributed.launch"
_MODULES = ("torch.distributed.run", "torch.distributed.launch", "accelerate.commands.launch", PADDLE)
"""Modules that start processes as a launcher does."""
_LAUNCHERS = (
    r"(?:\S*/)?"
    r"(?:torchrun|accelerate\s+launch|deepspeed|mpirun|mpiexec|horovodrun|composer|tune\s+run|colossalai\s+run|fleetrun)"
)
_OF_ONE_NODE = regex.compile(
    r"(?:^|[;&|(\n])\s*(?:exec\s+)?((?:\S*/)?(?:deepspeed|composer|colossalai\s+run|horovodrun|mpirun|mpiexec))(?=\s|$)"
)
"""Launchers that start processes on their own node only, unless an option names the other nodes."""
_WITHOUT_MPI = regex.compile(
    r"(?:^|[;&|(\n])\s*(?:exec\s+)?((?:\S*/)?(?:torchrun|accelerate\s+launch|deepspeed|composer|colossalai\s+run))(?=\s|$)"
)
"""Launchers that use no MPI, so in the launcher pod of an MPI runtime they start processes of that pod only."""
_NAMES_NODES = regex.compile(r"PET_|MASTER_ADDR|host|node_rank|machine_rank")
_INTERPRETER = regex.compile(r"((?:\S*/)?python[0-9.]*(?: -u)?) (?:-m \S+|\S+\.py)(?= |$)")
_INTERPRETER_IN_SHELL = regex.compile(
    r"(?:^|[;&|(\n])\s*(?:exec\s+)?((?:\S*/)?python[0-9.]*(?: -u)?) (?:-m \S+|\S+\.py)(?=[\s;&|)]|$)"
)
_SHELLS = ("sh", "bash", "dash", "zsh")
_PYTHON_NAME = regex.compile(r"python[0-9.]*\Z")
_IN_SHELL = regex.compile(r"(?:^|[;&|(\n])[ \t]*(?:exec[ \t]+)?([^\s;&|()#<>$`][^;&|()\n#<>$`]*)")
_MOVES = regex.compile(r"(?:^|[;&|(\n])\s*(?:cd|pushd)\s")
_PRINTED = regex.compile(r"(?:^|(?<=\s))#[^\n]*|(?:^|(?<=[\s;&|(]))(?:echo|printf|which|type|command\s+-v)\s[^;&|\n]*")
"""Comments, and words that a shell prints or looks up, but does not start."""
_CONTINUED = regex.compile(r"\\\r?\n")


class ScriptProgram(NamedTuple):
    """What a container starts."""

    command: list[str]
    args: list[str]


_OF_NODES = {
    **dict.fromkeys(("SLURM_NNODES", "SLURM_JOB_NUM_NODES", "SKYPILOT_NUM_NODES"), "PET_NNODES"),
    **dict.fromkeys(("SLURM_NODEID", "SKYPILOT_NODE_RANK"), "PET_NODE_RANK"),
}
_OF_PROCESSES = {"SLURM_PROCID": "RANK", "SLURM_LOCALID": "LOCAL_RANK", "SLURM_NTASKS": "WORLD_SIZE"}
"""Variables of Slurm and SkyPilot -> those of Trainer for a node, and of torchrun for a process."""


def program(script: str, launcher: list[str]) -> ScriptProgram | Diagnostic:
    """What `script` starts under `launcher`; a diagnostic for a script that bypasses the launcher, or needs a shell."""
    lines = [line for line in _CONTINUED.sub(" ", script).splitlines() if line.strip() and not line.lstrip().startswith("#")]
    if len(lines) > 1 or script.startswith("#!"):
        return _shell_text(script, launcher)
    line = lines[0] if lines else ""
    if not line.isascii():
        from tjgen.compiler import typographic  # few scripts have other characters

        problem = typographic.of_line(line, AT)
        if problem is not None:
            return problem
    syntax = shell_syntax(line)
    if syntax is not None:
        message = f"script has {syntax}, but no shell runs a script of one command: the program receives it as text"
        return Diagnostic(_SYNTAX, message, path=AT, hint=_without_shell(line, syntax, launcher))
    try:
        words = split(line)
    except ValueError as problem:
        message = f"script cannot be split into words: {str(problem).lower()}"
        fix = "remove the backslash at the end" if line.rstrip().endswith("\\") else "close the quotation mark"
        return Diagnostic(_WORDS, message, path=AT, hint=f"{fix}, or write command and args")
    if not words:
        return Diagnostic(
            _EMPTY, "spec.script has no command", path=AT, hint="write a command, such as train.py, or remove script"
        )
    return _command(words, launcher)


def _without_shell(line: str, syntax: str, launcher: list[str]) -> str:
    """What to write instead of shell syntax in a script of one command."""
    folder = regex.match(r"\s*cd\s+(/[^\s;&|$]*)\s*(?:&&|;)", line)
    if folder is not None:
        return f"remove cd, and set workingDir: {folder[1]}"
    start = f", and write {_spelling(launcher)} before the program" if _is_distributed(launcher) else ""
    in_shell = f"begin the script with the line #!/bin/sh{start}"
    variable = regex.match(r"\$\{?([A-Za-z_][A-Za-z0-9_]*)(?::?-([^}]*)\})?", syntax)
    if variable is not None:
        if "torchrun" in launcher and variable[1] in _OF_NODES:
            return f"write $({_OF_NODES[variable[1]]}), which Kubernetes replaces"
        if "torchrun" in launcher and variable[1] in _OF_PROCESSES:
            return f"remove it: torchrun sets {_OF_PROCESSES[variable[1]]} in each process, and the program can read it there"
        entry = in_env(variable[1], f"{variable[1]}: {json_text(variable[2])}" if variable[2] else "")
        value = f"add {entry} to env" if entry else f"set {variable[1]} in env"
        return f"write $({variable[1]}), which Kubernetes replaces, and {value}; to run a shell, {in_shell}"
    name, equals, value = syntax.partition("=")
    if equals:
        return f"remove it, and add {in_env(name, f'{name}: {json_text(value)}')} to env"
    return f"to run a shell, {in_shell}; if {syntax} is plain text, put it in single quotes"


def _shell_text(script: str, launcher: list[str]) -> ScriptProgram | Diagnostic:
    first = script.splitlines()[0]
    shell = first[2:].split() if first.startswith("#!") else []
    if _is_distributed(launcher) and shell and _PYTHON_NAME.match(shell[-1].rpartition("/")[2]):
        return _bypassed("Python text", launcher, "move the text to main.py in code.configMap.files, and write script: main.py")
    if _is_distributed(launcher) and not _starts_launcher(_without_printed_words(script), _name(launcher)):
        return _bypassed("shell text", launcher, f"start the program with {_spelling(launcher)} in the text")
    return ScriptProgram([*(shell or ["/bin/sh"]), "-c"], [script])


def _command(words: list[str], launcher: list[str]) -> ScriptProgram | Diagnostic:
    python = words[:1] if words and words[0] in _PYTHON else []
    rest = words[len(python) :]
    options = [rest[0]] if python and rest[:1] == ["-u"] else []
    rest = rest[len(options) :]
    entry = tuple(rest[:2]) if rest[:1] == ["-m"] else tuple(rest[:1]) if rest and rest[0].endswith(".py") else ()
    if entry[:1] == ("-m",) and not _is_module(entry[1:]):
        return _no_module(entry[1:])
    if not entry or entry[-1] in _MODULES:
        if not _is_distributed(launcher) or _starts_launcher(" ".join(words), _name(launcher)):
            return ScriptProgram(words[:1], words[1:])
        started_program = started(words, launcher)
        is_python = started_program[:1] == ("-m",) or "".join(started_program).endswith(".py")
        other = "the .py file" if PADDLE in launcher else "the .py file or with -m"
        start = " ".join(started_program) if is_python else other
        return _bypassed(words[0], launcher, f"begin the script with {start}")
    before, last = (launcher[:-1], launcher[-1:]) if launcher and launcher[-1] in _PYTHON else (launcher, [])
    if last or not launcher:
        # The interpreter that the script names replaces the launcher's.
        return ScriptProgram([*before, *(python or last or ["python"]), *options], rest)
    if entry[0] == "-m" and PADDLE in launcher:
        message = f"{PADDLE} starts .py files, but not modules: -m {entry[-1]} would fail in each pod"
        hint = f"write the file of the module, such as {entry[-1].replace('.', '/')}.py"
        return Diagnostic(_MODULE, message, path=AT, hint=hint)
    return ScriptProgram(launcher, rest)


def _is_module(after: tuple[str, ...]) -> bool:
    """Whether the word after `-m` can be the name of a module."""
    return bool(after) and "/" not in after[0] and not after[0].endswith(".py") and not after[0].startswith("-")


def _no_module(after: tuple[str, ...]) -> Diagnostic:
    if not after or after[0].startswith("-"):
        return Diagnostic(_NO_MODULE, "-m in script has no module after it", path=AT, hint="write -m MODULE, or the .py file")
    module = after[0].removeprefix("./").removesuffix(".py").strip("/").replace("/", ".")
    file = f"{after[0]}, or " if after[0].endswith(".py") else ""
    message = f"-m in script requires the name of a module, but {after[0]} is a path"
    return Diagnostic(_NO_MODULE, message, path=AT, hint=f"write {file}-m {module}")


def _is_distributed(launcher: list[str]) -> bool:
    """Whether a program that the launcher does not start is not part of the run's process group."""
    return bool(launcher) and (launcher[0] not in _PYTHON or bool(_module(launcher)))


def _module(launcher: list[str]) -> str:
    """The module that a launcher such as `python -m torch.distributed.run` consists of; empty for other launchers."""
    return launcher[2] if len(launcher) > 2 and launcher[0] in _PYTHON and launcher[1] == "-m" else ""


def _name(launcher: list[str]) -> str:
    """The word by which a command line shows that the launcher is in it."""
    return _module(launcher) or launcher[0]


def _spelling(launcher: list[str]) -> str:
    """The launcher without its options."""
    return " ".join(launcher[:3]) if _module(launcher) else launcher[0]


def _starts_launcher(text: str, launcher: str) -> bool:
    import re  # few scripts name the launcher

    names = f"(?:{_LAUNCHERS}|{re.escape(launcher)}|{'|'.join(re.escape(name) for name in _MODULES)})"
    return re.search(rf"(?<![^\s;&|('\"`]){names}(?![^\s;&|)'\"`])", text) is not None


def _without_printed_words(text: str) -> str:
    """Shell text without comments, and without what it prints or looks up."""
    return _PRINTED.sub("", text)


def launcher_of_one_node(words: list[str], *, is_mpi: bool = False) -> str | None:
    """The launcher in a command line that starts processes on its own node only; None if all nodes take part."""
    text = " ".join(words).replace(" -c ", " -c\n", 1)
    match = (_WITHOUT_MPI if is_mpi else _OF_ONE_NODE).search(text)
    return match[1] if match is not None and _NAMES_NODES.search(text) is None else None


def interpreter_alone(words: list[str]) -> str | None:
    """`python` and its options where a command line starts a program with it and without a launcher; else None."""
    text = " ".join(words)
    match = _INTERPRETER.match(text)
    if match is None or _NAMES_NODES.search(text) is not None or _starts_launcher(text, "torchrun"):
        return None
    return match[1]


def alone_in_shell(words: list[str]) -> str | None:
    """`python` where a shell command starts a program with it, and no launcher; else None."""
    shell_text = text_of_shell(words)
    if shell_text is None:
        return None
    text = _without_printed_words(shell_text)
    match = _INTERPRETER_IN_SHELL.search(text)
    return (
        match[1] if match is not None and _NAMES_NODES.search(text) is None and not _starts_launcher(text, "torchrun") else None
    )


def text_of_shell(words: list[str]) -> str | None:
    """The text that a command line gives to a shell with `-c`; None for other commands."""
    rest = words[1:] if words and words[0].rpartition("/")[2] == "env" else words
    if not rest or rest[0].rpartition("/")[2] not in _SHELLS:
        return None
    for position, word in enumerate(rest[1:], 1):
        if not word.startswith("-"):
            return None
        if "c" in word and not word.startswith("--"):
            return rest[position + 1] if position + 1 < len(rest) else None
    return None


def started(words: list[str], launcher: list[str]) -> tuple[str, ...]:
    """The program that a command line starts: a file alone, or `-m` and its module; empty for commands of the image."""
    first = words[0] if words else ""
    if first.rpartition("/")[2] in _SHELLS:
        return _file_of_shell(words[1:])
    if "/" in first and (first.startswith("./") or first.endswith((".sh", ".py"))):
        return (first,)
    is_python = _PYTHON_NAME.match(first.rpartition("/")[2]) is not None
    if not is_python and not _starts_launcher(" ".join(words), _name(launcher) if launcher else NONE):
        return ()
    for position, word in enumerate(words[1:], 1):
        after = words[position + 1] if position + 1 < len(words) else None
        if word in ("-m", "--module") and after not in _MODULES:
            return ("-m", after) if after is not None and _is_module((after,)) else ()
        if word.rpartition("/")[2] in _SHELLS:
            return _file_of_shell(words[position + 1 :])
        if word.endswith(".py") or word.startswith("./"):
            return (word,)
    return ()


def _file_of_shell(words: list[str]) -> tuple[str, ...]:
    """The file that a shell reads its commands from; empty for `-c`, and for a name that can be the value of an option."""
    if text_of_shell([_SHELLS[0], *words]) is not None:
        return ()
    return next(((word,) for word in words if not word.startswith("-") and ("." in word or "/" in word)), ())


def started_in_shell(text: str, launcher: list[str]) -> list[tuple[str, ...]]:
    """The programs that a shell text starts; none if it changes the folder, because their paths begin there."""
    text = _without_printed_words(_CONTINUED.sub(" ", text))
    entries = []
    for match in _IN_SHELL.finditer(text) if _MOVES.search(text) is None else ():
        try:
            entries.append(started(split(match[1]), launcher))
        except ValueError:  # a quotation mark that closes behind an operator
            continue
    return [entry for entry in entries if entry]


def _bypassed(what: str, launcher: list[str], spelling: str) -> Diagnostic:
    start = " ".join(launcher)
    message = f"script starts {what} without {start}, the launcher of the runtime: each pod would train alone"
    return Diagnostic(
        _BYPASSED, message, path=AT, hint=f"{spelling}, or set launcher: none if the script starts all processes itself"
    )


def launcher_of(requested: str | None, runtimes: list[str]) -> list[str]:
    """The words that start a Python program: those of the experiment, or else the runtime's."""
    if requested is None:
        return runtimes
    return [] if requested == NONE else requested.split()
