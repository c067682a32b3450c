"""Fits a line with JAX, saves its state, and resumes from the newest checkpoint."""

import argparse

import checkpoints
import jax
import jax.numpy as jnp
import numpy as np

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=1000)
parser.add_argument("--every", type=int, default=200)
options = parser.parse_args()


def loss_of(weights, x):
    return jnp.mean((weights[0] * x + weights[1] - (3 * x + 1)) ** 2)


@jax.jit
def update(weights, x):
    loss, gradient = jax.value_and_grad(loss_of)(weights, x)
    return weights - 0.1 * gradient, loss


weights, first = jnp.zeros(2), 0
found = checkpoints.latest()
if found:
    first, folder = found
    weights = jnp.asarray(np.load(folder / "weights.npy"))

for step in range(first + 1, options.steps + 1):
    weights, loss = update(weights, jax.random.uniform(jax.random.key(step), (64,)))
    if step % options.every == 0:
        print(f"step {step}: loss {loss:.6f}", flush=True)
        state = np.asarray(weights)
        checkpoints.save(step, lambda folder, state=state: np.save(folder / "weights.npy", state))
