"""Records what a real API server charges for expressions, and the sizes at which it begins to refuse them.

python -m tests.cluster.policies.record_costs PROGRAM

PROGRAM is the program of tests/oracle/costs, built with the modules of k8s.io/apiserver 0.36.3. The result is
tests/cluster/policies/recorded_costs.json.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.cluster.policies.expenses import CEILINGS, EXPRESSIONS, FAMILIES, MOST, Asked, asked

RECORDED = Path(__file__).parent / "recorded_costs.json"


class Server:
    """The program that evaluates expressions as the server does."""

    def __init__(self, program: str) -> None:
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def answer(self, given: Asked) -> dict[str, Any]:
        """The cost and the results of expressions, or why they are refused."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps(given) + "\n")
        self.process.stdin.flush()
        answer: dict[str, Any] = json.loads(self.process.stdout.readline())
        return answer


def refusal(answer: dict[str, Any]) -> str:
    """Why the server refuses; empty if it does not."""
    errors = [result["error"] for result in answer.get("results", ()) if "error" in result]
    words = answer.get("invalid") or answer.get("exhausted") or (errors[0] if errors else "")
    return str(words).splitlines()[0][-120:] if words else ""


def threshold(server: Server, name: str) -> dict[str, Any]:
    """The largest size that the server accepts, and its words for the next one."""
    family = FAMILIES[name]
    accepted, refused = 1, CEILINGS.get(name, MOST)
    while refused - accepted > 1:
        size = 2 * accepted if refused > 4 * accepted else (accepted + refused) // 2
        if refusal(server.answer(family(size))):
            refused = size
        else:
            accepted = size
    return {"accepted": accepted, "words": refusal(server.answer(family(refused)))}


def main(program: str) -> None:
    """Record all families and expressions."""
    server = Server(program)
    recorded = {
        "costs": {one: server.answer(asked(one))["cost"] for one in EXPRESSIONS},
        "thresholds": {name: threshold(server, name) for name in FAMILIES},
    }
    RECORDED.write_text(json.dumps(recorded, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
