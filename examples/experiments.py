"""Experiments that a Python program creates: one for each size of the model, built and compared without a file.

Run `python examples/experiments.py` to print the manifests.
"""

from __future__ import annotations

import sys

import tjgen
from tjgen.models import Experiment, ExperimentSpec, Gpu, Metadata, Schedule, Volume

NODES = {"small": 1, "large": 4}
"""Size of the model -> nodes that it needs."""


def experiment(size: str, nodes: int) -> Experiment:
    """The experiment that trains the model of this size."""
    return Experiment(
        metadata=Metadata(name=f"lm-{size}", namespace="nlp", labels={"team": "nlp"}),
        spec=ExperimentSpec(
            runtime="tjgen-torch",
            image="registry.example.com/nlp/train:2.0",
            script=f"train.py --size {size} --data /data",
            nodes=nodes,
            gpu=Gpu(device_class="h100", count=8),
            shared_memory="64Gi",
            volumes={"corpus": Volume(pvc="corpus", mount_path="/data", read_only=True)},
            env={"NCCL_DEBUG": "WARN"},
            schedule=Schedule(priority_class_name="training"),
        ),
    )


def main() -> int:
    """Print the objects to apply, or what is wrong; return the exit code."""
    built = tjgen.build(documents=[experiment(size, nodes) for size, nodes in NODES.items()])
    sys.stderr.write(built.problems)
    if built.failed:
        return 1
    sys.stdout.write(built.to_yaml())
    return 0


if __name__ == "__main__":
    sys.exit(main())
