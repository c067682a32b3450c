"""A volume that holds the code -> its mount in every pod that trains, where Python and the program find it."""

from __future__ import annotations

from collections.abc import Sequence

from tjgen.compiler.lower import SPEC
from tjgen.compiler.volumes.mounts import mounted_at
from tjgen.language.codebase import problems
from tjgen.language.spec.objects import Code, Experiment
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import FieldPath, Tree, get, named
from tjgen.trees.workload.contribution import Contribution, Contributions
from tjgen.trees.workload.roles import members
from tjgen.trees.workload.workload import PodSet, Workload, is_runtimes

AT: FieldPath = (*SPEC, "code")
VOLUME = "tjgen-code"
PATH = "/code"


def place(code: Code, experiment: Experiment) -> str:
    """The folder of the containers that the code is in."""
    return (code.mount_path or experiment.spec.working_dir or PATH).rstrip("/") or "/"


def mounted(
    code: Code,
    workload: Workload,
    experiment: Experiment,
    volume: Tree,
    because: FieldPath,
    *,
    sub_path: str | None = None,
    start: str | None = None,
) -> Contributions:
    """`volume`, or the folder `sub_path` of it, read only; the program starts in the folder `start` of what is mounted."""
    path = place(code, experiment)
    if not path.startswith("/") or ":" in path:
        at = (*AT, "mountPath") if code.mount_path is not None else (*SPEC, "workingDir")
        yield Diagnostic(problems.MOUNT, f"the code cannot be mounted at {path}", path=at, hint="write an absolute path")
        return
    for podset in members(workload):
        clash = _clash(workload, podset, path, volume["name"])
        if clash is not None:
            yield clash
            continue
        yield Contribution((*podset.pod, "volumes", named(volume["name"])), volume, because)
        mount: Tree = {"name": volume["name"], "mountPath": path, "readOnly": True}
        if sub_path is not None:
            mount["subPath"] = sub_path
        yield Contribution((*podset.main, "volumeMounts", (("mountPath", path),)), mount, because)
        yield from placement(workload, podset, code, experiment, path if start is None else f"{path}/{start}", because)


def placement(
    workload: Workload, podset: PodSet, code: Code, experiment: Experiment, folder: str, because: FieldPath
) -> Contributions:
    """Add the variables and the directory by which the program finds the code in `folder`. The user's own settings stay."""
    yield Contribution((*podset.main, "env", named("TJGEN_CODE")), {"name": "TJGEN_CODE", "value": folder}, because)
    path = (*podset.main, "env", named("PYTHONPATH"))
    before = get(workload.tree.value, path, None)
    if before is None or all(is_runtimes(origin) for origin in workload.tree.origins(path)):
        folders = python_path(code.python_path, folder)
        if before is not None and before.get("value"):
            folders.append(before["value"])
        yield Contribution(path, {"name": "PYTHONPATH", "value": ":".join(folders)}, because)
    own = experiment.spec.roles.get(podset.name)
    if experiment.spec.working_dir is None and (own is None or own.working_dir is None):
        yield Contribution((*podset.main, "workingDir"), folder, because)


def python_path(wanted: Sequence[str], folder: str) -> list[str]:
    """Where Python finds modules: the folders that are wanted below the code, or itself."""
    return [folder if one in (".", "./") else f"{folder}/{one.strip('/')}" for one in wanted] or [folder]


def _clash(workload: Workload, podset: PodSet, path: str, volume: str) -> Diagnostic | None:
    other = mounted_at(workload, podset, path)
    if other is None or other == volume:
        return None
    message = f"the code is mounted at {path}, where {podset.name} already has volume {other}"
    return Diagnostic(problems.MOUNT, message, path=AT, hint="set another code.mountPath")
