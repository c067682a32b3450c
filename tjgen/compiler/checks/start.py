"""The main containers of a run with a bundled runtime -> a warning about those that start no program of the experiment."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.compiler.lower import SPEC
from tjgen.language.spec.objects import Experiment
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import get
from tjgen.trees.workload.roles import programs
from tjgen.trees.workload.workload import RUNTIME, Workload


def check(workload: Workload, experiment: Experiment, runtime: str) -> Iterator[Diagnostic]:
    """TJ137 for an image of the runtime without a command: it contains a framework, and no program."""
    for podset in programs(workload):
        main = get(workload.tree.value, podset.main, None) or {}
        origins = workload.tree.origins((*podset.main, "image"))
        if main.get("command") or any(origin.source != RUNTIME for origin in origins):
            continue
        written = "only args" if main.get("args") else "no script"
        message = f"nothing starts a program: the experiment has {written}, and the image of runtime {runtime} contains none"
        hint = "add script: train.py, and its files with code, or the image that contains the program"
        yield Diagnostic("TJ137", message, path=(*SPEC, "args") if experiment.spec.args else SPEC, hint=hint)
        return
