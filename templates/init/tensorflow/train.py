"""Fits a line with Keras, saves its state, and resumes from the newest checkpoint."""

import argparse

import checkpoints
import tensorflow as tf

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=1000)
parser.add_argument("--every", type=int, default=checkpoints.every(200))
options = parser.parse_args()

model = tf.keras.Sequential([tf.keras.Input((1,)), tf.keras.layers.Dense(1)])
model.compile(optimizer=tf.keras.optimizers.SGD(0.1), loss="mse")
first = 0
found = checkpoints.latest()
if found:
    first, folder = found
    model.load_weights(folder / "model.weights.h5")

for step in range(first + 1, options.steps + 1):
    x = tf.random.uniform((64, 1))
    loss = model.train_on_batch(x, 3 * x + 1)
    if step % options.every == 0:
        print(f"step {step}: loss {loss:.6f}", flush=True)
        checkpoints.save(step, lambda folder: model.save_weights(folder / "model.weights.h5"))
