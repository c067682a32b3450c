"""Resources and devices of the containers of an experiment -> misspelled names, and more devices than a node has."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.compiler.lower import SPEC
from tjgen.language.setting import Setting
from tjgen.language.spec.forms import text
from tjgen.language.spec.objects import Container, Experiment, Program, ResourceAmount
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import FieldPath
from tjgen.trees.workload.workload import Workload


def check(workload: Workload, experiment: Experiment, setting: Setting) -> Iterator[Diagnostic]:
    """TJ244 for each misspelled resource, TJ375 for more devices than a node has: no node takes the pods."""
    for at, container in _containers(experiment):
        if container.resources:
            from tjgen.language.platform.resources import misspelled_in_container  # few containers set resources

            yield from misspelled_in_container(container.resources, setting.classes, (*at, "resources"))
            for name, amount in container.resources.items():
                yield from _too_many(name, amount, setting, (*at, "resources", name))
        gpu = container.gpu if isinstance(container, Container) else None
        if gpu is not None and gpu.device_class is not None and "/" in gpu.device_class:
            from tjgen.language.platform.resources import misspelled_in_container

            for one in misspelled_in_container([gpu.device_class], setting.classes, at):
                yield one._replace(path=(*at, "gpu"))


def _too_many(name: str, amount: ResourceAmount, setting: Setting, because: FieldPath) -> Iterator[Diagnostic]:
    """The devices of one container against the largest node of the classes that have this resource."""
    most = [device.most for device in setting.classes.values() if device.resource == name]
    number = text(amount.limit if amount.limit is not None else amount.request)
    largest = max((one or 0 for one in most), default=0)
    if largest and None not in most and number.isdigit() and int(number) > largest:
        message = f"resources requests {number} of {name}, but a node has {largest}"
        yield Diagnostic("TJ375", message, path=because, hint=f"request at most {largest} on each node, and increase nodes")


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
