"""Resources and devices of the containers of an experiment -> those whose names are misspelled."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.compiler.lower import SPEC
from tjgen.language.setting import Setting
from tjgen.language.spec.objects import Container, Experiment, Program
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import FieldPath
from tjgen.trees.workload.workload import Workload


def check(workload: Workload, experiment: Experiment, setting: Setting) -> Iterator[Diagnostic]:
    """TJ244 for each misspelled resource: no node has it, so the pods never start."""
    for at, container in _containers(experiment):
        if container.resources:
            from tjgen.language.platform.resources import misspelled_in_container  # few containers set resources

            yield from misspelled_in_container(container.resources, setting.classes, (*at, "resources"))
        gpu = container.gpu if isinstance(container, Container) else None
        if gpu is not None and gpu.device_class is not None and "/" in gpu.device_class:
            from tjgen.language.platform.resources import misspelled_in_container

            for one in misspelled_in_container([gpu.device_class], setting.classes, at):
                yield one._replace(path=(*at, "gpu"))


def _containers(experiment: Experiment) -> Iterator[tuple[FieldPath, Program]]:
    spec = experiment.spec
    programs: list[tuple[FieldPath, Container]] = [
        (SPEC, spec),
        *[((*SPEC, "roles", name), role) for name, role in spec.roles.items()],
    ]
    for at, program in programs:
        yield at, program
        for name, container in program.init_containers.items():
            yield (*at, "initContainers", name), container
        for name, sidecar in program.sidecars.items():
            yield (*at, "sidecars", name), sidecar
