"""A finished expansion -> warnings about what the controller did that nobody would expect."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tjgen.diagnostics.model import Diagnostic
from tjgen.trainer.surprises import containers, gangs, patches, processes
from tjgen.trainer.surprises.subject import Subject

RULES: tuple[Callable[[Subject], Iterator[Diagnostic]], ...] = (
    processes.no_trainer_section,
    processes.resources_without_policy,
    processes.lost_claims,
    processes.devices_that_do_not_count,
    processes.counts_below_one,
    processes.overwritten_counts,
    processes.several_trainer_jobs,
    processes.launchers,
    containers.trainer_without_container,
    containers.initializer_without_container,
    containers.dead_address,
    containers.job_named_node,
    containers.lost_sources,
    containers.overruled_variables,
    containers.swallowed_ports,
    containers.random_order,
    patches.unknown_targets,
    patches.double_values,
    gangs.two_gangs,
    gangs.gang_without_replicas,
    gangs.long_name,
)


def surprises(subject: Subject) -> list[Diagnostic]:
    """Everything that the rules find, in their order."""
    return [diagnostic for rule in RULES for diagnostic in rule(subject)]
