"""A decoded struct of a pod -> the struct with the server's defaults.

Mirrors kubernetes 1.36 `pkg/apis/core/v1/defaults.go`. A Pod has more of them than a pod template.
"""

from __future__ import annotations

from collections.abc import Callable

from tjgen.cluster.validate.builtin.pods import with_host_ports
from tjgen.cluster.validate.builtin.totals import with_requests
from tjgen.cluster.validate.update.fill import Struct, filled, pointed

_MODE = 0o644


def _pod(pod: Struct) -> Struct:
    spec = with_host_ports(pointed(with_requests(pod.get("spec", {})), enableServiceLinks=True))
    return {**pod, "spec": spec}


def _pod_spec(spec: Struct) -> Struct:
    spec = filled(spec, dnsPolicy="ClusterFirst", restartPolicy="Always", schedulerName="default-scheduler")
    return pointed(spec, securityContext={}, terminationGracePeriodSeconds=30)


def _volume(volume: Struct) -> Struct:
    return volume if any(key != "name" for key in volume) else {**volume, "emptyDir": {}}


def _image_volume(source: Struct) -> Struct:
    return filled(source, pullPolicy=_pull_policy(source.get("reference", "")))


def _container(container: Struct) -> Struct:
    return filled(
        container,
        imagePullPolicy=_pull_policy(container.get("image", "")),
        terminationMessagePath="/dev/termination-log",
        terminationMessagePolicy="File",
    )


def _pull_policy(image: str) -> str:
    """`parsers.ParseImageName`: a digest needs no tag, and the default tag is latest."""
    name, _, digest = image.partition("@")
    tag = name.rpartition("/")[2].partition(":")[2]
    is_latest = tag == "latest" or (not tag and not digest)
    return "Always" if is_latest else "IfNotPresent"


def _probe(probe: Struct) -> Struct:
    numbers = {"timeoutSeconds": 1, "periodSeconds": 10, "successThreshold": 1, "failureThreshold": 3}
    return {**probe, **{key: value for key, value in numbers.items() if not probe.get(key)}}


def _mode(source: Struct) -> Struct:
    return pointed(source, defaultMode=_MODE)


def _azure_disk(source: Struct) -> Struct:
    return pointed(source, cachingMode="ReadWrite", fsType="ext4", readOnly=False, kind="Shared")


def _iscsi(source: Struct) -> Struct:
    return filled(source, iscsiInterface="default")


def _rbd(source: Struct) -> Struct:
    return filled(source, pool="rbd", user="admin", keyring="/etc/ceph/keyring")


def _scale_io(source: Struct) -> Struct:
    return filled(source, storageMode="ThinProvisioned", fsType="xfs")


DEFAULTS: dict[str, Callable[[Struct], Struct]] = {
    "AzureDiskVolumeSource": _azure_disk,
    "ConfigMapVolumeSource": _mode,
    "Container": _container,
    "ContainerPort": lambda port: filled(port, protocol="TCP"),
    "DownwardAPIVolumeSource": _mode,
    "EphemeralContainer": _container,
    "FileKeySelector": lambda selector: pointed(selector, optional=False),
    "GRPCAction": lambda action: pointed(action, service=""),
    "HTTPGetAction": lambda action: filled(action, path="/", scheme="HTTP"),
    "HostPathVolumeSource": lambda source: pointed(source, type=""),
    "ISCSIPersistentVolumeSource": _iscsi,
    "ISCSIVolumeSource": _iscsi,
    "ImageVolumeSource": _image_volume,
    "ObjectFieldSelector": lambda selector: filled(selector, apiVersion="v1"),
    "Pod": _pod,
    "PodSpec": _pod_spec,
    "Probe": _probe,
    "ProjectedVolumeSource": _mode,
    "RBDPersistentVolumeSource": _rbd,
    "RBDVolumeSource": _rbd,
    "ScaleIOPersistentVolumeSource": _scale_io,
    "ScaleIOVolumeSource": _scale_io,
    "SecretVolumeSource": _mode,
    "ServiceAccountTokenProjection": lambda source: pointed(source, expirationSeconds=3600),
    "Volume": _volume,
}
