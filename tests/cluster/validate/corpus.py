"""Manifests with the API server's verdict: those recorded here, and the larger corpus beside the checkout if there is one."""

from __future__ import annotations

import json
import os
import re
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


def cases() -> Iterator[dict[str, Any]]:
    """Every case of the corpus."""
    for file in sorted(CORPUS.glob("*.jsonl")):
        if file.name not in _OTHER:
            for line in file.read_text(encoding="utf-8").splitlines():
                yield json.loads(line)


def creates() -> Iterator[dict[str, Any]]:
    """Every case that creates an object."""
    return (case for case in cases() if "old" not in case)


def updates() -> Iterator[dict[str, Any]]:
    """Every case that applies an object over another."""
    return (case for case in cases() if "old" in case)


def server_side() -> Iterator[dict[str, Any]]:
    """The creates that were tried with server-side apply, with that verdict: most have the same as ever.

    Tried was what has a name of its own and is no small case for a fact (the corpus's README).
    """
    lines = (CORPUS / "server-side.jsonl").read_text(encoding="utf-8").splitlines()
    other = {case["id"]: case for case in map(json.loads, lines)}
    for case in creates():
        tree = case.get("manifest")
        metadata = tree.get("metadata") if isinstance(tree, dict) else None
        is_named = isinstance(metadata, dict) and isinstance(metadata.get("name"), str) and bool(metadata["name"])
        if is_named and re.search(r"-\d{4}$", case["id"]):
            yield {**case, "allowed": other.get(case["id"], case)["allowed"]}
