"""The pods of an elastic Volcano Job as processes of this machine: real torchrun forms its group with the pods that run."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.program import tjgen

pytest.importorskip("torch", reason="torch is not installed")

EXPERIMENT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Experiment
metadata: {name: run, namespace: ml}
spec:
  runtime: tjgen-torch
  target: volcanojob
  image: train:1
  script: train.py
  nodes: 3
  cpu: 1
  elastic: {min: 2, max: 3, restarts: 20}
  schedule: {queue: q}
"""
PROGRAM = """\
import os, pathlib, time
import torch
import torch.distributed as dist

folder = pathlib.Path(os.environ["FOLDER"])
(folder / f"{os.environ['POD']}.pid").write_text(str(os.getpid()))
dist.init_process_group("gloo")
with (folder / os.environ["POD"]).open("a") as file:
    file.write(os.environ["GROUP_WORLD_SIZE"] + "\\n")
going = torch.ones(1)
while going:
    time.sleep(0.1)
    going = torch.ones(1) * (not (folder / "end").exists())
    dist.all_reduce(going, dist.ReduceOp.MIN)
"""
SECONDS = 150


class Pods:
    """The pods of the job, by name, each with the variables of its manifest."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "run.yaml").write_text(EXPERIMENT, encoding="utf-8")
        (folder / "train.py").write_text(PROGRAM, encoding="utf-8")
        answer = tjgen(folder, "build", "run.yaml")
        assert answer.code == 0, answer.err
        self.tasks = {task["name"]: task for task in yaml.safe_load(answer.out)["spec"]["tasks"]}
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.running: dict[str, subprocess.Popen[bytes]] = {}

    def start(self, task: str, index: int = 0) -> None:
        container: Any = self.tasks[task]["template"]["spec"]["containers"][0]
        pod = f"{task}-{index}"
        variables = {one["name"]: one["value"] for one in container["env"]}
        variables["PET_RDZV_ENDPOINT"] = f"127.0.0.1:{self.port}"
        known = {**os.environ, **variables, "FOLDER": str(self.folder), "POD": pod}
        words = [sys.executable, "-m", "torch.distributed.run", *container["args"]]
        self.running[pod] = subprocess.Popen(words, cwd=self.folder, env=known)

    def evict(self, pod: str) -> None:
        process = self.running.pop(pod)
        process.kill()
        process.wait()
        number = self.folder / f"{pod}.pid"
        if number.exists():
            with suppress(ProcessLookupError):
                os.kill(int(number.read_text(encoding="utf-8")), 9)

    def sizes(self, pod: str) -> list[str]:
        """The number of nodes of each group that the pod was in."""
        path = self.folder / pod
        return path.read_text(encoding="utf-8").split() if path.exists() else []

    def last(self, pod: str) -> str:
        return (self.sizes(pod) or [""])[-1]


@pytest.fixture
def pods(tmp_path: Path) -> Iterator[Pods]:
    pods = Pods(tmp_path)
    yield pods
    for pod in list(pods.running):
        if pods.running[pod].poll() is None:
            pods.evict(pod)


def until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.2)


def test_a_run_trains_with_the_minimum_and_with_nodes_that_come_and_go(pods: Pods) -> None:
    pods.start("worker", 0)
    pods.start("master")
    until(lambda: pods.sizes("master-0") == pods.sizes("worker-0") == ["2"])
    pods.start("worker", 1)
    until(lambda: {pods.last(pod) for pod in pods.running} == {"3"})
    pods.evict("worker-1")
    until(lambda: {pods.last(pod) for pod in pods.running} == {"2"})
    (pods.folder / "end").touch()
    until(lambda: all(process.poll() is not None for process in pods.running.values()))
    assert {process.returncode for process in pods.running.values()} == {0}
