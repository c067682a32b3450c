"""Slices -> immutable ConfigMaps with a list for each, shared by runs, mounted as one folder: nodes find their own by number."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from hashlib import sha256

from tjgen.compiler.passes.slice_readers import SLICES
from tjgen.compiler.passes.slice_variables import variable
from tjgen.language.setting import Setting
from tjgen.language.slicing import delivery
from tjgen.language.slicing.items import DataItems
from tjgen.language.slicing.proof import Plan
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import FieldPath, Tree, named
from tjgen.trees.k8s.labels import EXPERIMENT_LABEL, MANAGED_BY
from tjgen.trees.workload.contribution import Contribution
from tjgen.trees.workload.workload import PodSet

MOUNT = "/etc/tjgen/slices"
VOLUME = "tjgen-slices"


def mounted(
    plan: Plan, items: DataItems, readers: list[PodSet], at: str, setting: Setting
) -> Iterator[Contribution | Diagnostic]:
    """Add the ConfigMaps, mount them at the path `at` in every reader, and set the variable with the file of its slice."""
    maps = delivery.packed(delivery.manifests(plan, items))
    too_large = delivery.too_large(maps, SLICES)
    if too_large is not None:
        yield too_large
        return
    names = []
    for files in maps:
        name = f"{setting.family}-slices-{_digest(files)}"
        yield Contribution(("ahead", f"ConfigMap/{name}"), _config_map(name, files, setting), SLICES)
        names.append(name)
    for podset in readers:
        yield Contribution((*podset.pod, "volumes", named(VOLUME)), {"name": VOLUME, **_source(names)}, SLICES)
        yield mount(podset.main, at)
        yield variable(podset, "TJGEN_SLICE_FILE", file(at), SLICES)


def mount(container: FieldPath, at: str) -> Contribution:
    """The folder of the lists in one container."""
    tree = {"name": VOLUME, "mountPath": at, "readOnly": True}
    return Contribution((*container, "volumeMounts", (("mountPath", at),)), tree, SLICES)


def file(at: str) -> str:
    """The list of a node's slice, behind the variable that has its number."""
    return f"{at}/slice-$(TJGEN_SLICE_INDEX).txt"


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
