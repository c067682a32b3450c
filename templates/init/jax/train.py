"""Fits a line with all devices of all JAX processes, saves its state, and resumes from the newest checkpoint."""

import argparse
import os

import checkpoints
import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import multihost_utils
from jax.sharding import Mesh, NamedSharding, PartitionSpec

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=1000)
parser.add_argument("--every", type=int, default=checkpoints.every(200))
options = parser.parse_args()

# The runtime starts one process on each node; it uses all devices of the node, or the CPU without devices.
if "JAX_COORDINATOR_ADDRESS" in os.environ:
    jax.distributed.initialize(
        coordinator_address=os.environ["JAX_COORDINATOR_ADDRESS"],
        num_processes=int(os.environ["JAX_NUM_PROCESSES"]),
        process_id=int(os.environ["JAX_PROCESS_ID"]),
    )
devices = Mesh(np.array(jax.devices()), ("batch",))
split, copied = NamedSharding(devices, PartitionSpec("batch")), NamedSharding(devices, PartitionSpec())


def loss_of(weights, x):
    return jnp.mean((weights[0] * x + weights[1] - (3 * x + 1)) ** 2)


@jax.jit
def update(weights, x):
    loss, gradient = jax.value_and_grad(loss_of)(weights, x)
    return weights - 0.1 * gradient, loss


weights, first = np.zeros(2, np.float32), 0
found = checkpoints.latest() if jax.process_index() == 0 else None
if found:
    first, folder = found
    weights = np.load(folder / "weights.npy")
# All processes resume from the same checkpoint.
weights, first = multihost_utils.broadcast_one_to_all((weights, np.int32(first)))
weights = jax.device_put(weights, copied)
random = np.random.default_rng([jax.process_index(), int(first)])  # Each process has its own samples.

for step in range(int(first) + 1, options.steps + 1):
    samples = random.random(64 * jax.local_device_count(), np.float32)
    weights, loss = update(weights, jax.make_array_from_process_local_data(split, samples))
    if step % options.every == 0 and jax.process_index() == 0:
        print(f"step {step}: loss {loss:.6f} on {jax.device_count()} devices", flush=True)
        state = np.asarray(weights)
        checkpoints.save(step, lambda folder, state=state: np.save(folder / "weights.npy", state))
