"""Experiment: what is trained, with what, on what."""

from __future__ import annotations

from typing import ClassVar, Literal

from tjgen.language.spec.models.checkpoints import Checkpoints
from tjgen.language.spec.models.code import Code
from tjgen.language.spec.models.container import Container
from tjgen.language.spec.models.data import Data
from tjgen.language.spec.models.identity import Counts, Excluded, Setting
from tjgen.language.spec.models.initializer import Initializer
from tjgen.language.spec.models.metadata import Metadata
from tjgen.language.spec.models.monitor import Monitor
from tjgen.language.spec.models.patches import Patch
from tjgen.language.spec.models.prefetch import Prefetch
from tjgen.language.spec.models.restart import Cleanup, Elastic, Restart, Success
from tjgen.language.spec.models.roles import Role
from tjgen.language.spec.models.runtime import RuntimeRef
from tjgen.language.spec.models.schedule import Schedule
from tjgen.language.spec.models.shape import Alternatives, ApiVersion, Count, Quantity, Shape, Text
from tjgen.language.spec.models.sweep import Sweep
from tjgen.language.spec.models.volcano import Volcano
from tjgen.language.spec.models.volumes import Volume


class RunSpec(Container):
    """What one run is: all that a task may say too."""

    alternatives: ClassVar[Alternatives] = (("script",), ("command", "args"))

    runtime: Counts[RuntimeRef | Text | None] = None
    """Runtime of the catalog that the experiment runs on."""
    script: Counts[Text | None] = None
    """A Python program that the launcher (torchrun, mpirun ...) starts, another command, or shell text of several lines."""
    launcher: Counts[Text | None] = None
    """What starts the program of `script` in place of the runtime's launcher, such as `accelerate launch`; `none` for Python."""
    image_pull_secrets: Counts[list[Text]] = []
    """Secrets for pulling images."""
    service_account_name: Counts[Text | None] = None
    """ServiceAccount of the pods."""
    nodes: Counts[Count | None] = None
    """Number of training nodes (pods); the runtime's where it is left out."""
    procs_per_node: Counts[Count | None] = None
    """Processes on each node; one for each device where it is left out."""
    shared_memory: Counts[Quantity | None] = None
    """Size of /dev/shm."""
    rdma: Counts[bool] = False
    """Whether the training nodes get the network devices that go with their device class."""
    roles: Counts[dict[str, Role]] = {}
    """Replicated jobs of the runtime, by name, where they differ."""
    volumes: Counts[dict[str, Volume]] = {}
    """Storage by name, and where it is mounted."""
    data: Counts[Data | None] = None
    """Items that the training reads, and which part of them each node reads."""
    code: Counts[Code | None] = None
    """Where the program comes from, when it is not in the image."""
    checkpoints: Counts[Checkpoints | None] = None
    """Where training saves its state, what of it stays, and what a run begins with."""
    prefetch: Counts[Prefetch | None] = None
    """Data that is there before the runs begin, and caches of their nodes."""
    monitor: Setting[Monitor | None] = None
    """What is measured of the runs while they train, and from where on somebody is told."""
    initializer: Counts[Initializer | None] = None
    """What is fetched before training starts."""
    schedule: Counts[Schedule] = Schedule()
    """Gang scheduling, queue and priority."""
    attempt: Counts[Count] = 1
    """Raise it to run the same thing again."""
    deadline: Counts[Count | None] = None
    """Seconds after which a run that has not finished is stopped (activeDeadlineSeconds)."""
    target: Counts[Literal["trainjob", "jobset", "volcanojob", "pytorchjob", "tfjob", "mpijob", "xgboostjob", "jaxjob"]] = (
        "trainjob"
    )
    """Kind of object that is applied to the cluster."""
    restart: Counts[Restart | None] = None
    """What is started again after a failure, and how often; the runtime's rules where it is left out."""
    elastic: Counts[Elastic | None] = None
    """How far the number of nodes may change while the run goes on."""
    success: Counts[Success | None] = None
    """When the run has succeeded."""
    cleanup: Counts[Cleanup | None] = None
    """What stays of a run that has ended."""
    volcano: Counts[Volcano | None] = None
    """What the Volcano Job says beside its tasks, with target volcanojob."""
    patches: Counts[dict[str, Patch]] = {}
    """Changes to objects that are made, by a name of your choice; they come last."""


class Task(RunSpec):
    """What one of several isolated runs has for itself, over what the experiment says."""

    partial: ClassVar[bool] = True


class ExperimentSpec(RunSpec):
    """What is trained, with what, on what."""

    tasks: Excluded[dict[str, Task]] = {}
    """Several isolated runs by name: one run each, with data of its own."""
    sweep: Excluded[Sweep | None] = None
    """Several runs that differ in some fields."""
    naming: Excluded[Literal["hash", "fixed"]] = "hash"
    """Whether a run's name follows its content, or stays."""
    state: Setting[Literal["active", "suspended", "archived"]] = "active"
    """Whether the runs run, wait, or are kept as a record only."""


class Experiment(Shape):
    """An experiment."""

    api_version: Excluded[ApiVersion]
    """Version of the language."""
    kind: Excluded[Literal["Experiment"]]
    """Kind of the document."""
    metadata: Excluded[Metadata]
    """Who the experiment is."""
    spec: Counts[ExperimentSpec]
    """What is trained, with what, on what."""
