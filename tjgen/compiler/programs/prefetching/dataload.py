"""Prefetching a data set of Fluid -> a DataLoad, by which its cache engine fetches all of it in advance.

No run waits for it: what is not in the cache yet is read from the store. The objects are those of Fluid's
`data.fluid.io/v1alpha1` (DataLoad spec: dataset, loadMetadata, target, runAfter).
"""

from __future__ import annotations

from tjgen.compiler.programs.objects import metadata
from tjgen.compiler.programs.prefetching.sections import PrefetchSection
from tjgen.compiler.volumes.dataset import API_VERSION, dataset_name
from tjgen.language.setting import Setting
from tjgen.language.spec.objects import Volume
from tjgen.trees.canonical import json_text, sha256_hex
from tjgen.trees.fields.path import Tree


def data_load(section: PrefetchSection, volume: Volume, setting: Setting, ahead: str) -> Tree:
    """The DataLoad of the requested folder, or of all. It never changes, and so its content determines its name.

    `ahead` is the name of the DataLoad that Fluid runs before this one, empty if there is none.
    """
    assert volume.dataset is not None, "only a data set is loaded so"
    name = dataset_name(section.volume, volume.dataset, setting)
    spec: Tree = {
        "dataset": {"name": name, "namespace": setting.namespace},
        "loadMetadata": True,
        "target": [{"path": "/" + (section.fields.path or "").strip("/"), "replicas": 1}],
    }
    if ahead:
        spec["runAfter"] = {"kind": "DataLoad", "name": ahead, "namespace": setting.namespace}
    full = f"{name}-load-{sha256_hex(json_text(spec))[:10]}"
    return {"apiVersion": API_VERSION, "kind": "DataLoad", "metadata": metadata(full, setting), "spec": spec}
