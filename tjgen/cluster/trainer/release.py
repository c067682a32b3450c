"""A release of Trainer by its name -> what it does otherwise than the releases after it.

The twin is written for the newest release. An earlier one is the next newer one with the lines that are
changed, so `RELEASES`, read from the top, lists the changes of each release.
"""

from __future__ import annotations

from collections.abc import Mapping

from tjgen.cluster.releases import V20, V21, V22, V23, TrainerRelease
from tjgen.cluster.trainer.typed import NEWEST as NEWEST_TYPES
from tjgen.cluster.trainer.typed import Types, types_of
from tjgen.trees.diagnostics.model import CompileError, Diagnostic, Span
from tjgen.trees.typing import NamedTuple

_POLICY_DOCS = "https://trainer.kubeflow.org/en/latest/operator-guides/runtime.html#runtime-deprecation-policy"
_EARLIER_POLICY_DOCS = "https://www.kubeflow.org/docs/components/trainer/operator-guides/runtime/#runtime-deprecation-policy"


class Release(NamedTuple):
    """The behavior of one release. A flag describes the newest release; it is false in releases before that behavior."""

    entry: TrainerRelease
    """Its row in the table of releases."""
    merged_type: str
    """The Go type onto which an override is merged."""
    deprecation_docs: str | None
    """Where the warning about a deprecated runtime points; None if there is none."""

    shows_values_as_json: bool = True
    """Objects in the words of a webhook are JSON, else Go's own notation."""
    keeps_snapshot: bool = True
    """A ConfigMap keeps the runtime as it was."""
    merges_resources: bool = True
    """`resourcesPerNode` is merged over the runtime's resources, else it replaces them."""
    shows_resources_to_gangs: bool = True
    """Gangs count with the TrainJob's `resourcesPerNode`."""
    writes_init_containers: bool = True
    """What plugins did to init containers is written back; environment variables can be injected there."""
    counts_by_name: bool = True
    """The number of pods goes to the first job of a name, else to each job in its place."""
    counts_replicas: bool = True
    """The host file has the pods of every replica."""
    sets_key_modes: bool = True
    """MPI's keys are mounted with file modes."""
    checks_mpi_variables: bool = True
    checks_initializer_mounts: bool = True
    checks_torchtune_arguments: bool = True
    """LoRA on several nodes and settings of the runtime are refused."""
    reads_booleans: bool = True
    """torchtune's switches count by their value, else by being mentioned."""
    checks_flux_processes: bool = True
    """The TrainJob's number of processes is looked at, else only the runtime's."""
    shares_memory_with_flux: bool = True
    wraps_command_of_runtime: bool = True
    """Flux runs the runtime's command where the TrainJob has none, else nothing but arguments."""
    tolerates_jax_without_trainer: bool = True
    patches_may_change_on_resume: bool = True
    """Overrides may change when the TrainJob was suspended before or is after, else only when it is after."""
    numbers_processes: bool = True
    """`numProcPerNode` is a number, else a number or a word, and the torch policy has one, too."""
    checks_torch_always: bool = True
    """Torch's checks always run, else only if `numProcPerNode` is set."""
    adds_patched_jobs: bool = True
    """A patch for a job that the runtime does not have adds it, else the webhook refuses the TrainJob."""
    propagates_metadata: bool = False
    """The TrainJob's `spec.labels` and `spec.annotations` go to the JobSet."""
    looks_into_runtime: bool = True
    """Processes are counted from the runtime's resources where the TrainJob has none, by GPUs first."""
    finetunes_by_adapters: bool = True
    """torchtune supports LoRA and QLoRA."""
    sets_up_mpi_nodes: bool = True
    """The TrainJob's variables reach the job `node` of an MPI runtime whose launcher trains, too."""
    counts_each_trainer: bool = True
    """Every trainer job has its own count, else the first one's."""
    labels_gangs_only: bool = True
    """The label of coscheduling needs its policy, else any pod group policy."""
    names_by_schema: bool = True
    """The schema checks the name, else the webhook does, on create."""
    labels_coordinators: bool = True
    """JobSet checks group names and the coordinator's label, and names the invalid field."""
    checks_containers: bool = True
    """A runtime's job needs the container of its ancestor; a launcher may have replicas."""
    waits_for_several: bool = True
    """A job can wait for more than one other job."""
    overrides_add_up: bool = True
    """A job may be the target of several overrides."""

    @property
    def name(self) -> str:
        """Major and minor number, as users write it."""
        return self.entry.name

    @property
    def version(self) -> str:
        """The version whose sources and schemas represent the release."""
        return self.entry.version

    @property
    def jobset(self) -> str:
        """The version of JobSet that goes with it."""
        return self.entry.jobset

    @property
    def overrides(self) -> str:
        """The field of a TrainJob that changes its runtime."""
        return self.entry.overrides

    @property
    def types(self) -> Types:
        """The Go types of its API."""
        return NEWEST_TYPES if self is NEWEST else types_of(self.version)

    @property
    def versions(self) -> dict[str, str]:
        """The schemas that go with it, by project."""
        return {"trainer": self.version, "jobset": self.jobset}


NEWEST = Release(V23, "JobSetSpec", _POLICY_DOCS)

_V22 = NEWEST._replace(
    entry=V22,
    merged_type="JobTemplateSpec",
    deprecation_docs=_EARLIER_POLICY_DOCS,
    keeps_snapshot=False,
    merges_resources=False,
    writes_init_containers=False,
    counts_by_name=False,
    counts_replicas=False,
    sets_key_modes=False,
    checks_mpi_variables=False,
    checks_initializer_mounts=False,
    checks_torchtune_arguments=False,
    reads_booleans=False,
    checks_flux_processes=False,
    shares_memory_with_flux=False,
    wraps_command_of_runtime=False,
    tolerates_jax_without_trainer=False,
    adds_patched_jobs=False,
)
_V21 = _V22._replace(
    entry=V21,
    merged_type="PodTemplateSpec",
    shows_resources_to_gangs=False,
    patches_may_change_on_resume=False,
    numbers_processes=False,
    checks_torch_always=False,
    propagates_metadata=True,
)
_V20 = _V21._replace(
    entry=V20,
    merged_type="PodSpec",
    deprecation_docs=None,
    shows_values_as_json=False,
    looks_into_runtime=False,
    finetunes_by_adapters=False,
    sets_up_mpi_nodes=False,
    counts_each_trainer=False,
    labels_gangs_only=False,
    names_by_schema=False,
    labels_coordinators=False,
    checks_containers=False,
    waits_for_several=False,
    overrides_add_up=False,
)

RELEASES: dict[str, Release] = {release.name: release for release in (NEWEST, _V22, _V21, _V20)}
"""The supported releases, newest first."""


def of_versions(versions: Mapping[str, str] | None) -> Release:
    """Return the release for a choice of schemas such as {"trainer": "v2.1.0"}; the newest if it does not name Trainer."""
    return (release_of(versions["trainer"]) if versions and "trainer" in versions else None) or NEWEST


def chosen(text: str, span: Span | None = None) -> Release:
    """The release that is requested at `span`. Raises CompileError for one that tjgen does not know (TJ290)."""
    release = release_of(text)
    if release is None:
        message = f"Trainer {text} is not a release that tjgen supports"
        hint = f"use one of {', '.join(RELEASES)}"
        raise CompileError([Diagnostic("TJ290", message, span=span, hint=hint)])
    return release


def release_of(text: str) -> Release | None:
    """The release that `2.1`, `v2.1` or `2.1.0` means, or None for one that tjgen does not know."""
    parts = text.removeprefix("v").split(".")
    release = RELEASES.get(".".join(parts[:2]))
    return release if release is not None and len(parts) <= 3 and all(part.isdigit() for part in parts[2:]) else None
