"""The exporter of the docs under torchrun: several processes of one pod, one port."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import textwrap
import time
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import pytest

from tests.checkout import ROOT
from tjgen.compiler.programs.monitoring.measures import METRICS

pytest.importorskip("prometheus_client", reason="the exporter needs prometheus_client")
PROCESSES = 4
TRAINING = """\
    import io, sys, time
    import metrics

    metrics.serve()
    metrics.read(io.BytesIO(b"x" * 100), 100)
    with metrics.step():
        time.sleep(0.2 if metrics.RANK == "2" else 0.01)
    if metrics.RANK == "0":
        with metrics.saving():
            pass
        try:
            with metrics.saving():
                raise OSError("disk is full")
        except OSError:
            pass
    print("ready", flush=True)
    sys.stdin.read()
"""


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def start(folder: Path, port: int) -> list[subprocess.Popen[str]]:
    """The processes of one pod, with the variables that torchrun sets."""
    found = []
    for rank in range(PROCESSES):
        told = {
            "PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT / "examples"), "METRICS_PORT": str(port),
            "PROMETHEUS_MULTIPROC_DIR": str(folder / "shared"), "RANK": str(rank), "LOCAL_RANK": str(rank),
            "WORLD_SIZE": str(PROCESSES), "LOCAL_WORLD_SIZE": str(PROCESSES),
        }  # fmt: skip
        words = [sys.executable, "-c", textwrap.dedent(TRAINING)]
        found.append(
            subprocess.Popen(words, env=told, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        )
    return found


def scraped(port: int) -> dict[str, float]:
    """The series of the pod."""
    for _ in range(100):
        try:
            with urlopen(f"http://127.0.0.1:{port}/metrics") as answer:
                text = answer.read().decode()
            return {name: float(value) for name, value in re.findall(r"^([^#\s][^\s]*) (\S+)$", text, re.MULTILINE)}
        except URLError:
            time.sleep(0.05)
    raise AssertionError("nothing answers at the port")


def test_one_process_of_the_pod_serves_the_counts_of_all(tmp_path: Path) -> None:
    port = free_port()
    before = time.time()
    processes = start(tmp_path, port)
    try:
        for process in processes:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n", process.communicate()[1]
        found = scraped(port)
    finally:
        for process in processes:
            process.communicate()
    assert [process.returncode for process in processes] == [0] * PROCESSES
    assert found["training_read_bytes_total"] == 100 * PROCESSES
    assert found["training_read_duration_seconds_count"] == PROCESSES
    assert (found["training_checkpoint_attempts_total"], found["training_checkpoint_failures_total"]) == (2, 1)
    assert found["training_checkpoint_last_success_timestamp_seconds"] >= before
    steps = {rank: found[f'training_step_duration_seconds_sum{{rank="{rank}"}}'] for rank in range(PROCESSES)}
    assert max(steps, key=lambda rank: steps[rank]) == 2


def test_its_names_are_those_of_the_rules() -> None:
    text = (ROOT / "examples/metrics.py").read_text()
    shown = set(re.findall(r'"(training_[a-z_]+)"', text))
    assert shown <= {name.removesuffix("_total") for name in METRICS.values()}
    assert {METRICS["step_duration"], METRICS["checkpoint_time"], METRICS["read_duration"]} <= shown
