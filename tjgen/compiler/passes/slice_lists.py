"""Slices -> immutable ConfigMaps with a list for each, shared by runs, mounted as one folder: nodes find their own by number."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from hashlib import sha256

from tjgen.compiler.passes.data_sections import DataSection
from tjgen.compiler.passes.slice_variables import variable
from tjgen.language.setting import Setting
from tjgen.language.slicing import delivery
from tjgen.language.slicing.items import DataItems
from tjgen.language.slicing.proof import Plan
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import Tree, named
from tjgen.trees.k8s.labels import EXPERIMENT_LABEL, MANAGED_BY
from tjgen.trees.workload.contribution import Contribution
from tjgen.trees.workload.workload import PodSet

MOUNT = "/etc/tjgen/slices"
VOLUME = "tjgen-slices"


def mounted(
    plan: Plan, items: DataItems, readers: list[PodSet], data: DataSection, setting: Setting
) -> Iterator[Contribution | Diagnostic]:
    """Add the ConfigMaps, mount them in every reader, and set the variable with the file of its slice."""
    maps = delivery.packed(delivery.manifests(plan, items))
    too_large = delivery.too_large(maps, data.slices_at)
    if too_large is not None:
        yield too_large
        return
    names = []
    for files in maps:
        name = f"{setting.family}-{data.named('slices')}-{_digest(files)}"
        yield Contribution(("ahead", f"ConfigMap/{name}"), _config_map(name, files, setting), data.slices_at)
        names.append(name)
    for podset in readers:
        volume = data.named(VOLUME)
        yield Contribution((*podset.pod, "volumes", named(volume)), {"name": volume, **_source(names)}, data.slices_at)
        tree = mount(data)
        yield Contribution((*podset.main, "volumeMounts", (("mountPath", tree["mountPath"]),)), tree, data.slices_at)
        yield variable(podset, data.variable("TJGEN_SLICE_FILE"), file(data), data.slices_at)


def folders(readers: list[PodSet], data: DataSection) -> Iterator[Contribution]:
    """The folder of the lists, for processes that do not get the number of their node."""
    for podset in readers:
        yield variable(podset, data.variable("TJGEN_SLICE_LISTS"), _folder(data), data.slices_at)


def mount(data: DataSection) -> Tree:
    """The mount of the folder of the lists."""
    return {"name": data.named(VOLUME), "mountPath": _folder(data), "readOnly": True}


def file(data: DataSection) -> str:
    """The list of a node's slice, behind the variable that has its number."""
    return f"{_folder(data)}/slice-$(TJGEN_SLICE_INDEX).txt"


def _folder(data: DataSection) -> str:
    assert data.slices is not None
    return data.slices.mount_path or data.folder(MOUNT)


def _digest(files: Mapping[str, str]) -> str:
    return sha256(json.dumps(files, sort_keys=True, ensure_ascii=False).encode()).hexdigest()[:10]


def _config_map(name: str, files: Mapping[str, str], setting: Setting) -> Tree:
    labels = {MANAGED_BY: "tjgen", EXPERIMENT_LABEL: setting.family, **setting.labels}
    metadata = {"name": name, "namespace": setting.namespace, "labels": labels}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "immutable": True, "data": files}


def _source(names: list[str]) -> Tree:
    if len(names) == 1:
        return {"configMap": {"name": names[0]}}
    return {"projected": {"sources": [{"configMap": {"name": name}} for name in names]}}
