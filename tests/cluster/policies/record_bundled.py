"""Records what a real API server answers to random objects, with each bundled policy alone.

python -m tests.cluster.policies.record_bundled MINIKAPI CRDS...

MINIKAPI and CRDS are as for record.py. The result is tests/cluster/policies/recorded_bundled.json.xz.
"""

from __future__ import annotations

import json
import lzma
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from tests.checkout import ROOT, list_entries
from tests.cluster.policies import bundled
from tests.cluster.policies.record import Server, server

POLICIES = ROOT / "templates" / "policies"
PARAMETERS = "parameters.yaml"
RECORDED = Path(__file__).parent / "recorded_bundled.json.xz"


def main(arguments: list[str]) -> int:
    """Start the server, record, and print the number of refused objects for each policy."""
    with server(arguments[0]) as started:
        recorded = _record(started, [Path(one) for one in arguments[1:]])
    RECORDED.write_bytes(lzma.compress(json.dumps(recorded, sort_keys=True).encode(), preset=9))
    sys.stdout.write("".join(f"{name}: {sum(map(bool, answers))}\n" for name, answers in recorded.items()))
    return 0


def _record(api: Server, folders: Sequence[Path]) -> dict[str, list[str]]:
    """Name of a policy -> its message for each object; empty if it accepts the object."""
    for folder in folders:
        for file in sorted(folder.glob("*.yaml")):
            _create(api, file)
    _create(api, POLICIES / PARAMETERS)
    for name in bundled.NAMESPACES:
        api.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
    recorded = {}
    for file in list_entries(POLICIES, "*.yaml"):
        if file.name != PARAMETERS:
            bindings = _create(api, file)
            time.sleep(6)  # until the server judges by it
            recorded[file.stem] = [_message(api, tree) for tree in bundled.objects()]
            for tree in bindings:
                api.delete(tree)
            time.sleep(3)
    return recorded


def _create(api: Server, file: Path) -> list[dict[str, Any]]:
    """The bindings of the file, which is created."""
    trees = [tree for tree in yaml.safe_load_all(file.read_text(encoding="utf-8")) if tree]
    for tree in trees:
        api.create(tree, tree["metadata"].get("namespace", ""))
    return [tree for tree in trees if tree["kind"] == "ValidatingAdmissionPolicyBinding"]


def _message(api: Server, tree: dict[str, Any]) -> str:
    answer = api.send("POST", tree, tree["metadata"]["namespace"], dry=True)
    _, refused, message = str(answer.get("message", "")).partition(" denied request: ")
    if answer["code"] >= 300 and not refused:
        raise RuntimeError(f"{tree['kind']} {tree['metadata']['name']}: {answer['message']}")
    return message


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
