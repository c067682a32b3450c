"""Fits a line with the gradients of all processes, saves its state, and resumes from the newest checkpoint."""

import argparse

import checkpoints
import numpy as np
from mpi4py import MPI

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=1000)
parser.add_argument("--every", type=int, default=checkpoints.every(200))
options = parser.parse_args()

world = MPI.COMM_WORLD
weights, first = np.zeros(2), 0
found = checkpoints.latest() if world.rank == 0 else None
if found:
    first, folder = found
    weights = np.load(folder / "weights.npy")
weights, first = world.bcast((weights, first))
random = np.random.default_rng(world.rank)

for step in range(first + 1, options.steps + 1):
    x = random.random(64)
    error = weights[0] * x + weights[1] - (3 * x + 1)
    gradient = world.allreduce(np.array([(error * x).mean(), error.mean()])) / world.size
    weights = weights - 0.2 * gradient
    if step % options.every == 0 and world.rank == 0:
        print(f"step {step}: loss {np.square(error).mean():.6f}", flush=True)
        checkpoints.save(step, lambda folder, state=weights: np.save(folder / "weights.npy", state))
