"""The device classes that every Platform begins with, as fields of `DeviceClass`.

Generated from platforms/, a file a vendor, by `python -m tjgen.language.spec.generate`; not edited by hand. They are for clusters
whose Platform is empty; one without the labels that they use describes the class in its Platform.
"""

from __future__ import annotations

from collections.abc import Mapping

from tjgen.trees.typing import Any

# fmt: off
CLASSES: Mapping[str, Mapping[str, Any]] = {
    "amd": {
        "resource": "amd.com/gpu",
        "tolerations": [{"key": "amd.com/gpu", "operator": "Exists", "effect": "NoSchedule"}],
        "most": 8,
    },
    "mi300x": {
        "resource": "amd.com/gpu",
        "node_selector": {"amd.com/gpu.device-id": "74a1"},
        "tolerations": [{"key": "amd.com/gpu", "operator": "Exists", "effect": "NoSchedule"}],
        "memory": "192Gi",
        "most": 8,
    },
    "ascend910b": {"resource": "huawei.com/Ascend910", "memory": "64Gi", "most": 16},
    "gaudi2": {
        "resource": "habana.ai/gaudi",
        "tolerations": [{"key": "habana.ai/gaudi", "operator": "Exists", "effect": "NoSchedule"}],
        "memory": "96Gi",
        "most": 8,
    },
    "gaudi3": {
        "resource": "habana.ai/gaudi",
        "tolerations": [{"key": "habana.ai/gaudi", "operator": "Exists", "effect": "NoSchedule"}],
        "memory": "128Gi",
        "most": 8,
    },
    "trainium1": {
        "resource": "aws.amazon.com/neuron",
        "tolerations": [{"key": "aws.amazon.com/neuron", "operator": "Exists", "effect": "NoSchedule"}],
        "memory": "32Gi",
        "processes": 2,
        "most": 16,
    },
    "trainium2": {
        "resource": "aws.amazon.com/neuron",
        "tolerations": [{"key": "aws.amazon.com/neuron", "operator": "Exists", "effect": "NoSchedule"}],
        "memory": "96Gi",
        "processes": 4,
        "most": 16,
    },
    "nvidia": {
        "resource": "nvidia.com/gpu",
        "tolerations": [{"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}],
        "most": 16,
    },
    "a100": {
        "resource": "nvidia.com/gpu",
        "node_selector": {"nvidia.com/gpu.product": "NVIDIA-A100-SXM4-80GB"},
        "tolerations": [{"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}],
        "memory": "80Gi",
        "most": 8,
        "partitions": {
            "1g.10gb": {"resource": "nvidia.com/mig-1g.10gb", "memory": "10Gi"},
            "1g.20gb": {"resource": "nvidia.com/mig-1g.20gb", "memory": "20Gi"},
            "2g.20gb": {"resource": "nvidia.com/mig-2g.20gb", "memory": "20Gi"},
            "3g.40gb": {"resource": "nvidia.com/mig-3g.40gb", "memory": "40Gi"},
            "4g.40gb": {"resource": "nvidia.com/mig-4g.40gb", "memory": "40Gi"},
            "7g.80gb": {"resource": "nvidia.com/mig-7g.80gb", "memory": "80Gi"},
        },
    },
    "a100-40gb": {
        "resource": "nvidia.com/gpu",
        "node_selector": {"nvidia.com/gpu.product": "NVIDIA-A100-SXM4-40GB"},
        "tolerations": [{"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}],
        "memory": "40Gi",
        "most": 16,
        "partitions": {
            "1g.5gb": {"resource": "nvidia.com/mig-1g.5gb", "memory": "5Gi"},
            "2g.10gb": {"resource": "nvidia.com/mig-2g.10gb", "memory": "10Gi"},
            "3g.20gb": {"resource": "nvidia.com/mig-3g.20gb", "memory": "20Gi"},
            "4g.20gb": {"resource": "nvidia.com/mig-4g.20gb", "memory": "20Gi"},
            "7g.40gb": {"resource": "nvidia.com/mig-7g.40gb", "memory": "40Gi"},
        },
    },
    "a100-pcie": {
        "resource": "nvidia.com/gpu",
        "node_selector": {"nvidia.com/gpu.product": "NVIDIA-A100-80GB-PCIe"},
        "tolerations": [{"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}],
        "memory": "80Gi",
        "most": 16,
        "partitions": {
            "1g.10gb": {"resource": "nvidia.com/mig-1g.10gb", "memory": "10Gi"},
            "1g.20gb": {"resource": "nvidia.com/mig-1g.20gb", "memory": "20Gi"},
            "2g.20gb": {"resource": "nvidia.com/mig-2g.20gb", "memory": "20Gi"},
            "3g.40gb": {"resource": "nvidia.com/mig-3g.40gb", "memory": "40Gi"},
            "4g.40gb": {"resource": "nvidia.com/mig-4g.40gb", "memory": "40Gi"},
            "7g.80gb": {"resource": "nvidia.com/mig-7g.80gb", "memory": "80Gi"},
        },
    },
    "b200": {
        "resource": "nvidia.com/gpu",
        "node_selector": {"nvidia.com/gpu.product": "NVIDIA-B200"},
        "tolerations": [{"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}],
        "memory": "180Gi",
        "most": 8,
    },
    "h100": {
        "resource": "nvidia.com/gpu",
        "node_selector": {"nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3"},
        "tolerations": [{"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}],
        "memory": "80Gi",
        "most": 8,
        "partitions": {
            "1g.10gb": {"resource": "nvidia.com/mig-1g.10gb", "memory": "10Gi"},
            "1g.20gb": {"resource": "nvidia.com/mig-1g.20gb", "memory": "20Gi"},
            "2g.20gb": {"resource": "nvidia.com/mig-2g.20gb", "memory": "20Gi"},
            "3g.40gb": {"resource": "nvidia.com/mig-3g.40gb", "memory": "40Gi"},
            "4g.40gb": {"resource": "nvidia.com/mig-4g.40gb", "memory": "40Gi"},
            "7g.80gb": {"resource": "nvidia.com/mig-7g.80gb", "memory": "80Gi"},
        },
    },
    "h100-pcie": {
        "resource": "nvidia.com/gpu",
        "node_selector": {"nvidia.com/gpu.product": "NVIDIA-H100-PCIe"},
        "tolerations": [{"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}],
        "memory": "80Gi",
        "most": 16,
        "partitions": {
            "1g.10gb": {"resource": "nvidia.com/mig-1g.10gb", "memory": "10Gi"},
            "1g.20gb": {"resource": "nvidia.com/mig-1g.20gb", "memory": "20Gi"},
            "2g.20gb": {"resource": "nvidia.com/mig-2g.20gb", "memory": "20Gi"},
            "3g.40gb": {"resource": "nvidia.com/mig-3g.40gb", "memory": "40Gi"},
            "4g.40gb": {"resource": "nvidia.com/mig-4g.40gb", "memory": "40Gi"},
            "7g.80gb": {"resource": "nvidia.com/mig-7g.80gb", "memory": "80Gi"},
        },
    },
    "h200": {
        "resource": "nvidia.com/gpu",
        "node_selector": {"nvidia.com/gpu.product": "NVIDIA-H200"},
        "tolerations": [{"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}],
        "memory": "141Gi",
        "most": 8,
        "partitions": {
            "1g.18gb": {"resource": "nvidia.com/mig-1g.18gb", "memory": "18Gi"},
            "2g.35gb": {"resource": "nvidia.com/mig-2g.35gb", "memory": "35Gi"},
            "3g.71gb": {"resource": "nvidia.com/mig-3g.71gb", "memory": "71Gi"},
            "7g.141gb": {"resource": "nvidia.com/mig-7g.141gb", "memory": "141Gi"},
        },
    },
    "l4": {
        "resource": "nvidia.com/gpu",
        "node_selector": {"nvidia.com/gpu.product": "NVIDIA-L4"},
        "tolerations": [{"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}],
        "memory": "24Gi",
        "most": 16,
    },
    "l40s": {
        "resource": "nvidia.com/gpu",
        "node_selector": {"nvidia.com/gpu.product": "NVIDIA-L40S"},
        "tolerations": [{"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}],
        "memory": "48Gi",
        "most": 16,
    },
    "t4": {
        "resource": "nvidia.com/gpu",
        "node_selector": {"nvidia.com/gpu.product": "Tesla-T4"},
        "tolerations": [{"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}],
        "memory": "16Gi",
        "most": 16,
    },
    "v100": {
        "resource": "nvidia.com/gpu",
        "node_selector": {"nvidia.com/gpu.product": "Tesla-V100-SXM2-32GB"},
        "tolerations": [{"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}],
        "memory": "32Gi",
        "most": 16,
    },
    "v100-16gb": {
        "resource": "nvidia.com/gpu",
        "node_selector": {"nvidia.com/gpu.product": "Tesla-V100-SXM2-16GB"},
        "tolerations": [{"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}],
        "memory": "16Gi",
        "most": 8,
    },
    "tpu-v4": {
        "resource": "google.com/tpu",
        "node_selector": {"cloud.google.com/gke-tpu-accelerator": "tpu-v4-podslice"},
        "tolerations": [{"key": "google.com/tpu", "operator": "Exists", "effect": "NoSchedule"}],
        "memory": "32Gi",
        "counts": [4],
        "topology_label": "cloud.google.com/gke-tpu-topology",
    },
    "tpu-v5e": {
        "resource": "google.com/tpu",
        "node_selector": {"cloud.google.com/gke-tpu-accelerator": "tpu-v5-lite-podslice"},
        "tolerations": [{"key": "google.com/tpu", "operator": "Exists", "effect": "NoSchedule"}],
        "memory": "16Gi",
        "counts": [1, 4, 8],
        "topology_label": "cloud.google.com/gke-tpu-topology",
    },
    "tpu-v5p": {
        "resource": "google.com/tpu",
        "node_selector": {"cloud.google.com/gke-tpu-accelerator": "tpu-v5p-slice"},
        "tolerations": [{"key": "google.com/tpu", "operator": "Exists", "effect": "NoSchedule"}],
        "memory": "95Gi",
        "counts": [4],
        "topology_label": "cloud.google.com/gke-tpu-topology",
    },
    "tpu-v6e": {
        "resource": "google.com/tpu",
        "node_selector": {"cloud.google.com/gke-tpu-accelerator": "tpu-v6e-slice"},
        "tolerations": [{"key": "google.com/tpu", "operator": "Exists", "effect": "NoSchedule"}],
        "memory": "32Gi",
        "counts": [1, 4, 8],
        "topology_label": "cloud.google.com/gke-tpu-topology",
    },
}
