"""The name of a list field -> the fields that key its elements, in pod templates and what wraps them.

Kubernetes has two answers, and they differ: the merge keys of strategic merge patches (struct tags of the Go types) and
the keys of list maps (server-side apply, uniqueness in custom resources). Lists that are not named are atomic. Written out
here so that nothing has to be read at the start; a test compares them with schemas/.
"""

from __future__ import annotations

STRATEGIC: dict[str, tuple[str, ...]] = {
    "containers": ("name",),
    "env": ("name",),
    "ephemeralContainers": ("name",),
    "hostAliases": ("ip",),
    "imagePullSecrets": ("name",),
    "initContainers": ("name",),
    "ownerReferences": ("uid",),
    "ports": ("containerPort",),
    "resourceClaims": ("name",),
    "schedulingGates": ("name",),
    "topologySpreadConstraints": ("topologyKey",),
    "volumeDevices": ("devicePath",),
    "volumeMounts": ("mountPath",),
    "volumes": ("name",),
}
"""Lists that a strategic merge patch merges; all others it replaces."""

RETAIN_KEYS = frozenset(("resourceClaims", "volumes"))
"""Lists of STRATEGIC whose elements know the strategy `retainKeys`: a patch may name the keys that are to stay."""

LIST_MAPS: dict[str, tuple[str, ...]] = {
    "claims": ("name",),
    "containers": ("name",),
    "dependsOn": ("name",),
    "env": ("name",),
    "ephemeralContainers": ("name",),
    "hostAliases": ("ip",),
    "imagePullSecrets": ("name",),
    "initContainers": ("name",),
    "ownerReferences": ("uid",),
    "ports": ("containerPort", "protocol"),
    "replicatedJobs": ("name",),
    "resourceClaims": ("name",),
    "runtimePatches": ("manager",),
    "schedulingGates": ("name",),
    "topologySpreadConstraints": ("topologyKey", "whenUnsatisfiable"),
    "volumeDevices": ("devicePath",),
    "volumeMounts": ("mountPath",),
    "volumes": ("name",),
}
"""Lists that are maps to the API server, in pod templates, JobSets and TrainJobs.

In the container patches of a TrainJob's runtimePatches, `volumeMounts` is keyed by `name` instead (CONTAINER_PATCH).
"""

CONTAINER_PATCH: dict[str, tuple[str, ...]] = {**LIST_MAPS, "volumeMounts": ("name",)}
"""LIST_MAPS inside a TrainJob's runtimePatches."""
