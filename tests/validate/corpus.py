"""Manifests with the API server's verdict: those recorded here, and the larger corpus beside the checkout if there is one."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.checkout import ROOT

RECORDED = Path(__file__).parent / "recorded"
CORPUS = Path(os.environ.get("TJGEN_CORPUS", ROOT.parent / "shared" / "corpus")) / "admit"
_OTHER = ("newest.jsonl", "server-side.jsonl")


def recorded(name: str) -> list[dict[str, Any]]:
    """The cases of a file in this folder."""
    return [json.loads(line) for line in (RECORDED / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]


def creates() -> Iterator[dict[str, Any]]:
    """Every case of the corpus that creates an object."""
    for file in sorted(CORPUS.glob("*.jsonl")):
        if file.name not in _OTHER:
            for line in file.read_text(encoding="utf-8").splitlines():
                case = json.loads(line)
                if "old" not in case:
                    yield case
