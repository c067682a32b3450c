"""Image rewrites of the Platform -> every image of every container and image volume."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.fields.path import FieldPath, get, named
from tjgen.platform.images import rewrite
from tjgen.setting import Setting
from tjgen.spec.objects import Experiment
from tjgen.workload.contribution import EXPERIMENT, Contribution
from tjgen.workload.workload import Workload


def contribute(workload: Workload, experiment: Experiment, setting: Setting) -> Iterator[Contribution]:
    """Images of the experiment, of the runtime and of helpers alike: a cluster without a way out needs all."""
    if not setting.rewrite:
        return
    tree = workload.tree.value
    for podset in workload.podsets:
        for kind in ("containers", "initContainers"):
            for container in get(tree, (*podset.pod, kind), None) or []:
                path: FieldPath = (*podset.pod, kind, named(container["name"]), "image")
                yield from _rewritten(workload, path, container.get("image"), setting)
        for volume in get(tree, (*podset.pod, "volumes"), None) or []:
            path = (*podset.pod, "volumes", named(volume["name"]), "image", "reference")
            yield from _rewritten(workload, path, get(volume, ("image", "reference"), None), setting)


def _rewritten(workload: Workload, path: FieldPath, image: str | None, setting: Setting) -> Iterator[Contribution]:
    if not image:
        return
    wanted = rewrite(image, setting.rewrite)
    if wanted != image:
        said = [origin for origin in workload.tree.origins(path) if origin.source == EXPERIMENT]
        # The Platform may change what the user wrote here, so it writes as the user's own word.
        if said:
            yield Contribution(path, wanted, said[0].because, manager=EXPERIMENT)
        else:
            yield Contribution(path, wanted, ("spec", "images", "rewrite"), source="platform")
