"""What runtime patches, and the overrides of earlier releases, do that is rarely intended."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster.releases import POD_TEMPLATE_OVERRIDES, RUNTIME_PATCHES
from tjgen.cluster.trainer.overrides import patches
from tjgen.cluster.trainer.runtimes import POD_SPEC, ContainerShape, JobShape
from tjgen.cluster.trainer.warnings.subject import ExpandedTrainJob
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import FieldPath, Tree, get, named, render
from tjgen.trees.typing import Any, NamedTuple

_CONTAINERS = (dict, list)
_FIELDS = ("containers", "initContainers")
_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
_WHOLE_LISTS: tuple[FieldPath, ...] = (
    ("tolerations",),
    ("securityContext", "supplementalGroups"),
    ("affinity", "nodeAffinity", _REQUIRED, "nodeSelectorTerms"),
    ("affinity", "nodeAffinity", _PREFERRED),
    ("affinity", "podAffinity", _REQUIRED),
    ("affinity", "podAffinity", _PREFERRED),
    ("affinity", "podAntiAffinity", _REQUIRED),
    ("affinity", "podAntiAffinity", _PREFERRED),
)
_MEANT_EMPTY = ("emptyDir", "spec", "template", "trainingRuntimeSpec")


class _JobPatch(NamedTuple):
    """The part of a patch or override that concerns one job, and its path."""

    name: str
    pod: dict[str, Any]
    target: FieldPath
    """Where the job is named."""
    pod_path: FieldPath

    def containers(self, field: str) -> Iterator[tuple[dict[str, Any], FieldPath]]:
        for container in self.pod.get(field, ()):
            yield container, (*self.pod_path, field, named(container.get("name", "")))


def unknown_targets(subject: ExpandedTrainJob) -> Iterator[Diagnostic]:
    """The webhook of 2.3 looks for unknown jobs after it has merged the patch; no release looks for containers in time."""
    known = {shape.name: shape for shape in subject.runtime.jobs}
    for patch in _job_patches(subject):
        shape = known.get(patch.name)
        if shape is None:
            adds = subject.job.release.adds_patched_jobs
            what = "the patch adds an empty one, and the JobSet is refused" if adds else "the webhook refuses the TrainJob"
            yield subject.of_trainjob(
                "TJ840",
                f"runtime {subject.runtime.name} has no job {patch.name}: {what}",
                f"use one of {', '.join(sorted(known))}" if known else "remove the patch",
                patch.target,
            )
            continue
        for field in _FIELDS:
            names = sorted(item.name for item in _shapes(shape, field))
            for container, path in patch.containers(field):
                if container.get("name", "") not in names:
                    what = f"{field[:-1]} {container.get('name', '')}"
                    yield subject.of_trainjob(
                        "TJ841",
                        f"job {patch.name} has no {what}: the patch adds one without image, and no pod starts",
                        f"use one of {', '.join(names)}" if names else "add the container to the runtime",
                        path,
                    )


def double_values(subject: ExpandedTrainJob) -> Iterator[Diagnostic]:
    """A strategic merge adds a volume's new source or a variable's valueFrom to the old one."""
    shapes = {podset.name: podset.shape for podset in reversed(subject.info.podsets)}
    for patch in _job_patches(subject):
        shape = shapes.get(patch.name)
        if shape is None:
            continue
        volumes = {volume["name"]: volume for volume in shape.pod_spec.get("volumes", ())}
        for volume in patch.pod.get("volumes", ()):
            sources = sorted(set(volumes.get(volume["name"], ())) - {"name"})
            if len(sources) > 1:
                yield subject.of_trainjob(
                    "TJ842",
                    f"volume {volume['name']} ends up with {' and '.join(sources)}, so the API server refuses every pod",
                    "use another volume name, or change the runtime",
                    (*patch.pod_path, "volumes", named(volume["name"])),
                )
        for field in _FIELDS:
            doubled = {(item.name, name) for item in _shapes(shape, field) for name in _doubled(item)}
            for container, path in patch.containers(field):
                for variable in container.get("env", ()):
                    if (container.get("name"), variable["name"]) in doubled:
                        yield subject.of_trainjob(
                            "TJ843",
                            f"{variable['name']} ends up with value and valueFrom, so the API server refuses every pod",
                            "change the variable in the runtime",
                            (*path, "env", named(variable["name"])),
                        )


def _job_patches(subject: ExpandedTrainJob) -> Iterator[_JobPatch]:
    job = subject.job
    if job.release.overrides == RUNTIME_PATCHES:
        for path, template in patches(job):
            for item in template.get("spec", {}).get("replicatedJobs", ()):
                target = (*path, "spec", "replicatedJobs", named(item.get("name", "")))
                yield _JobPatch(item.get("name", ""), get(item, POD_SPEC, {}), target, (*target, *POD_SPEC))
        return
    below: FieldPath = ("spec",) if job.release.overrides == POD_TEMPLATE_OVERRIDES else ()
    for position, override in enumerate(job.spec.get(job.release.overrides, ())):
        path = ("spec", job.release.overrides, position)
        pod = get(override, below, {})
        for index, target in enumerate(override.get("targetJobs", ())):
            yield _JobPatch(target.get("name", ""), pod, (*path, "targetJobs", index), (*path, *below))


def _shapes(shape: JobShape, field: str) -> tuple[ContainerShape, ...]:
    return shape.containers if field == "containers" else shape.init_containers


def _doubled(container: ContainerShape) -> list[str]:
    env = container.tree.get("env", ())
    return [variable["name"] for variable in env if "value" in variable and "valueFrom" in variable]


def replaced_lists(subject: ExpandedTrainJob) -> Iterator[Diagnostic]:
    """A strategic merge replaces a list whole where its Go type has no merge key (core/v1 `Toleration` has none)."""
    written = {shape.name: shape.pod_spec for shape in subject.runtime.jobs}
    for patch in _job_patches(subject):
        for place in _WHOLE_LISTS:
            ours = get(patch.pod, place, None)
            lost = [item for item in get(written.get(patch.name), place, None) or () if item not in (ours or ())]
            if ours and lost:
                yield subject.of_trainjob(
                    "TJ890",
                    f"{render(place)} of job {patch.name} is replaced as a whole, and loses {_shown(lost)} of the runtime",
                    "repeat in the patch what is to stay",
                    (*patch.pod_path, *place),
                )


def empty_values(subject: ExpandedTrainJob) -> Iterator[Diagnostic]:
    """A patch is decoded into its Go type and written again: `omitempty` drops what was written to clear a field."""
    field = subject.job.release.overrides
    written = get(subject.job.tree, ("spec", field), None)
    for path in _empties(written, ("spec", field)):
        yield subject.of_trainjob(
            "TJ891",
            f"{render(path[-1:])} is empty in the patch, which leaves the runtime's value as it is",
            "change the runtime, or use one without the field",
            path,
        )


def late_variables(subject: ExpandedTrainJob) -> Iterator[Diagnostic]:
    """New elements of a patched list come first, and $(NAME) sees only the variables before it (core/v1 `EnvVar`)."""
    shapes = {podset.name: podset.shape for podset in subject.info.podsets}
    for patch in _job_patches(subject):
        shape = shapes.get(patch.name)
        if shape is None:
            continue
        for field in _FIELDS:
            after = {item.name: item.tree.get("env", ()) for item in _shapes(shape, field)}
            for container, path in patch.containers(field):
                names = [variable["name"] for variable in after.get(container.get("name", ""), ())]
                for variable in container.get("env", ()):
                    own = variable["name"]
                    if own not in names:
                        continue  # two jobs or containers have that name, and the other one counts
                    late = [name for name in names[names.index(own) + 1 :] if f"$({name})" in (variable.get("value") or "")]
                    if late:
                        yield subject.of_trainjob(
                            "TJ892",
                            f"{own} refers to $({late[0]}), which comes after it once the patch is applied, so it is "
                            f"not replaced",
                            "patch that variable in as well, before this one",
                            (*path, "env", named(own)),
                        )


def _empties(tree: Tree, path: FieldPath) -> Iterator[FieldPath]:
    if tree is None or tree in ({}, []):
        # An emptyDir is written as an empty map, which is not the same as none.
        if path[-1] not in _MEANT_EMPTY:
            yield path
    elif isinstance(tree, dict):
        for key, value in tree.items():
            if value is None or value.__class__ in _CONTAINERS:
                yield from _empties(value, (*path, key))
    elif isinstance(tree, list):
        for position, value in enumerate(tree):
            if value is None or value.__class__ in _CONTAINERS:
                yield from _empties(value, (*path, position))


def _shown(items: list[Any]) -> str:
    """Return the element with the most specific information."""
    first = items[0]
    shown = (first.get("key") or first.get("operator")) if isinstance(first, dict) else first
    more = f" and {len(items) - 1} more" if len(items) > 1 else ""
    return f"{shown if shown is not None else 'an element'}{more}"
