"""The program and resources of a pod: fields that the experiment and its roles share."""

from __future__ import annotations

from tjgen.language.spec.models.env import EnvSource, EnvVar
from tjgen.language.spec.models.gpu import Gpu, GpuText
from tjgen.language.spec.models.identity import Counts
from tjgen.language.spec.models.pod import Pod
from tjgen.language.spec.models.shape import Quantity, Scalar, Shape, Text


class Container(Shape):
    """The program and the resources of a pod."""

    image: Counts[Text | None] = None
    """Image of the main container."""
    command: Counts[list[str]] = []
    """Command of the main container. It replaces the entry point of the image."""
    args: Counts[list[str]] = []
    """Arguments of the command."""
    working_dir: Counts[Text | None] = None
    """Directory in which the command starts."""
    env: Counts[dict[str, EnvVar | Scalar]] = {}
    """Environment variables by name: a value, or the source of a value."""
    env_from: Counts[dict[str, EnvSource]] = {}
    """Secrets and ConfigMaps whose keys all become variables, under names of your choice."""
    gpu: Counts[Gpu | GpuText | None] = None
    """Devices for each pod: `class:count`, such as `h100:8`."""
    cpu: Counts[Quantity | None] = None
    """CPU for each pod, requested and limited."""
    memory: Counts[Quantity | None] = None
    """Memory for each pod, requested and limited."""
    ephemeral_storage: Counts[Quantity | None] = None
    """Local disk for each pod, requested and limited."""
    resources: Counts[dict[str, Quantity]] = {}
    """Other resources for each pod, such as `rdma/hca: 1`."""
    pod: Counts[Pod] = Pod()
    """Fields of the pod, as in Kubernetes."""
