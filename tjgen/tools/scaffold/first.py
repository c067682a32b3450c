"""Wishes -> a first experiment with its program, and an overlay for each environment."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.tools.scaffold.wishes import Wishes

_EXPERIMENT = """\
# A first experiment: two nodes that find each other and add up a number. `tjgen explain experiments/hello.yaml` says where
# each field of what it becomes comes from.
apiVersion: tjgen.dev/v1alpha1
kind: Experiment
metadata: {name: hello}
spec:
  # How a kind of program is started. Without an image, that of the runtime is used: `tjgen runtimes show tjgen-torch`.
  runtime: tjgen-torch
  script: train.py --steps 10
  # The folder beside this file, brought to the pods in a ConfigMap.
  code: {configMap: {directory: hello}}
  nodes: 2
  cpu: 1
  memory: 2Gi
"""

_PROGRAM = """\
\"\"\"Every process gives its rank; all of them see the sum.\"\"\"

import argparse

import torch
import torch.distributed as dist

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=1)
steps = parser.parse_args().steps

dist.init_process_group("nccl" if torch.cuda.is_available() else "gloo")
for step in range(steps):
    total = torch.tensor([float(dist.get_rank())])
    if torch.cuda.is_available():
        total = total.cuda()
    dist.all_reduce(total)
    print(f"step {step}: rank {dist.get_rank()} of {dist.get_world_size()} sees {total.item()}", flush=True)
dist.destroy_process_group()
"""

_OVERLAY = """\
# {purpose}
apiVersion: tjgen.dev/v1alpha1
kind: Overlay
metadata: {{name: {name}}}
spec:
  match: {{environments: [{environment}]}}
  experiment:
{fields}"""


def files(wishes: Wishes) -> Iterator[tuple[str, str]]:
    """Path and text of each file."""
    if not wishes.imports:
        yield "experiments/hello.yaml", _EXPERIMENT
        yield "experiments/hello/train.py", _PROGRAM
    for environment in wishes.environments:
        yield f"overlays/{environment}.yaml", _overlay(environment, is_last=environment == wishes.environments[-1])


def _overlay(environment: str, *, is_last: bool) -> str:
    purpose, fields = "Does it start at all? One node, and an hour at most.", "    nodes: 1\n    deadline: 3600\n"
    if is_last:
        purpose, fields = (
            "Where the work is done: a day at most, so that what hangs does not hang for ever.",
            "    deadline: 86400\n",
        )
    return _OVERLAY.format(purpose=purpose, name=environment.lower(), environment=environment, fields=fields)
