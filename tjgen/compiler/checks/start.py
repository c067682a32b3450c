"""The main containers of a run with a bundled runtime -> a warning about programs that neither the image nor the code has."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from tjgen.compiler.checks.launch import command_line
from tjgen.compiler.lower import SPEC
from tjgen.compiler.script import launcher_of, started
from tjgen.language.setting import Setting
from tjgen.language.spec.objects import Experiment
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import Tree, get
from tjgen.trees.typing import Any
from tjgen.trees.workload.roles import programs
from tjgen.trees.workload.workload import RUNTIME, PodSet, Workload

_CODE = "TJ137"
_WORKING_DIRECTORY = "/workspace"
"""The working directory of the images of PyTorch."""
_PACKAGES = ("deepspeed", "jax", "mpi4py", "numpy", "paddle", "pip", "torch", "torchaudio", "torchtune", "torchvision", "xgboost")
"""Packages of the images of bundled runtimes whose modules a command can start."""


def check(workload: Workload, experiment: Experiment, setting: Setting, runtime: str) -> Iterator[Diagnostic]:
    """TJ137 for an image of the runtime without a command, or with a program that it does not contain."""
    for podset in programs(workload):
        main = get(workload.tree.value, podset.main, None) or {}
        origins = workload.tree.origins((*podset.main, "image"))
        if any(origin.source != RUNTIME for origin in origins):
            continue
        if main.get("command"):
            yield from _absent_program(workload, podset, main, launcher_of(experiment.spec.launcher, setting.launcher), runtime)
            continue
        written = "only args" if main.get("args") else "no script"
        message = f"nothing starts a program: the experiment has {written}, and the image of runtime {runtime} contains none"
        hint = "add script: train.py, and its files with code: {configMap: .}, or the image that contains the program"
        yield Diagnostic(_CODE, message, path=(*SPEC, "args") if experiment.spec.args else SPEC, hint=hint)
        return


def _absent_program(workload: Workload, podset: PodSet, main: Tree, launcher: list[str], runtime: str) -> Iterator[Diagnostic]:
    """TJ137 for a relative path, which starts at the working directory of the image, and for a module of the user."""
    words, because = command_line(workload, podset, "command", "args")
    entry = started(words, launcher)
    if because is None or not entry or _provides_files(main):
        return
    name, is_module = entry[-1], len(entry) > 1
    if is_module and any(variable.get("name") == "PYTHONPATH" for variable in main.get("env") or ()):
        return
    if name.partition(".")[0] in {*_PACKAGES, *sys.stdlib_module_names} if is_module else _is_of_image(name):
        return
    subject = f"module {name}" if is_module else name
    message = (
        f"{subject} is missing: the experiment has neither code nor image, and the image of runtime {runtime} has no programs"
    )
    hint = "set image to an image that contains it, or add code: {configMap: .} if it is in the folder of the experiment"
    yield Diagnostic(_CODE, message, path=because, hint=hint)


def _is_of_image(file: str) -> bool:
    return file.startswith("/") or not file.endswith(".py")


def _provides_files(main: dict[str, Any]) -> bool:
    mounts = [mount["mountPath"] for mount in main.get("volumeMounts") or []]
    return "workingDir" in main or any(f"{path}/".startswith(f"{_WORKING_DIRECTORY}/") for path in mounts)
