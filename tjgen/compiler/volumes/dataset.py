"""`dataset`: a data set of Fluid, one that exists, or one to create with the cache engine of the same name.

Fluid makes a claim that is called like the Dataset, and this is what pods mount.
"""

from __future__ import annotations

from tjgen.compiler.volumes.protocol import (
    DATA_LOAD,
    EVERY_POD,
    IN_EVERY_MOUNT,
    Source,
    Storage,
    VolumeRequest,
    any_node,
    filled,
    no_problems,
    not_shared,
    unlimited,
)
from tjgen.compiler.volumes.pvc import claim_label
from tjgen.language.setting import Setting
from tjgen.language.spec.forms import text
from tjgen.language.spec.objects import CacheLevel, Dataset, DatasetMount, Fluid, NewDataset, Volume
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import FieldPath, Tree
from tjgen.trees.k8s.labels import EXPERIMENT_LABEL, MANAGED_BY
from tjgen.trees.workload.contribution import Contribution, Contributions

API_VERSION = "data.fluid.io/v1alpha1"
_SCHEMES = {"JuiceFSRuntime": "juicefs://"}
"""Cache engine -> the only kind of mount point that it takes (Fluid v1.0 `pkg/ddc/juicefs`)."""


def dataset_name(name: str, dataset: Dataset, setting: Setting) -> str:
    """The name of a data set, and of the claim that Fluid creates from it. A new name depends on its scope, as for claims."""
    create = dataset.create
    if create is None:
        return str(dataset.name)
    return name if create.scope == "project" else f"{setting.storage}-{name}"


def _of(volume: Volume) -> Dataset:
    assert volume.dataset is not None
    return volume.dataset


def _pod_source(name: str, volume: Volume, setting: Setting) -> Tree:
    return {"claimName": dataset_name(name, _of(volume), setting), "readOnly": True}


def _objects(request: VolumeRequest) -> Contributions:
    create = _of(request.volume).create
    if create is not None:
        full = dataset_name(request.name, _of(request.volume), request.setting)
        yield from _created(full, request.name, create, request.setting, (*request.at, "dataset", "create"))


def _storage(name: str, volume: Volume, setting: Setting) -> Storage | None:
    return Storage(("claim", dataset_name(name, _of(volume), setting)), "")


def _driver(volume: Volume, setting: Setting) -> str:
    return "fuse.csi.fluid.io"


def _created(full: str, name: str, create: NewDataset, setting: Setting, because: FieldPath) -> Contributions:
    """The two objects; TJ333 where the Platform has no Fluid."""
    fluid = setting.cluster.fluid
    if fluid is None:
        message = f'volume "{name}" is a data set of Fluid to create, and the Platform declares no Fluid in the cluster'
        hint = "add fluid to the Platform, or use a claim"
        yield Diagnostic("TJ333", message, path=because, hint=hint)
        return
    scheme = _SCHEMES.get(fluid.runtime)
    for key, one in create.mounts.items():
        if scheme is not None and not one.mount_point.startswith(scheme):
            message = f"a {fluid.runtime} mounts {scheme}..., and mount {key} of volume {name} is {one.mount_point}"
            hint = "set fluid.runtime of the Platform to AlluxioRuntime, or name a folder of the file system"
            yield Diagnostic("TJ339", message, path=(*because, "mounts", key), hint=hint)
    labels = {MANAGED_BY: "tjgen", **setting.labels}
    if create.scope != "project":
        labels[EXPERIMENT_LABEL] = setting.family
    metadata: Tree = {"name": full, "namespace": setting.namespace, "labels": labels}
    mounts = [_mount(key, mount) for key, mount in create.mounts.items()]
    spec: Tree = {"mounts": mounts, "accessModes": ["ReadOnlyMany"]}
    yield _contribution("Dataset", metadata, spec, (*because, "mounts"))
    levels = [_level(one, fluid) for one in create.levels] or [_level(create, fluid)]
    engine: Tree = {"replicas": create.replicas, "tieredstore": {"levels": levels}}
    yield _contribution(fluid.runtime, metadata, engine, because)


def _level(level: CacheLevel | NewDataset, fluid: Fluid) -> Tree:
    assert level.quota is not None, "a data set without a quota is an error of the experiment"
    tree: Tree = {"mediumtype": level.medium, "quota": text(level.quota), "high": fluid.high, "low": fluid.low}
    if level.path is not None:
        tree["path"] = level.path
    return tree


def _contribution(kind: str, metadata: Tree, spec: Tree, because: FieldPath) -> Contribution:
    tree = {"apiVersion": API_VERSION, "kind": kind, "metadata": metadata, "spec": spec}
    return Contribution(("objects", f"{kind}/{metadata['name']}"), tree, because)


def _mount(name: str, mount: DatasetMount) -> Tree:
    tree: Tree = {"name": name, "mountPoint": mount.mount_point, "readOnly": True}
    if mount.path is not None:
        tree["path"] = mount.path
    if mount.options:
        tree["options"] = dict(mount.options)
    if mount.secrets:
        tree["encryptOptions"] = [
            {"name": option, "valueFrom": {"secretKeyRef": {"name": one.secret, "key": one.key}}}
            for option, one in mount.secrets.items()
        ]
    return tree


SOURCE = Source(
    field="dataset",
    pod_field="persistentVolumeClaim",
    pod_source=_pod_source,
    objects=_objects,
    node_selector=any_node,
    storage=_storage,
    shared_as=not_shared,
    reach=EVERY_POD,
    read_only=IN_EVERY_MOUNT,
    filled_by=DATA_LOAD,
    is_filled=filled,
    is_chowned=False,
    size_limit=unlimited,
    replaceable=None,
    driver=_driver,
    problems=no_problems,
    imported=None,
    label=claim_label,
)
