"""Every process contributes its rank, and all of them print the sum."""

import argparse

import paddle
import paddle.distributed as dist

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=1)
steps = parser.parse_args().steps

dist.init_parallel_env()
for step in range(steps):
    total = paddle.to_tensor([float(dist.get_rank())])
    if dist.get_world_size() > 1:
        dist.all_reduce(total)
    print(f"step {step}: rank {dist.get_rank()} of {dist.get_world_size()} sees {total.item()}", flush=True)
