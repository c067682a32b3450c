"""The programs of a prefetch, taken unchanged from a built manifest and run on real folders in place of volumes."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.program import tjgen

SHELLS = {"dash": ["dash"], "bash": ["bash", "--posix"], "busybox": ["busybox", "sh"]}
PYTHONS = ["python3.9", f"python{sys.version_info.major}.{sys.version_info.minor}"]
"""The oldest Python that the programs support, and the one that runs the tests."""


def interpreter(name: str) -> list[str] | None:
    """The words that start a shell or a Python; None if it is not installed."""
    if name in SHELLS:
        return SHELLS[name] if shutil.which(SHELLS[name][0]) is not None else None
    if name == PYTHONS[1]:
        return [sys.executable]
    # A version manager installs versions next to each other, and its shims do not start all of them.
    beside = [str(path) for path in Path(sys.base_prefix).parent.glob(f"{name.removeprefix('python')}*/bin/{name}")]
    for path in [*beside, shutil.which(name)]:
        if path is not None and subprocess.run([path, "-c", ""], capture_output=True, check=False).returncode == 0:
            return [path]
    return None


def required(name: str) -> list[str]:
    """The words that start a shell or a Python; skips the test if it is not installed."""
    words = interpreter(name)
    if words is None:
        pytest.skip(f"{name} is not installed")
    return words


class Cluster:
    """Folders for the volumes of an experiment with a prefetch, and the containers of its manifests."""

    def __init__(self, folder: Path, source: Any, *, workers: int | None = 1, path: str | None = "set", **prefetch: Any) -> None:
        self.folder = folder
        self.source, self.target = folder / "source", folder / "target"
        for one in (self.source, self.target):
            one.mkdir(exist_ok=True)
        asked = {"volume": "data", "source": source, "workers": workers, "path": path, **prefetch}
        spec = {
            "target": "jobset",
            "runtime": "tjgen-torch",
            "image": "registry.example/train:1",
            "script": "train.py",
            "volumes": {
                "origin": {"nfs": {"server": "nas.example", "path": "/export"}, "mountPath": "/origin", "readOnly": True},
                "data": {"pvc": "data", "mountPath": "/data", "readOnly": True},
                "other": {"pvc": "other", "mountPath": "/other", "readOnly": True},
                "disk": {
                    "hostPath": {"path": "/mnt/disk", "type": "Directory", "nodeSelector": {"example.com/disk": "fast"}},
                    "mountPath": "/disk",
                    "readOnly": True,
                },
            },
            "prefetch": {key: value for key, value in asked.items() if value is not None},
        }
        head = {"apiVersion": "tjgen.dev/v1alpha1", "kind": "Experiment", "metadata": {"name": "copied", "namespace": "team"}}
        (folder / "experiment.yaml").write_text(yaml.safe_dump({**head, "spec": spec}), encoding="utf-8")
        answer = tjgen(folder, "build", "experiment.yaml")
        assert answer.code == 0, answer.err
        self.objects: list[Any] = list(yaml.safe_load_all(answer.out))
        built = {one["kind"]: one for one in self.objects}
        self.job = built["Job"]
        self.worker = self.job["spec"]["template"]["spec"]
        [replicated] = built["JobSet"]["spec"]["replicatedJobs"]
        self.run = replicated["template"]["spec"]["template"]["spec"]

    @property
    def state(self) -> Path:
        """The folder of the content on the target volume."""
        [found] = (self.target / ".tjgen-prefetch").iterdir()
        return found

    @property
    def content(self) -> Path:
        """The data that the runs see, as the mount of the main container names it."""
        mounts = [mount for mount in self.run["containers"][0]["volumeMounts"] if ".tjgen-prefetch" in mount.get("subPath", "")]
        [mount] = mounts
        return self.target / str(mount["subPath"])

    def words(self, container: Mapping[str, Any], program: list[str]) -> list[str]:
        """The command of a container; `program` stands in for the interpreter that the container names."""
        return [*program, *container["command"][1:], *container["args"]]

    def environment(self, container: Mapping[str, Any], **fields: str) -> dict[str, str]:
        """The variables of a container of the only Job or of a run, with the folders in place of the mounts."""
        return {**self.placed(container, {"target": self.target, "source": self.source, "data": self.target}), **fields}

    def placed(self, container: Mapping[str, Any], folders: Mapping[str, Path]) -> dict[str, str]:
        """The variables of a container, with the folder of each volume in place of its mount."""
        found = {one["name"]: str(one.get("value", "")) for one in container["env"]}
        places = {mount["mountPath"]: folders.get(mount["name"]) for mount in container["volumeMounts"]}
        for name, value in found.items():
            for place, folder in places.items():
                if folder is not None and (value == place or value.startswith(f"{place}/")):
                    found[name] = str(folder) + value[len(place) :]
        return {**found, "PATH": os.environ["PATH"], "TMPDIR": str(self.folder)}

    def start(
        self, program: list[str], index: int = 0, *, job: str = "uid-1", attempt: int = 0, **more: str
    ) -> subprocess.Popen[str]:
        """A pod of the Job that copies."""
        [container] = self.worker["containers"]
        name = self.job["metadata"]["name"]
        fields = {"INDEX": str(index), "JOB": job, "JOB_NAME": name, "POD": f"{name}-{index}-{attempt}", **more}
        return started(self.words(container, program), self.environment(container, **fields))

    def bring(self, program: list[str], index: int = 0, **more: Any) -> subprocess.CompletedProcess[str]:
        """The answer of a pod of the Job that copies."""
        return ended(self.start(program, index, **more))

    def waiting(self, shell: list[str], **more: str) -> subprocess.Popen[str]:
        """The init container that waits, in a pod of the run."""
        [container] = [one for one in self.run["initContainers"] if one["name"] == "tjgen-wait"]
        return started(self.words(container, shell), self.environment(container, **more))

    def wait(self, shell: list[str], **more: str) -> subprocess.CompletedProcess[str]:
        """The answer of the init container; by default it looks once."""
        return ended(self.waiting(shell, **{"TIMEOUT": "0", "PAUSE": "1", **more}))


def started(words: list[str], environment: dict[str, str]) -> subprocess.Popen[str]:
    """A process with these variables alone."""
    return subprocess.Popen(
        words, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )


def killed(process: subprocess.Popen[str]) -> None:
    """End a process and all that it started, as the end of a container does."""
    os.killpg(process.pid, signal.SIGKILL)
    ended(process)


def ended(process: subprocess.Popen[str]) -> subprocess.CompletedProcess[str]:
    """The answer of a process."""
    with process:
        out, err = process.communicate(timeout=120)
    return subprocess.CompletedProcess(process.args, process.returncode, out, err)
