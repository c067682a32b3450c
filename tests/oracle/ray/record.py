"""The RayJobs of jobs.jsonl -> what KubeRay v1.5.1 creates from them, for tests/cluster/controllers/test_kuberay.py.

    tests/oracle/ray/build.sh FOLDER
    python -m tests.oracle.ray.record FOLDER/ray-operator

Random characters and the scripts that the operator brings are recorded as the placeholders of previews, and of a refusal only
that there is one.
"""

from __future__ import annotations

import json
import lzma
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.e2e.differences import normalized
from tjgen.cluster.policies.stored import stored
from tjgen.trees.k8s.placeholders import SCRIPT

JOBS = Path(__file__).with_name("jobs.jsonl")
RECORDED = Path(__file__).parents[2] / "cluster/controllers/recorded_kuberay.json.xz"
_RANDOM = "[bcdfghjklmnpqrstvwxz2456789]"
_WAITING = re.compile(r"^until .* ; done ;")


def main(program: str) -> None:
    """Run the program and write the recording."""
    lines = [json.loads(line) for line in JOBS.read_text(encoding="utf-8").splitlines()]
    for line in lines:
        line["stored"] = held.tree if (held := stored(line["manifest"])) is not None else line["manifest"]
    text = "\n".join(map(json.dumps, lines))
    answers = subprocess.run([program], input=text, capture_output=True, text=True, check=True).stdout.splitlines()
    recorded = [_recorded(json.loads(answer)) for answer in answers]
    RECORDED.write_bytes(lzma.compress(json.dumps(recorded, separators=(",", ":"), sort_keys=True).encode(), preset=9))


def _recorded(answer: Any) -> Any:
    name = answer["manifest"]["metadata"]["name"]
    text = json.dumps(answer.get("created", []))
    text = re.sub(rf"\b{name}-({_RANDOM}{{1,5}})(?![a-z0-9])", lambda match: f"{name}-{'x' * len(match[1])}", text)
    created = [comparable(tree) for tree in json.loads(text)]
    return {"id": answer["id"], "manifest": answer["manifest"], "refused": "refused" in answer, "created": created}


def comparable(tree: Any) -> Any:
    """The object with the defaults of the server and without scripts and empty values, some of which Go leaves out."""
    return _without_empty(_without_scripts(normalized(tree)))


def _without_empty(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: one for key, item in value.items() if (one := _without_empty(item)) not in (None, {}, [], "")}
    return [_without_empty(item) for item in value] if isinstance(value, list) else value


def _without_scripts(tree: Any) -> Any:
    """The object with placeholders for the scripts of probes, of waiting init containers, and of a waiting submitter."""
    if isinstance(tree, list):
        return [_without_scripts(one) for one in tree]
    if not isinstance(tree, dict):
        return tree
    tree = {key: _without_scripts(value) for key, value in tree.items()}
    if tree.get("name") == "wait-gcs-ready":
        tree["args"] = [SCRIPT]
    elif tree.get("name") == "ray-job-submitter" and "args" in tree:
        tree["args"] = [_WAITING.sub(SCRIPT, one) for one in tree["args"]]
    command = tree.get("command")
    if command and command[:2] == ["bash", "-c"] and "healthz" in command[-1]:
        tree["command"] = [*command[:2], SCRIPT]
    return tree


if __name__ == "__main__":
    main(sys.argv[1])
