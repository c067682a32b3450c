"""The content of a prefetch -> mounts that show it to the pods that train, and only it, at the path of the prefetch.

Each run mounts the folder of its own content by its name. A run that reads other content of the same path keeps that.
"""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.compiler.programs.prefetching import job
from tjgen.compiler.programs.prefetching.sections import PrefetchSection
from tjgen.compiler.volumes.mounts import users_of
from tjgen.language.spec.objects import Experiment
from tjgen.trees.fields.path import FieldPath, Tree, get, named
from tjgen.trees.workload.contribution import Contribution
from tjgen.trees.workload.workload import PodSet, Workload


def of_content(workload: Workload, experiment: Experiment, section: PrefetchSection) -> Iterator[Contribution]:
    """The mounts in all pod sets that use the volume of the prefetch."""
    content = f"{job.state_folder(section.fields)}/{job.CONTENT}"
    for podset, _ in users_of(workload, section.volume, experiment.spec.volumes[section.volume]):
        yield from shown(workload, podset, section, content)


def shown(workload: Workload, podset: PodSet, section: PrefetchSection, content: str) -> Iterator[Contribution]:
    """For each mount of the volume, the folder `content` of the volume instead of the folder of the prefetch."""
    for kind in ("initContainers", "containers"):
        for container in get(workload.tree.value, (*podset.pod, kind), None) or []:
            if container["name"].startswith(job.WAIT):  # it reads the marks, which are next to the data
                continue
            at: FieldPath = (*podset.pod, kind, named(container["name"]), "volumeMounts")
            for mount in container.get("volumeMounts") or []:
                if mount["name"] == section.volume:
                    yield from _shown(mount, at, section, content)


def _shown(mount: Tree, at: FieldPath, section: PrefetchSection, content: str) -> Iterator[Contribution]:
    field = "subPathExpr" if "subPathExpr" in mount else "subPath"
    wanted, seen = parts(section.fields.path or ""), parts(mount.get(field, ""))
    place: FieldPath = (*at, (("mountPath", mount["mountPath"]),))
    if seen[: len(wanted)] == wanted:  # the mount shows the folder of the data, or a folder of it
        yield Contribution((*place, field), "/".join([content, *seen[len(wanted) :]]), section.at)
    elif wanted[: len(seen)] == seen:  # the mount shows a folder that the folder of the data is in
        below = "/".join([mount["mountPath"].rstrip("/"), *wanted[len(seen) :]])
        tree = {**{key: value for key, value in mount.items() if key != field}, "mountPath": below, "subPath": content}
        yield Contribution((*at, (("mountPath", below),)), tree, section.at)


def parts(path: str) -> list[str]:
    """The names in a path."""
    return [part for part in path.split("/") if part not in ("", ".")]
