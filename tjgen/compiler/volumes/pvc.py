"""`pvc`: a PersistentVolumeClaim, one that exists or one to create."""

from __future__ import annotations

from tjgen.compiler.volumes.claims import claim, claim_name
from tjgen.compiler.volumes.protocol import (
    ALSO_IN_SOURCE,
    EVERY_POD,
    JOB,
    ClaimSpecs,
    Label,
    Source,
    Storage,
    VolumeRequest,
    any_node,
    no_problems,
    unlimited,
)
from tjgen.language.setting import Setting
from tjgen.language.spec.objects import NewClaim, Volume
from tjgen.trees.fields.path import Tree, get
from tjgen.trees.workload.contribution import Contributions


def new_claim(volume: Volume) -> NewClaim | None:
    """The claim to create for a volume; None if its source is another one, or the claim exists."""
    return volume.pvc.create if volume.pvc is not None else None


def claim_of(name: str, volume: Volume, setting: Setting) -> str | None:
    """The name of the claim behind a volume; None if its source is another one."""
    if volume.pvc is None:
        return None
    create = volume.pvc.create
    return claim_name(name, create, setting) if create is not None else str(volume.pvc.claim_name)


def backup_name(owner: str) -> str:
    """The name of the CronJob that backs up a claim; `owner` is the claim, or the experiment or run for its checkpoints."""
    return f"{owner}-backup"


def claim_label(value: Tree, claims: ClaimSpecs) -> Label:
    """The label of a volume that names a claim."""
    name = str(value.get("claimName", ""))
    return Label(f"claim {name}", claim_size(claims.get(name)))


def claim_size(spec: Tree) -> str:
    """The size and storage class of a claim; empty if its spec is unknown."""
    if not spec:
        return ""
    size = get(spec, ("resources", "requests", "storage"), "")
    return " ".join(str(word) for word in (size, spec.get("storageClassName") or "") if word)


def _pod_source(name: str, volume: Volume, setting: Setting) -> Tree:
    fields: Tree = {"claimName": claim_of(name, volume, setting)}
    # A claim that is read-only in the pod makes every mount of it so; the mount sets it too.
    return {**fields, "readOnly": True} if volume.read_only else fields


def _objects(request: VolumeRequest) -> Contributions:
    create = new_claim(request.volume)
    if create is not None:
        at = (*request.at, "pvc", "create")
        yield from claim(request.name, create, request.pods(), request.setting, at, read_only=request.volume.read_only)


def _storage(name: str, volume: Volume, setting: Setting) -> Storage | None:
    return Storage(("claim", str(claim_of(name, volume, setting))), "")


def _shared_as(name: str, volume: Volume, setting: Setting) -> str | None:
    create = new_claim(volume)
    is_shared = create is None or create.scope == "project"
    return f"claim {setting.namespace}/{claim_of(name, volume, setting)}" if is_shared else None


def _is_filled(volume: Volume) -> bool:
    create = new_claim(volume)
    return create is None or create.content is not None


def _driver(volume: Volume, setting: Setting) -> str:
    create = new_claim(volume)
    return setting.cluster.drivers.get(create.storage_class_name or "", "") if create is not None else ""


def _imported(value: Tree) -> Tree | None:
    return value.get("claimName")


SOURCE = Source(
    field="pvc",
    pod_field="persistentVolumeClaim",
    pod_source=_pod_source,
    objects=_objects,
    node_selector=any_node,
    storage=_storage,
    shared_as=_shared_as,
    reach=EVERY_POD,
    read_only=ALSO_IN_SOURCE,
    filled_by=JOB,
    is_filled=_is_filled,
    is_chowned=True,
    size_limit=unlimited,
    replaceable=("persistentVolumeClaim", "claimName"),
    driver=_driver,
    problems=no_problems,
    imported=_imported,
    label=claim_label,
)
