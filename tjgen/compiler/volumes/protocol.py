"""The facts about one source of volumes. Each module of this package holds at most one value of `Source`.

Every field is required, so that a source without one of the facts does not type-check.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from tjgen.language.setting import Setting
from tjgen.language.spec.objects import Volume
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import FieldPath, Tree
from tjgen.trees.typing import NamedTuple
from tjgen.trees.workload.contribution import Contributions

EVERY_POD = "every pod"
"""Any pod of the namespace can mount the same storage."""
BY_DRIVER = "every pod, by the driver"
"""Each pod has a volume of its own, in which the driver shows the storage that the volume's attributes name."""
OF_NODE = "pods of one node"
OF_POD = "one pod"
"""The volume is created with its pod and removed with it."""

AS_WRITTEN = "as written"
"""Mounts are read-only if the experiment sets `readOnly`; the pod's volume has no such field."""
ALSO_IN_SOURCE = "as written, also in the pod's volume"
"""Mounts are read-only if the experiment sets `readOnly`, and `readOnly` of the pod's volume makes all of its mounts so."""
IN_EVERY_MOUNT = "always"
"""Every mount is read-only, and has `readOnly`."""
BY_KUBELET = "always, by the kubelet"
"""Every mount is read-only, independent of the mount's own field."""

JOB = "a Job"
JOB_OF_NODE = "a Job on each node"
DATA_LOAD = "a DataLoad"
NOTHING = "nothing"


class Storage(NamedTuple):
    """What a volume shows. Two volumes show the same storage if their keys are equal."""

    key: tuple[str, ...]
    folder: str
    """The folder of the storage that is the root of the volume; empty if it is all of the storage."""


class Label(NamedTuple):
    """A pod's volume in the words of a report."""

    source: str
    claim: str
    """Size and storage class of a claim for the volume, or the limit of its size; else empty."""


class VolumeRequest(NamedTuple):
    """A volume of an experiment that is compiled."""

    name: str
    volume: Volume
    setting: Setting
    at: FieldPath
    """Path of the volume in the experiment."""
    pods: Callable[[], int]
    """Returns the number of pods that mount the volume at the same time."""


ClaimSpecs = Mapping[str, Tree]
"""Name of a claim that is created with the run -> its spec."""


class Source(NamedTuple):
    """One source of volumes."""

    field: str
    """Field of the experiment's volume."""
    pod_field: str
    """Field of the pod's volume."""
    pod_source: Callable[[str, Volume, Setting], Tree]
    """Name of the volume, volume -> the value of `pod_field`."""
    objects: Callable[[VolumeRequest], Contributions]
    """The objects to create for the volume, such as its claim."""
    node_selector: Callable[[Volume], Mapping[str, str]]
    """Labels of the nodes that the pods need."""
    storage: Callable[[str, Volume, Setting], Storage | None]
    """Name of the volume, volume -> what it shows; None if it holds no data, or each pod has its own."""
    shared_as: Callable[[str, Volume, Setting], str | None]
    """Name of the volume, volume -> the storage in a message to several experiments; None if others cannot write there."""
    reach: str
    """Which pods reach the storage of the volume: EVERY_POD, BY_DRIVER, OF_NODE, or OF_POD."""
    read_only: str
    """Whether its mounts are read-only: AS_WRITTEN, ALSO_IN_SOURCE, IN_EVERY_MOUNT, or BY_KUBELET."""
    filled_by: str
    """What prefetches data to the volume: JOB, JOB_OF_NODE, DATA_LOAD, or NOTHING."""
    is_filled: Callable[[Volume], bool]
    """Whether it holds data before the run starts."""
    is_chowned: bool
    """Whether the kubelet changes the group of its files to the pod's `fsGroup`."""
    size_limit: Callable[[Volume], tuple[str, str | int | float] | None]
    """The field that limits the size of a volume of one pod, and its value; None if nothing limits it."""
    replaceable: FieldPath | None
    """Path in the pod's volume of the name of the storage, so that each task can name its own; None if it has no name."""
    driver: Callable[[Volume, Setting], str] | None
    """The CSI driver behind the volume, empty if it is unknown, for its diagnosis; None if the volume is not measured."""
    problems: Callable[[str, Volume, Setting, FieldPath], Iterator[Diagnostic]]
    """Name of the volume, volume, path of the volume -> what is wrong with its source in this cluster."""
    imported: Callable[[Tree], Tree | None] | None
    """The value of `pod_field` -> that of `field`, or None if no experiment expresses it; None if nothing is imported as it."""
    label: Callable[[Tree, ClaimSpecs], Label]
    """The value of `pod_field` -> its label in the report."""

    @property
    def survives_pod(self) -> bool:
        """Whether files in the volume still exist after the pod is deleted."""
        return self.reach != OF_POD

    @property
    def is_read_only(self) -> bool:
        """Whether every mount is read-only, independent of the experiment."""
        return self.read_only in (IN_EVERY_MOUNT, BY_KUBELET)


def present(**fields: Tree) -> dict[str, Tree]:
    """The fields that have a value."""
    return {key: value for key, value in fields.items() if value is not None}


def no_objects(request: VolumeRequest) -> Contributions:
    """The objects of a source that needs none."""
    return iter(())


def any_node(volume: Volume) -> Mapping[str, str]:
    """The labels of nodes of a source that every node can mount."""
    return {}


def no_storage(name: str, volume: Volume, setting: Setting) -> Storage | None:
    """The storage of a source that no two pods have in common, or that holds no data."""
    return None


def not_shared(name: str, volume: Volume, setting: Setting) -> str | None:
    """The shared storage of a source that other experiments cannot write to, or whose storage is unknown."""
    return None


def filled(volume: Volume) -> bool:
    """A source that holds data before the run starts."""
    return True


def empty(volume: Volume) -> bool:
    """A source that holds nothing before the run starts."""
    return False


def unlimited(volume: Volume) -> tuple[str, str | int | float] | None:
    """The limit of a source that no pod has for itself."""
    return None


def no_problems(name: str, volume: Volume, setting: Setting, at: FieldPath) -> Iterator[Diagnostic]:
    """The problems of a source that works in every cluster."""
    return iter(())
