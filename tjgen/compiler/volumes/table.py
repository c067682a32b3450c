"""The table of volume sources: attribute of a volume -> the description of its source, loaded when needed.

Other packages keep no list of sources. To add one, write its module, add one line here, and add its field to
`tjgen/language/spec/models/volumes.py`. Tests compare the table with the modules of this package and with the language.
"""

from __future__ import annotations

from tjgen.compiler.volumes.protocol import Source
from tjgen.language.setting import Setting
from tjgen.language.spec.objects import Volume
from tjgen.trees.fields.path import Tree
from tjgen.trees.typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tjgen.compiler.volumes import config_map, csi, dataset, empty_dir, ephemeral, host_path, image, nfs, pvc, secret

    SOURCES: tuple[Source, ...] = (
        pvc.SOURCE,
        host_path.SOURCE,
        image.SOURCE,
        ephemeral.SOURCE,
        empty_dir.SOURCE,
        config_map.SOURCE,
        secret.SOURCE,
        nfs.SOURCE,
        csi.SOURCE,
        dataset.SOURCE,
    )

_ATTRIBUTES = ("pvc", "host_path", "image", "ephemeral", "empty_dir", "config_map", "secret", "nfs", "csi", "dataset")
"""Attributes of `Volume`, which are also the names of the modules. The order is that of pages."""


def source_of(volume: Volume) -> Source:
    """The description of a volume's source."""
    for attribute in _ATTRIBUTES:
        if getattr(volume, attribute) is not None:
            return _load(attribute)
    raise AssertionError("the language requires exactly one source of each volume")


def with_pod_field(field: str) -> Source | None:
    """The first description of the sources with a field of a pod's volume; None for a field that no source has."""
    return next((source for source in sources() if source.pod_field == field), None)


def pod_source(name: str, volume: Volume, setting: Setting) -> dict[str, Tree]:
    """The source in an element of a pod's `volumes`, which has it next to `name`."""
    source = source_of(volume)
    return {source.pod_field: source.pod_source(name, volume, setting)}


def sources() -> tuple[Source, ...]:
    """All sources, in the order of the table."""
    return tuple([_load(attribute) for attribute in _ATTRIBUTES])


_loaded: dict[str, Source] = {}


def _load(attribute: str) -> Source:
    source = _loaded.get(attribute)
    if source is None:
        source = _loaded[attribute] = __import__(f"tjgen.compiler.volumes.{attribute}", fromlist=["SOURCE"]).SOURCE
    return source
