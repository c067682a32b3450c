"""The program and resources of a pod: fields that the experiment and its roles share, and those of its other containers."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from tjgen.language.spec.models.env import EnvSource, EnvVar
from tjgen.language.spec.models.gpu import Gpu, GpuText
from tjgen.language.spec.models.identity import Counts, Present
from tjgen.language.spec.models.pod import Pod
from tjgen.language.spec.models.shape import Label, Quantity, ResourceAmount, Scalar, Shape, Subtree, Text

PortNumber = Annotated[int, Field(ge=1, le=65535)]


class Port(Shape):
    """A port on which a container listens."""

    short: ClassVar[tuple[str, ...]] = ("port",)

    port: Counts[PortNumber]
    """Number of the port."""
    host_port: Counts[PortNumber | None] = None
    """Port of the node that leads to it."""
    protocol: Counts[Literal["TCP", "UDP", "SCTP"]] = "TCP"
    """Protocol."""


class Probes(Shape):
    """Checks of a container by the kubelet, each as in Kubernetes (core/v1 Probe)."""

    liveness: Counts[Subtree | None] = None
    """The container restarts, or its pod fails, if this check fails repeatedly."""
    readiness: Counts[Subtree | None] = None
    """The pod counts as ready while this check succeeds."""
    startup: Counts[Subtree | None] = None
    """The other checks begin when this check has succeeded."""


class Program(Shape):
    """A container: its image, its command, its variables and its resources."""

    image: Counts[Text | None] = None
    """Image of the container."""
    image_pull_policy: Counts[Literal["Always", "IfNotPresent", "Never"] | None] = None
    """When the node pulls the image. The default is `Always` for the tag `latest`, otherwise `IfNotPresent`."""
    command: Counts[list[str]] = []
    """Command of the container. It replaces the entry point of the image."""
    args: Counts[list[str]] = []
    """Arguments of the command."""
    working_dir: Counts[Text | None] = None
    """Directory in which the command starts."""
    env: Counts[dict[str, EnvVar | Scalar]] = {}
    """Environment variables by name: a value, or the source of a value."""
    env_from: Counts[dict[str, EnvSource]] = {}
    """Secrets and ConfigMaps whose keys all become variables, under names of your choice."""
    cpu: Counts[ResourceAmount | Quantity | None] = None
    """CPU of the container, requested and limited: `8`, or `{request: 4, limit: 8}`. `{request: 4}` has no limit."""
    memory: Counts[ResourceAmount | Quantity | None] = None
    """Memory of the container, written like `cpu`."""
    ephemeral_storage: Counts[ResourceAmount | Quantity | None] = None
    """Local disk of the container, written like `cpu`."""
    resources: Counts[dict[str, ResourceAmount | Quantity]] = {}
    """Other resources of the container, such as `rdma/hca: 1`."""
    ports: Counts[dict[str, Port | PortNumber]] = {}
    """Ports on which the container listens, by name: `http: 8080`."""
    probes: Counts[Probes] = Probes()
    """Checks of the container by the kubelet."""


class ExtraMount(Shape):
    """The path at which a container mounts a volume of the experiment."""

    short: ClassVar[tuple[str, ...]] = ("mountPath",)

    mount_path: Counts[Text]
    """Absolute path in the container."""
    read_only: Counts[bool] = False
    """Whether the container only reads the volume."""
    sub_path: Counts[Text | None] = None
    """Folder of the volume, below the folder that the program sees."""


class ExtraContainer(Program):
    """A container next to the program."""

    mounts: Counts[dict[str, ExtraMount | Text]] = {}
    """Volumes of the experiment that the container mounts, by name: `out: /logs`. It sees the same folder as the program."""
    security_context: Counts[Subtree | None] = None
    """Security settings of the container (core/v1 SecurityContext)."""


class InitContainer(ExtraContainer):
    """A container that runs to its end before the program starts. Its default image is that of the program."""

    after: Counts[list[Text]] = []
    """Init containers of the experiment that must end before this one starts."""


class Sidecar(ExtraContainer):
    """A container that runs as long as the program. Its default image is that of the program."""

    native: Counts[bool] = True
    """Whether it starts before the program and stops when the program has ended. Otherwise, the pod ends only when both do."""


class Container(Program):
    """The program of a pod, its devices, and the containers next to it."""

    gpu: Counts[Gpu | GpuText | None] = None
    """Devices for each pod: `class:count`, such as `h100:8`."""
    container_name: Counts[Label | None] = None
    """Name of the container of the program, for targets volcanojob, jobset, mpijob, rayjob. Others require their own name."""
    init_containers: Counts[dict[str, Present[InitContainer]]] = {}
    """Containers that end before the program starts, by name, after those of tjgen."""
    sidecars: Counts[dict[str, Present[Sidecar]]] = {}
    """Containers that run next to the program, by name."""
    pod: Counts[Pod] = Pod()
    """Fields of the pod, as in Kubernetes."""
