"""Pins and the Platform's rewrites -> every image that is emitted: of containers, image volumes and variables.

An image that is pinned gets its digest, then the place that the Platform has for it, where the same digest
is stored. A runtime that we emit is changed before the experiment is merged, so that it holds no
image that the cluster cannot pull; the experiment's images, and the images of a runtime that the cluster
owns, are changed on top.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from tjgen.language.catalog.runtime import CLUSTER, CatalogRuntime
from tjgen.language.platform.images import ENV_IMAGES, pinned, rewrite
from tjgen.language.setting import Setting
from tjgen.language.spec.objects import Experiment
from tjgen.trees.fields.managed import Origin, graft
from tjgen.trees.fields.path import FieldPath, Tree, get, named
from tjgen.trees.fields.writer import Writer
from tjgen.trees.workload.contribution import EXPERIMENT, Contribution
from tjgen.trees.workload.keys import LIST_KEYS
from tjgen.trees.workload.workload import PINNED, REWRITTEN, Workload, podsets

Digest = Callable[[str], "str | None"]


def contribute(workload: Workload, experiment: Experiment, setting: Setting) -> Iterator[Contribution]:
    """Images of the experiment, of the runtime and of helpers alike: a cluster without a way out needs all."""
    if not setting.rewrite and setting.digest is None:
        return
    for podset in workload.podsets:
        for path, image in images_of(workload.tree.value, podset.pod):
            yield from _changed(workload, path, image, setting)


def rewritten(runtime: CatalogRuntime, rules: Mapping[str, str], digest: Digest | None = None) -> CatalogRuntime:
    """The runtime with the images that pins and `rules` give it; itself where the cluster owns it or nothing changes."""
    if (not rules and digest is None) or runtime.origin == CLUSTER:
        return runtime
    spec = runtime.tree["spec"]
    writer = Writer(graft(spec, Origin("runtime", "runtime", ("spec",), True)), keys=LIST_KEYS)
    changed = {}
    for podset in podsets(spec):
        for path, image in images_of(spec, (*podset.pod[1:],)):
            fixed = pinned(image, digest(image)) if digest is not None else image
            wanted = rewrite(fixed, rules)
            if wanted != image:
                origins = (*((REWRITTEN,) if wanted != fixed else ()), *((PINNED,) if fixed != image else ()))
                writer.put(path, wanted, origins[0])
                changed[path] = origins
    if not changed:
        return runtime
    return runtime.with_spec(writer.done().value, changed)


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


def _changed(workload: Workload, path: FieldPath, image: str, setting: Setting) -> Iterator[Contribution]:
    fixed = pinned(image, setting.digest(image)) if setting.digest is not None else image
    wanted = rewrite(fixed, setting.rewrite)
    if wanted == image:
        return
    origins = [origin for origin in workload.tree.origins(path) if origin.source == EXPERIMENT]
    if origins:
        # The user's word may be changed here, so this writes as the user.
        yield Contribution(path, wanted, origins[0].because, manager=EXPERIMENT)
    elif wanted != fixed:
        yield Contribution(path, wanted, ("spec", "images", "rewrite"), source="platform")
    if fixed != image:
        yield Contribution(path, wanted, PINNED.because, source=PINNED.source)
