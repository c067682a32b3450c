"""The rig: a cluster on loopback with the real API server and controllers, and the real engines of Argo CD and Flux.

`MINICLUSTER` names its binary, `MINICLUSTER_DIR` the state of a running cluster (`minicluster up --dir STATE`).
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

BINARY = os.environ.get("MINICLUSTER", "")
STATE = os.environ.get("MINICLUSTER_DIR", "")
NEEDED = pytest.mark.skipif(
    not (BINARY and STATE and shutil.which("kubectl")),
    reason="needs a cluster: set MINICLUSTER to the rig's binary and MINICLUSTER_DIR to its state, and have kubectl",
)


def environment() -> dict[str, str]:
    return {**os.environ, "KUBECONFIG": str(Path(STATE) / "kubeconfig")}


def rig(*words: str) -> Any:
    """What a command of the rig reports."""
    answer = subprocess.run([BINARY, *words], capture_output=True, text=True, check=False, env=environment())
    assert answer.returncode == 0, answer.stderr
    return json.loads(answer.stdout)


def kubectl(*words: str, check: bool = True) -> str:
    """What kubectl prints, or with check=False what it says is wrong."""
    answer = subprocess.run(["kubectl", *words], capture_output=True, text=True, check=False, env=environment())
    assert answer.returncode == 0 or not check, answer.stderr
    return answer.stdout if check else answer.stderr


def apply(objects: list[Any]) -> None:
    """Put objects into the cluster by hand."""
    if objects:
        text = json.dumps({"apiVersion": "v1", "kind": "List", "items": objects})
        words = ["kubectl", "apply", "--server-side", "-f", "-"]
        answer = subprocess.run(words, input=text, capture_output=True, text=True, check=False, env=environment())
        assert answer.returncode == 0, answer.stderr


def live(kind: str, *words: str) -> list[Any]:
    """The objects of a kind that are in the cluster."""
    found: list[Any] = json.loads(kubectl("get", kind, *words, "-o", "json"))["items"]
    return found


def eventually(what: Callable[[], object], seconds: float = 30) -> None:
    """Controllers take a moment."""
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end
        time.sleep(0.5)
