"""The device classes that every Platform begins with: data, one row a class.

Rows are for clusters whose Platform says nothing yet. Where a vendor gives each of its products the
same resource name, a row tells them apart by the labels of the vendor's own node labeller (NVIDIA GPU
Feature Discovery, AMD node labeller, GKE's TPU labels). A cluster without those labels describes the
class in its Platform, by the labels that it has. How many of a resource fit a node is not said here.
"""

from __future__ import annotations

from collections.abc import Mapping

from tjgen.typing import NamedTuple


class Row(NamedTuple):
    """Resource name, node labels, memory of one device, processes for each device, memory of parts by profile."""

    resource: str
    node_selector: Mapping[str, str] = {}
    memory: str | None = None
    processes: int = 1
    parts: Mapping[str, str] = {}


_NVIDIA = "nvidia.com/gpu"
PART = "nvidia.com/mig-{}"
"""The resource of a part, with its profile: as the device plugin names them where parts differ (strategy mixed)."""
_AMD = "amd.com/gpu"
_GAUDI = "habana.ai/gaudi"
_ASCEND = "huawei.com/Ascend910"
_NEURON = "aws.amazon.com/neuron"
_TPU = "google.com/tpu"

_PRODUCT = "nvidia.com/gpu.product"
_DEVICE_ID = "amd.com/gpu.device-id"
_TPU_KIND = "cloud.google.com/gke-tpu-accelerator"

TOLERATED = frozenset((_NVIDIA, _AMD, _GAUDI, _NEURON, _TPU))
"""Resources whose nodes are customarily tainted with the resource's own name (effect NoSchedule)."""

_PARTS_OF_40 = {"1g.5gb": "5Gi", "2g.10gb": "10Gi", "3g.20gb": "20Gi", "4g.20gb": "20Gi", "7g.40gb": "40Gi"}
_PARTS_OF_80 = {
    "1g.10gb": "10Gi",
    "1g.20gb": "20Gi",
    "2g.20gb": "20Gi",
    "3g.40gb": "40Gi",
    "4g.40gb": "40Gi",
    "7g.80gb": "80Gi",
}
_PARTS_OF_141 = {"1g.18gb": "18Gi", "2g.35gb": "35Gi", "3g.71gb": "71Gi", "7g.141gb": "141Gi"}

CLASSES: Mapping[str, Row] = {
    "nvidia": Row(_NVIDIA),
    "a100": Row(_NVIDIA, {_PRODUCT: "NVIDIA-A100-SXM4-80GB"}, "80Gi", parts=_PARTS_OF_80),
    "a100-40gb": Row(_NVIDIA, {_PRODUCT: "NVIDIA-A100-SXM4-40GB"}, "40Gi", parts=_PARTS_OF_40),
    "a100-pcie": Row(_NVIDIA, {_PRODUCT: "NVIDIA-A100-80GB-PCIe"}, "80Gi", parts=_PARTS_OF_80),
    "b200": Row(_NVIDIA, {_PRODUCT: "NVIDIA-B200"}, "180Gi"),
    "h100": Row(_NVIDIA, {_PRODUCT: "NVIDIA-H100-80GB-HBM3"}, "80Gi", parts=_PARTS_OF_80),
    "h100-pcie": Row(_NVIDIA, {_PRODUCT: "NVIDIA-H100-PCIe"}, "80Gi", parts=_PARTS_OF_80),
    "h200": Row(_NVIDIA, {_PRODUCT: "NVIDIA-H200"}, "141Gi", parts=_PARTS_OF_141),
    "l4": Row(_NVIDIA, {_PRODUCT: "NVIDIA-L4"}, "24Gi"),
    "l40s": Row(_NVIDIA, {_PRODUCT: "NVIDIA-L40S"}, "48Gi"),
    "t4": Row(_NVIDIA, {_PRODUCT: "Tesla-T4"}, "16Gi"),
    "v100": Row(_NVIDIA, {_PRODUCT: "Tesla-V100-SXM2-32GB"}, "32Gi"),
    "v100-16gb": Row(_NVIDIA, {_PRODUCT: "Tesla-V100-SXM2-16GB"}, "16Gi"),
    "amd": Row(_AMD),
    "mi300x": Row(_AMD, {_DEVICE_ID: "74a1"}, "192Gi"),
    "gaudi2": Row(_GAUDI, {}, "96Gi"),
    "gaudi3": Row(_GAUDI, {}, "128Gi"),
    "ascend910b": Row(_ASCEND, {}, "64Gi"),
    # A Neuron device of the first generation has two cores, each of which wants a process.
    "trainium1": Row(_NEURON, {}, "32Gi", processes=2),
    # Eight physical cores, presented as four (logical core size 2, the default).
    "trainium2": Row(_NEURON, {}, "96Gi", processes=4),
    "tpu-v4": Row(_TPU, {_TPU_KIND: "tpu-v4-podslice"}, "32Gi"),
    "tpu-v5e": Row(_TPU, {_TPU_KIND: "tpu-v5-lite-podslice"}, "16Gi"),
    "tpu-v5p": Row(_TPU, {_TPU_KIND: "tpu-v5p-slice"}, "95Gi"),
    "tpu-v6e": Row(_TPU, {_TPU_KIND: "tpu-v6e-slice"}, "32Gi"),
}
