"""A data set of Fluid to create -> the Dataset, and the cache engine of the same name that serves it.

Fluid makes a claim that is called like the Dataset, and this is what pods mount.
"""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.language.setting import Setting
from tjgen.language.spec.forms import text
from tjgen.language.spec.objects import DatasetMount, NewDataset
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import FieldPath, Tree
from tjgen.trees.k8s.labels import EXPERIMENT_LABEL, MANAGED_BY
from tjgen.trees.workload.contribution import Contribution

API_VERSION = "data.fluid.io/v1alpha1"


def dataset_name(name: str, create: NewDataset, setting: Setting) -> str:
    """The name of the data set, and of the claim that Fluid makes of it: by its scope, as for claims."""
    return name if create.scope == "project" else f"{setting.family}-{name}"


def dataset(name: str, create: NewDataset, setting: Setting, because: FieldPath) -> Iterator[Contribution | Diagnostic]:
    """The two objects; TJ333 where the Platform has no Fluid."""
    fluid = setting.cluster.fluid
    if fluid is None:
        message = f'volume "{name}" is a data set of Fluid to create, and the Platform does not say that the cluster has Fluid'
        hint = "add fluid to the Platform, or use a claim"
        yield Diagnostic("TJ333", message, path=because, hint=hint)
        return
    full = dataset_name(name, create, setting)
    labels = {MANAGED_BY: "tjgen", **setting.labels}
    if create.scope != "project":
        labels[EXPERIMENT_LABEL] = setting.family
    metadata: Tree = {"name": full, "namespace": setting.namespace, "labels": labels}
    mounts = [_mount(key, mount) for key, mount in create.mounts.items()]
    spec: Tree = {"mounts": mounts, "accessModes": ["ReadOnlyMany"]}
    yield _made("Dataset", metadata, spec, (*because, "mounts"))
    level: Tree = {"mediumtype": create.medium, "quota": text(create.quota), "high": fluid.high, "low": fluid.low}
    if create.path is not None:
        level["path"] = create.path
    engine: Tree = {"replicas": create.replicas, "tieredstore": {"levels": [level]}}
    yield _made(fluid.runtime, metadata, engine, because)


def _made(kind: str, metadata: Tree, spec: Tree, because: FieldPath) -> Contribution:
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
