"""What runs in a pod, and on what: the fields that the experiment and each of its roles share."""

from __future__ import annotations

from tjgen.spec.models.env import EnvSource, EnvVar
from tjgen.spec.models.gpu import Gpu, GpuText
from tjgen.spec.models.pod import Pod
from tjgen.spec.models.shape import Quantity, Scalar, Shape, Text


class Container(Shape):
    """What runs, and on what."""

    image: Text | None = None
    """Image of the main container."""
    command: list[str] = []
    """Command of the main container, in place of the image's entry point."""
    args: list[str] = []
    """Arguments of the command."""
    working_dir: Text | None = None
    """Directory in which the command starts."""
    env: dict[str, EnvVar | Scalar] = {}
    """Environment variables by name: a value, or where it comes from."""
    env_from: dict[str, EnvSource] = {}
    """Secrets and ConfigMaps whose keys all become variables, under names of your choice."""
    gpu: Gpu | GpuText | None = None
    """Devices for each pod: `class:count`, such as `h100:8`."""
    cpu: Quantity | None = None
    """CPU for each pod, requested and limited."""
    memory: Quantity | None = None
    """Memory for each pod, requested and limited."""
    ephemeral_storage: Quantity | None = None
    """Local disk for each pod, requested and limited."""
    resources: dict[str, Quantity] = {}
    """Other resources for each pod, such as `rdma/hca: 1`."""
    pod: Pod = Pod()
    """What the pod itself says, in the words of Kubernetes."""
