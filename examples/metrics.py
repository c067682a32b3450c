"""Metrics of a run under torchrun: each process counts, and the first process of each pod serves the counts of all.

Import this module before anything else imports prometheus_client, and call `serve` once in each process.
"""

import os
import time
from contextlib import contextmanager

LOCAL_RANK, RANK = int(os.environ.get("LOCAL_RANK", "0")), os.environ.get("RANK", "0")
PORT = int(os.environ.get("METRICS_PORT", "8000"))  # `monitor.port` of the experiment

# prometheus_client reads the variable when it is imported. All processes of a pod use one folder.
os.makedirs(os.environ.setdefault("PROMETHEUS_MULTIPROC_DIR", "/tmp/training-metrics"), exist_ok=True)
from prometheus_client import CollectorRegistry, Counter, Gauge, Summary, multiprocess, start_http_server  # noqa: E402

READ_BYTES = Counter("training_read_bytes", "Bytes that were read")
READS = Summary("training_read_duration_seconds", "Duration of reads")
SAVES = Counter("training_checkpoint_attempts", "Checkpoints that were begun")
FAILURES = Counter("training_checkpoint_failures", "Checkpoints that failed")
SAVE = Summary("training_checkpoint_save_duration_seconds", "Duration of saving checkpoints")
SAVED = Gauge("training_checkpoint_last_success_timestamp_seconds", "Time of the last checkpoint", multiprocess_mode="max")
STEP = Summary("training_step_duration_seconds", "Duration of a step without waiting for other processes", ["rank"])


def serve() -> None:
    """Serve the metrics of all processes of this pod, in the process with LOCAL_RANK 0; do nothing in the others."""
    if LOCAL_RANK == 0:
        registry = CollectorRegistry()
        multiprocess.MultiProcessCollector(registry)
        start_http_server(PORT, registry=registry)


def read(stream, size):
    """Read from a file, and count it."""
    with READS.time():
        block = stream.read(size)
    READ_BYTES.inc(len(block))
    return block


@contextmanager
def saving():
    """Count what happens inside as a checkpoint. Use it in the one process that saves."""
    SAVES.inc()
    try:
        with SAVE.time():
            yield
    except BaseException:
        FAILURES.inc()
        raise
    SAVED.set(time.time())


def step():
    """Time the part of a step before the first collective: `with step(): loss = model(batch); ...`."""
    return STEP.labels(rank=RANK).time()
