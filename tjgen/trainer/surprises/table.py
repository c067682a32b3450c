"""A finished expansion -> warnings about what the controller did that nobody would expect."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tjgen.diagnostics.model import Diagnostic
from tjgen.trainer.surprises import containers, gangs, patches, processes
from tjgen.trainer.surprises.subject import Subject

Rule = Callable[[Subject], Iterator[Diagnostic]]

ALWAYS: tuple[Rule, ...] = (
    processes.resources_without_policy,
    processes.lost_claims,
    processes.counts_below_one,
    processes.overwritten_counts,
    processes.several_trainer_jobs,
    containers.trainer_without_container,
    containers.lost_sources,
    containers.swallowed_ports,
    gangs.long_name,
)
BY_ML_POLICY: dict[str, tuple[Rule, ...]] = {
    "torch": (processes.no_trainer_section, processes.devices_that_do_not_count, containers.dead_address),
    "jax": (processes.no_trainer_section, containers.dead_address, containers.overruled_variables),
    "xgboost": (
        processes.no_trainer_section,
        processes.devices_that_do_not_count,
        containers.dead_address,
        containers.random_variables,
    ),
    "mpi": (processes.devices_that_do_not_count, processes.launchers, containers.job_named_node),
    "flux": (processes.devices_that_do_not_count, containers.job_named_node),
}
PATCHED: tuple[Rule, ...] = (patches.unknown_targets, patches.double_values)
INITIALIZED: tuple[Rule, ...] = (containers.initializer_without_container,)
GANGS: tuple[Rule, ...] = (gangs.two_gangs, gangs.gang_without_replicas)


def surprises(subject: Subject) -> list[Diagnostic]:
    """Everything that the rules find; those that cannot find anything are not asked."""
    info, spec = subject.info, subject.job.spec
    rules = list(ALWAYS)
    policies = [name for name in info.ml_policy or () if name != "numNodes"]
    if len(policies) > 1:
        rules.append(processes.several_policies)
    for policy in policies:
        rules += BY_ML_POLICY[policy]
    if info.pod_group_policy:
        rules += GANGS
    if "initializer" in spec:
        rules += INITIALIZED
    if "runtimePatches" in spec:
        rules += PATCHED
    return [diagnostic for rule in dict.fromkeys(rules) for diagnostic in rule(subject)]
