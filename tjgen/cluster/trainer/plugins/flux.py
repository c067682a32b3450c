"""mlPolicy.flux -> a wrapped command, the installer, its volumes, the scripts' ConfigMap and the curve Secret.

Upstream: pkg/runtime/framework/plugins/flux, v2.3.0. The two scripts are upstream's program text and
are placeholders.
"""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster.trainer.info import NODE, PANIC, Container, Info, PanicError
from tjgen.cluster.trainer.job import DecodedTrainJob
from tjgen.cluster.trainer.objects import CreatedObject, created_object
from tjgen.cluster.trainer.runtimes import POD_SPEC, ContainerShape
from tjgen.trees.fields.managed import Origin, Owners
from tjgen.trees.fields.path import FieldPath, Tree
from tjgen.trees.k8s.placeholders import RANDOM, SCRIPT

MANAGER = "trainer:flux"
INSTALLER = "flux-installer"
ENTRYPOINT_SUFFIX = "-flux-entrypoint"
CURVE_SUFFIX = "-flux-curve"

_POLICY: FieldPath = ("spec", "mlPolicy", "flux")
_MEMORY = "shared-memory"
_VIEW_IMAGE = "FLUX_VIEW_IMAGE"
_DEFAULT_IMAGE = "ghcr.io/converged-computing/flux-view-ubuntu:tag-jammy"


def enforce_ml_policy(info: Info, job: DecodedTrainJob) -> None:
    """The command around the user's, the init container, volumes and mounts of the job named node.

    Raises PanicError without spec.trainer, which the controller takes for granted.
    """
    if info.policy("flux") is None:
        return
    if job.trainer is None:
        raise PanicError(PANIC, ("spec", "trainer"), "set spec.trainer and its numNodes")
    rule = Origin(MANAGER, "runtime", _POLICY)
    image, image_origin = _view_image(info, job)
    job.command = ["/bin/bash", "/etc/flux-config/entrypoint.sh", _original_command(info, job)]
    job.command_origin = rule
    job.args = None
    for podset in info.podsets:
        if podset.name != NODE:
            continue
        podset.upsert_volumes(_volumes(job), rule)
        path = (*podset.shape.path, *POD_SPEC, "initContainers", (("name", INSTALLER),))
        installer = Container(ContainerShape(INSTALLER, _installer(image, job), path, False), info.owners)
        if any(container.name == INSTALLER for container in podset.init_containers):
            # The webhook rejects this; two of one name cannot be distinguished.
            info.owners[path[:-1]] = (rule,)
        podset.init_containers.append(installer)
        info.owners[path] = (rule,)
        info.owners[(*path, "image")] = (image_origin,)
        for container in podset.containers:
            if container.name == NODE:
                container.upsert_mounts(_mounts(job), rule)


def build(info: Info, job: DecodedTrainJob) -> Iterator[CreatedObject]:
    """The scripts and the certificate; raises PanicError without spec.trainer.numNodes."""
    if info.policy("flux") is None:
        return
    if job.trainer_field("numNodes") is None:
        raise PanicError(PANIC, ("spec", "trainer", "numNodes"), "set numNodes")
    owners: Owners = {(): (Origin(MANAGER, "tjgen"),)}
    scripts: dict[str, Tree] = {"entrypoint.sh": SCRIPT, "init.sh": SCRIPT}
    yield created_object(job, "v1", "ConfigMap", ENTRYPOINT_SUFFIX, {"data": scripts}, owners)
    # The certificate is derived from the TrainJob's uid, which the cluster assigns.
    yield created_object(job, "v1", "Secret", CURVE_SUFFIX, {"data": {"curve.cert": RANDOM}}, {(): (Origin(MANAGER, "tjgen"),)})


def _view_image(info: Info, job: DecodedTrainJob) -> tuple[str, Origin]:
    image, origin = _DEFAULT_IMAGE, Origin(MANAGER, "tjgen")
    container = info.trainer_container()
    for variable in container.variables if container else ():
        if variable["name"] == _VIEW_IMAGE and "value" in variable:
            image = variable["value"]
            origin = Origin(MANAGER, "runtime", _POLICY)
    for variable in job.env:
        if variable["name"] == _VIEW_IMAGE:
            image = str(variable.get("value", ""))
            origin = Origin(MANAGER, "trainjob", ("spec", "trainer", "env", (("name", _VIEW_IMAGE),), "value"))
    return image, origin


def _original_command(info: Info, job: DecodedTrainJob) -> str:
    # The runtime's own args are not part of it: upstream reads only its command.
    container = info.trainer_container()
    command: list[str] = container.tree.get("command", []) if container and info.release.wraps_command_of_runtime else []
    if job.command is not None:
        command = job.command
    return " ".join([*command, *(job.args or [])]).strip()


def _installer(image: str, job: DecodedTrainJob) -> dict[str, Tree]:
    entrypoint = job.name + ENTRYPOINT_SUFFIX
    installer: dict[str, Tree] = {
        "name": INSTALLER,
        "command": ["/bin/bash", "/etc/flux-config/init.sh"],
        "volumeMounts": [
            {"name": "flux-install", "mountPath": "/mnt/flux"},
            {"name": entrypoint, "mountPath": "/etc/flux-config", "readOnly": True},
        ],
    }
    # Where init containers are written back from what plugins keep of them, an empty image is lost.
    return installer if not image and job.release.writes_init_containers else {**installer, "image": image}


def _volumes(job: DecodedTrainJob) -> list[Tree]:
    entrypoint = job.name + ENTRYPOINT_SUFFIX
    memory: list[Tree] = [{"name": _MEMORY, "emptyDir": {"medium": "Memory"}}] if job.release.shares_memory_with_flux else []
    return [
        {"name": "spack-install", "emptyDir": {}},
        {"name": "flux-install", "emptyDir": {}},
        {"name": entrypoint, "configMap": {"name": entrypoint, "defaultMode": 0o755}},
        *memory,
        {"name": "flux-curve", "secret": {"secretName": job.name + CURVE_SUFFIX, "defaultMode": 0o400}},
    ]


def _mounts(job: DecodedTrainJob) -> list[Tree]:
    entrypoint = job.name + ENTRYPOINT_SUFFIX
    memory: list[Tree] = [{"name": _MEMORY, "mountPath": "/dev/shm", "readOnly": True}]
    return [
        {"name": "flux-install", "mountPath": "/mnt/flux"},
        {"name": "spack-install", "mountPath": "/opt/software"},
        {"name": entrypoint, "mountPath": "/etc/flux-config", "readOnly": True},
        {"name": "flux-curve", "mountPath": "/curve", "readOnly": True},
        *(memory if job.release.shares_memory_with_flux else ()),
    ]
