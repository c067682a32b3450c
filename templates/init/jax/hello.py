"""Every process contributes its index, and all of them print the sum."""

import argparse
import os

import jax
from jax.experimental import multihost_utils

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=1)
steps = parser.parse_args().steps

if "JAX_COORDINATOR_ADDRESS" in os.environ:
    jax.distributed.initialize(
        coordinator_address=os.environ["JAX_COORDINATOR_ADDRESS"],
        num_processes=int(os.environ["JAX_NUM_PROCESSES"]),
        process_id=int(os.environ["JAX_PROCESS_ID"]),
    )
for step in range(steps):
    total = multihost_utils.process_allgather(jax.process_index()).sum()
    print(f"step {step}: process {jax.process_index()} of {jax.process_count()} sees {total}", flush=True)
