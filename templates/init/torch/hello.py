"""Every process contributes its rank, and all of them print the sum."""

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
