"""`code` -> the ways that hold, and what each of them delivers."""

from __future__ import annotations

import os
from collections.abc import Callable

from tjgen.compiler.programs.coding import build, configmap, git, workspace
from tjgen.compiler.programs.coding.choice import MOUNTED, chosen, described
from tjgen.compiler.programs.coding.placing import AT
from tjgen.language.codebase import problems
from tjgen.language.resolve.volume_paths import leads_out
from tjgen.language.setting import Setting
from tjgen.language.spec.objects import Code, Experiment
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.files.sandbox import Sandbox
from tjgen.trees.workload.contribution import Contributions
from tjgen.trees.workload.workload import Workload

Way = Callable[[Code, Workload, Experiment, Setting], Contributions]

WAYS: dict[str, Way] = {
    "build": build.deliver,
    "workspace": workspace.deliver,
    "configMap": configmap.deliver,
    "git": git.deliver,
}
"""In the order in which they contribute: mounted files hide built ones."""


def deliver(workload: Workload, experiment: Experiment, setting: Setting) -> Contributions:
    """What each way that holds delivers; nothing where the ways contradict each other."""
    code = experiment.spec.code
    assert code is not None, "asked only where there is code"
    problem = _problem(code)
    if problem is not None:
        yield problem
        return
    for position, folder in enumerate(code.python_path):
        if leads_out(folder):
            yield Diagnostic(
                problems.OUTSIDE,
                f"pythonPath {folder} points outside the code",
                path=(*AT, "pythonPath", position),
                hint="name a folder below it",
            )
    for way, deliver_by in WAYS.items():
        if way in chosen(code):
            yield from deliver_by(code, workload, experiment, setting)


def local_files(code: Code, document: str, sandbox: Sandbox) -> dict[str, str]:
    """The part of a run's identity that depends on this machine: digests of local code, and commits of names."""
    if _problem(code) is not None:
        return {}
    folder = os.path.dirname(document)
    known = {}
    for way, module in (("build", build), ("workspace", workspace), ("configMap", configmap), ("git", git)):
        if way in chosen(code):
            known.update(module.local_files(code, folder, sandbox))
    return known


def _problem(code: Code) -> Diagnostic | None:
    ways = chosen(code)
    if not ways:
        message = "code has no source"
        return Diagnostic(problems.WAYS, message, path=AT, hint="describe a source, such as configMap, or remove code")
    for position, way in enumerate(code.use or ()):
        if way != "image" and not described(code)[way]:
            message = f"use is {way}, but code has no {way}"
            return Diagnostic(
                problems.WAYS, message, path=(*AT, "use", position), hint=f"describe {way} in code, or set use to another source"
            )
    mounted = [way for way in MOUNTED if way in ways]
    if len(mounted) > 1:
        message = f"code has {len(mounted)} sources: {', '.join(mounted)}"
        return Diagnostic(problems.WAYS, message, path=AT, hint=f"add use: {mounted[0]} to choose one of them")
    if "image" in ways and len(ways) > 1:
        message = "code has both image and another source"
        return Diagnostic(problems.WAYS, message, path=(*AT, "use"), hint="remove image")
    return None
