"""A finished expansion -> warnings about unexpected results of the controller."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tjgen.cluster.trainer.warnings import containers, flux, gangs, names, patches, processes, template
from tjgen.cluster.trainer.warnings.subject import ExpandedTrainJob
from tjgen.trees.diagnostics.model import Diagnostic

Rule = Callable[[ExpandedTrainJob], Iterator[Diagnostic]]

ALWAYS: tuple[Rule, ...] = (
    processes.resources_without_policy,
    processes.lost_claims,
    processes.counts_below_one,
    processes.overwritten_counts,
    processes.several_trainer_jobs,
    processes.processes_not_read,
    processes.nodes_not_read,
    processes.replaced_resources,
    containers.trainer_without_container,
    containers.lost_sources,
    containers.swallowed_ports,
    names.long_name,
    names.long_claim_name,
    names.long_coordinator,
    template.unread_metadata,
    template.overwritten_suspend,
    template.repeated_by_ttl,
    template.large_runtime,
)
BY_ML_POLICY: dict[str, tuple[Rule, ...]] = {
    "torch": (
        processes.no_trainer_section,
        processes.devices_that_do_not_count,
        processes.limits_that_do_not_count,
        containers.dead_address,
        containers.no_host_names,
        containers.overruled_variables,
        containers.stripped_port,
    ),
    "jax": (
        processes.no_trainer_section,
        containers.dead_address,
        containers.no_host_names,
        containers.overruled_variables,
        containers.stripped_port,
    ),
    "xgboost": (
        processes.no_trainer_section,
        processes.devices_that_do_not_count,
        processes.amounts_as_gpus,
        containers.dead_address,
        containers.no_host_names,
        containers.random_variables,
        containers.stripped_port,
    ),
    "mpi": (
        processes.devices_that_do_not_count,
        processes.amounts_as_gpus,
        processes.launchers,
        processes.one_process_overruled,
        containers.job_named_node,
        containers.no_host_names,
        containers.overruled_variables,
    ),
    "flux": (
        processes.devices_that_do_not_count,
        processes.amounts_as_gpus,
        containers.job_named_node,
        containers.dead_address,
        containers.no_host_names,
        flux.split_words,
        flux.added_arguments,
        flux.no_command,
    ),
}
PATCHED: tuple[Rule, ...] = (
    patches.unknown_targets,
    patches.double_values,
    patches.replaced_lists,
    patches.empty_values,
    patches.late_variables,
)
INITIALIZED: tuple[Rule, ...] = (containers.initializer_without_container, containers.overruled_storage)
GANGS: tuple[Rule, ...] = (
    gangs.two_gangs,
    gangs.gang_without_replicas,
    gangs.gang_in_steps,
    gangs.gang_without_scheduler,
    gangs.gang_of_requests,
    gangs.gang_without_trainjobs_resources,
    gangs.gang_priorities,
    gangs.unread_queue,
)


def find_warnings(subject: ExpandedTrainJob) -> list[Diagnostic]:
    """Return all findings of the rules; rules that cannot apply are skipped."""
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
    if subject.job.release.overrides in spec:
        rules += PATCHED
    return [diagnostic for rule in dict.fromkeys(rules) for diagnostic in rule(subject)]
