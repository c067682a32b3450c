"""Every worker contributes 1, and all of them print the sum."""

import argparse

import tensorflow as tf

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=1)
steps = parser.parse_args().steps

# The Training Operator sets TF_CONFIG, which the strategy reads.
strategy = tf.distribute.MultiWorkerMirroredStrategy()


@tf.function
def total():
    def one():
        return tf.distribute.get_replica_context().all_reduce("sum", tf.constant(1))

    return strategy.experimental_local_results(strategy.run(one))[0]


for step in range(steps):
    print(f"step {step}: {total().numpy()} of {strategy.num_replicas_in_sync} replicas take part", flush=True)
