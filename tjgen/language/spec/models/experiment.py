"""Experiment: what to train, and the resources that it needs."""

from __future__ import annotations

from typing import ClassVar, Literal

from tjgen.language.spec.models.checkpoints import Checkpoints
from tjgen.language.spec.models.code import Code
from tjgen.language.spec.models.container import Container
from tjgen.language.spec.models.data import Data
from tjgen.language.spec.models.identity import Counts, Excluded, Present, Setting
from tjgen.language.spec.models.initializer import Initializer
from tjgen.language.spec.models.metadata import Metadata
from tjgen.language.spec.models.monitor import Monitor
from tjgen.language.spec.models.patches import Patch
from tjgen.language.spec.models.prefetch import Prefetch
from tjgen.language.spec.models.restart import Cleanup, Elastic, Restart, Success
from tjgen.language.spec.models.roles import Role
from tjgen.language.spec.models.runtime import RuntimeRef
from tjgen.language.spec.models.schedule import Schedule
from tjgen.language.spec.models.shape import Alternatives, ApiVersion, Count, Quantity, Seconds, Shape, Text, Texts
from tjgen.language.spec.models.sweep import Sweep
from tjgen.language.spec.models.volcano import Volcano
from tjgen.language.spec.models.volumes import Volume


class RunSpec(Container):
    """The fields of one run, which a task can set, too."""

    alternatives: ClassVar[Alternatives] = (("script",), ("command", "args"))

    runtime: Counts[RuntimeRef | Text | None] = None
    """Runtime of the catalog."""
    script: Counts[Text | None] = None
    """A Python program that the launcher (torchrun, mpirun ...) starts, another command, or shell text of several lines."""
    launcher: Counts[Text | None] = None
    """Starts the program of `script` instead of the runtime's launcher, such as `accelerate launch`; `none` for Python."""
    image_pull_secrets: Counts[list[Text]] = []
    """Secrets for pulling images."""
    service_account_name: Counts[Text | None] = None
    """ServiceAccount of the pods."""
    nodes: Counts[Count | None] = None
    """Number of training nodes (pods). The default is the runtime's."""
    procs_per_node: Counts[Count | None] = None
    """Processes on each node. The default is one for each device."""
    shared_memory: Counts[Quantity | None] = None
    """Size of /dev/shm."""
    rdma: Counts[bool] = False
    """Whether the training nodes get the network devices that go with their device class."""
    roles: Counts[dict[str, Role]] = {}
    """Replicated jobs by name: those of the runtime that differ from the others, and new ones with a command."""
    volumes: Counts[dict[str, Volume]] = {}
    """Storage by name, and where to mount it."""
    data: Counts[Data | None] = None
    """Items that the run reads, in one data set or several, and the part of them that each node reads."""
    code: Counts[Code | None] = None
    """Where the program comes from. By default, the image contains it."""
    checkpoints: Counts[Checkpoints | None] = None
    """Where the run saves checkpoints, which of them to keep, and what a run resumes from."""
    prefetch: Counts[Prefetch | None] = None
    """Data to fetch before the runs start, and caches on their nodes."""
    monitor: Setting[Monitor | None] = None
    """Metrics, alerts and dashboards of the runs."""
    initializer: Counts[Initializer | None] = None
    """Models and data sets to fetch before training starts."""
    schedule: Counts[Schedule] = Schedule()
    """Gang scheduling, queue and priority."""
    attempt: Counts[Count] = 1
    """Increase it to train again without another change."""
    deadline: Counts[Seconds | None] = None
    """Time after which a run that has not finished fails (activeDeadlineSeconds): seconds, or a duration such as `12h`."""
    target: Counts[
        Literal[
            "trainjob",
            "jobset",
            "volcanojob",
            "pytorchjob",
            "tfjob",
            "mpijob",
            "xgboostjob",
            "jaxjob",
            "paddlejob",
            "rayjob",
        ]
    ] = "trainjob"
    """Kind of object that is applied to the cluster."""
    restart: Counts[Restart | None] = None
    """What to restart after a failure, and how often. The default is the rules of the runtime."""
    elastic: Counts[Elastic | None] = None
    """The range in which the number of nodes can change during the run."""
    success: Present[Success | None] = None
    """When the run counts as succeeded."""
    cleanup: Counts[Cleanup | None] = None
    """What to keep of a run that has ended."""
    volcano: Counts[Volcano | None] = None
    """Fields of the Volcano Job other than its tasks, for the target volcanojob."""
    patches: Counts[dict[str, Patch]] = {}
    """Changes to generated objects, by a name of your choice. They apply last."""


class Task(RunSpec):
    """Fields of one of several isolated runs, merged over the experiment."""

    partial: ClassVar[bool] = True


class ExperimentSpec(RunSpec):
    """The program to train, and the resources that it needs."""

    environments: Excluded[Texts] = []
    """Environments of the project that the experiment is for. The default is all."""
    tasks: Excluded[dict[str, Task]] = {}
    """Several isolated runs by name, each with its own data."""
    sweep: Excluded[Sweep | None] = None
    """Several runs that differ in some fields."""
    naming: Excluded[Literal["hash", "fixed"]] = "hash"
    """`hash` gives each content its own name; `fixed` keeps the name."""
    state: Setting[Literal["active", "suspended", "archived"]] = "active"
    """Whether the runs run, are suspended, or stay as a record only."""
    on_supersede: Excluded[Literal["keep", "stop"] | None] = None
    """Whether a run of this experiment continues when another one supersedes it (`keep`), or is suspended (`stop`). The default
    is that of the environment, then that of the project."""


class Experiment(Shape):
    """An experiment."""

    api_version: Excluded[ApiVersion]
    """Version of the language."""
    kind: Excluded[Literal["Experiment"]]
    """Kind of the document."""
    metadata: Excluded[Metadata]
    """Identifies the experiment."""
    spec: Counts[ExperimentSpec]
    """The program to train, and the resources that it needs."""
