"""The module `tjgen_data` -> an immutable ConfigMap, and its mount in every pod that trains, where Python finds it."""

from __future__ import annotations

from tjgen.compiler.lower import SPEC
from tjgen.compiler.programs.objects import metadata
from tjgen.language.setting import Setting
from tjgen.trees.canonical import json_text, sha256_hex
from tjgen.trees.data import path
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import FieldPath, Tree, get, named
from tjgen.trees.workload.contribution import Contribution, Contributions
from tjgen.trees.workload.roles import members
from tjgen.trees.workload.workload import PodSet, Workload

AT: FieldPath = (*SPEC, "data", "reader")
MODULE = "tjgen_data"
FOLDER = "/etc/tjgen/python"
VOLUME = "tjgen-reader"
_PATH = "PYTHONPATH"


def deliver(workload: Workload, setting: Setting) -> Contributions:
    """Return the ConfigMap, named by its content, its mounts, and the variable that names its folder to Python."""
    file = f"{MODULE}.py"
    with open(path("reader", file), encoding="utf-8") as stream:
        data = {file: stream.read()}
    name = f"{setting.family}-reader-{sha256_hex(json_text(data))[:10]}"
    tree: Tree = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata(name, setting), "immutable": True, "data": data}
    yield Contribution(("ahead", f"ConfigMap/{name}"), tree, AT)
    for podset in members(workload):
        volume: Tree = {"name": VOLUME, "configMap": {"name": name}}
        yield Contribution((*podset.pod, "volumes", named(VOLUME)), volume, AT)
        mount: Tree = {"name": VOLUME, "mountPath": FOLDER, "readOnly": True}
        yield Contribution((*podset.main, "volumeMounts", (("mountPath", FOLDER),)), mount, AT)
        yield from _on_path(workload, podset)


def _on_path(workload: Workload, podset: PodSet) -> Contributions:
    """The folder as the last one of PYTHONPATH. A value of the experiment stays, and must contain it."""
    at: FieldPath = (*podset.main, "env", named(_PATH))
    variable = get(workload.tree.value, at, None)
    value = variable.get("value") if variable is not None else ""
    if value.__class__ is str and FOLDER in value.split(":"):
        return
    is_of_experiment = variable is not None and any(one.manager == "experiment" for one in workload.tree.origins(at))
    if value.__class__ is not str or is_of_experiment:
        written = f"{value}:{FOLDER}" if value.__class__ is str and value else FOLDER
        message = f"{_PATH} of {podset.name} does not contain {FOLDER}, so Python does not find the module {MODULE}"
        yield Diagnostic("TJ161", message, path=AT, hint=f"set env.{_PATH}: {written}")
        return
    yield Contribution(at, {"name": _PATH, "value": f"{value}:{FOLDER}" if value else FOLDER}, AT)
