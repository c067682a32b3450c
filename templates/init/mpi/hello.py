"""Every process contributes its rank, and all of them print the sum."""

import argparse

from mpi4py import MPI

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=1)
steps = parser.parse_args().steps

world = MPI.COMM_WORLD
for step in range(steps):
    total = world.allreduce(world.rank)
    print(f"step {step}: rank {world.rank} of {world.size} sees {total}", flush=True)
