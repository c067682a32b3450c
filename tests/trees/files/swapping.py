"""Builds of a project whose folder is swapped for a link to a folder outside, again and again: how many show what is outside.

python -m tests.trees.files.swapping [COUNT]
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.checkout import ROOT
from tests.program import tjgen

SECRET = "only-outside"
EXPERIMENT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Experiment
metadata: {name: e}
spec:
  runtime: own
  image: train:1
  script: train.py
  code: {configMap: {directory: ../src}}
"""
OVERLAY = """\
apiVersion: tjgen.dev/v1alpha1
kind: Overlay
metadata: {name: o}
spec: {experiment: {env: {FROM: inside}}}
"""
RUNTIME = """\
apiVersion: trainer.kubeflow.org/v1alpha1
kind: ClusterTrainingRuntime
metadata: {name: own, labels: {trainer.kubeflow.org/framework: torch}}
spec:
  mlPolicy: {numNodes: 1, torch: {}}
  template:
    spec:
      replicatedJobs:
      - name: node
        template:
          metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}
          spec: {template: {spec: {schedulerName: inside, containers: [{name: node, image: example.com/base:1}]}}}
"""
PROJECT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Project
spec: {experiments: [experiments/*.yaml], overlays: [overlays], catalogs: [catalog], output: {directory: out}}
"""
INSIDE = {
    "experiments/e.yaml": EXPERIMENT,
    "overlays/o.yaml": OVERLAY,
    "catalog/own.yaml": RUNTIME,
    "src/train.py": "print('inside')\n",
}
FOLDERS = ("experiments", "overlays", "catalog", "src")


def lay_out(folder: Path) -> Path:
    """A repository next to a folder `outside` with the same files, each with SECRET in it; the path of the repository."""
    repository = folder / "repository"
    for name, text in INSIDE.items():
        for path, content in ((repository / name, text), (folder / "outside" / name, _from_outside(text))):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content, encoding="utf-8")
    (repository / "tjgen.yaml").write_text(PROJECT, encoding="utf-8")
    (repository / ".git").mkdir()
    return repository


def _from_outside(text: str) -> str:
    changed = text.replace("inside", SECRET).replace("train:1", f"{SECRET}:1")
    assert SECRET in changed
    return changed


class Swapper:
    """A process that swaps a folder of the repository for a link to the folder of the same name outside, and back."""

    def __init__(self, repository: Path, folder: str) -> None:
        self._repository, self._folder = repository, folder
        self.times = 0

    def __enter__(self) -> Swapper:
        os.symlink(f"../outside/{self._folder}", self._repository / f"{self._folder}.link")
        self._end, self._report = os.pipe(), os.pipe()
        self._child = os.fork()
        if self._child == 0:
            os._exit(self._swap())
        os.close(self._end[0])
        os.close(self._report[1])
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._end[1])
        self.times = int(os.read(self._report[0], 100))
        os.close(self._report[0])
        os.waitpid(self._child, 0)
        os.unlink(self._repository / f"{self._folder}.link")

    def _swap(self) -> int:
        os.close(self._end[1])
        os.set_blocking(self._end[0], False)
        os.chdir(self._repository)
        name, times = self._folder, 0
        while True:
            for first, second in ((".away", ".link"), (".link", ".away")):
                time.sleep(random.random() * 0.004)
                os.rename(name, f"{name}{first}")
                os.rename(f"{name}{second}", name)
            times += 1
            try:
                os.read(self._end[0], 1)
            except BlockingIOError:
                continue
            os.write(self._report[1], str(times).encode())
            return 0


def is_shown(repository: Path) -> bool:
    """Whether a build in this process, or what it prints about its input, has the content from outside."""
    answer = tjgen(repository, "build", "--set", "nodes=1")
    return SECRET in answer.out + answer.err


def prepared(folder: Path, count: int) -> tuple[int, int]:
    """The numbers of builds that ran as processes of their own, and of those that showed content from outside."""
    repository = lay_out(folder)
    environment = {**os.environ, "TJGEN_CACHE": "off", "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "tjgen", "build", "--set", "nodes=1"]
    shown = built = 0
    for number, name in enumerate(FOLDERS):
        with Swapper(repository, name):
            for _ in range(count // len(FOLDERS) + (number < count % len(FOLDERS))):
                answer = subprocess.run(command, cwd=repository, capture_output=True, text=True, check=False, env=environment)
                built += 1
                shown += SECRET in answer.stdout + answer.stderr
    return built, shown


def main() -> int:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    with tempfile.TemporaryDirectory() as folder:
        built, shown = prepared(Path(folder), count)
    sys.stdout.write(f"{shown} of {built} builds showed content from outside\n")
    return bool(shown)


if __name__ == "__main__":
    raise SystemExit(main())
