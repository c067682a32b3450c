"""An object -> the fields that the API server accepts and does not store, because their feature gate is off by default.

Neither the server nor a GitOps tool reports such a field: the object loses it, as `DropDisabledPodFields` and its
like in `pkg/api` and `pkg/registry` remove it. Recorded for 1.31 to 1.36, each with its default feature gates.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tjgen.cluster.schema.minors import BASE, minor_in
from tjgen.cluster.validate.report import subject_of
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import FieldPath, Tree, get, render, with_value, without

_NEVER = 99
_PODS: tuple[tuple[tuple[str, ...], int, str], ...] = (
    (("resources",), 34, "PodLevelResources"),
    (("volumes", "[]", "image"), 35, "ImageVolume"),
    (("resourceClaims",), 34, "DynamicResourceAllocation"),
    (("containers", "[]", "restartPolicy"), 35, "ContainerRestartRules"),
    (("containers", "[]", "restartPolicyRules"), 35, "ContainerRestartRules"),
    (("containers", "[]", "resizePolicy"), 33, "InPlacePodVerticalScaling"),
    (("hostnameOverride",), 35, "HostnameOverride"),
    (("hostUsers",), 33, "UserNamespacesSupport"),
    (("containers", "[]", "securityContext", "procMount"), 33, "ProcMountType"),
    (("securityContext", "supplementalGroupsPolicy"), 33, "SupplementalGroupsPolicy"),
    (("schedulingGroup",), _NEVER, "GenericWorkload"),
    (("workloadRef",), _NEVER, "GenericWorkload"),
    (("securityContext", "seLinuxChangePolicy"), 33, "SELinuxChangePolicy"),
    (("containers", "[]", "lifecycle", "stopSignal"), _NEVER, "ContainerStopSignals"),
    (("volumes", "[]", "projected", "sources", "[]", "podCertificate"), _NEVER, "PodCertificateRequest"),
    (("volumes", "[]", "projected", "sources", "[]", "clusterTrustBundle"), _NEVER, "ClusterTrustBundleProjection"),
)
"""A field of a pod's spec, the first minor in which its gate is on by default, and the gate."""
_KINDS: dict[tuple[str, str], tuple[tuple[FieldPath, int, str], ...]] = {
    ("batch/v1", "Job"): ((("spec", "managedBy"), 32, "JobManagedBy"),),
    ("v1", "PersistentVolumeClaim"): ((("spec", "volumeAttributesClassName"), 34, "VolumeAttributesClass"),),
    ("apps/v1", "StatefulSet"): (
        (("spec", "updateStrategy", "rollingUpdate", "maxUnavailable"), 37, "MaxUnavailableStatefulSet"),
    ),
    ("autoscaling/v2", "HorizontalPodAutoscaler"): (
        (("spec", "behavior", "scaleUp", "tolerance"), 35, "HPAConfigurableTolerance"),
        (("spec", "behavior", "scaleDown", "tolerance"), 35, "HPAConfigurableTolerance"),
    ),
}


def diagnostics(tree: Tree, versions: Mapping[str, str] | None = None) -> Iterator[Diagnostic]:
    """TJ472 for each field that the server drops silently, in the minor that `versions` names."""
    if tree.__class__ is not dict:
        return
    minor = minor_in(versions)
    for path, gate, since in paths_of_dropped(tree, minor):
        later = f", which is on by default from 1.{since}" if since <= BASE + 1 else ""
        message = f"{render(path)}: Kubernetes 1.{minor} drops the field silently: it needs the feature gate {gate}{later}"
        hint = "remove the field, or enable the gate and declare a release of Kubernetes that has it on"
        yield Diagnostic("TJ472", message, subject_of(tree), path, hint=hint)


def paths_of_dropped(tree: dict[str, Tree], minor: int) -> Iterator[tuple[FieldPath, str, int]]:
    """The path of each dropped field, its gate, and the first minor in which the gate is on."""
    for path, since, gate in _KINDS.get((str(tree.get("apiVersion")), str(tree.get("kind"))), ()):
        if since > minor and get(tree, path, None) is not None:
            yield path, gate, since
    # Until 1.33 the server refuses the restart policy of a container: see minors.py.
    off = [one for one in _PODS if one[1] > minor and (minor >= 34 or one[0][-1] != "restartPolicy")]
    for at, spec in pod_specs(tree):
        for steps, since, gate in off:
            for path in _paths(spec, steps):
                yield (*at, *path), gate, since


def without_dropped(tree: dict[str, Tree], minor: int) -> dict[str, Tree]:
    """The object as the server of a minor validates and stores it; the same object if nothing is dropped."""
    for path in sorted(
        [path for path, _, since in paths_of_dropped(tree, minor) if since != _NEVER], key=_backwards, reverse=True
    ):
        if path[-1] == "image":
            tree = _without_volume(tree, path[:-3], get(tree, (*path[:-1], "name"), None))
        else:
            tree = without(tree, path)
    if minor < _PODS[2][1]:
        for path, spec in list(pod_specs(tree)):
            for position, container in enumerate(spec["containers"]):
                if get(container, ("resources", "claims"), None):
                    tree = without(tree, (*path, "containers", position, "resources", "claims"))
    return tree


def _backwards(path: FieldPath) -> list[tuple[bool, int, str]]:
    """A key that sorts later items of a list last, so that cuts leave the positions of earlier items as they are."""
    return [(step.__class__ is int, step, "") if isinstance(step, int) else (False, 0, str(step)) for step in path]


def _without_volume(tree: dict[str, Tree], at: FieldPath, name: Tree) -> dict[str, Tree]:
    """`dropImageVolumes`: the volume and the mounts of it."""
    spec = get(tree, at, None)
    kept = {**spec, "volumes": [one for one in spec["volumes"] if one.get("name") != name]}
    for field in ("containers", "initContainers", "ephemeralContainers"):
        if kept.get(field):
            kept[field] = [
                {**one, "volumeMounts": [mount for mount in one["volumeMounts"] if mount.get("name") != name]}
                if one.get("volumeMounts")
                else one
                for one in kept[field]
            ]
    changed: dict[str, Tree] = with_value(tree, at, kept)
    return changed


def pod_specs(tree: Tree, path: FieldPath = ()) -> Iterator[tuple[FieldPath, dict[str, Tree]]]:
    """Every spec of a pod in an object of any kind, with its path."""
    if tree.__class__ is dict:
        if tree.get("containers").__class__ is list:
            yield path, tree
            return
        for key, value in tree.items():
            if value.__class__ is dict or value.__class__ is list:
                yield from pod_specs(value, (*path, key))
    elif tree.__class__ is list:
        for position, item in enumerate(tree):
            yield from pod_specs(item, (*path, position))


def _paths(tree: Tree, steps: tuple[str, ...]) -> Iterator[FieldPath]:
    """The paths of the fields at `steps` that have a value."""
    if not steps:
        if tree not in (None, [], {}):
            yield ()
    elif steps[0] == "[]":
        for position, item in enumerate(tree if tree.__class__ is list else ()):
            yield from ((position, *path) for path in _paths(item, steps[1:]))
    elif tree.__class__ is dict and steps[0] in tree:
        yield from ((steps[0], *path) for path in _paths(tree[steps[0]], steps[1:]))
