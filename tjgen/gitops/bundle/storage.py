"""`storageClasses` with `create` -> StorageClasses."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.gitops.bundle.manifest import SPEC, manifest
from tjgen.language.spec.forms import text
from tjgen.language.spec.objects import PlatformSpec
from tjgen.trees.fields.path import FieldPath, Tree
from tjgen.trees.manifests.manifest import Manifest
from tjgen.trees.manifests.sourced import Sourced

_DEFAULT = "storageclass.kubernetes.io/is-default-class"


def objects(spec: PlatformSpec) -> Iterator[Manifest]:
    """A class for each that is to be created."""
    for name, one in spec.storage_classes.items():
        create = one.create
        if create is None:
            continue
        at: FieldPath = (*SPEC, "storageClasses", name, "create")
        metadata: Tree = {"name": name}
        if create.default:
            metadata["annotations"] = {_DEFAULT: Sourced("true", (*at, "default"))}
        rest: Tree = {"provisioner": Sourced(create.provisioner, (*at, "provisioner"))}
        if create.parameters:
            # The API holds texts alone: `true` without quotes would be refused.
            rest["parameters"] = {key: Sourced(text(value), (*at, "parameters", key)) for key, value in create.parameters.items()}
        rest["reclaimPolicy"] = Sourced(create.reclaim_policy, (*at, "reclaimPolicy"))
        if create.mount_options:
            rest["mountOptions"] = Sourced(list(create.mount_options), (*at, "mountOptions"))
        if create.allow_volume_expansion is not None:
            rest["allowVolumeExpansion"] = Sourced(create.allow_volume_expansion, (*at, "allowVolumeExpansion"))
        rest["volumeBindingMode"] = Sourced(create.volume_binding_mode, (*at, "volumeBindingMode"))
        if create.allowed_topologies:
            rest["allowedTopologies"] = Sourced(list(create.allowed_topologies), (*at, "allowedTopologies"))
        yield manifest("storage.k8s.io/v1", "StorageClass", metadata, rest, at)
