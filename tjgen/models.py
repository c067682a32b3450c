"""Every model of an experiment, for experiments in Python: `from tjgen.models import ExperimentSpec, Metadata`.

Generated from tjgen/language/spec/models by `python -m tjgen.language.spec.generate`; not edited by hand.
"""

from __future__ import annotations

from tjgen.experiment import Experiment
from tjgen.language.spec.models.backup import Backup
from tjgen.language.spec.models.checkpoints import CheckpointIndex, Checkpoints, Keep, MoveTo, Resume
from tjgen.language.spec.models.code import Build, Code, GitCode, PackedCode, Workspace
from tjgen.language.spec.models.container import (
    Container,
    ExtraContainer,
    ExtraMount,
    InitContainer,
    Port,
    Probes,
    Program,
    Sidecar,
)
from tjgen.language.spec.models.data import Data, DataSet, Item, Items, Slices
from tjgen.language.spec.models.datasets import CacheLevel, Dataset, DatasetMount, NewDataset, SecretKey
from tjgen.language.spec.models.env import EnvSource, EnvVar
from tjgen.language.spec.models.experiment import ExperimentSpec, RunSpec, Task
from tjgen.language.spec.models.gpu import DeviceRequest, Gpu, Share
from tjgen.language.spec.models.initializer import Fetch, Initializer, SecretRef
from tjgen.language.spec.models.metadata import Metadata
from tjgen.language.spec.models.monitor import Monitor, Threshold, Thresholds
from tjgen.language.spec.models.patches import Operation, Patch, PatchTarget
from tjgen.language.spec.models.pod import Pod
from tjgen.language.spec.models.prefetch import Cache, MemoryCache, Prefetch, PrefetchSet, PrefetchSource, SsdCache
from tjgen.language.spec.models.restart import Cleanup, Elastic, FailureRule, Restart, Success
from tjgen.language.spec.models.roles import Role
from tjgen.language.spec.models.runtime import RuntimeRef
from tjgen.language.spec.models.schedule import NetworkTopology, Schedule, Topology, TopologySlice
from tjgen.language.spec.models.shape import ResourceAmount
from tjgen.language.spec.models.sweep import Sweep
from tjgen.language.spec.models.volcano import Volcano, VolcanoPolicy, VolcanoTask
from tjgen.language.spec.models.volumes import (
    Claim,
    ClaimContent,
    Csi,
    EmptyDir,
    Ephemeral,
    Files,
    HostPath,
    ImageVolume,
    Mount,
    NewClaim,
    Nfs,
    Populator,
    Volume,
)

__all__ = [
    "Backup",
    "Build",
    "Cache",
    "CacheLevel",
    "CheckpointIndex",
    "Checkpoints",
    "Claim",
    "ClaimContent",
    "Cleanup",
    "Code",
    "Container",
    "Csi",
    "Data",
    "DataSet",
    "Dataset",
    "DatasetMount",
    "DeviceRequest",
    "Elastic",
    "EmptyDir",
    "EnvSource",
    "EnvVar",
    "Ephemeral",
    "Experiment",
    "ExperimentSpec",
    "ExtraContainer",
    "ExtraMount",
    "FailureRule",
    "Fetch",
    "Files",
    "GitCode",
    "Gpu",
    "HostPath",
    "ImageVolume",
    "InitContainer",
    "Initializer",
    "Item",
    "Items",
    "Keep",
    "MemoryCache",
    "Metadata",
    "Monitor",
    "Mount",
    "MoveTo",
    "NetworkTopology",
    "NewClaim",
    "NewDataset",
    "Nfs",
    "Operation",
    "PackedCode",
    "Patch",
    "PatchTarget",
    "Pod",
    "Populator",
    "Port",
    "Prefetch",
    "PrefetchSet",
    "PrefetchSource",
    "Probes",
    "Program",
    "ResourceAmount",
    "Restart",
    "Resume",
    "Role",
    "RunSpec",
    "RuntimeRef",
    "Schedule",
    "SecretKey",
    "SecretRef",
    "Share",
    "Sidecar",
    "Slices",
    "SsdCache",
    "Success",
    "Sweep",
    "Task",
    "Threshold",
    "Thresholds",
    "Topology",
    "TopologySlice",
    "Volcano",
    "VolcanoPolicy",
    "VolcanoTask",
    "Volume",
    "Workspace",
]
