"""The fields that key the elements of lists in pod templates, and in the jobs and the patches of a TrainJob around them.

Those of pods are the merge keys of the Kubernetes Go types.
"""

from __future__ import annotations

from tjgen.trees.fields.managed import ListKeys

LIST_KEYS: ListKeys = {
    "runtimePatches": ("manager",),
    "replicatedJobs": ("name",),
    "tasks": ("name",),
    "workerGroupSpecs": ("groupName",),
    "containers": ("name",),
    "initContainers": ("name",),
    "volumes": ("name",),
    "env": ("name",),
    "imagePullSecrets": ("name",),
    "schedulingGates": ("name",),
    "resourceClaims": ("name",),
    "claims": ("name",),
    "volumeMounts": ("mountPath",),
    "volumeDevices": ("devicePath",),
}
