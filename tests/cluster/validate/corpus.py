"""Manifests with the API server's verdict: those recorded here, and the larger corpus of tests/corpus."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.checkout import list_entries
from tests.corpus.packs import corpora

RECORDED = Path(__file__).parent / "recorded"
CORPUS = corpora() / "admit"
RECORDED_WITH = {"kueue": "v0.15.2", "volcano": "v1.13.1-0.20251028070205-46d20c0699e7"}
"""The releases whose definitions the API server had; of the other projects, the newest ones."""
_OTHER = ("newest.jsonl", "server-side.jsonl")


def recorded(name: str) -> list[dict[str, Any]]:
    """The cases of a file in this folder."""
    return [json.loads(line) for line in (RECORDED / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]


def names() -> list[str]:
    """The files of the corpus that hold cases, without their ending: one for each kind, and `facts`."""
    return sorted(file.stem for file in list_entries(CORPUS, "*.jsonl") if file.name not in _OTHER)


def cases(name: str | None = None) -> Iterator[dict[str, Any]]:
    """Every case of the corpus, or of one of its files."""
    for file in names() if name is None else [name]:
        for line in (CORPUS / f"{file}.jsonl").read_text(encoding="utf-8").split("\n")[:-1]:
            yield json.loads(line)


def creates(name: str | None = None) -> Iterator[dict[str, Any]]:
    """Every case that creates an object."""
    return (case for case in cases(name) if "old" not in case)


def updates() -> Iterator[dict[str, Any]]:
    """Every case that applies an object over another."""
    return (case for case in cases() if "old" in case)


def server_side(name: str | None = None) -> Iterator[dict[str, Any]]:
    """The creates that were tried with server-side apply, with that verdict: most have the same as ever.

    Tried was what has a name of its own and is no small case for a fact (the corpus's README).
    """
    lines = (CORPUS / "server-side.jsonl").read_text(encoding="utf-8").splitlines()
    other = {case["id"]: case for case in map(json.loads, lines)}
    for case in creates(name):
        tree = case.get("manifest")
        metadata = tree.get("metadata") if isinstance(tree, dict) else None
        is_named = isinstance(metadata, dict) and isinstance(metadata.get("name"), str) and bool(metadata["name"])
        if is_named and re.search(r"-\d{4}$", case["id"]):
            yield {**case, "allowed": other.get(case["id"], case)["allowed"]}
