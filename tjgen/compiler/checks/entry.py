"""The program that a command line starts -> compared with the code that tjgen can read, and with the working directory."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterator

from tjgen.compiler.checks.launch import command_line
from tjgen.compiler.programs.coding.choice import chosen, is_baked
from tjgen.compiler.programs.coding.placing import place
from tjgen.compiler.script import launcher_of, started, started_in_shell, text_of_shell
from tjgen.language.codebase.files import FolderError, matching_files
from tjgen.language.setting import Setting
from tjgen.language.spec.objects import Code, Experiment
from tjgen.trees.diagnostics.model import WARNING, Diagnostic
from tjgen.trees.fields.path import FieldPath, get, named
from tjgen.trees.k8s.nearest import nearest
from tjgen.trees.typing import NamedTuple
from tjgen.trees.workload.roles import members
from tjgen.trees.workload.workload import PodSet, Workload

_MISSING = "TJ132"
_ELSEWHERE = "TJ133"


class _Code(NamedTuple):
    """The code in the container of a role, and where the role looks for its program."""

    files: list[str]
    """Paths below `folder`."""
    folder: str
    start: str
    """The working directory."""
    roots: list[str] | None
    """Folders below the code in which Python finds modules; None if the experiment does not show them."""
    mounts: list[str]


def check(workload: Workload, experiment: Experiment, setting: Setting) -> Iterator[Diagnostic]:
    """Reports a program that the code does not have (TJ132), and one that is looked up outside of the code (TJ133)."""
    spec = experiment.spec
    known = _files(spec.code, setting) if spec.code is not None else None
    if spec.code is None or known is None:
        return
    launcher = launcher_of(spec.launcher, setting.launcher)
    problems: list[Diagnostic] = []
    for podset in members(workload):
        words, because = command_line(workload, podset, "command", "args")
        if because is None:
            continue
        source = _source(workload, podset, place(spec.code, experiment), known)
        text = text_of_shell(words)
        for entry in started_in_shell(text, launcher) if text is not None else [started(words, launcher)]:
            in_args = entry[-1:] and entry[-1] in (get(workload.tree.value, (*podset.main, "args"), None) or [])
            at = command_line(workload, podset, "args")[1] if in_args else because
            problems += [one for one in _program(entry, source, at or because, text) if one not in problems]
    yield from problems


def _source(workload: Workload, podset: PodSet, folder: str, files: list[str]) -> _Code:
    main = get(workload.tree.value, podset.main, None) or {}
    start = str(main.get("workingDir") or folder)
    variable = get(main, ("env", named("PYTHONPATH")), None) or {}
    roots = None
    if "valueFrom" not in variable:
        below = [
            posixpath.relpath(one, folder) for one in [start, *str(variable.get("value") or "").split(":")] if one[:1] == "/"
        ]
        roots = ["" if one == "." else f"{one}/" for one in below if one != ".." and not one.startswith("../")]
    mounts = [mount["mountPath"].rstrip("/") for mount in main.get("volumeMounts") or []]
    return _Code(files, folder, start, roots, mounts)


def _program(entry: tuple[str, ...], source: _Code, because: FieldPath, text: str | None) -> Iterator[Diagnostic]:
    if not entry:
        return
    problems = _module(entry[-1], source, because) if entry[0] == "-m" else _file(entry[-1], source, because)
    if text is None:
        yield from problems
        return
    for one in problems if text.count(entry[-1]) == 1 else ():
        # A text can create its program, so only a name that looks like a slip is reported.
        if one.code == _ELSEWHERE or (one.hint or "").startswith("did you mean"):
            yield one._replace(severity=WARNING)


def _file(entry: str, source: _Code, because: FieldPath) -> Iterator[Diagnostic]:
    files, folder, start, subject = source.files, source.folder.rstrip("/"), source.start, because[-1]
    wanted = posixpath.normpath(posixpath.join(start, entry))
    below = wanted.removeprefix(folder + "/")
    if below == wanted:
        if not entry.startswith("/") and posixpath.normpath(entry) in files:
            path = f"{folder}/{posixpath.normpath(entry)}"
            message = f"{subject} starts {wanted}, because workingDir is {start}; the code with {entry} is at {source.folder}"
            yield Diagnostic(_ELSEWHERE, message, path=because, hint=f"remove workingDir, or start {path}")
        return
    if below not in files and not any(len(one) > len(folder) and wanted.startswith(one + "/") for one in source.mounts):
        same = [path for path in files if posixpath.basename(path) == posixpath.basename(below)]
        near = nearest(below, files) or next(iter(same), None)
        hint = f"did you mean {_spelled(near, entry, source)}?" if near else "name a file of the code"
        yield Diagnostic(_MISSING, f"{subject} starts {entry}, but the code has no file {below}", path=because, hint=hint)


def _spelled(near: str, entry: str, source: _Code) -> str:
    """A file of the code, written as `entry` is."""
    if entry.startswith("/"):
        return posixpath.join(source.folder, near)
    path = posixpath.relpath(near, posixpath.relpath(source.start, source.folder))
    return f"./{path}" if entry.startswith("./") else path


def _module(entry: str, source: _Code, because: FieldPath) -> Iterator[Diagnostic]:
    """A module of no package of the code may come with the image, so it is compared only with similar names."""
    files, roots, subject = source.files, source.roots, because[-1]
    path = entry.replace(".", "/")
    if roots is None or any(f"{root}{path}{end}" in files for root in roots for end in (".py", "/__main__.py")):
        return
    names = sorted({_name(file, root) for root in roots for file in files if file.startswith(root) and file.endswith(".py")})
    near = nearest(entry, names)
    hint = f"did you mean {near}?" if near else "name a module of the code"
    if any(file.startswith(f"{root}{path}/") for root in roots for file in files):
        first = next((name for name in names if name.startswith(f"{entry}.")), None)
        message = f"{subject} starts package {entry}, but the code has no {path}/__main__.py"
        yield Diagnostic(_MISSING, message, path=because, hint=f"write a module of it, such as {first}" if first else hint)
        return
    message = f"{subject} starts module {entry}, but the code has no {path}.py"
    first = path.partition("/")[0]
    below = next((file.removesuffix(f"{path}.py").rstrip("/") for file in files if file.endswith(f"/{path}.py")), None)
    if below is not None:
        message += " where Python looks for it"
        hint = f"write -m {below.replace('/', '.')}.{entry}, or add pythonPath: [{below}] to code"
        yield Diagnostic(_MISSING, message, path=because, hint=hint, severity=None if "/" in path else WARNING)
    elif any(f"/{file}".find(f"/{first}/") >= 0 for file in files):
        yield Diagnostic(_MISSING, message, path=because, hint=hint)
    elif near is not None:
        message = f"{subject} starts module {entry}, which is not in the code, so the image must contain it"
        yield Diagnostic(_MISSING, message, path=because, hint=hint, severity=WARNING)


def _name(file: str, root: str) -> str:
    """The name of the module in a file, for Python that looks in `root`."""
    return file.removeprefix(root).removesuffix(".py").removesuffix("/__init__").replace("/", ".")


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
