"""What runtime patches do that nobody would ask for."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.diagnostics.model import Diagnostic
from tjgen.fields.path import FieldPath, named
from tjgen.trainer.overrides import patches
from tjgen.trainer.runtimes import POD_SPEC, ContainerShape, JobShape
from tjgen.trainer.surprises.subject import Subject
from tjgen.typing import Any, NamedTuple

_FIELDS = ("containers", "initContainers")


class _JobPatch(NamedTuple):
    """What a patch says about one job, and where."""

    name: str
    pod: dict[str, Any]
    path: FieldPath

    def containers(self, field: str) -> Iterator[tuple[dict[str, Any], FieldPath]]:
        for container in self.pod.get(field, ()):
            yield container, (*self.path, *POD_SPEC, field, named(container.get("name", "")))


def unknown_targets(subject: Subject) -> Iterator[Diagnostic]:
    """The webhook looks for unknown jobs and containers after it has merged the patch, so it never finds one."""
    known = {shape.name: shape for shape in subject.runtime.jobs}
    for patch in _job_patches(subject):
        shape = known.get(patch.name)
        if shape is None:
            yield subject.of_trainjob(
                "TJ840",
                "patch-adds-job",
                f"runtime {subject.runtime.name} has no job {patch.name}: the patch adds an empty one, and the JobSet is refused",
                f"use one of {', '.join(sorted(known))}" if known else "remove the patch",
                patch.path,
            )
            continue
        for field in _FIELDS:
            names = sorted(item.name for item in _shapes(shape, field))
            for container, path in patch.containers(field):
                if container.get("name", "") not in names:
                    what = f"{field[:-1]} {container.get('name', '')}"
                    yield subject.of_trainjob(
                        "TJ841",
                        "patch-adds-container",
                        f"job {patch.name} has no {what}: the patch adds one without image, and no pod starts",
                        f"use one of {', '.join(names)}" if names else "add the container to the runtime",
                        path,
                    )


def double_values(subject: Subject) -> Iterator[Diagnostic]:
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
                    "volume-with-two-sources",
                    f"volume {volume['name']} ends up with {' and '.join(sources)}, and no pod is accepted",
                    "use another volume name, or change the runtime",
                    (*patch.path, *POD_SPEC, "volumes", named(volume["name"])),
                )
        for field in _FIELDS:
            doubled = {(item.name, name) for item in _shapes(shape, field) for name in _doubled(item)}
            for container, path in patch.containers(field):
                for variable in container.get("env", ()):
                    if (container.get("name"), variable["name"]) in doubled:
                        yield subject.of_trainjob(
                            "TJ843",
                            "variable-with-two-values",
                            f"{variable['name']} ends up with value and valueFrom, and no pod is accepted",
                            "change the variable in the runtime",
                            (*path, "env", named(variable["name"])),
                        )


def _job_patches(subject: Subject) -> Iterator[_JobPatch]:
    for path, template in patches(subject.job):
        for job in template.get("spec", {}).get("replicatedJobs", ()):
            pod = job
            for step in POD_SPEC:
                pod = pod.get(step, {})
            yield _JobPatch(job.get("name", ""), pod, (*path, "spec", "replicatedJobs", named(job.get("name", ""))))


def _shapes(shape: JobShape, field: str) -> tuple[ContainerShape, ...]:
    return shape.containers if field == "containers" else shape.init_containers


def _doubled(container: ContainerShape) -> list[str]:
    env = container.tree.get("env", ())
    return [variable["name"] for variable in env if "value" in variable and "valueFrom" in variable]
