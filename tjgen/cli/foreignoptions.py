"""Options that users carry over from kubectl, Helm and similar tools -> what to write instead, for each command."""

from __future__ import annotations

import os

_FILE = ("-f", "--file", "--filename")
_ENVIRONMENT = "To select an environment, use --env"
_FILES = "To select an environment, name its folder or its files, such as deploy/prod"
_ALL = "The command covers all environments of the project"
_NONE = "The command does not depend on an environment: omit the option"
_ENVIRONMENTS = {
    "check": _FILES,
    "expand": _FILES,
    "convert": _FILES,
    "verify": _ALL,
    "runtimes": _ALL,
    "migrate": "To give runs to an environment that you added, use --environment",
    "cmp": "The Application sets the environment: use the parameter environment of the plugin",
    "krm": "Set the environment in the field environment of the function configuration",
}
"""Command without `--env` -> what selects an environment."""
_NO_CLUSTER = "tjgen {command} does not read a cluster; tjgen status does"
_NAMESPACE = "The namespace is metadata.namespace of the experiment, or that of its environment in tjgen.yaml"
_ADVICE = {
    "--dry-run": "tjgen {command} does not change a cluster; use tjgen build --check, tjgen build --summary or tjgen diff",
    "--values": "To set a field, use --set PATH=VALUE with tjgen build, or write an Overlay",
    "--set-string": "To set a field, use --set PATH=VALUE with tjgen build",
    "--watch": "tjgen {command} reads its input once: repeat it, for example with the program watch",
    "--selector": "To select runs or experiments, write their names; tjgen runs also takes patterns",
    "--all-namespaces": "tjgen {command} covers all namespaces that its input has: omit the option",
    "--recursive": "Folders are read with all folders below them: omit the option",
    "--kubeconfig": "To choose a cluster file, set KUBECONFIG for tjgen status",
}
_SAME = {"-w": "--watch", "-l": "--selector", "-A": "--all-namespaces", "-R": "--recursive", "-n": "--namespace"}
"""Option -> the option with the same advice."""


def advice_on(option: str, command: str, known: frozenset[str]) -> str | None:
    """What to write instead of an option that the command does not have, as a sentence; `known`: the options that it has."""
    option = _SAME.get(option, option)
    environment = _ENVIRONMENT if "--env" in known else _ENVIRONMENTS.get(command, _NONE)
    if option in _FILE:
        return "To name a file, write the path alone"
    if option in ("--env", "--environment", "--to"):
        return environment
    if option == "--namespace":
        return f"{_NAMESPACE}. {environment}"
    if option in ("--context", "--kube-context"):
        return "Use --context" if "--context" in known else _NO_CLUSTER.format(command=command)
    if option in ("-o", "--output"):
        return "The result is printed: to keep it, redirect it to a file. For JSON, use --format json"
    advice = _ADVICE.get(option)
    return advice.format(command=command) if advice is not None else None


def format_as_folder(command: str, output: str, folder: str | None) -> str | None:
    """What to write instead of `-o yaml`, if no file or folder has that name: the format of kubectl is meant."""
    if os.path.lexists(os.path.join(folder or ".", output)):
        return None
    instead = f"for JSON, use --format json{' --summary' if command == 'build' else ''}"
    if command == "build" and output != "json":
        instead = "to print the manifests as YAML, omit it and name an experiment or use --env"
    return f"-o names a file or a folder, not a format: {instead}. To write to a folder of this name, use -o ./{output}"
