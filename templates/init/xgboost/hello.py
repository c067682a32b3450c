"""Every worker contributes its rank, and all of them print the sum."""

import argparse
import os

import numpy as np
from xgboost import collective
from xgboost.tracker import RabitTracker

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=1)
steps = parser.parse_args().steps

workers, task = int(os.environ.get("DMLC_NUM_WORKER", "1")), int(os.environ.get("DMLC_TASK_ID", "0"))
address, port = os.environ.get("DMLC_TRACKER_URI", "127.0.0.1"), int(os.environ.get("DMLC_TRACKER_PORT", "29500"))
if task == 0:
    # The first worker runs the tracker, through which all workers find each other.
    tracker = RabitTracker(n_workers=workers, host_ip="0.0.0.0", port=port)
    tracker.start()
with collective.CommunicatorContext(
    dmlc_tracker_uri=address, dmlc_tracker_port=port, dmlc_task_id=str(task), dmlc_nworker=workers, dmlc_retry=60
):
    for step in range(steps):
        rank = collective.get_rank()
        total = collective.allreduce(np.array([float(rank)]), collective.Op.SUM)[0]
        print(f"step {step}: rank {rank} of {collective.get_world_size()} sees {total}", flush=True)
