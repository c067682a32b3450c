"""`image`: the content of an OCI image."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.compiler.volumes.protocol import (
    EVERY_POD,
    IN_EVERY_MOUNT,
    NOTHING,
    ClaimSpecs,
    Label,
    Source,
    Storage,
    any_node,
    filled,
    no_objects,
    not_shared,
    present,
    unlimited,
)
from tjgen.language.setting import Setting
from tjgen.language.spec.objects import ImageVolume, Volume
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import FieldPath, Tree

_WITHOUT_IMAGES = 33
_WITH_GATE = 35
"""Minor releases of Kubernetes: none mounts images before the first, all of them from the second (KEP-4639)."""


def _of(volume: Volume) -> ImageVolume:
    assert volume.image is not None
    return volume.image


def _reference(image: ImageVolume) -> str:
    """The reference with its digest: a tag before the digest is only for readers."""
    return f"{image.reference}@{image.digest}" if image.digest is not None else image.reference


def _pod_source(name: str, volume: Volume, setting: Setting) -> Tree:
    return present(reference=_reference(_of(volume)), pullPolicy=_of(volume).pull_policy)


def _storage(name: str, volume: Volume, setting: Setting) -> Storage | None:
    return Storage(("image", _reference(_of(volume))), "")


def _problems(name: str, volume: Volume, setting: Setting, at: FieldPath) -> Iterator[Diagnostic]:
    at = (*at, "image")
    if "@" not in _of(volume).reference and _of(volume).digest is None:
        message = f'image of volume "{name}" has no digest, so pods that start later can read other data'
        yield Diagnostic("TJ345", message, path=at, hint="add digest")
    cluster = setting.cluster
    if cluster.image_volumes is not None:
        able, who = cluster.image_volumes, "according to the Platform, the cluster"
    else:
        able, who = cluster.kubernetes is None or cluster.kubernetes >= _WITHOUT_IMAGES, f"Kubernetes 1.{cluster.kubernetes}"
    if not able:
        message = f'volume "{name}" is an image, but {who} cannot mount images'
        hint = "copy the data to a claim, or use a cluster of Kubernetes 1.35 or later"
        yield Diagnostic("TJ343", message, path=at, hint=hint)
    elif cluster.image_volumes is None and cluster.kubernetes is not None and cluster.kubernetes < _WITH_GATE:
        message = f'volume "{name}" is an image, which {who} mounts only with the feature gate ImageVolume'
        hint = "set imageVolumes: true in cluster of the Platform if the feature gate is on"
        yield Diagnostic("TJ344", message, path=at, hint=hint)


def _label(value: Tree, claims: ClaimSpecs) -> Label:
    return Label(f"image {value.get('reference', '')}", "")


SOURCE = Source(
    field="image",
    pod_field="image",
    pod_source=_pod_source,
    objects=no_objects,
    node_selector=any_node,
    storage=_storage,
    shared_as=not_shared,
    reach=EVERY_POD,
    read_only=IN_EVERY_MOUNT,
    filled_by=NOTHING,
    is_filled=filled,
    is_chowned=False,
    size_limit=unlimited,
    replaceable=("image", "reference"),
    driver=None,
    problems=_problems,
    imported=None,
    label=_label,
)
