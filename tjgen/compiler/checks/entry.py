"""The Python program that `script` starts -> compared with the code that tjgen can read, and with the working directory."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterator

from tjgen.compiler.programs.coding.choice import chosen, is_baked
from tjgen.compiler.programs.coding.placing import place
from tjgen.compiler.script import AT, ScriptProgram, launcher_of, program
from tjgen.language.codebase.files import FolderError, matching_files
from tjgen.language.setting import Setting
from tjgen.language.spec.objects import Code, Experiment
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import get
from tjgen.trees.k8s.nearest import nearest
from tjgen.trees.workload.roles import programs
from tjgen.trees.workload.workload import PodSet, Workload

_MISSING = "TJ132"
_ELSEWHERE = "TJ133"


def check(workload: Workload, experiment: Experiment, setting: Setting) -> Iterator[Diagnostic]:
    """Reports a program that the code does not have (TJ132), and one that is looked up outside of the code (TJ133)."""
    spec = experiment.spec
    if spec.code is None or spec.script is None:
        return
    started = program(spec.script, launcher_of(spec.launcher, setting.launcher))
    known = _files(spec.code, setting)
    if not isinstance(started, ScriptProgram) or not started.entry or known is None:
        return
    folder = place(spec.code, experiment)
    entry = started.entry[-1]
    for podset in programs(workload):
        if started.entry[0] == "-m":
            yield from _module(entry, spec.code, known)
        else:
            yield from _file(entry, folder, known, workload, podset)


def _file(entry: str, folder: str, known: list[str], workload: Workload, podset: PodSet) -> Iterator[Diagnostic]:
    start = get(workload.tree.value, (*podset.main, "workingDir"), None) or folder
    wanted = posixpath.normpath(posixpath.join(start, entry))
    below = wanted.removeprefix(folder.rstrip("/") + "/")
    if below == wanted:
        if not entry.startswith("/") and posixpath.normpath(entry) in known:
            message = f"script starts {wanted}, because workingDir is {start}; the code with {entry} is at {folder}"
            yield Diagnostic(_ELSEWHERE, message, path=AT, hint=f"remove workingDir, or start {folder.rstrip('/')}/{entry}")
        return
    if below not in known and not _is_covered(wanted, folder, workload, podset):
        near = nearest(below, known) or next(
            (path for path in known if posixpath.basename(path) == posixpath.basename(below)), None
        )
        hint = f"did you mean {posixpath.relpath(near, posixpath.relpath(start, folder))}?" if near else "name a file of the code"
        yield Diagnostic(_MISSING, f"script starts {entry}, but the code has no file {below}", path=AT, hint=hint)


def _module(entry: str, code: Code, known: list[str]) -> Iterator[Diagnostic]:
    """A module is compared only where the code has its package: others come with the image."""
    parts = entry.replace(".", "/")
    for root in code.python_path or ["."]:
        at = "" if root in (".", "./") else f"{root.strip('/')}/"
        if f"{at}{parts}.py" in known or f"{at}{parts}/__main__.py" in known:
            return
    first = parts.partition("/")[0]
    if any(f"/{path}".find(f"/{first}/") >= 0 for path in known):
        near = nearest(parts + ".py", known)
        hint = f"did you mean {near.removesuffix('.py').replace('/', '.')}?" if near else "name a module of the code"
        yield Diagnostic(_MISSING, f"script starts module {entry}, but the code has no {parts}.py", path=AT, hint=hint)


def _is_covered(path: str, folder: str, workload: Workload, podset: PodSet) -> bool:
    """Whether another volume is mounted over the folder of a file."""
    mounts = [mount["mountPath"].rstrip("/") for mount in get(workload.tree.value, (*podset.main, "volumeMounts"), None) or []]
    return any(len(mount) > len(folder.rstrip("/")) and path.startswith(mount + "/") for mount in mounts)


def _files(code: Code, setting: Setting) -> list[str] | None:
    """The files that are in the folder of the code; None where nothing on this machine lists them."""
    ways = chosen(code)
    build, packed, workspace = code.build, code.config_map, code.workspace
    if "configMap" in ways and packed is not None and packed.directory is None:
        return sorted(packed.files)
    if "configMap" in ways and packed is not None and packed.directory is not None:
        source = (packed.directory, packed.include, packed.exclude)
    elif "workspace" in ways and workspace is not None and workspace.directory is not None:
        source = (workspace.directory, [], [])
    elif ways == ["build"] and build is not None and is_baked(code) and build.context != "git" and build.dockerfile is None:
        source = (build.directory or ".", build.include, build.exclude)
    else:
        return None
    try:
        return [file.path for file in matching_files(setting.sandbox, os.path.join(setting.directory, source[0]), *source[1:])]
    except FolderError:
        return None  # The pass that delivers the code has reported it.
