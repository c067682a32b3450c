"""Records what the engine of Kyverno answers to the cases.

python -m tests.cluster.policies.record_kyverno FOLDER

FOLDER is where the program of tests/oracle/kyverno is built. The result is tests/cluster/policies/recorded_kyverno.json.xz.
"""

from __future__ import annotations

import json
import lzma
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.checkout import ROOT
from tests.cluster.policies.kyverno_cases import Case, cases
from tests.cluster.policies.record import RECORDED
from tjgen.cluster.policies.stored import Stored, replacing, stored

ANSWERS = Path(__file__).parent / "recorded_kyverno.json.xz"


def all_cases() -> list[Case]:
    """The cases, with the expressions that the API server accepts."""
    known = json.loads(lzma.decompress(RECORDED.read_bytes()))["expressions"]
    return list(cases([text for text, message in known.items() if not message]))


def request_of(one: Case) -> tuple[Stored, Stored | None]:
    """The object of a case as the API server stores it, and the one that it replaces."""
    namespace = one.namespace["metadata"]["name"]
    new, old = _stored(one.request.new, namespace), None
    if one.request.old is not None:
        old = _stored(one.request.old, namespace)
        new = replacing(new, old)
    return new, old


def _stored(tree: Any, namespace: str) -> Stored:
    found = stored({**tree, "metadata": {**tree["metadata"], "namespace": namespace}}, webhooks=False)
    assert found is not None, "the cases have kinds with schemas"
    return found


def main(arguments: list[str]) -> int:
    """Build the program, record, and print the number of answers."""
    folder = Path(arguments[0])
    subprocess.run([ROOT / "tests/oracle/kyverno/build.sh", folder], check=True)
    lines = []
    for one in all_cases():
        new, old = request_of(one)
        case = {"policy": one.policy, "object": new.tree, "resource": new.plural, "namespace": one.namespace}
        lines.append(json.dumps({**case, **({"oldObject": old.tree} if old is not None else {})}))
    program = folder / "kyverno-oracle"
    answer = subprocess.run([program], input="\n".join(lines), capture_output=True, text=True, check=True)
    answers = [json.loads(line) for line in answer.stdout.splitlines()]
    recorded = {one.name: found for one, found in zip(all_cases(), answers, strict=True)}
    ANSWERS.write_bytes(lzma.compress(json.dumps(recorded, ensure_ascii=False, sort_keys=True).encode(), preset=9))
    sys.stdout.write(f"{len(recorded)} answers\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
