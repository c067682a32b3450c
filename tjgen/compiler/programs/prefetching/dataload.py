"""Prefetching a data set of Fluid -> a DataLoad, by which its cache engine fetches all of it in advance.

No run waits for it: what is not in the cache yet is read from the store. The objects are those of Fluid's
`data.fluid.io/v1alpha1` (DataLoad spec: dataset, loadMetadata, target).
"""

from __future__ import annotations

from tjgen.compiler.programs.objects import metadata
from tjgen.compiler.programs.prefetching import problems
from tjgen.compiler.volumes.dataset import API_VERSION, dataset_name
from tjgen.language.setting import Setting
from tjgen.language.spec.objects import Prefetch, Volume
from tjgen.trees.canonical import json_text, sha256_hex
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import FieldPath, Tree
from tjgen.trees.workload.contribution import Contribution, Contributions


def loaded(prefetch: Prefetch, volume: Volume, setting: Setting, at: FieldPath) -> Contributions:
    """Return the DataLoad of the requested folder, or of all. It never changes, and so its content determines its name."""
    assert prefetch.volume is not None and volume.dataset is not None, "only a data set is loaded so"
    if prefetch.source is not None or prefetch.command:
        message = f'volume "{prefetch.volume}" is a data set of Fluid, which defines where the data comes from'
        hint = "remove source and command, and set it in the mounts of the data set"
        yield Diagnostic(problems.SOURCE, message, path=at, hint=hint)
        return
    name = dataset_name(prefetch.volume, volume.dataset, setting)
    spec: Tree = {
        "dataset": {"name": name, "namespace": setting.namespace},
        "loadMetadata": True,
        "target": [{"path": "/" + (prefetch.path or "").strip("/"), "replicas": 1}],
    }
    full = f"{name}-load-{sha256_hex(json_text(spec))[:10]}"
    tree = {"apiVersion": API_VERSION, "kind": "DataLoad", "metadata": metadata(full, setting), "spec": spec}
    yield Contribution(("ahead", f"DataLoad/{full}"), tree, at)
