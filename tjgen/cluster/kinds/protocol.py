"""The facts about one kind of object. Each module of this package holds one or several values of `Kind`.

Every field is required, so that a kind without one of the facts does not type-check.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tjgen.trees.fields.path import FieldPath, Tree
from tjgen.trees.typing import NamedTuple

MANAGED = "managed"
"""Access of people who run training jobs to a kind that tjgen writes: they create, change, and delete its objects."""
UNLISTED = "unlisted"
"""No role of people names the kind: other objects give access to it, or no access is needed."""

PYTORCH, TENSORFLOW, MPI, XGBOOST, JAX, PADDLEPADDLE = "PyTorch", "TensorFlow", "MPI", "XGBoost", "JAX", "PaddlePaddle"
"""Frameworks whose programs an operator connects, as people write them."""

COUNTED = "counted"
"""The controller starts, or lets a launcher start, as many processes in each pod as the experiment sets."""
BY_RUNTIME = "by the runtime"
"""Only a launcher of the runtime starts several processes in a pod."""
ONE = "one"
"""Each pod has one process."""

IN_PLACE = "in place"
SILENT = "without effect"


class Effect(NamedTuple):
    """The effect of a change that the API server accepts: IN_PLACE or SILENT, and a remark if that is not all."""

    kind: str
    remark: str = ""


EffectOf = Callable[[FieldPath, Tree, Tree], "Effect | None"]
"""Path of a field, its old and its new value (MISSING if absent) -> the effect of the change; None: it takes effect in place."""


class Pods(NamedTuple):
    """Pods of one template."""

    role: str
    number: int
    path: FieldPath
    """Path of the template in the manifest."""
    template: Tree

    @property
    def spec(self) -> Tree:
        """The pod's spec."""
        spec = self.template.get("spec") if self.template.__class__ is dict else None
        return spec or {}


class Conditions(NamedTuple):
    """The status of a kind that has conditions."""

    done: str
    """Type of the condition of a run that has succeeded. One that has failed has `Failed`."""
    active: str
    """Field of the status that counts the Jobs of a run, or with `RunFacts.replicas` the pods of each replica type."""


class Phases(NamedTuple):
    """The status of a kind that has a phase."""

    done: str
    failed: tuple[str, ...]
    parent: str
    """Field of the status that holds the phase; empty if the status itself does."""
    name: str = "phase"
    """Field with the phase."""
    waiting: tuple[str, ...] = ()
    """Phases of a run that waits for a queue, for nodes, or for a person."""
    starting: tuple[str, ...] = ()
    """Phases of a run not all of whose pods have started."""
    suspended: tuple[str, ...] = ()
    restarts: str = ""
    """Field of the status that counts how often the controller has started the run again; empty if none does."""


class RunFacts(NamedTuple):
    """The facts about a kind that trains: deleting such an object ends a training run."""

    target: str
    """Name of the target that writes the kind, which is also its module in `targets`; empty if none does."""
    needs: str
    """What tjgen applies together with it, for the page of targets, such as `, with its runtime`; empty if nothing."""
    starter: str
    """What starts its pods, for the page of targets."""
    page: str
    """Page about the kind, relative to docs/reference."""
    framework: str
    """The framework whose programs its controller connects; empty if it is none of one framework."""
    processes: str
    """What starts several processes in a pod: COUNTED, BY_RUNTIME or ONE."""
    finds_container_by_name: bool
    """Whether its controller looks for the program by the name of its container."""
    scheduler: str
    """The gang scheduler that the kind belongs to, and the field of the experiment with its settings; empty if none."""
    is_preview: bool
    """Whether Trainer's controller creates such an object from a TrainJob, which the target applies itself."""
    job_owner: str
    """The kind that owns its Jobs; empty if no Jobs start its pods."""
    pods: Callable[[Tree], Iterator[Pods]] | None
    """Manifest -> its sets of pods; None if the pods are those of another object, such as a TrainJob's JobSet."""
    replicas: str
    """Field of the spec that holds the replica types of a job of the Training Operator or MPI Operator; else empty."""
    pod_label: str
    """Label of its pods whose value is the name of the run."""


class Kind(NamedTuple):
    """One kind of object."""

    api_version: str
    name: str
    plural: str
    changeable: tuple[FieldPath, ...] | None
    """Fields that may change in place; None if an apply may change the whole object."""
    effect: EffectOf
    access: str
    """MANAGED or UNLISTED."""
    status: Conditions | Phases | None
    """How the status reports the end of a run; None if the sync tools know the kind, or its objects do not end."""
    run: RunFacts | None
    """None for kinds that do not train."""
    controller: str
    """The controller that creates its pods, or what they come from; empty if none does. `controllers` has a module for each."""

    @property
    def group(self) -> str:
        """API group; empty for the core group."""
        return self.api_version.rpartition("/")[0]

    @property
    def suspend(self) -> FieldPath | None:
        """Path of the field that suspends a run of this kind in place; None if there is none."""
        return next((path for path in self.changeable or () if path[-1] == "suspend"), None) if self.run is not None else None


METADATA: tuple[FieldPath, ...] = (("metadata", "labels"), ("metadata", "annotations"))
SUSPENDABLE: tuple[FieldPath, ...] = (*METADATA, ("spec", "suspend"))

COUNTED_FROM_START = Effect(IN_PLACE, "counts from the start of the run: one that is past it fails at once")
"""The effect of a new deadline."""


def takes_effect(path: FieldPath, before: Tree, after: Tree) -> Effect | None:
    """The effect of changes of a kind whose controller follows every field that may change."""
    return None
