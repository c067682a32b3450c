"""Image rewrites of the Platform -> every image that is emitted: of containers, image volumes and variables.

A runtime that we emit is rewritten before the experiment comes over it, so that it holds no image that
the cluster cannot pull; what the experiment says, and the images of a runtime that the cluster owns,
are rewritten on top.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tjgen.catalog.runtime import CLUSTER, CatalogRuntime
from tjgen.fields.managed import Origin, graft
from tjgen.fields.path import FieldPath, Tree, get, named
from tjgen.fields.writer import Writer
from tjgen.platform.images import ENV_IMAGES, rewrite
from tjgen.setting import Setting
from tjgen.spec.objects import Experiment
from tjgen.workload.contribution import EXPERIMENT, Contribution
from tjgen.workload.keys import LIST_KEYS
from tjgen.workload.workload import REWRITTEN, Workload, podsets


def contribute(workload: Workload, experiment: Experiment, setting: Setting) -> Iterator[Contribution]:
    """Images of the experiment, of the runtime and of helpers alike: a cluster without a way out needs all."""
    if not setting.rewrite:
        return
    for podset in workload.podsets:
        for path, image in images_of(workload.tree.value, podset.pod):
            yield from _rewritten(workload, path, image, setting)


def rewritten(runtime: CatalogRuntime, rules: Mapping[str, str]) -> CatalogRuntime:
    """The runtime with the images that `rules` give it; itself where the cluster owns it or nothing changes."""
    if not rules or runtime.origin == CLUSTER:
        return runtime
    spec = runtime.tree["spec"]
    writer = Writer(graft(spec, Origin("runtime", "runtime", ("spec",), True)), keys=LIST_KEYS)
    changed = []
    for podset in podsets(spec):
        for path, image in images_of(spec, (*podset.pod[1:],)):
            wanted = rewrite(image, rules)
            if wanted != image:
                writer.put(path, wanted, REWRITTEN)
                changed.append(path)
    if not changed:
        return runtime
    return runtime.with_spec(writer.done().value, tuple(changed))


def images_of(tree: Tree, pod: FieldPath) -> Iterator[tuple[FieldPath, str]]:
    """Path and value of every image of a pod."""
    for kind in ("containers", "initContainers"):
        for container in get(tree, (*pod, kind), None) or []:
            path: FieldPath = (*pod, kind, named(container["name"]))
            if container.get("image"):
                yield (*path, "image"), container["image"]
            for variable in container.get("env") or []:
                if variable["name"] in ENV_IMAGES and variable.get("value"):
                    yield (*path, "env", named(variable["name"]), "value"), variable["value"]
    for volume in get(tree, (*pod, "volumes"), None) or []:
        reference = get(volume, ("image", "reference"), None)
        if reference:
            yield (*pod, "volumes", named(volume["name"]), "image", "reference"), reference


def _rewritten(workload: Workload, path: FieldPath, image: str, setting: Setting) -> Iterator[Contribution]:
    wanted = rewrite(image, setting.rewrite)
    if wanted != image:
        said = [origin for origin in workload.tree.origins(path) if origin.source == EXPERIMENT]
        # The Platform may change what the user wrote here, so it writes as the user's own word.
        if said:
            yield Contribution(path, wanted, said[0].because, manager=EXPERIMENT)
        else:
            yield Contribution(path, wanted, ("spec", "images", "rewrite"), source="platform")
